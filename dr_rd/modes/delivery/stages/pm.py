"""Owners, stories and the tests that the plan has already; what is missing is left missing."""

from collections.abc import Iterator, Sequence

from core.graph.state import GraphTask
from core.modes.delivery import Delivery, DeliveryKit, Update
from core.pluralize import pluralize
from dr_rd.modes.delivery.bench import Bench, bench_of
from dr_rd.modes.delivery.choices import choices
from dr_rd.modes.delivery.dossier import Requirement, Test, dossier_of
from dr_rd.modes.delivery.matching import own_test
from dr_rd.modes.delivery.stories import stories

_COUNTED = ("money", "outcome", "share", "period", "measure", "count")
"""Forms that have a figure, so that a line without one tests them not."""
_UNTOLD = ("inequality", "definition")
"""Forms that no line tests by sharing words: the words of a definition stand wherever it is used."""


async def STAGE(state: Delivery, kit: DeliveryKit) -> Update:
    """Give each requirement the task that took it, and the line of a task that tests it."""
    bench, dossier = bench_of(kit), dossier_of(state)
    owners = {i: t.id for t in dossier.tasks for a in t.acceptance for i in a.ledger_ids}
    requirements = tuple(
        r.model_copy(update={"owner": r.owner or owners.get(r.source, "")})
        for r in dossier.requirements
    )
    tests = tuple(_tests(bench, dossier.tasks, requirements))
    made = dossier.model_copy(update={"requirements": requirements, "tests": tests})
    made = made.model_copy(update={"stories": stories(made, bench.material.library)})
    shared = choices(bench, made)
    tested = len({t.requirement for t in tests})
    said = (
        f"{pluralize(len(made.stories), 'story', 'stories')}; {tested} of {len(requirements)} "
        f"requirements are tested by a line of the plan itself; "
        f"choices that touch several tasks: {len(shared)}"
    )
    return Update(
        said=said,
        work=made.saved(),
        needs_architecture=bool(shared),
        handoff={"stories": len(made.stories), "choices": [c.title for c in shared]},
    )


def _tests(
    bench: Bench, tasks: Sequence[GraphTask], requirements: Sequence[Requirement]
) -> Iterator[Test]:
    rarity = bench.rarity(tasks)
    for needed in requirements:
        if needed.form in _UNTOLD:
            continue
        if found := own_test(
            needed.text,
            tasks,
            rarity,
            bench.common,
            needed.owner,
            counted=needed.form in _COUNTED,
        ):
            task, line = found
            yield Test(
                id=needed.id.replace("R-", "AT-"),
                requirement=needed.id,
                task=task.id,
                text=line,
                source="own line",
            )

"""Limits, accepted amendments and the question itself, each as a requirement that can be checked."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.graph.state import ToolRequest
from core.modes.delivery import Delivery, DeliveryKit, Update
from core.pluralize import pluralize
from dr_rd.modes.delivery.amendments import Amendment, amended, worked
from dr_rd.modes.delivery.bench import Bench, bench_of
from dr_rd.modes.delivery.dossier import Dossier, Requirement
from dr_rd.modes.delivery.forms import form_of
from dr_rd.modes.delivery.limits import items

_SIZER = "sample_size"
_SIZES = "study-statistician"
OBJECTIVE = "objective"


async def STAGE(state: Delivery, kit: DeliveryKit) -> Update:
    """Write the requirements, on the plan with its accepted amendments."""
    del state
    bench = bench_of(kit)
    tasks, notes = bench.material.tasks, list[str]()
    taken = list(worked(bench.material.design.amendments))
    known = {a.id for a in taken}
    for amendment in (a for a in bench.amendments if a.id not in known):
        tasks, problems = amended(tasks, amendment)
        notes += problems
        if not problems:
            taken.append(amendment)
    told = [
        *_of_limits(bench),
        *_of_amendments(bench, taken),
        *_of_size(bench, await _sized(bench, kit)),
    ]
    requirements = tuple(
        found.model_copy(update={"id": f"R-{number:02}"}) for number, found in enumerate(told, 1)
    )
    dossier = Dossier(
        tasks=tuple(tasks),
        taken=tuple(f"{a.id}: {a.title or a.reason}" for a in taken),
        requirements=requirements,
        notes=tuple(notes),
    )
    limits = sum(r.kind in ("constraint", "criterion", "ban") for r in requirements)
    said = (
        f"{pluralize(limits, 'limit')} and {pluralize(len(taken), 'amendment')} became "
        f"{pluralize(len(requirements), 'requirement')}"
    )
    return Update(said=said, work=dossier.saved(), handoff={"requirements": len(requirements)})


def _of_limits(bench: Bench) -> Iterator[Requirement]:
    for item in items(bench.material):
        form = form_of(item.kind, item.text).form
        yield Requirement(id="", source=item.id, kind=item.kind, text=item.text, form=form)


def _of_amendments(bench: Bench, taken: Iterable[Amendment]) -> Iterator[Requirement]:
    known = {item.id for item in items(bench.material)}
    for amendment in taken:
        kept = [i for i in amendment.rests_on if i in known]
        text = amendment.title or str(amendment.changes[0].new)
        yield Requirement(
            id="",
            source=f"{amendment.id} → {', '.join(kept) or OBJECTIVE}",
            kind="amendment",
            text=text,
            form=form_of("amendment", text).form,
            owner=next(iter(amendment.tasks), ""),
        )


def _of_size(bench: Bench, found: Mapping[str, Any]) -> Iterator[Requirement]:
    """Yield what the number of units asks of a figure that the brief does not give."""
    if not found.get("tested"):
        return
    unit = found["unit"]
    effect = f"{found['effect'][:1].lower()}{found['effect'][1:]}"
    given, least = found.get("given"), found.get("detectable")
    if given and least:
        text = (
            f"a source says which difference matters: with {given:g} {unit} none below "
            f"{least:.3g} shows, as {effect}, with power {found['power']:g}"
        )
    else:
        needs = ", ".join(f"{r['per_group']:,} for {r['effect']:g}" for r in found["rows"])
        counted = unit if unit.startswith("per ") else f"of {unit}"
        text = (
            f"the number {counted} follows from the difference that matters, as {effect}: {needs}"
        )
    owner = next(
        (t.id for t in bench.material.tasks if any(r.name == _SIZER for r in t.tool_request)), ""
    )
    yield Requirement(
        id="", source=OBJECTIVE, kind="size", text=text, form="inequality", owner=owner
    )


async def _sized(bench: Bench, kit: DeliveryKit) -> Mapping[str, Any]:
    """Return what the study's size comes to: as the run built on computed it, or anew."""
    past = (r for a in bench.material.answers.values() for r in a.tool_result)
    known = next((r.output for r in past if r.name == _SIZER and r.ok), None)
    if isinstance(known, Mapping):
        return known
    if not bench.material.design.sizing:
        return {}
    request = ToolRequest(name=_SIZER, args=bench.material.design.sizing)
    result = await kit.toolbox.call(request, task_id="size", role=_SIZES, planned=None)
    return result.output if isinstance(result.output, Mapping) else {}

"""A model's plan put right: the certain is settled, the wrong is named, and then left out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.language import foreign, language
from dr_rd.planning.library import Library
from dr_rd.planning.repair.dependencies import without_cycles, without_tasks
from dr_rd.planning.repair.faults import Fault, Faults
from dr_rd.planning.repair.limits import plan_lines, within_limits
from dr_rd.planning.repair.names import ids, ids_by_name
from dr_rd.planning.repair.proposal import ProposedTask
from dr_rd.planning.repair.tasks import Tasks
from dr_rd.planning.repair.texts import Texts
from dr_rd.planning.repair.written import MOST_TASKS, WrittenPlan


@dataclass(frozen=True, slots=True)
class RepairedPlan:
    """A plan that can be used, if it has tasks, and what it took."""

    tasks: tuple[ProposedTask, ...]
    faults: tuple[Fault, ...]
    asides: tuple[str, ...]
    """What was left out and is not worth asking again."""


def repair_plan(
    plan: WrittenPlan,
    brief: Brief,
    ledger: Ledger,
    library: Library,
    tools: Collection[str],
    theirs: Collection[str] = (),
) -> RepairedPlan:
    """Return *plan* put right.

    Args:
        plan: What a model wrote.
        brief: What was asked; links may come from it.
        ledger: Its limits: no sentence that breaks one is kept.
        library: Holds the roles.
        tools: Names of those that there are.
        theirs: Names of those of other programs, which any role may call.

    """
    faults = Faults()
    written = faults.few(plan.tasks, MOST_TASKS, "the plan", "tasks")
    if not written:
        faults.name("the plan has no task", "plan 3 to 12", "there is nothing to keep")
    keys = ids([t.id for t in written], faults)
    known = ids_by_name([t.id for t in written], keys)
    repair = Tasks(ledger, library, tools, theirs, Texts(brief, ledger, faults), faults)
    drafts = [repair.task(t, key, known) for t, key in zip(written, keys, strict=True)]
    drafts = without_tasks(drafts, {t.id for t in drafts if not t.title})
    drafts = without_cycles(within_limits(drafts, ledger, faults), faults)
    _same_language(drafts, brief, faults)
    return RepairedPlan(tuple(drafts), tuple(faults.named), faults.asides)


def _same_language(tasks: Sequence[ProposedTask], brief: Brief, faults: Faults) -> None:
    """Say which tasks are in another language than the brief, as far as that can be told."""
    asked, others = language(brief.words), dict[str, list[str]]()
    for task in tasks:
        if used := foreign(" ".join(line.text for line in plan_lines(task)), asked):
            others.setdefault(used, []).append(task.id)
    for used, keys in others.items():
        wrong = f"{', '.join(keys)}: in {used.capitalize()}, the brief in {asked.capitalize()}"
        faults.name(wrong, f"write every text in {asked.capitalize()}", "it stays as it is")

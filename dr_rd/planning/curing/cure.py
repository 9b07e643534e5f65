"""A model's plan put right: the certain is settled, the wrong is named, and then left out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.language import foreign, language
from dr_rd.planning.curing.faults import Fault, Faults
from dr_rd.planning.curing.lawful import lawful, lines
from dr_rd.planning.curing.names import called, ids
from dr_rd.planning.curing.proposal import ProposedTask
from dr_rd.planning.curing.tasks import Tasks
from dr_rd.planning.curing.texts import Texts
from dr_rd.planning.curing.waiting import forward, without
from dr_rd.planning.curing.written import MOST_TASKS, WrittenPlan
from dr_rd.planning.library import Library


@dataclass(frozen=True, slots=True)
class Cured:
    """A plan that can be used, if it has tasks, and what it took."""

    tasks: tuple[ProposedTask, ...]
    faults: tuple[Fault, ...]
    asides: tuple[str, ...]
    """What was left out and is not worth asking again."""


def cured(
    plan: WrittenPlan,
    brief: Brief,
    ledger: Ledger,
    library: Library,
    tools: Collection[str],
    theirs: Collection[str] = (),
) -> Cured:
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
    known = called([t.id for t in written], keys)
    hand = Tasks(ledger, library, tools, theirs, Texts(brief, ledger, faults), faults)
    drafts = [hand.task(t, key, known) for t, key in zip(written, keys, strict=True)]
    drafts = without(drafts, {t.id for t in drafts if not t.title})
    drafts = forward(lawful(drafts, ledger, faults), faults)
    _same_language(drafts, brief, faults)
    return Cured(tuple(drafts), tuple(faults.named), faults.asides)


def _same_language(tasks: Sequence[ProposedTask], brief: Brief, faults: Faults) -> None:
    """Say which tasks are in another language than the brief, as far as that can be told."""
    asked, others = language(brief.words), dict[str, list[str]]()
    for task in tasks:
        if used := foreign(" ".join(line.text for line in lines(task)), asked):
            others.setdefault(used, []).append(task.id)
    for used, keys in others.items():
        wrong = f"{', '.join(keys)}: in {used.capitalize()}, the brief in {asked.capitalize()}"
        faults.name(wrong, f"write every text in {asked.capitalize()}", "it stays as it is")

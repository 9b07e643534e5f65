"""A model's plan put right: the certain is settled, the wrong is named, and then left out."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, broken
from dr_rd.language import foreign, language
from dr_rd.planning.expertise import Cleaner, Expertise
from dr_rd.planning.library import Library
from dr_rd.planning.repair.dependencies import without_cycles, without_tasks
from dr_rd.planning.repair.faults import Fault, Faults
from dr_rd.planning.repair.kept import parted, waiting
from dr_rd.planning.repair.limits import plan_lines, within_limits
from dr_rd.planning.repair.names import ids, ids_by_name
from dr_rd.planning.repair.proposal import ProposedTask
from dr_rd.planning.repair.tasks import Tasks
from dr_rd.planning.repair.texts import Texts
from dr_rd.planning.repair.written import MOST_TASKS, WrittenPlan

_MOST_UNITS = 1e12


@dataclass(frozen=True, slots=True)
class RepairedPlan:
    """A plan that can be used, if it has tasks, and what it took."""

    tasks: tuple[ProposedTask, ...]
    """Those that are written; a kept one of the library's has an id and nothing else."""
    faults: tuple[Fault, ...]
    asides: tuple[str, ...]
    """What was left out and is not worth asking again."""
    sample: float | None = None
    """How many units it samples; None where it does not say."""
    changes: tuple[tuple[str, str], ...] = ()
    """What is planned otherwise than the library does, each with the reason."""
    expertise: Expertise = field(default_factory=Expertise)
    kept: tuple[str, ...] = ()
    """Ids of the library's tasks that stay as they are."""


def repair_plan(
    plan: WrittenPlan,
    brief: Brief,
    ledger: Ledger,
    library: Library,
    tools: Collection[str],
    theirs: Collection[str] = (),
    planned: Sequence[GraphTask] = (),
) -> RepairedPlan:
    """Return *plan* put right.

    Args:
        plan: What a model wrote.
        brief: What was asked; links may come from it.
        ledger: Its limits: no sentence that breaks one is kept.
        library: Holds the roles.
        tools: Names of those that there are.
        theirs: Names of those of other programs, which any role may call.
        planned: The tasks of the library's plan, which the model may keep.

    """
    faults = Faults()
    names, found = parted(plan, planned, faults)
    keep = tuple(dict.fromkeys(names.values()))
    written = faults.few(found, MOST_TASKS, "the plan", "tasks")
    if not written and not keep:
        faults.name("the plan has no task", "plan 3 to 12", "there is nothing to keep")
    keys = ids([t.id for t in written], faults)
    known = ids_by_name([*(t.id for t in written), *names], [*keys, *names.values()])
    repair = Tasks(ledger, library, tools, theirs, Texts(brief, ledger, faults), faults)
    drafts = [repair.task(t, key, known) for t, key in zip(written, keys, strict=True)]
    drafts = without_tasks(drafts, {t.id for t in drafts if not t.title})
    held = waiting(planned, keep, keys)
    drafts = without_cycles([*held, *within_limits(drafts, ledger, faults)], faults)[len(held) :]
    _same_language(drafts, brief, faults)
    cleaner = Cleaner(_breach(ledger), brief.model_dump_json())
    changes = [(cleaner.line(c.what), cleaner.line(c.why)) for c in plan.changes]
    expertise = cleaner.expertise(plan.expertise)
    return RepairedPlan(
        (*(ProposedTask(id=key, title="") for key in keep), *drafts),
        tuple(faults.named),
        (*faults.asides, *(f"Left out, {what}." for what in cleaner.left_out)),
        _count(plan.sample),
        tuple(c for c in changes if c[0]),
        expertise,
        keep,
    )


def _breach(ledger: Ledger) -> Callable[[str], str]:
    """Return what says which limit a sentence breaks by itself."""
    return lambda text: next((f"it breaks {v.id}" for v, _ in broken(ledger, [text])), "")


def _count(sample: object) -> float | None:
    """Return a number of units; None for what is none."""
    number = isinstance(sample, int | float) and not isinstance(sample, bool)
    return float(sample) if number and 0 < sample < _MOST_UNITS else None  # type: ignore[operator, arg-type]


def _same_language(tasks: Sequence[ProposedTask], brief: Brief, faults: Faults) -> None:
    """Say which tasks are in another language than the brief, as far as that can be told."""
    asked, others = language(brief.words), dict[str, list[str]]()
    for task in tasks:
        if used := foreign(" ".join(line.text for line in plan_lines(task)), asked):
            others.setdefault(used, []).append(task.id)
    for used, keys in others.items():
        wrong = f"{', '.join(keys)}: in {used.capitalize()}, the brief in {asked.capitalize()}"
        faults.name(wrong, f"write every text in {asked.capitalize()}", "it stays as it is")

"""The lines of a plan held against the limits: what breaks one leaves."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import clipped
from dr_rd.checks import Ledger, broken
from dr_rd.evidence.words import words
from dr_rd.planning.repair.dependencies import without_tasks
from dr_rd.planning.repair.faults import SHOWN, Faults
from dr_rd.planning.repair.proposal import ProposedTask

_T = TypeVar("_T")

_PASSES = 20
"""How often a plan is held against the ledger while sentences that break it leave."""


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One statement of a task."""

    task: str
    place: tuple[str, int]
    """Its field, and which it is of several."""
    text: str

    @property
    def vital(self) -> bool:
        """Whether its task is nothing without it."""
        return self.place[0] in ("title", "description")

    def does(self, banned: str) -> bool:
        """Whether it says what is *banned* and no more: elsewhere that names it, here it is done."""
        return self.place[0] != "acceptance" and words(self.text) == words(banned)

    @property
    def where(self) -> str:
        """Return its place, for a person."""
        names = {"description": "the purpose", "steps": "a step", "acceptance": "a criterion"}
        return f"{names.get(self.place[0], f'the {self.place[0]}')} of {self.task}"


def within_limits(
    tasks: Sequence[ProposedTask], ledger: Ledger, faults: Faults
) -> list[ProposedTask]:
    """Leave out what breaks an item of the ledger until nothing does."""
    kept, alone = list(tasks), True
    for _ in range(_PASSES):
        unfit = _broken(kept, ledger, alone=alone)
        if not unfit:
            break
        for line, (item, quote) in unfit.items():
            faults.name(
                f"{line.where}, “{clipped(quote, SHOWN)}”, breaks {item} "
                f"(“{clipped(ledger.item(item).text, SHOWN)}”)",
                "plan nothing that does",
                "the task is left out" if line.vital else "it is left out",
            )
        kept = without_tasks(kept, {line.task for line in unfit if line.vital})
        kept = [
            _without_lines(t, {line.place for line in unfit if line.task == t.id}) for t in kept
        ]
        alone = False
    return kept


def _broken(
    tasks: Sequence[ProposedTask], ledger: Ledger, *, alone: bool
) -> dict[PlanLine, tuple[str, str]]:
    """Lines that break an item, each with it and the words; at first each line *alone* too.

    One check finds one passage for an item, and a plan may break it in every line.
    """
    said = [line for t in tasks for line in plan_lines(t)]
    bans = [i for i in ledger.items if i.kind == "ban"]
    found = {ln: (b.id, ln.text) for ln in said for b in bans if ln.does(b.text)}
    together = [(v, at[0]) for v, at in broken(ledger, [ln.text for ln in said]) if at]
    for v, first in together:
        found.setdefault(said[first], (v.id, v.quote))
    items = tuple(ledger.item(v.id) for v, _ in together)
    for line in said if alone and items else ():
        for v, _ in broken(Ledger(items=items), [line.text]):
            found.setdefault(line, (v.id, v.quote))
    return found


def plan_lines(task: ProposedTask) -> Iterator[PlanLine]:
    """Return the statements of *task*."""
    for name in ("title", "description", "deliverable"):
        yield PlanLine(task.id, (name, 0), getattr(task, name))
    for name in ("steps", "acceptance"):
        for number, text in enumerate(getattr(task, name)):
            yield PlanLine(task.id, (name, number), text)


def _without_lines(task: ProposedTask, places: Collection[tuple[str, int]]) -> ProposedTask:
    """Return *task* without what stands at those places."""

    def rest(name: str, them: Sequence[_T]) -> tuple[_T, ...]:
        return tuple(it for n, it in enumerate(them) if (name, n) not in places)

    return task.model_copy(
        update={
            "steps": rest("steps", task.steps),
            "acceptance": rest("acceptance", task.acceptance),
            "answers": rest("acceptance", task.answers),
            "deliverable": "" if ("deliverable", 0) in places else task.deliverable,
        }
    )

"""What waits for what in a plan, without rings and gaps."""

from collections.abc import Collection, Mapping, Sequence

from core.errors import clipped
from dr_rd.planning.repair.faults import SHOWN, Faults
from dr_rd.planning.repair.names import normalized_name, split_names
from dr_rd.planning.repair.proposal import ProposedTask
from dr_rd.planning.repair.written import WrittenTask
from dr_rd.planning.waits import without


def needs(
    written: WrittenTask, key: str, known: Mapping[str, str], faults: Faults
) -> tuple[str, ...]:
    """Return the ids of the tasks that the task *key* waits for."""
    found: dict[str, None] = {}
    for name in (n for raw in written.depends_on for n in split_names(raw, known)):
        if before := known.get(name) or known.get(normalized_name(name)):
            found[before] = None
        else:
            wrong = f"{key} waits for {clipped(name, SHOWN)!r}, which is no task"
            remedy = f"name ids of the plan's tasks: {', '.join(dict.fromkeys(known.values()))}"
            faults.name(wrong, remedy, "it no longer does")
    return tuple(found)


def without_cycles(tasks: Sequence[ProposedTask], faults: Faults) -> list[ProposedTask]:
    """Leave out, in the plan's order, each dependency that would close a ring."""
    waits: dict[str, tuple[str, ...]] = {t.id: () for t in tasks}
    for task in tasks:
        for before in task.depends_on:
            if task.id in _reachable(before, waits):
                ring = "itself" if before == task.id else f"{before}, which waits for it"
                wrong = f"{task.id} waits for {ring}"
                faults.name(wrong, "remove one of these dependencies", "it no longer does")
            else:
                waits[task.id] += (before,)
    return [t.model_copy(update={"depends_on": waits[t.id]}) for t in tasks]


def without_tasks(tasks: Sequence[ProposedTask], gone: Collection[str]) -> list[ProposedTask]:
    """Return those that stay; what waited for one that goes waits for what that one waited for."""
    waits = without({t.id: t.depends_on for t in tasks}, gone)
    return [t.model_copy(update={"depends_on": waits[t.id]}) for t in tasks if t.id in waits]


def _reachable(key: str, needs: Mapping[str, Sequence[str]]) -> set[str]:
    """All that *key* waits for, and itself."""
    found, waiting = set[str](), [key]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += needs[here]
    return found

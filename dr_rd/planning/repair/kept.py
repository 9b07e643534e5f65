"""The tasks of the library's plan that a model keeps, by their ids alone."""

from collections.abc import Collection, Sequence

from core.errors import clipped
from core.graph.state import GraphTask
from dr_rd.planning.repair.faults import SHOWN, Faults
from dr_rd.planning.repair.names import normalized_name
from dr_rd.planning.repair.proposal import ProposedTask
from dr_rd.planning.repair.written import WrittenPlan, WrittenTask
from dr_rd.planning.waits import without


def parted(
    plan: WrittenPlan, planned: Sequence[GraphTask], faults: Faults
) -> tuple[dict[str, str], tuple[WrittenTask, ...]]:
    """Return the *planned* tasks that stay, ids by what the plan calls them, and those written.

    A task that is written under the id of a planned one takes its place; with nothing but the id it
    is one that stays. One under another id whose title is that of a kept task says it twice and goes:
    so small models write that keep the whole plan first.
    """
    ids = {normalized_name(t.id): t.id for t in planned}
    titles = {t.id: normalized_name(t.title) for t in planned}
    keep = dict[str, None]()
    for raw in plan.keep:
        if found := ids.get(normalized_name(raw)):
            keep[found] = None
        else:
            wrong = f"keep names {clipped(raw, SHOWN)!r}, which is no task of the library's"
            remedy = (
                f"name ids of its plan: {', '.join(ids.values())}" if ids else "write the task"
            )
            faults.name(wrong, remedy, "it is not kept")
    written = list[WrittenTask]()
    for task in plan.tasks:
        known = ids.get(normalized_name(task.id))
        if known and not (task.title or task.steps):
            keep[known] = None
        else:
            written.append(task)
            keep.pop(known or "", None)
    again = {
        task.id: next((k for k in keep if normalized_name(task.title).startswith(titles[k])), "")
        for task in written
    }
    for key in filter(again.get, again):
        faults.remove("tasks that repeat a kept one", key)
    names = {**{key: key for key in keep}, **{new: old for new, old in again.items() if old}}
    return names, tuple(t for t in written if not again[t.id])


def waiting(
    planned: Sequence[GraphTask], keep: Collection[str], written: Collection[str]
) -> list[ProposedTask]:
    """Return the kept tasks with what they wait for in the new plan, and nothing else of them."""
    waits = without(
        {t.id: t.depends_on for t in planned}, {t.id for t in planned} - {*keep, *written}
    )
    return [ProposedTask(id=key, title="", depends_on=waits[key]) for key in waits if key in keep]

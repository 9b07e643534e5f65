"""What a direction would take, as far as the library can tell before it is planned."""

from collections.abc import Sequence
from dataclasses import replace

from core.graph.state import GraphTask
from dr_rd.planning.directions import Direction, Outline
from dr_rd.planning.draft import Draft
from dr_rd.planning.estimates import drivers, estimated
from dr_rd.planning.tasks import of_packages
from dr_rd.planning.techniques import Technique
from dr_rd.planning.wording import Assumptions

_GETTING = ("approvals", "sourcing", "build")
"""Phases in which is got what the rest of the work needs."""

_NAMED = 3
"""Tasks, or steps, that are named as what a direction needs first."""


def outlined(draft: Draft, tasks: Sequence[GraphTask]) -> tuple[Direction, ...]:
    """The directions with what each would take; nobody can tell it of tasks that were given."""
    if draft.brief.prescribed:
        return draft.directions
    return tuple(
        d if d.excluded else d.model_copy(update={"outline": _of(draft, n, tasks)})
        for n, d in enumerate(draft.directions)
    )


def _of(draft: Draft, place: int, tasks: Sequence[GraphTask]) -> Outline:
    """What the direction at *place* would take; for the one chosen, *tasks* are planned."""
    direction = draft.directions[place]
    if direction.id == draft.chosen.id:
        return _summed(tasks, draft.method.title, ())
    match = draft.ranking[0 if direction.given else place]
    method = draft.library.method(match.id)
    other = replace(draft, chosen=direction, method=method, assumed=Assumptions())
    theirs, _ = estimated(other, of_packages(other).tasks, drivers(other))
    there = {t.id for t in draft.techniques}
    named = [t for t in other.techniques if t.title in direction.techniques]
    return _summed(theirs, match.title, [t for t in named if t.id not in there])


def _summed(tasks: Sequence[GraphTask], method: str, techniques: Sequence[Technique]) -> Outline:
    """Sum up the tasks of one direction, done by *method*: expected values, no percentiles."""
    empty = Outline(
        method=method,
        tasks=0,
        days=0,
        cost=0,
        needs=tuple(t.title for t in tasks if t.phase in _GETTING)[:_NAMED],
        own=tuple(step for t in techniques for step in _first(t))[:_NAMED],
    )
    return empty.of_tasks(tasks)


def _first(technique: Technique) -> list[str]:
    """The step that a technique begins with; none if its words hold what only a plan can fill in."""
    steps = [s.text for s in technique.steps if "{" not in s.text]
    return [s.rstrip(". ") for s in steps[:1]]

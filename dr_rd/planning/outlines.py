"""What a direction would take, as far as the library can tell before it is planned."""

from collections.abc import Sequence

from core.graph.state import GraphTask, ThreePoint
from dr_rd.planning.directions import Outline
from dr_rd.planning.library import Technique
from dr_rd.schedule.cpm import critical_path_times

_GETTING = ("approvals", "sourcing", "build")
"""Phases in which is got what the rest of the work needs."""

_NAMED = 3
"""Tasks, or steps, that are named as what a direction needs first."""

_NOTHING = ThreePoint(low=0, mode=0, high=0)


def outline(tasks: Sequence[GraphTask], method: str, techniques: Sequence[Technique]) -> Outline:
    """Sum up the tasks of one direction, done by *method*: expected values, no percentiles."""
    network = {t.id: t.depends_on for t in tasks}
    expected = {t.id: (t.duration_days or _NOTHING).mean for t in tasks}
    ends = [times.finish for times in critical_path_times(network, expected).values()]
    return Outline(
        method=method,
        tasks=len(tasks),
        days=round(max(ends, default=0.0)),
        cost=round(sum((t.cost or _NOTHING).mean for t in tasks)),
        needs=tuple(t.title for t in tasks if t.phase in _GETTING)[:_NAMED],
        own=tuple(step for t in techniques for step in _first(t))[:_NAMED],
    )


def _first(technique: Technique) -> list[str]:
    """The step that a technique begins with; none if its words hold what only a plan can fill in."""
    steps = [s for texts in technique.phases.values() for s in texts]
    return [s.rstrip(". ") for s in steps if "{" not in s][:1]

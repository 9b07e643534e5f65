"""Which task does the work of each work package."""

from collections.abc import Mapping, Sequence

from core.graph.state import GraphTask
from dr_rd.planning.draft import Draft
from dr_rd.planning.methods import Package
from dr_rd.planning.signals import stems

Doers = Mapping[str, str]
"""The id of the task that does a package's work, by the package's id."""


def doers(draft: Draft, tasks: Sequence[GraphTask]) -> Doers:
    """Find who does each package's work.

    Of tasks that the library did not write, the one that has most words in common with the
    package, or else stands where the package does.
    """
    by_source = {t.source: t.id for t in tasks}
    last = max(1, len(draft.packages) - 1)
    return {
        p.id: by_source.get(source) or _like(p, n / last, tasks)
        for n, (source, p) in enumerate(draft.sources.items())
    }


def task_text(task: GraphTask) -> str:
    """Return the words of *task* as one text."""
    return " ".join([task.title, task.description, task.deliverable, *task.steps])


def _like(package: Package, place: float, tasks: Sequence[GraphTask]) -> str:
    """Id of the task most like *package*, which stands at *place* (0 first, 1 last) of its plan."""
    words = stems(" ".join([package.title, package.purpose, *(s.text for s in package.steps)]))

    def likeness(number: int) -> tuple[int, float]:
        shared = len(words & stems(task_text(tasks[number])))
        return shared, -abs(number - place * (len(tasks) - 1))

    return tasks[max(range(len(tasks)), key=likeness)].id

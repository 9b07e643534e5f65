"""Critical path and float of a task network, by the critical path method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

Network = Mapping[str, Sequence[str]]
"""Each task with the tasks it waits for."""

TIE = 1e-9
"""Of a day: less float is none, and sums of floats are no more exact."""


@dataclass(frozen=True, slots=True)
class Times:
    """When a task can and must happen, in working days from the start."""

    start: float
    """Earliest start."""
    finish: float
    """Earliest finish."""
    slack: float
    """Days it can slip without moving the end (total float)."""

    @property
    def critical(self) -> bool:
        """Whether a delay of this task delays the end."""
        return self.slack < TIE


def order(network: Network) -> tuple[str, ...]:
    """Tasks so that each comes after those it waits for; ties in the network's own order."""
    place = {task: n for n, task in enumerate(network)}
    sorter = TopologicalSorter(network)
    sorter.prepare()
    done: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=place.__getitem__)
        sorter.done(*ready)
        done += ready
    return tuple(done)


def critical_path_times(network: Network, days: Mapping[str, float]) -> dict[str, Times]:
    """Forward and backward pass (Kelley & Walker 1959) over *network*.

    Raises graphlib.CycleError if the tasks wait for each other in a ring.
    """
    tasks = order(network)
    start: dict[str, float] = {}
    finish: dict[str, float] = {}
    for task in tasks:
        start[task] = max((finish[d] for d in network[task]), default=0.0)
        finish[task] = start[task] + days[task]
    end = max(finish.values(), default=0.0)
    latest = dict.fromkeys(tasks, end)
    for task in reversed(tasks):
        for before in network[task]:
            latest[before] = min(latest[before], latest[task] - days[task])
    return {t: Times(start[t], finish[t], latest[t] - finish[t]) for t in tasks}


def end_of(network: Network, days: Mapping[str, float]) -> float:
    """Return on which working day from the start the last task of *network* ends; 0 without one."""
    times = critical_path_times(network, days).values()
    return max((t.finish for t in times), default=0.0)


def critical_path(network: Network, times: Mapping[str, Times]) -> tuple[str, ...]:
    """One longest path, first task first; ties go to the task listed first."""
    if not times:
        return ()
    last = max(times.values(), key=lambda t: t.finish).finish
    task = next(t for t in network if times[t].finish >= last - TIE)
    path = [task]
    while network[task]:
        task = max(network[task], key=lambda d: times[d].finish)
        path.append(task)
    return tuple(reversed(path))

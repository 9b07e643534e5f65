"""Forward and backward pass over a network, all iterations at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dr_rd.schedule.calendar import Steady, Working
from dr_rd.schedule.cpm import Network, order
from dr_rd.schedule.spread import Draws


@dataclass(frozen=True, slots=True)
class Passage:
    """Work passed along a network; one row a task in its order, one column an iteration."""

    start: Draws
    """When the last of those waited for has ended."""
    finish: Draws
    slack: Draws
    """Total float, in working days of the task's own calendar."""
    end: Draws
    """When everything has ended."""


def passage(network: Network, days: Draws, working: Sequence[Working] = ()) -> Passage:
    """Pass forward and backward over *network* (Kelley & Walker 1959), all iterations at once.

    Args:
        network: Its tasks in the order of the rows.
        days: Working days of each task.
        working: The calendar of each task; none means that every day is worked.

    """
    rows = {task: n for n, task in enumerate(network)}
    along = working or [Steady()] * len(rows)
    start, finish = np.zeros_like(days), np.empty_like(days)
    tasks = order(network)
    for task in tasks:
        n = rows[task]
        for before in network[task]:
            np.maximum(start[n], finish[rows[before]], out=start[n])
        finish[n] = along[n].finish(start[n], days[n])
    end = finish.max(axis=0)
    latest = np.tile(end, (len(rows), 1))
    for task in reversed(tasks):
        n = rows[task]
        begin = along[n].latest(latest[n], days[n])
        for before in network[task]:
            np.minimum(latest[rows[before]], begin, out=latest[rows[before]])
    for n, own in enumerate(along):
        latest[n] = own.between(finish[n], latest[n])
    return Passage(start, finish, latest, end)

"""Schedule and cost as distributions, by Monte Carlo over three-point estimates."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from core.graph.state import ThreePoint
from dr_rd.schedule.activities import Activity, Driver, Risk
from dr_rd.schedule.calendar import Steady, Working
from dr_rd.schedule.cpm import TIE, Network, order
from dr_rd.schedule.spread import Draws, Rng, Shape, draw

_DAYS, _COSTS, _EVENTS = range(3)
"""Streams of chance, so that costs come out the same with and without days and risks."""


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


@dataclass(frozen=True, slots=True)
class Simulation:
    """What the iterations gave."""

    end: Draws
    """Along the calendars' axis, from the start."""
    cost: Draws
    """Total, in the plan's currency."""
    criticality: Mapping[str, float]
    """Share of the iterations in which a task had no float."""
    days: Draws
    """Mean days of each task, in one column."""
    causes: Mapping[str, Mapping[str, Draws]]
    """By outcome, "days" or "cost": what was drawn for each activity, driver and risk."""


def simulate(
    activities: Sequence[Activity],
    *,
    drivers: Sequence[Driver] = (),
    risks: Sequence[Risk] = (),
    working: Sequence[Working] = (),
    iterations: int,
    seed: int,
) -> Simulation:
    """Draw every activity's days and cost *iterations* times and add them up along the network.

    Args:
        activities: Drawn independently of each other, but for their drivers.
        drivers: Multiply what was drawn.
        risks: Add to what was multiplied.
        working: The calendar of each activity; none means that every day is worked.
        iterations: How many.
        seed: One seed gives one result.

    """
    rng = np.random.default_rng([seed, _EVENTS])
    shapes = [a.shape for a in activities]
    own = {
        "days": drawn([a.days for a in activities], shapes, iterations, [seed, _DAYS]),
        "cost": costs([a.cost for a in activities], shapes, iterations, seed),
    }
    causes = {k: dict(zip((a.id for a in activities), v, strict=True)) for k, v in own.items()}
    whole = {k: v.copy() if drivers or risks else v for k, v in own.items()}
    place = {a.id: n for n, a in enumerate(activities)}
    drawing = _Drawing(whole, causes, place, rng)
    for driver in drivers:
        drawing.scale(driver)
    for risk in risks:
        drawing.add(risk)
    passed = passage({a.id: a.depends_on for a in activities}, whole["days"], working)
    share = (passed.slack < TIE).mean(axis=1).tolist()
    return Simulation(
        end=passed.end,
        cost=whole["cost"].sum(axis=0),
        criticality=dict(zip(place, share, strict=True)),
        days=whole["days"].mean(axis=1, keepdims=True),
        causes=causes,
    )


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


def percentile(draws: Draws, share: float) -> float:
    """Value that *share* (0..1) of the draws do not exceed."""
    return float(np.quantile(draws, share))


def costs(points: Sequence[ThreePoint], shapes: Sequence[Shape], size: int, seed: int) -> Draws:
    """Draw costs as `simulate` does: the same seed, the same total."""
    return drawn(points, shapes, size, [seed, _COSTS])


def drawn(
    points: Sequence[ThreePoint], shapes: Sequence[Shape], size: int, seed: Sequence[int]
) -> Draws:
    """Draw each estimate in its shape, a shape at a time."""
    rng = np.random.default_rng(seed)
    by_shape: dict[Shape, list[int]] = defaultdict(list)
    for n, shape in enumerate(shapes):
        by_shape[shape].append(n)
    found = np.empty((len(points), size))
    for shape in (s for s in get_args(Shape) if s in by_shape):
        rows = by_shape[shape]
        found[rows] = draw([points[n] for n in rows], shape, size, rng)
    return found


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What is drawn for the activities, while drivers and risks change it."""

    whole: Mapping[str, Draws]
    """By outcome, "days" or "cost": one row an activity."""
    causes: Mapping[str, dict[str, Draws]]
    place: Mapping[str, int]
    """Row of each activity."""
    rng: Rng

    @property
    def _size(self) -> int:
        return int(self.whole["days"].shape[1])

    def scale(self, driver: Driver) -> None:
        acts = self.rng.random(self._size) < driver.probability
        factor = np.where(acts, draw([driver.factor], "pert", self._size, self.rng)[0], 1.0)
        rows = [self.place[key] for key in driver.activities]
        for outcome in ("days", "cost") if driver.scales == "both" else (driver.scales,):
            self.whole[outcome][rows] *= factor
            self.causes[outcome][driver.id] = factor

    def add(self, risk: Risk) -> None:
        happens = self.rng.random(self._size) < risk.probability
        for outcome, points in (("days", risk.days), ("cost", risk.cost)):
            added = happens * draw([points], "pert", self._size, self.rng)[0]
            self.whole[outcome][self.place[risk.activity]] += added
            self.causes[outcome][risk.id] = added

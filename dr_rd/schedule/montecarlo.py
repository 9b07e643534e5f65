"""Schedule and cost as distributions, by Monte Carlo over three-point estimates."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from core.graph.state import ThreePoint
from dr_rd.schedule.activities import Activity, Driver, Resource, Risk
from dr_rd.schedule.calendar import Working
from dr_rd.schedule.cpm import TIE
from dr_rd.schedule.leveling import Leveling
from dr_rd.schedule.spread import Draws, Rng, Shape, draw

_DAYS, _COSTS, _EVENTS = range(3)
"""Streams of chance, so that costs come out the same with and without days and risks."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What the iterations gave."""

    end: Draws
    """Along the calendars' axis, from the start."""
    finish: Draws
    """When each activity has ended, one row each."""
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
    resources: Sequence[Resource] = (),
    working: Sequence[Working] = (),
    iterations: int,
    seed: int,
) -> Simulation:
    """Draw every activity's days and cost *iterations* times and add them up along the network.

    Args:
        activities: Drawn independently of each other, but for their drivers.
        drivers: Multiply what was drawn.
        risks: Add to what was multiplied.
        resources: What activities need and there is only so much of.
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
    if any(a.day_rate for a in activities):
        rates = np.array([a.day_rate for a in activities])
        whole["cost"] = whole["cost"] + whole["days"] * rates[:, None]
    leveling = Leveling(tuple(activities), tuple(resources), tuple(working))
    whole["days"] = leveling.elapsed(whole["days"])
    passed = leveling.passage(whole["days"])
    share = (passed.slack < TIE).mean(axis=1).tolist()
    return Simulation(
        end=passed.end,
        finish=passed.finish,
        cost=whole["cost"].sum(axis=0),
        criticality=dict(zip(place, share, strict=True)),
        days=whole["days"].mean(axis=1, keepdims=True),
        causes=causes,
    )


def percentile(draws: Draws, share: float) -> float:
    """Value that *share* (0..1) of the draws do not exceed."""
    return float(np.quantile(draws, share))


def costs(points: Sequence[ThreePoint], shapes: Sequence[Shape], size: int, seed: int) -> Draws:
    """Draw costs as `simulate` does: the same seed, the same total."""
    return drawn(points, shapes, size, [seed, _COSTS])


def pay(days: Sequence[ThreePoint], rates: Sequence[float], size: int, seed: int) -> Draws:
    """Draw working days as `simulate` does, and pay each at its rate."""
    if not any(rates):  # whatever the days are
        return np.zeros((len(days), size))
    found: Draws = drawn(days, ["pert"] * len(days), size, [seed, _DAYS])
    paid: Draws = found * np.array(rates)[:, None]
    return paid


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

"""Three points scaled, and the costs of a plan cut to its limit."""

from collections.abc import Mapping
from math import floor

from core.graph.state import ThreePoint
from core.values import Frozen
from dr_rd.schedule.confidence import at_confidence

NOTHING = ThreePoint(low=0, mode=0, high=0)
"""No days, or no money."""


class ScaledCost(Frozen):
    """One task's cost before and after the cut."""

    key: str
    full: ThreePoint
    elastic: float
    """The share that can go."""
    per_unit: bool
    """Whether it grows with the number of units."""

    def cut(self, share: float) -> ThreePoint:
        """Cost when *share* (0..1) of what can go has gone."""
        return times(self.full, 1 - self.elastic * share)


class Scaling(Frozen):
    """What it took to meet the limit, and whether it was met."""

    currency: str
    percentile: float
    """The confidence that the limit is held to, 0..1."""
    full: float
    """Total at that confidence before any cut."""
    planned: float
    """Total at that confidence as planned."""
    limit: float | None
    cut: float
    """Share of what can go that has gone, 0..1."""
    fits: bool
    shortfall: float
    """How much the limit falls short; 0 if it does not."""
    units: float
    """How many units were asked for."""
    per_unit: float
    """Expected cost of one unit at the planned cut."""
    fixed: float
    """Expected cost of everything that does not grow with the units."""
    affordable_units: int | None
    """How many units the limit pays for; None without a limit or a cost per unit."""
    given_up: Mapping[str, float] = {}
    """Expected cost that each task goes without, for the limit's sake."""


def times(points: ThreePoint, factor: float) -> ThreePoint:
    """Multiply an estimate; money and days are kept to three significant digits."""
    low, mode, high = (_tidy(v * factor) for v in (points.low, points.mode, points.high))
    return ThreePoint(low=low, mode=max(low, mode), high=max(low, mode, high))


def scale(
    lines: list[ScaledCost], *, limit: float | None, share: float, units: float, currency: str
) -> Scaling:
    """Cut what can be cut, no more than needed, until the total meets *limit*."""
    full = at_confidence([ln.full for ln in lines], share)
    cut = 0.0 if limit is None else _smallest_cut(lines, limit, share)
    costs = {ln.key: ln.cut(cut) for ln in lines}
    planned = at_confidence(list(costs.values()), share)
    growing = sum(costs[ln.key].mean for ln in lines if ln.per_unit)
    fixed = sum(costs[ln.key].mean for ln in lines if not ln.per_unit)
    per_unit = growing / units if units else 0.0
    short = max(0.0, planned - limit) if limit is not None else 0.0
    return Scaling(
        currency=currency,
        percentile=share,
        full=round(full),
        planned=round(planned),
        limit=limit,
        cut=round(cut, 3),
        fits=short <= 0,
        shortfall=round(short),
        units=units,
        per_unit=round(per_unit),
        fixed=round(fixed),
        affordable_units=_affordable(limit, fixed, per_unit),
        given_up={ln.key: saved for ln in lines if (saved := _saved(ln, cut))},
    )


def _saved(line: ScaledCost, cut: float) -> float:
    return float(round(line.full.mean - line.cut(cut).mean))


_KEPT_BACK = 0.02
"""Share of the limit left free by a cut: the simulation's percentiles scatter by about that."""


def _smallest_cut(lines: list[ScaledCost], limit: float, share: float) -> float:
    for step in range(101):
        if at_confidence([ln.cut(step / 100) for ln in lines], share) <= limit * (1 - _KEPT_BACK):
            return step / 100
    return 1.0


def _affordable(limit: float | None, fixed: float, per_unit: float) -> int | None:
    if limit is None or per_unit <= 0:
        return None
    return max(0, floor((limit - fixed) / per_unit))


def _tidy(value: float) -> float:
    """Keep three significant digits: the library's figures carry no more."""
    return float(f"{value:.3g}")

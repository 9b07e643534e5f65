"""Estimates scaled, and the costs of a plan added up against its limit."""

from collections.abc import Iterable
from math import floor

from core.graph.state import GraphTask, ThreePoint
from core.values import Frozen, rounded_to
from dr_rd.schedule.confidence import at_confidence
from dr_rd.tools.context import Assignment


class TaskCost(Frozen):
    """What one task costs."""

    key: str
    full: ThreePoint
    each: float = 0.0
    """How much of its expected cost one more sampled unit adds."""
    guessed: bool = False
    """Whether it is the library's guess; else somebody gave it."""


class Scaling(Frozen):
    """What the plan costs for how many units, and whether the limit allows it."""

    currency: str
    percentile: float
    """The confidence that the limit is held to, 0..1."""
    planned: float
    """Total at that confidence."""
    limit: float | None
    known: float
    """Expected cost of what somebody gave a price for."""
    guess_low: float
    guess_high: float
    """Between which the library guesses the rest, to one digit."""
    guessed: bool
    """Whether the library's guesses are in it: the limit is then held against the rest alone."""
    fits: bool | None
    """Whether the limit is kept; None where guesses decide it, or nothing limits it."""
    shortfall: float
    """How much the limit falls short of what is known; 0 if it does not."""
    units: float
    """How many units were asked for."""
    per_unit: float
    """Expected cost of one unit."""
    fixed: float
    """Expected cost of everything that does not grow with the units."""
    affordable_units: int | None
    """How many units the limit pays for; None without a limit or a cost per unit, or by guesses."""


def times(points: ThreePoint, factor: float, digits: int = 3) -> ThreePoint:
    """Multiply an estimate; so many significant *digits* are kept."""
    low, mode, high = (
        rounded_to(v * factor, digits) for v in (points.low, points.mode, points.high)
    )
    return ThreePoint(low=low, mode=max(low, mode), high=max(low, mode, high))


def pay_of(
    tasks: Iterable[GraphTask], staffing: Iterable[Assignment], currency: str
) -> ThreePoint:
    """Return what those who are paid in *currency* cost for so many *tasks*: at least, likely, at most."""
    rates = {a.task_id: a.day_rate for a in staffing if a.currency == currency}
    paid = [(rates.get(t.id, 0.0), t.duration_days) for t in tasks if t.duration_days]
    low, mode, high = (
        sum(rate * getattr(days, end) for rate, days in paid) for end in ("low", "mode", "high")
    )
    return ThreePoint(low=low, mode=mode, high=high)


def scale(
    lines: list[TaskCost], *, limit: float | None, share: float, units: float, currency: str
) -> Scaling:
    """Add the costs up and hold what is known of them against *limit*."""
    known = at_confidence([ln.full for ln in lines if not ln.guessed], share)
    guessed = any(ln.guessed and ln.full.high for ln in lines)
    whole = sum(ln.full.mean for ln in lines)
    per_unit = sum(ln.each for ln in lines)
    fixed = whole - per_unit * units
    short = max(0.0, known - limit) if limit is not None else 0.0
    return Scaling(
        currency=currency,
        percentile=share,
        planned=round(at_confidence([ln.full for ln in lines], share)),
        limit=limit,
        known=round(sum(ln.full.mean for ln in lines if not ln.guessed)),
        guess_low=rounded_to(sum(ln.full.low for ln in lines if ln.guessed), 1),
        guess_high=rounded_to(sum(ln.full.high for ln in lines if ln.guessed), 1),
        guessed=guessed,
        fits=False if short > 0 else None if guessed or limit is None else True,
        shortfall=round(short),
        units=units,
        per_unit=round(per_unit),
        fixed=round(fixed),
        affordable_units=None if guessed else _affordable(limit, fixed, per_unit),
    )


def _affordable(limit: float | None, fixed: float, per_unit: float) -> int | None:
    if limit is None or per_unit <= 0:
        return None
    return max(0, floor((limit - fixed) / per_unit))

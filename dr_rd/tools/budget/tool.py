"""The budget added up: lines, totals, the limit, and what it pays for."""

import numpy as np
from pydantic import Field, JsonValue, model_validator

from core.graph.state import ThreePoint
from core.tool_router import Tool
from core.values import Amount, Frozen, repeated, rounded_to
from dr_rd.schedule.activities import NOTHING
from dr_rd.schedule.montecarlo import costs, pay, percentile
from dr_rd.schedule.spread import Draws


class BudgetLine(Frozen):
    """One task's cost."""

    id: str
    cost: ThreePoint
    per_unit: bool = False
    """Whether it grows with the number of sampled units."""
    guessed: bool = False
    """Whether its cost is a guess, which no limit is held against."""
    days: ThreePoint = NOTHING
    """Working days that it is paid for, at the rate."""
    day_rate: Amount = 0
    days_guessed: bool = False
    """Whether those days are a guess, and so what is paid for them."""

    @property
    def pay(self) -> ThreePoint:
        """What the people cost."""
        d, rate = self.days, self.day_rate
        return ThreePoint(low=d.low * rate, mode=d.mode * rate, high=d.high * rate)


class Budget(Frozen):
    """What is added up."""

    lines: tuple[BudgetLine, ...] = Field(min_length=1, max_length=500)
    currency: str = Field(pattern="^[A-Za-z]{3}$", description="Three letters, such as EUR.")
    confidence: float = Field(
        gt=0, lt=1, description="Confidence the limit is held to, by risk posture."
    )
    iterations: int = Field(default=10_000, ge=100, le=10_000)
    seed: int = Field(
        default=0,
        ge=0,
        lt=2**63,
        description="With that of schedule_risk, and as many iterations, the same percentiles.",
    )
    limit: Amount | None = None
    units: Amount = 0
    """How many sampled units the per-unit lines pay for."""

    @model_validator(mode="after")
    def _distinct(self) -> "Budget":
        if (key := repeated(line.id for line in self.lines)) is not None:
            raise ValueError(f"two lines have the id {key!r}; give each its own")
        return self


def budget(params: Budget) -> JsonValue:
    """Add the lines up; amounts are whole units of the currency."""
    points, wages = [line.cost for line in params.lines], [line.pay for line in params.lines]
    drawn = costs(points, ["pert"] * len(points), params.iterations, params.seed)
    each_paid = pay(
        [line.days for line in params.lines],
        [line.day_rate for line in params.lines],
        params.iterations,
        params.seed,
    )
    paid = each_paid.sum(axis=0)
    planned = percentile(drawn.sum(axis=0) + paid, params.confidence)
    growing = sum(line.cost.mean for line in params.lines if line.per_unit)
    fixed = sum(line.cost.mean for line in params.lines if not line.per_unit)
    fixed += sum(p.mean for p in wages)
    per_unit = growing / params.units if params.units else 0.0
    found: dict[str, JsonValue] = {
        "currency": params.currency,
        "expected": {
            line.id: round(line.cost.mean + p.mean)
            for line, p in zip(params.lines, wages, strict=True)
        },
        "total_low": round(sum(c.low for c in (*points, *wages))),
        "total_expected": sum(
            round(line.cost.mean + p.mean) for line, p in zip(params.lines, wages, strict=True)
        ),
        "total_high": round(sum(c.high for c in (*points, *wages))),
        "confidence": params.confidence,
        "at_confidence": round(planned),
        "per_unit": round(per_unit),
        "fixed": round(fixed),
        "units": params.units,
        "iterations": params.iterations,
        "seed": params.seed,
    }
    if staff := sum(p.mean for p in wages):
        found |= {"staff": round(staff), "direct": round(sum(c.mean for c in points))}
    guesses = [line.cost for line in params.lines if line.guessed]
    guesses += [line.pay for line in params.lines if line.days_guessed and line.day_rate]
    if guesses:
        known = np.array([not line.guessed for line in params.lines])
        set_ = np.array([not line.days_guessed for line in params.lines])
        sure = drawn[known].sum(axis=0) + each_paid[set_].sum(axis=0)
        planned = percentile(sure, params.confidence)
        low, high = (
            rounded_to(sum(ends), 1)
            for ends in zip(*((c.low, c.high) for c in guesses), strict=True)
        )
        found |= {"known": round(planned), "guess_low": low, "guess_high": high}
        if planned > 0:
            found |= {"all_low": round(planned + low), "all_high": round(planned + high)}
    if params.limit is not None:
        found |= _against(params.limit, planned, guessed=bool(guesses))
        if per_unit > 0 and not guesses:
            found["affordable_units"] = _affordable(drawn, paid, params, params.limit)
    return found


def _against(limit: float, planned: float, *, guessed: bool) -> dict[str, JsonValue]:
    """Hold what is known against the limit; guesses beside it leave open whether it is kept."""
    if guessed and planned <= limit:
        return {"limit": limit, **({"left": round(limit - planned)} if planned > 0 else {})}
    return {"limit": limit, "headroom": round(limit - planned), "fits": planned <= limit}


def _affordable(drawn: Draws, paid: Draws, params: Budget, limit: float) -> int:
    """Return the most units whose cost, with all that is fixed, keeps the limit as surely."""
    grows = np.array([line.per_unit for line in params.lines])
    fixed, each = drawn[~grows].sum(axis=0) + paid, drawn[grows].sum(axis=0) / params.units
    fits, fails = 0, int(limit / max(float(each.mean()), 1e-9)) + 2
    while fails - fits > 1:
        middle = (fits + fails) // 2
        kept = percentile(fixed + middle * each, params.confidence) <= limit
        fits, fails = (middle, fails) if kept else (fits, middle)
    return fits


TOOL = Tool(
    name="budget",
    description="Add up three-point costs and hold them against the limit.",
    params=Budget,
    run=budget,
    of_plan=True,
)

"""The budget added up: lines, totals, the limit, and what it pays for."""

from pydantic import Field, JsonValue

from core.graph.state import ThreePoint
from core.tool_router import Tool
from core.values import Frozen
from dr_rd.schedule.confidence import at_confidence


class BudgetLine(Frozen):
    """One task's cost."""

    id: str
    cost: ThreePoint
    per_unit: bool = False
    """Whether it grows with the number of sampled units."""


class Budget(Frozen):
    """What is added up."""

    lines: tuple[BudgetLine, ...] = Field(min_length=1, max_length=500)
    currency: str
    confidence: float = Field(gt=0, lt=1)
    """Confidence the limit is held to, by risk posture."""
    limit: float | None = Field(default=None, ge=0)
    units: float = Field(default=0, ge=0)
    """How many sampled units the per-unit lines pay for."""


def budget(params: Budget) -> JsonValue:
    """Add the lines up; amounts are whole units of the currency."""
    costs = [line.cost for line in params.lines]
    planned = at_confidence(costs, params.confidence)
    growing = sum(line.cost.mean for line in params.lines if line.per_unit)
    fixed = sum(line.cost.mean for line in params.lines if not line.per_unit)
    per_unit = growing / params.units if params.units else 0.0
    found: dict[str, JsonValue] = {
        "currency": params.currency,
        "expected": {line.id: round(line.cost.mean) for line in params.lines},
        "total_low": round(sum(c.low for c in costs)),
        "total_expected": sum(round(line.cost.mean) for line in params.lines),
        "total_high": round(sum(c.high for c in costs)),
        "confidence": params.confidence,
        "at_confidence": round(planned),
        "per_unit": round(per_unit),
        "fixed": round(fixed),
        "units": params.units,
    }
    if params.limit is not None:
        found |= {
            "limit": params.limit,
            "headroom": round(params.limit - planned),
            "fits": planned <= params.limit,
        }
        if per_unit > 0:
            found["affordable_units"] = max(0, int((params.limit - fixed) // per_unit))
    return found


TOOL = Tool(
    name="budget",
    description="Add up three-point costs and hold them against the limit.",
    params=Budget,
    run=budget,
)

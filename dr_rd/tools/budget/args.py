"""What a plan's budget is called with: the cost of each task, against the limit."""

from collections.abc import Sequence
from typing import Any

from core.graph.state import ThreePoint
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.tools.context import Arguments, CallContext, points


def _paid(days: ThreePoint | None, day_rate: float, *, guessed: bool) -> dict[str, Any]:
    """Return the pay of a task as arguments; days are drawn for all, as the schedule draws them."""
    guess = {"days_guessed": True} if guessed and day_rate else {}
    return {"days": points(days), "day_rate": day_rate, **guess}


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Add up every task, at the confidence that the risk posture asks for."""
    plan = context.plan
    rates = {t.id: plan.day_rate(t.id) for t in context.tasks}
    lines = [
        {
            "id": t.id,
            "cost": points(t.cost),
            "per_unit": t.id in context.per_unit,
            **({"guessed": True} if t.id in context.guessed else {}),
            **(
                _paid(t.duration_days, rates[t.id], guessed=t.id in context.guessed_days)
                if any(rates.values())
                else {}
            ),
        }
        for t in context.tasks
    ]
    return [
        {
            "lines": lines,
            "currency": plan.currency,
            "confidence": PERCENTILE[context.brief.risk_posture],
            "limit": plan.limit,
            "units": plan.units,
            "seed": context.seed,
        }
    ]

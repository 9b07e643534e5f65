"""What a plan's budget is called with: the cost of each task, against the limit."""

from collections.abc import Sequence

from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.tools.context import Arguments, CallContext, points


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Add up every task, at the confidence that the risk posture asks for."""
    plan = context.plan
    lines = [
        {"id": t.id, "cost": points(t.cost), "per_unit": t.id in context.per_unit}
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

"""What a plan's schedule is called with: its tasks, and the limits on time and money."""

from collections.abc import Sequence

from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.tools.context import Arguments, CallContext, points


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Simulate every task; with a first day, the days are dates."""
    plan = context.plan
    activities = [
        {
            "id": t.id,
            "depends_on": list(t.depends_on),
            "days": points(t.duration_days),
            "cost": points(t.cost),
        }
        for t in context.tasks
    ]
    return [
        {
            "activities": activities,
            "seed": context.seed,
            "risk_posture": context.brief.risk_posture,
            "limit_cost": plan.limit,
            "limit_days": plan.deadline_days,
            "days_a_month": WORKING_DAYS_A_MONTH,
            **({"start": plan.start.isoformat()} if plan.start else {}),
        }
    ]

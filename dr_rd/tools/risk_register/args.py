"""What a plan's risk register is called with: its risks, each with what it may cost."""

from collections.abc import Sequence

from dr_rd.tools.context import Arguments, CallContext, points


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Register every risk, against the limit or else what the plan is expected to cost."""
    plan = context.plan
    risks = [
        {
            "id": r.id,
            "description": r.text[:1000],
            "probability": r.probability,
            "impact": points(impact),
            "owner": r.task_id,
            "trigger": r.sign[:1000],
            "response": r.mitigation[:1000],
        }
        for r, impact in zip(plan.risks, context.impacts, strict=True)
    ]
    return [
        {
            "risks": risks,
            "currency": plan.currency,
            "budget": plan.limit or context.expected_cost,
            "seed": context.seed,
        }
    ]

"""What a plan's decision is called with: its directions, scored, and the weights."""

from collections.abc import Sequence

from dr_rd.tools.context import Arguments, CallContext


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Weigh every direction; one that breaks a limit is given as excluded."""
    options = [
        {"id": d.id, "scores": dict(d.scores), "excluded": d.excluded[:1000]}
        for d in context.plan.directions
    ]
    return [{"options": options, "weights": dict(context.plan.weights), "seed": context.seed}]

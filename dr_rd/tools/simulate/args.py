"""What a plan's screening is called with: the first model of its outcome that the method has."""

from collections.abc import Sequence

from dr_rd.tools.context import Arguments, CallContext


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Simulate the screening model."""
    return [{**context.plan.screening, "seed": context.seed}]

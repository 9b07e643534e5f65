"""What a plan converts: the units of the brief."""

from collections.abc import Sequence

from dr_rd.tools.context import Arguments, CallContext


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Convert each value that is not in a unit of the SI."""
    return context.plan.conversions

"""What a plan's sample size is called with: the study's design and its figures."""

from collections.abc import Sequence

from dr_rd.tools.context import Arguments, CallContext


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Size the study as it is designed."""
    return [dict(context.plan.sizing)]

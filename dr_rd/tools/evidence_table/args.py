"""What the brief asks, as claims that documents may speak of."""

from collections.abc import Sequence

from dr_rd.tools.context import Arguments, CallContext


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Look up each item of the ledger that is no ban, or else the objective."""
    items = (item for item in context.ledger.items if item.kind != "ban")
    claims = [{"id": item.id, "text": item.text[:2000]} for item in items]
    return [{"claims": claims or [{"id": "objective", "text": context.brief.objective[:2000]}]}]

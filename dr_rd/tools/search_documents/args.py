"""What a task of a plan searches the documents for."""

from collections.abc import Sequence

from dr_rd.tools.context import Arguments, CallContext

_PASSAGES = 12
"""Passages that one task looks at; it quotes a few sentences of them."""


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Search for the task's own words, and for what its tools need."""
    task = context.task
    mine = {i for a in task.acceptance for i in a.ledger_ids}
    items = (i.text for i in context.ledger.items if i.id in mine)
    words = [task.title, task.description, task.deliverable, *items, *task.steps]
    queries = [" ".join(words)[:2000], " ".join(context.sought)]
    return [{"query": query, "k": _PASSAGES} for query in queries if query]

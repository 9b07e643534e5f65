"""What shows that a proposal keeps an item: its work, not what it tells of itself."""

import re
from collections.abc import Iterable, Mapping

from core.graph.state import GraphTask
from dr_rd.adherence import LedgerVerdict, check, unspoken
from dr_rd.ledger import Ledger

_ASIDE = frozenset(
    ("Summary", "Objective", "Design", "Alternatives compared", "Constraint ledger", "Evidence",
     "Open questions", "Assumptions", "How this was made")
)  # fmt: skip
"""Sections that count, compare and explain; no work is done in them."""

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def owners_of(tasks: Iterable[GraphTask]) -> dict[str, str]:
    """The items of the ledger that tasks answer for, each with its task."""
    return {i: t.id for t in tasks for a in t.acceptance for i in a.ledger_ids}


def grounded(
    ledger: Ledger, proposal: str, owners: Mapping[str, str]
) -> tuple[LedgerVerdict, ...]:
    """Hold a proposal against the ledger; what it tells of itself shows nothing to be kept."""
    found = (_by_the_work(v, proposal, owners) for v in check(ledger, proposal))
    return unspoken(found, owners)


def _by_the_work(
    verdict: LedgerVerdict, proposal: str, owners: Mapping[str, str]
) -> LedgerVerdict:
    if verdict.verdict != "met" or not verdict.quote:
        return verdict
    titles = [m[1] for m in _SECTION.finditer(proposal, 0, verdict.start)]
    if titles and titles[-1] not in _ASIDE:
        return verdict
    if verdict.kind == "ban":
        return verdict.model_copy(update={"quote": "", "reason": "nothing in the text does this"})
    promised = verdict.id in owners
    return verdict.model_copy(update={"quote": commitment(verdict) if promised else ""})


def commitment(verdict: LedgerVerdict) -> str:
    """The line by which a task takes an item upon itself."""
    return f"{verdict.id}: {verdict.text}"

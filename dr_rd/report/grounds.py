"""What shows that a proposal keeps an item: its work, not what it tells of itself."""

import re
from collections.abc import Iterable, Mapping

from core.graph.state import GraphTask
from dr_rd.checks import Ledger, LedgerVerdict, check

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
    return tuple(_by_the_work(v, proposal, owners) for v in check(ledger, proposal))


def _by_the_work(
    verdict: LedgerVerdict, proposal: str, owners: Mapping[str, str]
) -> LedgerVerdict:
    """A verdict of being met as the sections of work show it; else a task's commitment, or nothing."""
    if verdict.verdict in ("violated", "unclear", "not_checkable"):
        return verdict
    titles = [m[1] for m in _SECTION.finditer(proposal, 0, verdict.start)]
    if verdict.verdict == "met" and titles and titles[-1] not in _ASIDE:
        return verdict
    if verdict.kind != "ban" and verdict.id in owners:
        promised = {
            "verdict": "promised",
            "reason": "a task commits to it",
            "quote": commitment(verdict),
        }
        return verdict.model_copy(update=promised)
    reason = (
        "nothing in the text does this"
        if verdict.kind == "ban"
        else "nothing in the plan shows it"
    )
    return verdict.model_copy(update={"verdict": "not_shown", "reason": reason, "quote": ""})


def commitment(verdict: LedgerVerdict) -> str:
    """The line by which a task takes an item upon itself."""
    return f"{verdict.id}: {verdict.text}"

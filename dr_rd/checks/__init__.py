"""The constraint ledger: a brief's limits as items in a checkable form, and verdicts of texts on them.

A text breaks an item only where it affirms what the item rules out: what is denied, doubted,
told of others, or named under a heading such as "Out of scope" is not a violation. What a text
says nothing of is not shown, and never met.
"""

from dr_rd.checks.bounds import is_budget
from dr_rd.checks.constraint import build_ledger
from dr_rd.checks.days import (
    LastDay,
    dated_stems,
    first_day,
    last_days,
    says_only_when,
    stems_beside,
)
from dr_rd.checks.findings import Verdict
from dr_rd.checks.items import (
    Check,
    Exclusive,
    Kind,
    Ledger,
    LedgerItem,
    Limit,
    Period,
    Prohibition,
    Requirement,
)
from dr_rd.checks.remarks import called, remarks
from dr_rd.checks.verdicts import LedgerVerdict, broken, check, to_json

__all__ = [
    "Check",
    "Exclusive",
    "Kind",
    "LastDay",
    "Ledger",
    "LedgerItem",
    "LedgerVerdict",
    "Limit",
    "Period",
    "Prohibition",
    "Requirement",
    "Verdict",
    "broken",
    "build_ledger",
    "called",
    "check",
    "dated_stems",
    "first_day",
    "is_budget",
    "last_days",
    "remarks",
    "says_only_when",
    "stems_beside",
    "to_json",
]

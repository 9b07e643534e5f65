"""The brief's limits as numbered items, each with a checkable form where there is one."""

from dr_rd.ledger.bounds import is_budget
from dr_rd.ledger.build import build_ledger
from dr_rd.ledger.days import LastDay, ending, first_day, last_days
from dr_rd.ledger.items import (
    Check,
    Equal,
    Exclusive,
    Kind,
    Ledger,
    LedgerItem,
    Limit,
    Period,
    Prohibition,
    Requirement,
    Shift,
)
from dr_rd.ledger.remarks import called, remarks

__all__ = [
    "Check",
    "Equal",
    "Exclusive",
    "Kind",
    "LastDay",
    "Ledger",
    "LedgerItem",
    "Limit",
    "Period",
    "Prohibition",
    "Requirement",
    "Shift",
    "build_ledger",
    "called",
    "ending",
    "first_day",
    "is_budget",
    "last_days",
    "remarks",
]

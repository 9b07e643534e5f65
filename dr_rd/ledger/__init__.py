"""The brief's limits as numbered items, each with a checkable form where there is one."""

from dr_rd.ledger.bounds import is_budget
from dr_rd.ledger.build import build_ledger
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
from dr_rd.ledger.remarks import remarks

__all__ = [
    "Check",
    "Equal",
    "Exclusive",
    "Kind",
    "Ledger",
    "LedgerItem",
    "Limit",
    "Period",
    "Prohibition",
    "Requirement",
    "Shift",
    "build_ledger",
    "is_budget",
    "remarks",
]

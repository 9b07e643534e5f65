"""Limits that ask for a change, or bound one: "energy use down by 20 %", "double the throughput"."""

import re

from dr_rd.changes import changes, changes_of
from dr_rd.ledger.items import Shift
from dr_rd.quantity import Quantity, quantities

_DENIED = re.compile(
    r"\b(?:not|never|cannot|without|avoid|no(?!\s(?:more|less)\sthan))\b|n[’']t\b", re.I
)
_MOST = 5
"""Words of what changes, beyond which a limit says more than that."""


def shift(text: str) -> tuple[Shift, ...]:
    """The change that such a limit is of, where that is all it says; none for others."""
    found = tuple(changes(text))
    if len(found) != 1 or quantities(found[0].rest):
        return ()
    share = _turned(found[0].share) if _DENIED.search(text) else found[0].share
    of = tuple(u for u in changes_of(found[0].rest) if not _DENIED.fullmatch(u))
    if share is None or not 0 < len(of) <= _MOST:
        return ()
    return (Shift(way=found[0].way, share=share, of=of),)


def _turned(share: Quantity) -> Quantity | None:
    """What must not be "by more than 10 %" may be 10 % at most; None where no bound is denied."""
    if share.comparison != "at_least":
        return None
    return share.model_copy(update={"comparison": "at_most", "low": None, "high": share.low})

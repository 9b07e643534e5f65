"""Limits in another language than English, of which code understands figures with units alone."""

from math import inf

from dr_rd.checks.items import Ledger, LedgerItem, Limit
from dr_rd.language import foreign, weight

_ENGLISH = "english"


_CLEARLY = 4
"""How many times the weight of its English words those of a limit have that is in a language of its own."""


def unread(ledger: Ledger) -> tuple[str, tuple[LedgerItem, ...]]:
    """Return the language of the limits, and those whose words are not understood; ("", ()) if all are.

    A limit has few words; what these do not tell, the whole brief does.
    """
    words = [i for i in ledger.items if not _figured(i)]
    if tongue := foreign("\n".join((ledger.objective, *(i.text for i in ledger.items))), _ENGLISH):
        found = tuple(i for i in words if _spoken(i.text, tongue) >= 1)
    else:
        found = tuple(i for i in words if _spoken(i.text, foreign(i.text, _ENGLISH)) >= _CLEARLY)
    return (tongue or foreign(found[0].text, _ENGLISH), found) if found else ("", ())


def _figured(item: LedgerItem) -> bool:
    """Whether it bounds a figure with a unit, which is written alike in many languages."""
    return any(isinstance(c, Limit) and c.quantity.unit for c in item.checks)


def _spoken(text: str, tongue: str) -> float:
    """How many times as much the words of a text speak for a language as for English; 0 without one."""
    if not tongue:
        return 0.0
    english, other = weight(text, _ENGLISH), weight(text, tongue)
    return other / english if english else inf

"""Figures that no plan can keep together: "at least 20,000 EUR" beside "under 5,000 EUR"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Literal

from dr_rd.checks.bounds import is_budget
from dr_rd.checks.denials import written_out
from dr_rd.checks.items import Ledger, LedgerItem, Limit
from dr_rd.checks.terse import LONG
from dr_rd.checks.weighing import said, stems_in
from dr_rd.conversion import conversion
from dr_rd.markup import unmarked
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity, is_money
from dr_rd.text import lexicon, stem, stems_of

_OF_EACH = re.compile(
    r"\b(?:each|every|per|apiece|respectively|at once|at a time|at the same time|simultaneous\w*"
    r"|an? (?:day|week|month|year|term|session|visit))\b",
    re.IGNORECASE,
)
"""Of what holds for each of several, their sum says nothing."""

_SLACK = 1.05
"""By what two lengths told in different units may differ: months are not all as long."""

_LEAST = ("at_least", "more_than", "exactly", "between")
_MOST = ("at_most", "less_than", "exactly", "between")

_Of = Literal["money", "time", "day", "count", "measure"]


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound with the line that sets it."""

    item: LedgerItem
    quantity: Quantity
    of: _Of
    """Of the whole work its money, its time or its days; or of something counted or measured."""
    words: frozenset[str]
    """What the line says beside the figure; empty for the whole work."""
    scope: str

    @property
    def low(self) -> float | None:
        """The least that it allows."""
        return self.quantity.low if self.quantity.comparison in _LEAST else None

    @property
    def high(self) -> float | None:
        """The most that it allows."""
        return self.quantity.high if self.quantity.comparison in _MOST else None


def clashing(ledger: Ledger) -> Iterator[tuple[LedgerItem, LedgerItem]]:
    """Yield each two items, or one item twice, whose figures cannot be kept together.

    Told are only those that say of the same thing, in the same words, what cannot be.
    """
    bounds = [b for item in ledger.items if item.kind != "criterion" for b in _bounds(item)]
    pairs = ((a.item, b.item) for a, b in combinations(bounds, 2) if _apart(a, b) or _apart(b, a))
    yield from {(a.id, b.id): (a, b) for a, b in pairs}.values()


def _bounds(item: LedgerItem) -> Iterator[_Bound]:
    limits = [
        c for c in item.checks if isinstance(c, Limit) and c.quantity.noun not in (YEAR, "age")
    ]
    row = item.whole and len(limits) > 1
    for found in limits:
        words = _words(item, found.quantity, row=row)
        if "age" in words:
            continue  # the young and the old may both take part
        kind = _kind(found, words)
        told = frozenset[str]() if kind in ("money", "time", "day") else words
        yield _Bound(item, found.quantity, kind, told, found.scope)


def _words(item: LedgerItem, q: Quantity, *, row: bool) -> frozenset[str]:
    """What a line says beside a figure; in a row of figures, what that one counts."""
    noun = "" if q.noun == DATE else q.noun
    rest = "" if row else written_out(unmarked(item.text)).replace(q.text, " ", 1)
    return frozenset(said(f"{rest} {noun}")) - stems_in("acts")


def _kind(found: Limit, words: frozenset[str]) -> _Of:
    q = found.quantity
    if is_budget(found) and words <= _slight() | lexicon().funding:
        return "money"
    if q.unit in LONG and not found.scope and words <= _slight() | lexicon().scheduling:
        return "time"
    dated = lexicon().stopwords | lexicon().scheduling | lexicon().starting
    if q.noun == DATE and words <= dated:
        return "day"
    return "measure" if q.unit or q.noun == DATE else "count"


@cache
def _slight() -> frozenset[str]:
    """Words without meaning, but those that set a figure apart from the whole."""
    apart = stems_of("after since from per each every not no before between")
    return lexicon().stopwords.difference(apart)


def _apart(least: _Bound, most: _Bound) -> bool:
    """Whether what one asks for at least is more than the other allows."""
    if least.of != most.of or not _of_one(least, most):
        return False
    high = _in_unit(most.high, most.quantity.unit, least.quantity.unit)
    if high is None or least.low is None:
        return False
    if least.quantity.unit != most.quantity.unit and least.quantity.unit in TIME_UNITS:
        return least.low > _SLACK * high
    open_ = least.quantity.comparison == "more_than" or most.quantity.comparison == "less_than"
    return least.low > high or (open_ and least.low == high)


def _of_one(least: _Bound, most: _Bound) -> bool:
    """Whether both speak of one thing, or the least of what is counted in the most."""
    if least.of != "count":
        return least.words == most.words and least.scope == most.scope
    heads = [stem(b.quantity.noun.split()[-1]) for b in (least, most) if b.quantity.noun]
    same = len(heads) == 2 and heads[0] == heads[1]
    within = most.scope in ("", least.scope) and most.words <= least.words
    shared = not most.scope and _OF_EACH.search(most.item.text)
    return same and within and not shared


def _in_unit(value: float | None, unit: str, to: str) -> float | None:
    """The value in another unit; None where it has none there, or has another currency."""
    if value is None or unit == to:
        return value
    if not unit or not to or is_money(unit) or is_money(to):
        return None
    straight = conversion(unit, to)
    return None if straight is None or straight.offset else value * straight.scale

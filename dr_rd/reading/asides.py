"""What a brief tells beside its own terms: sums that are spent anyway, and days of events."""

import re
from collections.abc import Mapping
from functools import cache, cached_property

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.reading.amounts import Amount
from dr_rd.text import stem


class Asides(Frozen):
    """The data file."""

    disclaimed: str
    running: str
    each_time: str
    spent: str
    past: str
    event: str
    terms: frozenset[str]

    @cached_property
    def patterns(self) -> Mapping[str, re.Pattern[str]]:
        """The expressions by their names."""
        return {k: re.compile(v, re.IGNORECASE) for k, v in self if isinstance(v, str)}

    @cached_property
    def dated(self) -> frozenset[str]:
        """The stems of what is dated in the work itself."""
        return frozenset(map(stem, self.terms))


def is_aside(amount: Amount, text: str) -> bool:
    """Whether an amount of *text* is a sum that the work is not paid from, or the day of an event."""
    if amount.kind == "money":
        return _is_spent(amount, text)
    return amount.kind == "date" and _is_of_event(amount)


def _is_spent(amount: Amount, text: str) -> bool:
    """Whether a sum is disclaimed, spent all along, or was spent: "spends 40,000 a year on this"."""
    if amount.fact.amount.comparison in ("at_most", "less_than"):
        return False
    found, after = _asides().patterns, text[amount.end : amount.end + _REACH].partition("\n")[0]
    each = f"{amount.fact.amount.text}{after}"
    return bool(
        found["disclaimed"].match(after)
        or (found["running"].search(amount.before) and found["each_time"].match(each))
        or (found["spent"].search(amount.before) and found["past"].search(amount.segment.text))
    )


_REACH = 200
"""Characters behind a sum in which it may be disclaimed."""


def _is_of_event(amount: Amount) -> bool:
    """Whether a day is that of what happened, "the flood of 14 May", and none of the work."""
    found = _asides().patterns["event"].search(amount.before)
    return bool(found and stem(found["what"].lower()) not in _asides().dated)


@cache
def _asides() -> Asides:
    return Asides.model_validate(read_yaml("reading", "asides.yaml"))

"""Limits of the whole work that are a figure and little else: "deadline 12 months", "max. 40 kEUR"."""

import re
from collections.abc import Iterable
from functools import cache

from dr_rd.checks.items import Limit
from dr_rd.checks.phrases import ENDS
from dr_rd.checks.weighing import stems_in
from dr_rd.quantity import (
    DATE,
    TIME_UNITS,
    YEAR,
    Quantity,
    is_money,
    numbers,
    quantities,
    without_day,
    without_year,
)
from dr_rd.text import cued, lexicon, stems_of
from dr_rd.text.numbered import numbered

LONG = TIME_UNITS - {"second", "minute", "hour"}
"""Units in which the time of the whole work is told."""
_CEILINGS = ("stated", "exactly", "about", "between", "at_most", "less_than")
"""How a figure may be bounded that is the most of what there is."""


@cache
def _tail() -> re.Pattern[str]:
    """What a figure takes in or leaves out: it changes what is counted, not what it bounds."""
    return re.compile(rf"[\s,(]+(?:{'|'.join(lexicon().reckoning)})\b.*$", re.I | re.DOTALL)


def whole(text: str) -> tuple[Limit, ...]:
    """The bound that such a limit sets to the time, the end or the cost of the work; none for others.

    A figure alone is the most that there is: "12 months" is a deadline, "40 kEUR" a budget.
    """
    text = _tail().sub("", text)
    if turn := _of_turn(text):
        return (Limit(quantity=turn, whole=True),)
    found = quantities(text)
    if len(found) != 1 or found[0].comparison not in _CEILINGS:
        return ()
    stated = found[0]
    if (stated.high or 0) <= 0:
        return ()
    said = _Rest(text[: stated.start], text[stated.end :], stated.noun)
    bound = _of_money(stated, said) or _of_time(stated, said) or _of_end(stated, said)
    return (Limit(quantity=bound, whole=True),) if bound else ()


def spent(text: str) -> Quantity | None:
    """The figure of such a limit that leaves no time, or no money; None where it leaves some.

    A length of time, or a sum, of zero or less: "-3 days", "budget: 0 EUR".
    """
    found = quantities(text)
    if len(found) != 1 or (found[0].high if found[0].high is not None else 1) > 0:
        return None
    q, said = found[0], _Rest(text[: found[0].start], text[found[0].end :], found[0].noun)
    money = is_money(q.unit) and said.only(lexicon().funding)
    time = q.unit in LONG and said.only(lexicon().scheduling)
    return q if money or time else None


def coinless(text: str) -> bool:
    """Whether a limit of money is a bare number: "budget: 40k" can be held against nothing."""
    if not cued("outlay", text) or any(is_money(q.unit) for q in quantities(text)):
        return False
    found = numbers(text)
    said = _Rest(text[: found[0].start], text[found[0].end :], "") if len(found) == 1 else None
    return said is not None and said.only(lexicon().funding)


def yearless(text: str) -> bool:
    """Whether a limit of time ends on a date without a year: "by June" can be held against nothing."""
    dated = any(q.noun in (DATE, YEAR) for q in quantities(text))
    return not dated and _is_end(text, without_year(text))


def dayless(text: str) -> bool:
    """Whether a limit of time ends in a stretch of a year: of "by mid-2027" nobody knows the last day."""
    return _is_end(text, without_day(text))


def _is_end(text: str, found: re.Match[str] | None) -> bool:
    """Whether what was *found* in a text is the end of the work, or of something: "permit ends"."""
    if not found:
        return False
    said = _Rest(text[: found.start()], text[found.end() :], "")
    if said.stems & stems_in("begun") or _NOT_BEFORE.search(said.before):
        return False
    return said.only(lexicon().scheduling) or bool(_ENDS.search(text[: found.end()]))


_ENDS = re.compile(rf"\b{ENDS}\b", re.IGNORECASE)


def says_only(text: str, q: Quantity) -> bool:
    """Whether the one figure of *text*, and what it counts, are all that it says."""
    found = quantities(text)
    said = _Rest(text[: found[0].start], text[found[0].end :], "") if len(found) == 1 else None
    return said is not None and said.only(stems_of(q.noun))


class _Rest:
    """The words of a limit beside its figure."""

    def __init__(self, before: str, after: str, noun: str) -> None:
        self.before = before
        named = "" if noun in (DATE, YEAR, "age") else noun
        self.stems = frozenset(stems_of(f"{before} {after} {named}"))

    def only(self, *lists: Iterable[str]) -> bool:
        """Whether there are no other words than those of some lists, and those without meaning."""
        return self.stems <= lexicon().stopwords.union(lexicon().bounding, *lists)


def _of_money(q: Quantity, said: _Rest) -> Quantity | None:
    fits = is_money(q.unit) and q.high is not None and said.only(lexicon().funding)
    return _most(q, q.high, "") if fits else None


def _of_time(q: Quantity, said: _Rest) -> Quantity | None:
    if q.unit not in LONG or q.high is None or q.noun == "age":
        return None
    return _most(q, q.high, "deadline") if said.only(lexicon().scheduling) else None


def _of_turn(text: str) -> Quantity | None:
    """The time up to a month that is named by its number: "M1–M18" and "by month 18" are 18 months."""
    found = tuple(numbered(text))
    if len(found) != 1 or found[0].unit not in LONG:
        return None
    q = found[0]
    said = _Rest(text[: q.start], text[q.end :], "")
    late = q.low == q.high and said.stems & lexicon().starting
    if late or not said.only(lexicon().scheduling):
        return None
    before = _BEFORE.search(said.before) is not None
    return _most(q, (q.high or 0) - before, "deadline")


_NOT_BEFORE = re.compile(r"\b(?:not?|never)\b.*\bbefore\s$|\blast\s$", re.IGNORECASE)
_BEFORE = re.compile(r"\bbefore\s$", re.IGNORECASE)


def _of_end(q: Quantity, said: _Rest) -> Quantity | None:
    """The last day, of a date or of a year: "before 2028", "end of 2027"."""
    if q.noun not in (DATE, YEAR) or q.high is None or not said.only(lexicon().scheduling):
        return None
    if said.stems & lexicon().starting or _NOT_BEFORE.search(said.before):
        return None
    first, last = (q.low or q.high), q.high
    if q.noun == YEAR:
        first, last = first * 10000 + 101, last * 10000 + 1231
    if _BEFORE.search(said.before):
        return q.model_copy(
            update={"comparison": "less_than", "low": None, "high": first, "noun": DATE}
        )
    return _most(q, last, DATE)


def _most(q: Quantity, high: float | None, noun: str) -> Quantity:
    comparison = "less_than" if q.comparison == "less_than" else "at_most"
    return q.model_copy(update={"comparison": comparison, "low": None, "high": high, "noun": noun})

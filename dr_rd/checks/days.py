"""The days of a brief: on which the work may begin, and by which it, or a part of it, must end."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks.items import Ledger, LedgerItem, Limit
from dr_rd.checks.phrases import ENDS
from dr_rd.checks.weighing import cue, stems_in
from dr_rd.quantity import DATE, day_of, days_in, quantities
from dr_rd.text import lexicon, stems_of


class LastDay(Frozen):
    """A day on which something ends."""

    item: LedgerItem
    day: date
    text: str
    """The day as the brief writes it."""
    whole: bool
    """Whether the whole work ends then, and not only a permit, or a part of the work."""


def first_day(brief: Brief, ledger: Ledger) -> date | None:
    """Return the first day of the work: that of the brief, or the latest that a constraint sets."""
    if given := days_in(brief.start):
        return given[0]
    starts = (d for i in ledger.items if i.kind == "constraint" for d in _begun(i.text))
    return max(starts, default=None)


def last_days(ledger: Ledger) -> Iterator[LastDay]:
    """Yield the days on which the work, or what it needs, must be over; not those of data."""
    for item in ledger.items:
        begun = (
            not stems_in("begun").isdisjoint(stems := stems_of(item.text)) and "end" not in stems
        )
        if item.kind != "criterion" and not begun and not cue("sources").search(item.text):
            yield from _ended(item)


_ENDS = re.compile(rf"(.+?)\s(?:must\s)?{ENDS}\b", re.IGNORECASE)


def ending(item: LedgerItem) -> tuple[str, ...]:
    """What it is that ends, in the lexicon's words: the permit, of "permit ends 31 August"; else nothing."""
    found = _ENDS.match(item.text)
    return lexicon().units(found[1], generic=True) if found else ()


def _ended(item: LedgerItem) -> Iterator[LastDay]:
    for found in item.checks:
        if not isinstance(found, Limit) or found.quantity.noun != DATE:
            continue
        day = day_of(found.quantity.high)
        whole = found.whole or (not found.part and says_only_when(item.text))
        if day and found.quantity.comparison == "less_than":
            day -= timedelta(days=1)
        if day:
            yield LastDay(item=item, day=day, text=found.quantity.text, whole=whole)


@cache
def _begin() -> frozenset[str]:
    return stems_in("begun") | frozenset(stems_of("from earliest"))


def _begun(text: str) -> Iterator[date]:
    """The day on which *text* has the whole work begin, and says little else."""
    if not _begin().isdisjoint(stems_of(text)) or "not before" in text.lower():
        days = [q for q in quantities(text) if q.noun == DATE]
        if len(days) == 1 and says_only_when(text) and (day := day_of(days[0].low)):
            yield day


def says_only_when(text: str) -> bool:
    """Whether *text* says nothing but when the whole work is done."""
    return _idle().issuperset(stems_beside(text))


def stems_beside(text: str) -> tuple[str, ...]:
    """Return the stems of what *text* says beside its figures and days."""
    bare = text
    for q in reversed(quantities(text)):
        bare = f"{bare[: q.start]} {bare[q.end :]}"
    return stems_of(bare)


def dated_stems(text: str) -> frozenset[str]:
    """Return the stems of what *text* dates: what it says beside its days that says no when."""
    return frozenset(stems_beside(text)) - _idle()


@cache
def _idle() -> frozenset[str]:
    """Words that say when, and not what."""
    words = lexicon()
    days = stems_of("monday tuesday wednesday thursday friday saturday sunday")
    return (
        words.stopwords | words.scheduling | words.starting | words.bounding | _begin() | {*days}
    )

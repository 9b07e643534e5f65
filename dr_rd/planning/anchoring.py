"""The first day of a plan whose brief dates its main work: what comes before is planned back from it."""

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache

import numpy as np

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, first_day
from dr_rd.quantity import DATE, day_of, quantities
from dr_rd.text import lexicon, sentences, stems_of


class Anchor(Frozen):
    """A day before which the main work cannot begin, and the work that goes before it."""

    package: str
    """Of the method: what begins then."""
    day: date
    lead: float
    """Working days of what it waits for."""
    said: str
    """The sentence that dates it."""

    def first_day(self, closed: Iterable[date]) -> date:
        """Return the day on which the work must begin for the main work to begin on its own."""
        back = -int(np.ceil(self.lead))
        found = np.busday_offset([self.day], back, roll="forward", holidays=[*closed])
        day: date = found[0].item()
        return day

    def last_day(self, days: float, closed: Iterable[date]) -> date:
        """Return the day on which so many working *days* of the main work end, begun on its own."""
        ahead = max(0, int(np.ceil(days)) - 1)
        found = np.busday_offset([self.day], ahead, roll="forward", holidays=[*closed])
        day: date = found[0].item()
        return day


def dated_part(brief: Brief, ledger: Ledger) -> tuple[date, str] | None:
    """Return the day on which a part of the work begins, and the sentence that dates it.

    None where the brief dates the work as a whole, or nothing.
    """
    start = first_day(brief, ledger)
    said = next(_dating_a_part(brief, start), "") if start and not brief.prescribed else ""
    return (start, said) if start and said else None


def _dating_a_part(brief: Brief, start: date) -> Iterator[str]:
    """The sentences that have something of the work begin on *start*, and not the whole of it."""
    texts = (brief.context, *brief.hard_constraints)
    dated = [
        (s.text.strip(), [q for q in quantities(s.text) if q.noun == DATE])
        for text in texts
        for s in sentences(text)
    ]
    held = [(s, days) for s, days in dated if any(day_of(q.low) == start for q in days)]
    if all(_names_a_part(s) for s, _ in held):
        yield from (s for s, _ in held)


def _names_a_part(sentence: str) -> bool:
    """Whether a sentence names what begins: "first firing on", and not "the project starts on"."""
    bare = sentence
    for q in reversed(quantities(sentence)):
        bare = f"{bare[: q.start]} {bare[q.end :]}"
    stems = stems_of(bare)
    return not (_whole().intersection(stems)) and not _idle().issuperset(stems)


@cache
def _whole() -> frozenset[str]:
    """Words for the work as a whole."""
    return frozenset(
        stems_of(
            "project work study trial programme program research evaluation grant funding contract phase"
        )
    )


@cache
def _idle() -> frozenset[str]:
    """Words that say when, and not what."""
    words = lexicon()
    days = "monday tuesday wednesday thursday friday saturday sunday earliest begin start from"
    return (
        words.stopwords | words.scheduling | words.starting | words.bounding
        | frozenset(stems_of(days))
    )  # fmt: skip

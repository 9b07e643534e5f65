"""The first day of a plan whose brief dates its main work: what comes before is planned back from it."""

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from math import ceil

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, first_day, says_only_when, stems_beside
from dr_rd.quantity import days_in
from dr_rd.schedule.calendar import working_day
from dr_rd.text import sentences, stems_of


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
        return working_day(self.day, -ceil(self.lead), closed)

    def last_day(self, days: float, closed: Iterable[date]) -> date:
        """Return the day on which so many working *days* of the main work end, begun on its own.

        What lasts beyond the calendar ends on its last day.
        """
        return working_day(self.day, max(0, ceil(days) - 1), closed)


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
    dated = [s.text.strip() for text in texts for s in sentences(text) if start in days_in(s.text)]
    if all(_names_a_part(said) for said in dated):
        yield from dated


def _names_a_part(sentence: str) -> bool:
    """Whether a sentence names what begins: "first firing on", and not "the project starts on"."""
    return _whole().isdisjoint(stems_beside(sentence)) and not says_only_when(sentence)


@cache
def _whole() -> frozenset[str]:
    """Words for the work as a whole."""
    return frozenset(
        stems_of(
            "project work study trial programme program research evaluation grant funding contract phase"
        )
    )

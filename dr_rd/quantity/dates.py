"""Calendar dates: 2027-06-30, 30 June 2027, 30/6/2027, June 2027, Q2 2027."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date

from dr_rd.quantity.grammar import Grammar, compiled
from dr_rd.quantity.tokens import Token


def dates_in(grammar: Grammar, text: str) -> Iterator[Token]:
    """The dates of *text*, and the quarters and halves of a year; not in order."""
    for match in grammar.date.finditer(text):
        if day := _date(grammar, match):
            yield day
    for match in grammar.quarter.finditer(text):
        if part := _part_of_year(grammar, match):
            yield part


def without_year(text: str) -> re.Match[str] | None:
    """The date of *text* that lacks its year, such as "by June" or "end of Q2"; None where none does."""
    return compiled().undated.search(text)


def without_day(text: str) -> re.Match[str] | None:
    """The stretch of a year in *text* whose last day nobody can tell, such as "mid-2027"; None where none is."""
    return compiled().dayless.search(text)


_MONTHS = {"q": 3, "h": 6}
"""How many months a quarter and a half of a year last."""


def _part_of_year(grammar: Grammar, match: re.Match[str]) -> Token | None:
    """The days from the first to the last of "Q3 2027"; None for a half beyond the second."""
    year = match["year"] or match["year2"] or match["year3"]
    if word := match["word"]:
        letter = "q" if match["part"].lower() == "quarter" else "h"
        long = _MONTHS[letter]
        first = last = grammar.nth.get(word.lower(), 12 // long)
    else:
        short = (match["short"] or match["short2"]).lower()
        long = _MONTHS[short[0]]
        first, last = int((match["from"] or short)[1]), int(short[1])
    if not 1 <= first <= last <= 12 // long:
        return None
    begins = _day(year, long * (first - 1) + 1, 1)
    ends = _day(year, long * last, monthrange(int(year), long * last)[1])
    return Token(begins, match.start(), match.end(), "date", latest=ends)


def _date(grammar: Grammar, match: re.Match[str]) -> Token | None:
    """The days that a match of the grammar's dates may be; None where it is no day."""
    if iso := match["iso"]:
        value = float(re.sub(r"\D", "", iso))
        return Token(value, match.start(), match.end(), "date")
    if match["year3"]:
        return _numeric_date(match)
    name = (match["month"] or match["month2"]).lower()
    month = next(n for n, m in enumerate(grammar.months, 1) if m.startswith(name[:3]))
    day = match["day"] or match["day2"]
    year = match["year"] or match["year2"]
    first = _day(year, month, int(day or 1))
    if not 1 <= int(day or 1) <= 31:
        return None
    return Token(
        first,
        match.start(),
        match.end(),
        "date",
        latest=first if day else first + monthrange(int(year), month)[1] - 1,
    )


def _numeric_date(match: re.Match[str]) -> Token | None:
    """Read 5/11/2027: the day first, or the month first, or both where both can be."""
    one, two, year = int(match["one"]), int(match["two"]), match["year3"]
    pairs = [(one, two)] if match["mark"] == "." else [(one, two), (two, one)]
    values = sorted(_day(year, m, d) for d, m in pairs if 1 <= m <= 12 and 1 <= d <= 31)
    if not values:
        return None
    return Token(values[0], match.start(), match.end(), "date", latest=values[-1])


def _day(year: str, month: int, day: int) -> float:
    return float(int(year) * 10000 + month * 100 + day)


_EARLIEST, _LATEST = 1900, 2200
"""The years of days that work may begin or end on."""


def day_of(value: float | None) -> date | None:
    """Return the day that is written yyyymmdd; None for one that no month, and no plan, has."""
    year, rest = divmod(int(value or 0), 10000)
    month, day = divmod(rest, 100)
    try:
        return date(year, month, day) if _EARLIEST <= year < _LATEST else None
    except ValueError:
        return None

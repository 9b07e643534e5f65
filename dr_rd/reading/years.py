"""Dates that leave their year out: "closed 5 to 16 April" in a text that begins in February 2027."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from dr_rd.reading.months import month_names, month_number, month_pattern
from dr_rd.reading.places import Mapped, rewritten

_DAY = r"(?:[12]\d|3[01]|[1-9])(?!\d)(?:st|nd|rd|th)?"
_NO_YEAR = r"(?![\w%-])(?!\.?,?\s\d{4}\b)(?!,\d)"
_TO = r"\s?[-–]\s?|\s(?:to|until|till|through|and)\s"


class _Patterns(NamedTuple):
    """What dates look like, with the months' names."""

    full: re.Pattern[str]
    """A date that says its year, with its month."""
    pair: re.Pattern[str]
    """Two days of one month that leave it out."""
    one: re.Pattern[str]
    """A day that leaves it out."""
    month: re.Pattern[str]
    """A month that leaves it out, where a sentence begins with what is denied of it: "no visits in August"."""
    end: re.Pattern[str]
    """The end of a period that says it for both."""


@cache
def _patterns() -> _Patterns:
    month = month_pattern()
    return _Patterns(
        full=re.compile(
            rf"\b(?P<y>\d{{4}})-(?P<n>\d\d)-\d\d\b"
            rf"|\b(?P<m>{month})\.?(?:\s{_DAY})?,?\s(?P<y2>\d{{4}})\b"
            r"|\b\d\d?[./](?P<n3>\d\d?)[./](?P<y3>\d{4})\b"
        ),
        pair=re.compile(
            rf"(?<![\w.,-])(?P<a>{_DAY})(?:{_TO})(?P<b>{_DAY})\s(?:of\s)?(?P<m>{month}){_NO_YEAR}"
        ),
        one=re.compile(
            rf"(?<![\w.,-])(?P<d>{_DAY})\s(?:of\s)?(?P<m>{month}){_NO_YEAR}"
            rf"|\b(?P<m2>{month})\s(?P<d2>{_DAY}){_NO_YEAR}"
        ),
        month=re.compile(
            rf"(?:(?:^|[.;:!?\n])[\s*•–-]{{0,6}}(?:[Nn]o|[Nn]othing|[Nn]obody)|\b(?:closed|shut|away))\b[^.;:!?\n\d]{{0,50}}\b(?:in|during|throughout)\s(?P<m>{month})\b(?!\.?,?\s?\d)(?!\s(?:and|to|or|until)\b)"
        ),
        end=re.compile(
            rf"(?:{_TO})(?:{_DAY}\s)?(?:of\s)?(?P<m>{month})\.?(?:\s{_DAY})?,?\s(?P<y>\d{{4}})\b"
        ),
    )


class _Stated(NamedTuple):
    """A month whose year is written."""

    at: int
    year: int
    month: int


def with_years(text: str) -> Mapped:
    """Return *text* with the year written to each date that leaves it out.

    It is the one that lies between the first and the last date of the text that say theirs; where
    none does, the first such day from the date before it, or else from the first of the text. A
    text that names no year stays as it is.
    """
    stated = [*_stated(text)]
    return rewritten(text, _completed(text, stated) if stated else ())


def _stated(text: str) -> Iterator[_Stated]:
    for found in _patterns().full.finditer(text):
        number = found["n"] or found["n3"]
        month = int(number) if number else month_number(found["m"])
        if 1 <= month <= len(month_names()):
            yield _Stated(found.start(), int(found["y"] or found["y2"] or found["y3"]), month)


def _completed(text: str, stated: Sequence[_Stated]) -> Iterator[tuple[int, int, str]]:
    for found in _patterns().pair.finditer(text):
        year = _year(text, found, month_number(found["m"]), stated)
        ends = [_written(found[key], found["m"], year) for key in ("a", "b")]
        if all(ends):
            yield found.start(), found.end(), " to ".join(filter(None, ends))
    for found in _patterns().one.finditer(text):
        month, day = found["m"] or found["m2"], found["d"] or found["d2"]
        if said := _written(day, month, _year(text, found, month_number(month), stated)):
            yield found.start(), found.end(), said
    for found in _patterns().month.finditer(text):
        year = _year(text, found, month_number(found["m"]), stated)
        yield found.start("m"), found.end("m"), f"{found['m']} {year}"


def _year(text: str, found: re.Match[str], month: int, stated: Sequence[_Stated]) -> int:
    if end := _patterns().end.match(text, found.end()):
        return int(end["y"]) - (month > month_number(end["m"]))
    first, last = min(stated, key=_moment), max(stated, key=_moment)
    within = [
        y
        for y in range(first.year, last.year + 1)
        if _moment(first) <= (y, month) <= _moment(last)
    ]
    before = bisect_left(stated, (found.start(),)) - 1
    known = stated[max(0, before)]
    owed = _OWED.search(text[: found.start()])  # what is owed comes after what is told before it
    if len(within) == 1 and not (owed and (within[0], month) < _moment(known)):
        return within[0]
    year = known.year + (month < known.month)
    beyond = month < known.month and (year, month) > _moment(last)
    return year - 1 if beyond and _ENDING.search(text[: last.at]) else year


_OWED = re.compile(
    r"\b(?:report\w*|results?|paper|note|answer|due|deadline|deliver\w*)\b[^.;\n]{0,40}$",
    re.IGNORECASE,
)
"""What stands before the day on which the work is owed."""

_ENDING = re.compile(
    r"\b(?:by|until|till|before|due|deadline|report\w*|finish\w*|complet\w+|no later than|ends?|ending|latest)\b[^.;\n]{0,40}$",
    re.IGNORECASE,
)
"""What stands before the last date of a text where the work ends on it: nothing that counts comes after it."""


def _moment(stated: _Stated) -> tuple[int, int]:
    return stated.year, stated.month


def _written(day: str, month: str, year: int) -> str | None:
    """The date as it is read everywhere; None if no calendar has it."""
    number = int(re.sub(r"\D", "", day))
    try:
        return f"{number} {month_names()[month_number(month) - 1]} {date(year, month_number(month), number).year}"
    except ValueError:
        return None

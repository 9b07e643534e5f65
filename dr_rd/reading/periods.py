"""Periods and days that no calendar day names, written as days: "week 25/2027", "April to October 2027"."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from dr_rd.reading.months import month_names, month_number, month_pattern
from dr_rd.reading.places import Mapped, rewritten

_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th)?"
_DAY_FIGURES = r"(?:3[01]|[12]\d|0?[1-9])"
_MONTH_FIGURES = r"(?:1[0-2]|0?[1-9])"
_FIGURES = re.compile(rf"(?<![\w./-])(?P<n>{_MONTH_FIGURES})/(?P<y>20\d\d)(?![\w/-]|\.\d)")
_YEARLESS = re.compile(
    rf"(?<![\w./-])(?P<a>{_DAY_FIGURES})\.(?P<m>{_MONTH_FIGURES})\.?\s?(?:[-–]|to|bis)\s?(?P<b>{_DAY_FIGURES})\.(?P<n>{_MONTH_FIGURES})\.(?![\w/-])"
)
_TO = r"\s?[-–—/]\s?|\s(?:to|until|till|through|and|bis)\s"
_WEEK = r"(?:calendar\s|ISO\s)?(?:weeks?|wks?|KW|CW)"


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    days: Callable[[re.Match[str]], Sequence[date]]
    """The day, or the first and the last; ValueError for what no calendar has."""


def with_days(text: str) -> Mapped:
    """Return *text* with its periods as days: of months, of ISO weeks, of a year, and a year's end."""
    return rewritten(text, _replacements(text))


def _replacements(text: str) -> Iterator[tuple[int, int, str]]:
    for rule in _rules():
        for found in rule.pattern.finditer(text):
            try:
                said = " to ".join(map(_written, rule.days(found)))
            except ValueError:
                continue
            yield found.start(), found.end(), said
    for found in _FIGURES.finditer(text):  # 12/2028
        yield found.start(), found.end(), f"{month_names()[int(found['n']) - 1]} {found['y']}"
    for found in _YEARLESS.finditer(text):  # 20.12.–07.01.
        ends = (
            f"{int(found[d])} {month_names()[int(found[m]) - 1]}"
            for d, m in (("a", "m"), ("b", "n"))
        )
        yield found.start(), found.end(), " to ".join(ends)
    for found in _short_years().finditer(text):  # 10 April 27
        yield found.start("y"), found.end("y"), f"20{found['y']}"


@cache
def _short_years() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.,-]){_DAY}\s(?:{month_pattern()})\.?\s(?P<y>[23]\d)(?=\s*(?:$|[,;.:)\]|](?!\d)|\n|(?:and|to|until|till|in|at|or)\b))",
        re.IGNORECASE,
    )


@cache
def _rules() -> tuple[_Rule, ...]:
    month = month_pattern()
    return (
        _Rule(  # 22/03-26/03/2027, 20.12. to 07.01.2028, 25-29/10/2027
            re.compile(
                rf"(?<![\w./-])(?P<a>{_DAY_FIGURES})(?:[./](?P<m>{_MONTH_FIGURES})\.?)?(?:{_TO})(?P<b>{_DAY_FIGURES})[./](?P<n>{_MONTH_FIGURES})[./](?P<y>{_YEAR})\b"
            ),
            _figured,
        ),
        _Rule(  # 3 to 14 May 2027
            re.compile(
                rf"(?<![\w.,-])(?P<a>{_DAY})(?:{_TO})(?P<b>{_DAY})\s(?:of\s)?(?P<m>{month})\.?,?\s(?P<y>{_YEAR})\b"
            ),
            lambda m: [_day(m["y"], m["m"], m["a"]), _day(m["y"], m["m"], m["b"])],
        ),
        _Rule(  # April to October 2027
            re.compile(rf"\b(?P<a>{month})\.?(?:{_TO})(?P<b>{month})\.?\s(?P<y>{_YEAR})\b"),
            lambda m: [_first(_before(m), m["a"]), _last(m["y"], m["b"])],
        ),
        _Rule(  # weeks 9 to 22 of 2027, week 25/2027
            re.compile(
                rf"\b{_WEEK}\.?\s?(?P<a>\d\d?)(?:(?:{_TO})(?P<b>\d\d?))?(?:\s?/\s?|\s(?:of\s|in\s)?)(?P<y>{_YEAR})\b",
                re.IGNORECASE,
            ),
            _weeks,
        ),
        _Rule(  # the 2027 calendar year
            re.compile(
                rf"\b(?:the\s)?(?:calendar\syear\s(?P<a>{_YEAR})|(?P<b>{_YEAR})\scalendar\syear)\b",
                re.IGNORECASE,
            ),
            lambda m: [date(int(m["a"] or m["b"]), 1, 1), date(int(m["a"] or m["b"]), 12, 31)],
        ),
        _Rule(  # by the end of 2027
            re.compile(rf"\b(?:the\s)?(?:year[- ])?end\s(?:of\s)?(?P<y>{_YEAR})\b", re.IGNORECASE),
            lambda m: [date(int(m["y"]), 12, 31)],
        ),
        _Rule(  # Christmas 2027
            re.compile(rf"\b(?:Christmas|Xmas)\s(?P<y>{_YEAR})\b", re.IGNORECASE),
            lambda m: [date(int(m["y"]), 12, 24)],
        ),
        _Rule(  # Easter 2028
            re.compile(rf"\bEaster\s(?P<y>{_YEAR})\b", re.IGNORECASE),
            lambda m: [_easter(int(m["y"]))],
        ),
    )


def _figured(found: re.Match[str]) -> Sequence[date]:
    """The first and the last day of a period in figures, the day before the month."""
    year, month = int(found["y"]), int(found["n"])
    first = int(found["m"] or month)
    begin = date(year - (first > month), first, int(found["a"]))
    return [begin, date(year, month, int(found["b"]))]


def _before(found: re.Match[str]) -> str:
    """The year in which a period of months begins, whose last month says its own."""
    return str(int(found["y"]) - (month_number(found["a"]) > month_number(found["b"])))


def _day(year: str, month: str, day: str) -> date:
    return date(int(year), month_number(month), int(re.sub(r"\D", "", day)))


def _first(year: str, month: str) -> date:
    return date(int(year), month_number(month), 1)


def _last(year: str, month: str) -> date:
    number = month_number(month)
    return date(int(year), number, monthrange(int(year), number)[1])


def _weeks(found: re.Match[str]) -> Sequence[date]:
    """The Monday of an ISO week; of two, the Monday of the first and the Sunday of the last."""
    begin = date.fromisocalendar(int(found["y"]), int(found["a"]), 1)
    if not found["b"]:
        return [begin]
    return [begin, date.fromisocalendar(int(found["y"]), int(found["b"]), 1) + timedelta(days=6)]


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (J. Meeus, Astronomical Algorithms, chapter 8)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (b - (b + 8) // 25 + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    weekday = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * weekday) // 451
    month, day = divmod(h + weekday - 7 * m + 114, 31)
    return date(year, month, day + 1)


def _written(day: date) -> str:
    return f"{day.day} {month_names()[day.month - 1]} {day.year}"

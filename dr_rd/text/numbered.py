"""Moments by their number: "in week 12", "M18", "months 3 to 9", "from month 1 to month 18"."""

import re
from collections.abc import Iterator
from functools import cache

from dr_rd.quantity import Quantity, spelled
from dr_rd.text.cues import Cue

NTH = "moment by its number"
"""The noun of a day, week, month or year that is named by its number: "in week 12"."""


@cache
def _number() -> str:
    """The pattern of a number in figures or in a word."""
    words = "|".join(sorted((w for w, value in spelled().items() if value > 0), reverse=True))
    return rf"(?:\d{{1,3}}|{words})"


_UNITS = ("day", "week", "month", "year", "season")


@cache
def _unit_cue() -> Cue:
    one = _number()
    joined = r"(?:,\s|,?\sand\s|\sor\s|\s(?:to|until|till|through)\s|\s?[-–]\s?)"
    return Cue(
        [f"{unit}{s}" for unit in _UNITS for s in ("", "s")],
        rf"\b(?P<unit>{'|'.join(_UNITS)})s?[\s-](?P<all>{one}(?:{joined}(?:(?P=unit)s?[\s-])?{one})*)\b"
        r"(?!\s*(?:%|per\b|days?|weeks?|months?|years?))",
    )


_SHORT = re.compile(
    r"(?<![\w-])M(?P<first>\d{1,2})\s?(?:[-–]|to|until|till|through)\s?M?(?P<last>\d{1,2})(?![\w.]*\w)"
    r"|(?:^|(?<![^\W\d])(?<=[(\[|:])|\b(?:by|at|in|until|till|through|to|before|from|of|due|month)\b)\s?"
    r"(?!M\d{1,2}\s?(?:[-–]|to|until|till|through)\s?M?\d)M(?P<one>\d{1,2})(?=\s*(?:\.(?!\d)|[,;:)\]|]|$|\b(?:and|or|to|of|at|with)\b))"
)
"""Months in the short form of a plan; alone it is one only where a time may stand: "ends in M18"."""
_STRETCH = re.compile(r"[^,]*?\d?\s?(?:\b(?:to|until|till|through)\b|[-–])\s?[^,]*", re.IGNORECASE)


def numbered(text: str) -> Iterator[Quantity]:
    """Return the moments that *text* names by their number, from the first to the last of a stretch.

    Of moments that are listed, "weeks 3, 6 and 12", the last is given; a season is a year.
    """
    for match in _unit_cue().finditer(text):
        unit = match["unit"].lower().replace("season", "year")
        said = re.findall(_number(), match["all"], re.IGNORECASE)
        values = [spelled().get(n.lower()) or float(n) for n in said]
        goes_on = len(values) == 2 and values[0] < values[1] and _STRETCH.fullmatch(match["all"])
        yield _moment(match, unit, values[0] if goes_on else max(values), max(values))
    for match in _SHORT.finditer(text) if "M" in text else ():
        first, last = (float(match[k] or match["one"]) for k in ("first", "last"))
        if first <= last:
            yield _moment(match, "month", first, last)


def _moment(match: re.Match[str], unit: str, first: float, last: float) -> Quantity:
    return Quantity(
        comparison="between" if first < last else "stated",
        low=first,
        high=last,
        unit=unit,
        noun=NTH,
        text=match[0],
        start=match.start(),
        end=match.end(),
    )

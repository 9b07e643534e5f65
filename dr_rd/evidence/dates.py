"""Days as people write them: in file names, in front matter, in the first lines of a text."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

_MONTHS = (
    "jan|ene", "feb|f[eé]v", "mar|mär|mrz", "apr|avr|abr", "ma[iy]", "jun|juin", "jul|juil",
    "aug|ao[uû]|ago", "sep", "o[ck]t", "nov", "de[cz]|d[eé]c|dic",
)  # fmt: skip
"""How the names of the months begin, in English, German, French and Spanish."""
_NAME = r"(?P<name>[A-Za-zäéûÄÉ]{3,10})\.?"
_YEAR = r"(?P<y>(?:19[5-9]|20\d)\d)"
_PATTERNS = tuple(
    re.compile(rf"(?<![\d.]){p}(?![\d])", re.IGNORECASE)
    for p in (
        rf"{_YEAR}[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})",
        rf"{_YEAR}(?P<m>[01]\d)(?P<d>[0-3]\d)",
        rf"{_YEAR}年(?P<m>\d{{1,2}})月(?:(?P<d>\d{{1,2}})日)?",
        rf"(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_YEAR}",
        rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/{_YEAR}",
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?{_NAME},?\s+(?:de\s+)?{_YEAR}",
        rf"{_NAME}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}",
        rf"{_NAME},?[\s_-]+{_YEAR}",
        rf"{_YEAR}[-_](?P<m>\d{{2}})",
        _YEAR,
    )
)
"""From the most to the least exact."""


def first_date(text: str, *, bare_year: bool = True) -> date | None:
    """Return the most exact day that *text* names; the first of the month or year if only that."""
    return next(_dates(text, _PATTERNS if bare_year else _PATTERNS[:-1]), None)


def _dates(text: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[date]:
    for pattern in patterns:
        for match in pattern.finditer(text):
            if (found := _date(match.groupdict())) is not None:
                yield found


def _date(parts: dict[str, str | None]) -> date | None:
    year = int(parts["y"] or 0)
    month, day = _month_and_day(parts)
    if month == 0:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month_and_day(parts: dict[str, str | None]) -> tuple[int, int]:
    if (name := parts.get("name")) is not None:
        return _month(name), int(parts.get("d") or 1)
    if (first := parts.get("a")) is not None:
        a, b = int(first), int(parts["b"] or 0)
        # Both orders are in use: where both fit, only the year is known.
        return (b, a) if a > 12 else (a, b) if b > 12 else (1, 1)
    return int(parts.get("m") or 1), int(parts.get("d") or 1)


def _month(name: str) -> int:
    return next((i for i, p in enumerate(_MONTHS, start=1) if re.match(p, name, re.I)), 0)

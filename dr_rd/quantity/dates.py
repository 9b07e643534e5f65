"""Calendar dates: 2027-06-30, 30 June 2027, 30/6/2027, June 2027."""

import re
from calendar import monthrange

from dr_rd.quantity.grammar import Grammar
from dr_rd.quantity.tokens import Token


def date_at(grammar: Grammar, match: re.Match[str]) -> Token | None:
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

"""Whether a quantity lies within a bound, in the bound's unit."""

import math
import re

from dr_rd.conversion import conversion
from dr_rd.quantity import DATE, YEAR, Quantity, is_money
from dr_rd.text import stem
from dr_rd.text.numbered import NTH

CALENDAR = frozenset({"day", "week", "fortnight", "month", "year", "decade"})
"""Units of time that dates are apart by."""


def same_unit(q: Quantity, bound: Quantity) -> Quantity | None:
    """The quantity in the bound's unit; None where they cannot be compared."""
    if bound.unit == "year" and q.noun == YEAR and q.comparison == "between":
        length = (q.high or 0) - (q.low or 0)
        length += _fits(length + 1, bound) and not _fits(length, bound)  # both ends count
        return q.model_copy(update={"low": length, "high": length, "comparison": "about"})
    if q.noun == DATE and bound.unit in CALENDAR:
        return _span(q, bound.unit)
    if bound.unit == "percent" and not q.unit and _is_fraction(q):
        update = {"low": _hundredfold(q.low), "high": _hundredfold(q.high), "unit": "percent"}
        return q.model_copy(update=update)
    unit = q.unit or _unit_noun(q)
    if unit == "degree" and bound.unit.startswith("degree_"):
        unit, q = bound.unit, q.model_copy(update={"unit": bound.unit})  # of the scale in use
    if unit == bound.unit or not (q.unit or bound.unit):
        return q
    if not unit or not bound.unit or is_money(unit) or is_money(bound.unit):
        return None
    scaled = [_converted(v, unit, bound.unit) for v in (q.low, q.high)]
    if all(v is None for v in scaled):
        return None
    return q.model_copy(update={"low": scaled[0], "high": scaled[1], "unit": bound.unit})


def _is_fraction(q: Quantity) -> bool:
    ends = [v for v in (q.low, q.high) if v is not None]
    return q.noun != YEAR and all(0 < v < 1 for v in ends)


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 6)


def _span(q: Quantity, unit: str) -> Quantity | None:
    """The time from one date to another, in *unit*; None where there is one date only."""
    if q.comparison != "between" or q.low is None or q.high is None:
        return None
    first, last = _ordinal(q.low), _ordinal(q.high)
    # "March to May" is three months: a month that is named is meant as a whole
    whole = (
        31 if not re.search(r"(?<!\d)\d\d?\W+[^\W\d]|\d{4}-", q.text) and q.high % 100 == 1 else 1
    )
    days = _converted(float(last - first + whole), "day", unit)
    time = None if days is None else round(days, 1)
    return q.model_copy(update={"low": time, "high": time, "unit": unit, "comparison": "about"})


def _ordinal(value: float) -> int:
    """Number the day written yyyymmdd, near enough: a month counts 30.44 days."""
    year, rest = divmod(int(value), 10000)
    month, day = divmod(rest, 100)
    return round(year * 365.25 + (month - 1) * 30.44 + day)


def _fits(value: float, bound: Quantity) -> bool:
    return (bound.low or 0) <= value <= (bound.high if bound.high is not None else math.inf)


def _unit_noun(q: Quantity) -> str:
    """The unit that a noun is: "a fourth year", and "day 30", but not "month 4" of a plan."""
    first = stem(q.noun.split()[0]) if q.noun else ""
    counted = first in ("year", "month", "week") and q.noun in q.text
    return first if counted or first in ("day", "hour") else ""


def _converted(value: float | None, unit: str, to: str) -> float | None:
    straight = conversion(unit, to)
    if value is None or straight is None:
        return None
    return round(straight.at(value), 9)


def keeps(q: Quantity | None, bound: Quantity) -> bool:
    """Whether every value that *q* allows is within *bound*."""
    if q is None:
        return False
    low_kept = bound.low is None or (q.low is not None and q.low >= bound.low)
    high_kept = bound.high is None or (q.high is not None and q.high <= bound.high)
    return low_kept and high_kept and not _touches(q, bound)


def _touches(q: Quantity, bound: Quantity) -> bool:
    """Whether a value is the very one that must not be reached: 2 where less than 2 are asked for."""
    if bound.comparison not in ("less_than", "more_than") or q.comparison == bound.comparison:
        return False
    if not bound.unit:
        return False  # a count or a score names the threshold itself
    if q.comparison not in ("stated", "exactly", "at_most", "at_least", "between"):
        return False
    end = (q.high, bound.high) if bound.comparison == "less_than" else (q.low, bound.low)
    return end[0] is not None and end[0] == end[1]


def breaks(q: Quantity | None, bound: Quantity) -> bool:
    """Whether *q*, in the bound's unit, says that a value lies outside of *bound*."""
    if q is not None and q.noun == NTH:
        return bound.high is not None and (q.high or 0) > bound.high
    if q is None or (q.comparison == "about" and _loosely(q, bound)):
        return False
    if _touches(q, bound) and q.comparison in ("stated", "exactly"):
        return True
    above = bound.high is not None and _above(q, bound.high, bound)
    return above or (bound.low is not None and _below(q, bound.low, bound))


def _loosely(q: Quantity, bound: Quantity) -> bool:
    """Whether an approximate figure may be within the bound."""
    near = [b for b in (bound.low, bound.high) if b is not None]
    return any(abs((q.low or 0) - b) <= 0.1 * abs(b) for b in near)


def _above(q: Quantity, high: float, bound: Quantity) -> bool:
    if bound.noun == DATE and q.comparison != "between":
        reached = bound.comparison == "less_than" and q.low == high
        return q.low is not None and (q.low > high or reached)  # a month is late if all of it is
    top = q.most
    if q.comparison == "more_than":
        return top is not None and top >= high
    return top is not None and top > high


def _below(q: Quantity, low: float, bound: Quantity) -> bool:
    if q.comparison in ("at_least", "more_than"):
        return False  # a weaker promise leaves it open
    if bound.noun == DATE and q.comparison != "between":
        return q.high is not None and q.high < low
    bottom = q.low if q.low is not None else q.high
    if q.comparison == "less_than":
        return bottom is not None and bottom <= low
    return bottom is not None and bottom < low

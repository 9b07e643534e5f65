"""What a text states: numbers, and quantities with what they count and how they are bounded."""

from typing import Literal

from core.values import Frozen

Comparison = Literal[
    "at_least", "at_most", "less_than", "more_than", "exactly", "between", "about", "stated"
]

YEAR = "calendar year"
"""The noun of a number that is a year, such as 2015."""

DATE = "calendar date"
"""The noun of a number that is a date; its value is written yyyymmdd."""

TIME_UNITS = frozenset(
    {"second", "minute", "hour", "day", "week", "fortnight", "month", "year", "decade"}
)
"""Units of time."""


class Number(Frozen):
    """A bare number in a text."""

    value: float
    """A clock time is in hours; a date is written yyyymmdd."""
    text: str
    start: int
    end: int


class Quantity(Frozen):
    """A number, or a range of numbers, with what it counts and how it is bounded."""

    comparison: Comparison
    low: float | None = None
    """The lower bound; None where there is none."""
    high: float | None = None
    """The upper bound; None where there is none."""
    unit: str = ""
    """A unit that pint knows, or the ISO 4217 code of a currency; "" for a count."""
    noun: str = ""
    """What is counted or measured, such as "paired sites"."""
    text: str
    start: int
    end: int

    @property
    def most(self) -> float | None:
        """The upper bound, or else the lower; None where it has neither."""
        return self.low if self.high is None else self.high


def is_money(unit: str) -> bool:
    """Whether *unit* is the code of a currency."""
    return len(unit) == 3 and unit.isupper()

"""Numbers in prose: what is counted, in what unit, and how it is bounded."""

import re
from typing import Literal

from core.values import Frozen

Comparison = Literal[
    "at_least", "at_most", "less_than", "more_than", "exactly", "between", "about", "stated"
]


class Number(Frozen):
    """A bare number in a text."""

    value: float
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
    """A unit of measurement, or the ISO 4217 code of a currency; "" for a count."""
    noun: str = ""
    """What is counted or measured, such as "paired sites"."""
    text: str
    start: int
    end: int


def numbers(text: str) -> tuple[Number, ...]:
    """Return every bare number of *text*, in order."""
    found = re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])", text)
    return tuple(Number(value=float(m[0]), text=m[0], start=m.start(), end=m.end()) for m in found)


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity that *text* states, in order."""
    return tuple(
        Quantity(comparison="stated", low=n.value, high=n.value, **n.model_dump(exclude={"value"}))
        for n in numbers(text)
    )

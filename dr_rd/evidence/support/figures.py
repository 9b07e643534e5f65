"""Figures as they are written, and two of them side by side: the same, apart, or neither."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dr_rd.conversion import conversion, dimension_of
from dr_rd.evidence.units import TOLERANCE, same_kind
from dr_rd.quantity import DATE, YEAR, Quantity, quantities
from dr_rd.units import LinearMap

Fit = Literal["same", "apart", "overlap"]
"""Whether a figure of a passage bears out one of a claim, rules it out, or does neither."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A quantity, and how finely it is stated."""

    quantity: Quantity
    step: float
    """The unit of its last digit; 0 where it is exact."""

    @property
    def text(self) -> str:
        """As written."""
        return self.quantity.text

    @property
    def start(self) -> int:
        """Where it stands."""
        return self.quantity.start

    @property
    def point(self) -> bool:
        """Whether it is one value and no bound or range."""
        return self.quantity.low is not None and self.quantity.low == self.quantity.high


@lru_cache(maxsize=4096)
def figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of *text*, a sentence or less, in order; a year is the range of its days."""
    return tuple(_figure(q, text) for q in quantities(text))


_DIGITS = re.compile(r"\d+(?:[,' ]\d{3})*(\.\d+)?")
_COMPOUND = re.compile(r"\s?([^\W\d_]+(?:[23](?!\d))?(?:[/·][^\W\d_]+[23]?)*)")
_SYMBOL = re.compile(r"[/·23]|^[^\W\d_][^\W\d_]{0,2}[A-Z]|^[a-zµ][A-Z]|^(?:Bq|Gy|Sv|Wb)$")
"""What a unit has and a noun has not: a slash, a power, a capital that does not begin it."""
_POWER = re.compile(r"(?<=[^\W\d_])([23])(?!\d)")


def _figure(quantity: Quantity, text: str) -> Figure:
    named = len(quantity.noun) if quantity.text.endswith(quantity.noun) else 0
    written = list(_DIGITS.finditer(quantity.text, 0, len(quantity.text) - named))
    if quantity.noun == YEAR and quantity.low is not None and quantity.high is not None:
        days = {"low": quantity.low * 1e4 + 101, "high": quantity.high * 1e4 + 1231, "noun": DATE}
        return Figure(quantity.model_copy(update=days), 0.0)
    if not written or quantity.noun == DATE:
        return Figure(quantity, 0.0)
    last = quantity.start + written[-1].end()
    step = _step(quantity, written[-1])
    return Figure(quantity if quantity.unit else _with_unit(quantity, text, last), step)


def _with_unit(quantity: Quantity, text: str, end: int) -> Quantity:
    """Take in a unit that prose rarely has, such as "mS/cm" or "m3", where one follows."""
    found = _COMPOUND.match(text, end)
    if not found or not _SYMBOL.search(found[1]):
        return quantity
    name = _POWER.sub(r"**\1", found[1].replace("·", "*"))
    if dimension_of(name) is None:
        return quantity
    shown = {"text": text[quantity.start : found.end()], "end": found.end()}
    return quantity.model_copy(update={"unit": name, "noun": "", **shown})


def _step(quantity: Quantity, written: re.Match[str]) -> float:
    shown = float(re.sub(r"[,' ]", "", written[0]))
    value = next((v for v in (quantity.high, quantity.low) if v is not None), 0.0)
    scale = abs(value / shown) if shown and value else 1.0
    if written[1]:
        return float(scale * 10.0 ** -(len(written[1]) - 1))
    digits = written[0]
    zeros = len(digits) - len(digits.rstrip("0,"))
    return float(scale * 10.0**zeros) if quantity.comparison == "about" and shown else scale


def comparable(a: Figure, b: Figure) -> bool:
    """Whether both measure one kind of thing, as far as their units and nouns tell."""
    first, second = a.quantity, b.quantity
    if DATE in (first.noun, second.noun):
        return first.noun == second.noun
    if _fraction(first, second) or _fraction(second, first):
        return True
    if first.unit or second.unit:
        return same_kind(first, second)
    return True


def _fraction(percent: Quantity, plain: Quantity) -> bool:
    """Whether one is in percent and the other the same kind of share, as 0.31 is 31 %."""
    value = plain.most
    share = value is not None and 0 < value < 1
    return percent.unit == "percent" and not plain.unit and share


def same_noun(a: Figure, b: Figure) -> bool:
    """Whether both count one thing, or one of them does not say what it counts."""
    return bool(a.quantity.unit or b.quantity.unit) or same_kind(a.quantity, b.quantity)


def fit(claim: Figure, given: Figure) -> Fit:
    """Hold a figure of a claim against a comparable one of a passage.

    The only tolerance is that of rounding: the claim may give fewer digits than the passage.
    """
    straight = _conversion(given.quantity, claim.quantity)
    low, high = (
        None if end is None else straight.at(end)
        for end in (given.quantity.low, given.quantity.high)
    )
    if claim.point and low is not None and high is not None and low == high:
        return _points(
            claim, float(claim.quantity.low or 0.0), low, abs(given.step * straight.scale)
        )
    if claim.point and _ends(claim, given, low, high):
        return "same"
    return _ranges(claim.quantity, low, high, given.quantity)


def _conversion(given: Quantity, claim: Quantity) -> LinearMap:
    if _fraction(given, claim):
        return LinearMap(0.01, 0.0)
    if _fraction(claim, given):
        return LinearMap(100.0, 0.0)
    return conversion(given.unit, claim.unit) or LinearMap(1.0, 0.0)


def _points(claim: Figure, value: float, given: float, step: float) -> Fit:
    gap = abs(value - given)
    if claim.quantity.noun == DATE:
        return "apart" if gap else "same"
    if math.isclose(value, given, rel_tol=TOLERANCE, abs_tol=1e-12):
        return "same"
    coarser = claim.step >= step * (1 - TOLERANCE)
    if coarser and gap <= claim.step / 2 * (1 + TOLERANCE) and claim.step > step:
        return "same"
    return "overlap" if not coarser and gap <= step / 2 * (1 + TOLERANCE) else "apart"


def _ends(claim: Figure, given: Figure, low: float | None, high: float | None) -> bool:
    """Whether the claim names an end of a change: "from 61 to 78" says that it came to 78."""
    value = float(claim.quantity.low or 0.0)
    ends = [v for v in (low, high) if v is not None]
    change = given.quantity.comparison == "between" and claim.quantity.noun != DATE
    return change and any(math.isclose(value, e, rel_tol=TOLERANCE) for e in ends)


def _ranges(claim: Quantity, low: float | None, high: float | None, given: Quantity) -> Fit:
    if _same_bound(claim, given):
        ends = [(claim.low, low), (claim.high, high)]
        pairs = [(x, y) for x, y in ends if x is not None and y is not None]
        return "same" if all(math.isclose(x, y, rel_tol=TOLERANCE) for x, y in pairs) else "apart"
    wanted = (_floor(claim.low), _ceiling(claim.high))
    held = (_floor(low), _ceiling(high))
    slack = TOLERANCE * max(1.0, *(abs(v) for v in (*wanted, *held) if math.isfinite(v)), 0.0)
    slack = 0.0 if claim.noun == DATE else slack
    if (
        held[0] > wanted[1] + slack
        or held[1] < wanted[0] - slack
        or _touch(claim, given, wanted, held)
    ):
        return "apart"
    inside = held[0] >= wanted[0] - slack and held[1] <= wanted[1] + slack
    return "same" if inside else "overlap"


def _same_bound(a: Quantity, b: Quantity) -> bool:
    """Whether both are limits of one sort: "within 48 hours" is another rule than "within 24"."""
    one_sided = (a.low is None) == (b.low is None) and (a.high is None) == (b.high is None)
    return (one_sided and None in (a.low, a.high)) or a.comparison == b.comparison == "between"


def _touch(
    claim: Quantity, given: Quantity, wanted: tuple[float, float], held: tuple[float, float]
) -> bool:
    """Whether one ends just where the other begins: "above 8" against "under 8" or "8"."""
    strict = {claim.comparison, given.comparison} & {"more_than", "less_than"}
    facing = None in (claim.low, claim.high) and None in (given.low, given.high)
    meets = held[0] == wanted[1] or held[1] == wanted[0]
    return meets and bool(strict or facing) and given.comparison != "between"


def _floor(value: float | None) -> float:
    return -math.inf if value is None else value


def _ceiling(value: float | None) -> float:
    return math.inf if value is None else value


def changes(text: str) -> Iterator[tuple[int, int, int]]:
    """Where *text* says "from a to b", and whether that is upward (0) or downward (1)."""
    for match in _CHANGE.finditer(text):
        ends = [float(match[n].replace(",", "")) for n in (1, 2)]
        if ends[0] != ends[1]:
            yield match.start(), match.end(), int(ends[0] > ends[1])


_NUMBER = r"(-?\d[\d,]*(?:\.\d+)?)"
_CHANGE = re.compile(
    rf"\bfrom\s+[^\d\s]?{_NUMBER}\s?[^\s\d]{{0,8}}\s+to\s+[^\d\s]?{_NUMBER}", re.IGNORECASE
)

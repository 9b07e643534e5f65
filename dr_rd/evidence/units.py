"""Whether two quantities are of one kind, and whether their values are the same."""

import math
from functools import cache

from core.errors import TaskError
from dr_rd.evidence.words import stems
from dr_rd.quantity import Quantity
from dr_rd.units import line, read_unit

TOLERANCE = 1e-6
"""Relative difference from which two values differ; conversion alone makes smaller ones."""


@cache
def factor(unit: str, other: str) -> tuple[float, float] | None:
    """Return scale and offset that turn *unit* into *other*; None where nothing does."""
    if unit == other:
        return 1.0, 0.0
    try:
        straight = line(read_unit(unit), read_unit(other))
    except TaskError:
        return None  # a currency, or another kind of unit
    return straight.scale, straight.offset


def same_kind(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities can be compared: convertible units, or counts of one thing."""
    if a.unit or b.unit:
        return bool(a.unit and b.unit) and factor(a.unit, b.unit) is not None
    first, second = stems(a.noun), stems(b.noun)
    return not first or not second or first[-1] == second[-1]


def differ(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities of one kind have different bounds, each end in the same unit."""
    scale = factor(a.unit, b.unit)
    if scale is None:
        return True
    ends = ((a.low, b.low), (a.high, b.high))
    both = [(x * scale[0] + scale[1], y) for x, y in ends if x is not None and y is not None]
    # One may be a bound that the other states exactly: then only the shared end is compared.
    return not both or any(
        not math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=1e-12) for x, y in both
    )

"""Whether two quantities are of one kind, and whether their values are the same."""

import math

from dr_rd.conversion import conversion
from dr_rd.evidence.words import stems
from dr_rd.quantity import Quantity

TOLERANCE = 1e-6
"""Relative difference from which two values differ; conversion alone makes smaller ones."""


def same_kind(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities can be compared: convertible units, or counts of one thing."""
    if a.unit or b.unit:
        return bool(a.unit and b.unit) and conversion(a.unit, b.unit) is not None
    first, second = stems(a.noun), stems(b.noun)
    return not first or not second or first[-1] == second[-1]


def differ(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities of one kind have different bounds, each end in the same unit."""
    straight = conversion(a.unit, b.unit)
    if straight is None:
        return True
    ends = ((a.low, b.low), (a.high, b.high))
    both = [(straight.at(x), y) for x, y in ends if x is not None and y is not None]
    # One may be a bound that the other states exactly: then only the shared end is compared.
    return not both or any(
        not math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=1e-12) for x, y in both
    )

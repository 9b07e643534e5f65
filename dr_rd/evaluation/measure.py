"""Quantities of a text in units that can be compared."""

from functools import cache

from core.errors import TaskError
from dr_rd.quantity import Quantity
from dr_rd.units import LinearMap, Unit, dimension, line, read_unit


@cache
def unit_of(name: str) -> Unit | None:
    """Return the unit that a quantity names; None if it names none that can be compared."""
    try:
        return read_unit(name) if name else None
    except TaskError:
        return None


def converted(quantity: Quantity, unit: str) -> float | None:
    """Return the lower bound of *quantity* in *unit*; None where it has none in it."""
    if quantity.low is None or quantity.unit == unit:
        return quantity.low
    if {quantity.unit, unit} == {"", "percent"}:
        share = abs(quantity.low) <= 1 if not quantity.unit else True
        factor = 0.01 if quantity.unit else 100.0
        return quantity.low * factor if share else None
    straight = _line(quantity.unit, unit)
    return None if straight is None else straight.scale * quantity.low + straight.offset


@cache
def _line(name: str, other: str) -> LinearMap | None:
    """The line from one unit to another; None where they cannot be compared."""
    own, wanted = unit_of(name), unit_of(other)
    if own is None or wanted is None:
        return None
    try:
        return line(own, wanted)
    except TaskError:
        return None


def dimension_of(quantity: Quantity) -> str | None:
    """Return what a quantity measures, such as "length"; None where its unit does not say."""
    return _dimension(quantity.unit)


@cache
def _dimension(name: str) -> str | None:
    unit = unit_of(name)
    return dimension(unit) if unit is not None else None

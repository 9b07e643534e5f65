"""Quantities of a text in units that can be compared."""

from dr_rd.conversion import conversion
from dr_rd.quantity import Quantity


def converted(quantity: Quantity, unit: str) -> float | None:
    """Return the lower bound of *quantity* in *unit*; None where it has none in it."""
    if quantity.low is None or quantity.unit == unit:
        return quantity.low
    if {quantity.unit, unit} == {"", "percent"}:
        share = abs(quantity.low) <= 1 if not quantity.unit else True
        factor = 0.01 if quantity.unit else 100.0
        return quantity.low * factor if share else None
    straight = conversion(quantity.unit, unit) if quantity.unit and unit else None
    return None if straight is None else straight.at(quantity.low)

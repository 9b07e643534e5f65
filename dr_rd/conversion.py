"""What units measure and how one becomes another: at once for usual ones, by pint for the rest."""

from collections.abc import Mapping
from functools import cache

from core.errors import TaskError
from dr_rd.files import read_yaml
from dr_rd.units import CURRENCIES, PLAIN, LinearMap, base, dimension, line, read_unit


@cache
def dimension_of(unit: str) -> str | None:
    """Return what *unit* measures, such as "length"; None where it is no unit."""
    if unit in CURRENCIES:
        return unit
    if not unit:
        return PLAIN
    if unit in _usual():
        return _usual()[unit][0]
    try:
        return dimension(read_unit(unit))
    except TaskError:
        return None


@cache
def conversion(unit: str, other: str) -> LinearMap | None:
    """Return how values in *unit* become values in *other*; None where nothing does."""
    if unit == other:
        return LinearMap(1.0, 0.0)
    own, wanted = dimension_of(unit), dimension_of(other)
    if own != wanted or own is None:
        return None
    scales = [_usual().get(name, ("", None))[1] for name in (unit, other)]
    if scales[0] is not None and scales[1] is not None:
        return LinearMap(scales[0] / scales[1], 0.0)
    try:
        return line(read_unit(unit), read_unit(other))
    except TaskError:
        return None  # a logarithmic one


@cache
def in_base_units(unit: str) -> float | None:
    """Return how many of the SI's base units one step of *unit* is; None where it is no unit."""
    scale = _usual().get(unit, ("", None))[1]
    if scale is not None:
        return scale
    try:
        own = read_unit(unit)
        return line(own, base(own)).scale
    except TaskError:
        return None


def si(unit: str) -> str:
    """Return the base units of the SI for a unit; "" for one that is in them, or for none.

    Times, shares and money are left alone: nobody plans in seconds. So are temperatures, of which a
    reading and a tolerance of as many degrees are not the same in kelvin.
    """
    if dimension_of(unit) in (None, PLAIN, "time", "temperature", *CURRENCIES):
        return ""
    own = read_unit(unit)
    return "" if own == base(own) else str(base(own))


@cache
def _usual() -> Mapping[str, tuple[str, float | None]]:
    """For each usual unit what it measures, and its value in the base units of the SI."""
    raw: Mapping[str, Mapping[str, float | None]] = read_yaml("language", "dimensions.yaml")
    return {
        unit: (measured, scale) for measured, units in raw.items() for unit, scale in units.items()
    }

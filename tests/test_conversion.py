"""The usual units are those of the library of units, and what it cannot read is read all the same."""

import pytest

from dr_rd.conversion import conversion, dimension_of, in_base_units, si
from dr_rd.files import read_yaml
from dr_rd.units import base, dimension, line, read_unit

USUAL = {u: d for d, units in read_yaml("language", "dimensions.yaml").items() for u in units}
OURS = {"decade", "part_per_billion"}
"""The library takes the first for a logarithm and does not know the second."""
LOGARITHMIC = {"decibel"}


@pytest.mark.parametrize("name", sorted(USUAL.keys() - OURS - LOGARITHMIC))
def test_a_usual_unit_is_what_the_library_says(name):
    unit = read_unit(name)
    assert dimension_of(name) == dimension(unit)
    assert in_base_units(name) == pytest.approx(line(unit, base(unit)).scale, rel=1e-12)


def test_every_unit_that_prose_names_measures_something():
    named = read_yaml("language", "quantities.yaml")["units"]
    assert [name for name in named if dimension_of(name) is None] == []
    assert [n for n in named if in_base_units(n) is None] == sorted(LOGARITHMIC)


def test_units_of_one_kind_become_each_other():
    assert conversion("decade", "year").at(2) == pytest.approx(20)
    assert conversion("part_per_billion", "ppm").at(500) == pytest.approx(0.5)
    assert conversion("month", "day").at(2) == pytest.approx(60.875)
    assert conversion("degree_Celsius", "kelvin").at(25) == pytest.approx(298.15)
    assert conversion("mg/L", "ug/mL").at(3) == pytest.approx(3)


@pytest.mark.parametrize(
    ("unit", "other"), [("day", "meter"), ("USD", "EUR"), ("widget", "meter"), ("decibel", "bar")]
)
def test_others_do_not(unit, other):
    assert conversion(unit, other) is None


def test_what_is_converted_to_the_si_is_what_is_not_in_it():
    assert [si(u) for u in ("", "day", "percent", "EUR", "kelvin", "widget")] == [""] * 6
    assert (si("degree_Celsius"), si("hectare")) == ("", "meter ** 2")

"""Conversion against the definitions of units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import TaskError
from dr_rd.tools.unit_convert import UnitConvert, unit_convert


def converted(value, source, target):
    return unit_convert(UnitConvert(**{"value": value, "from": source, "to": target}))


@pytest.mark.parametrize(
    ("value", "source", "target", "result"),
    [
        (1, "mile", "km", 1.609344),
        (1, "lb", "kg", 0.45359237),
        (1, "atm", "kPa", 101.325),
        (1, "kWh", "MJ", 3.6),
        (100, "degC", "degF", 212),
        (-40, "degF", "degC", -40),
        (5, "delta_degC", "delta_degF", 9),
        (25, "%", "", 0.25),
        (2, "kGBP/week", "GBP/day", 2000 / 7),
    ],
)
def test_values_convert_by_definition(value, source, target, result):
    """SI Brochure (9th ed.); NIST SP 811, appendix B."""
    assert converted(value, source, target)["result"] == pytest.approx(result, rel=1e-11)


def test_the_factor_and_offset_are_told():
    found = converted(20, "degC", "degF")
    assert (found["factor"], found["offset"], found["result"]) == (1.8, 32, 68)
    assert found["from_read_as"] == "degree_Celsius"
    assert found["dimension"] == "temperature"


def test_a_wrong_dimension_is_one_sentence_with_both():
    with pytest.raises(TaskError, match=r"'kilogram' measures mass and 'meter' measures length"):
        converted(1, "kg", "m")


def test_currencies_do_not_convert():
    with pytest.raises(TaskError, match="'EUR' measures EUR and 'GBP' measures GBP"):
        converted(1, "EUR", "GBP")


@given(st.floats(-273, 1e6), st.sampled_from(["degF", "kelvin", "degR"]))
def test_there_and_back_gives_the_value(value, other):
    there = converted(value, "degC", other)["result"]
    assert converted(there, other, "degC")["result"] == pytest.approx(value, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e101, "much", "3", True])
def test_a_value_that_is_no_number_is_refused(value):
    with pytest.raises(ValidationError):
        converted(value, "m", "km")


@pytest.mark.parametrize(
    ("value", "unit"), [(-300, "degC"), (-500, "degF"), (-1, "kelvin"), (-1, "mK")]
)
def test_a_temperature_below_absolute_zero_is_refused(value, unit):
    with pytest.raises(TaskError, match="below absolute zero; for a difference"):
        converted(value, unit, "degR")


def test_absolute_zero_and_falling_differences_convert():
    assert converted(-273.15, "degC", "kelvin")["result"] == pytest.approx(0, abs=1e-9)
    assert converted(-459.67, "degF", "kelvin")["result"] == pytest.approx(0, abs=1e-9)
    assert converted(-300, "delta_degC", "delta_degF")["result"] == pytest.approx(-540)


def test_arguments_it_does_not_know_are_refused():
    with pytest.raises(ValidationError, match="Extra inputs"):
        UnitConvert(**{"value": 1, "from": "m", "to": "km", "unit": "m"})

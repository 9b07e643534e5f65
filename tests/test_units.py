"""Units as people write them, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TaskError
from dr_rd.units import base, dimension, line, read_unit


@pytest.mark.parametrize(
    ("text", "other", "scale", "offset"),
    [
        ("kg/h", "g/s", 1000 / 3600, 0),
        ("degC", "kelvin", 1, 273.15),
        ("degC", "degF", 1.8, 32),
        ("%", "", 0.01, 0),
        ("kEUR/day", "EUR/week", 7000, 0),
        ("W/(m**2*K)", "W/(cm^2 K)", 1e-4, 0),
        ("1/h", "1/min", 1 / 60, 0),
        ("µm", "m", 1e-6, 0),
        ("count", "", 1, 0),
    ],
)
def test_units_convert_by_a_straight_line(text, other, scale, offset):
    """Definitions of the SI Brochure (9th ed.) and 0 degC = 32 degF."""
    found = line(read_unit(text), read_unit(other))
    assert (found.scale, found.offset) == pytest.approx((scale, offset))


def test_a_wrong_dimension_names_both():
    with pytest.raises(TaskError, match="'kilogram' measures mass and 'meter' measures length"):
        line(read_unit("kg"), read_unit("m"))
    with pytest.raises(TaskError, match="'EUR' measures EUR and 'USD' measures USD"):
        line(read_unit("EUR"), read_unit("USD"))


@pytest.mark.parametrize(("unit", "other"), [("dB", ""), ("%", "dB"), ("W", "dBm")])
def test_logarithmic_units_are_refused(unit, other):
    with pytest.raises(TaskError, match="logarithmic"):
        line(read_unit(unit), read_unit(other))


@pytest.mark.parametrize("text", ["cm**99", "(cm**99)**99", "((((km**99)**99)**99)**99)**99"])
def test_units_that_no_number_can_convert_are_refused(text):
    with pytest.raises(TaskError, match=r"too far from the base units|cannot be read"):
        read_unit(text)


def test_an_unknown_unit_is_told_the_nearest_and_how_to_count():
    with pytest.raises(TaskError, match=r"did you mean 'kilogram'.*'count'"):
        read_unit("kilogramm/h")


def test_base_units_and_dimensions_are_named():
    assert str(base(read_unit("degC"))) == "kelvin"
    assert dimension(read_unit("cm/h")) == "length / time"
    assert dimension(read_unit("%")) == "a plain number"


@pytest.mark.parametrize(
    "text",
    ["m**9**9**9", "9**9**9", "(m**99)**9**9", "2*m", "m**100", "__import__", "m;s", "'m'", "m**-",
     "(" * 40, "m)(s", "m**1.2.3", "m" * 81, "m.__class__", "[length]", "m**x", "1e9", "м"],
)  # fmt: skip
def test_what_is_no_unit_is_refused_in_one_sentence(text):
    with pytest.raises(TaskError) as refusal:
        read_unit(text)
    assert len(str(refusal.value)) < 250


_WORDS = ["m", "kg", "degC", "EUR", "%", "°C", "dB", "*", "/", "**", "^", "2", "-1", "1", "(", ")",
          ".", " ", "x", "per", "_", "0", "·", "µ", "if"]  # fmt: skip


@given(st.text(max_size=30) | st.lists(st.sampled_from(_WORDS), max_size=12).map("".join))
def test_whatever_the_text_it_gives_a_unit_or_a_sentence(text):
    try:
        unit = read_unit(text)
        line(unit, base(unit))
    except TaskError:
        return
    assert dimension(unit)

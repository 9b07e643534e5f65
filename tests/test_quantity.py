"""What is read as a number, and how it is bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.quantity import DATE, YEAR, numbers, quantities

READ = [
    ("minimum of 8 paired sites", "at_least", 8, None, "", "paired sites"),
    ("budget under 50000 GBP", "less_than", None, 50000, "GBP", "budget"),
    ("exactly 50 demonstrations", "exactly", 50, 50, "", "demonstrations"),
    ("in the 400-800 C range", "between", 400, 800, "degree_Celsius", "range"),
    ("at least 12 consecutive months", "at_least", 12, None, "month", ""),
    ("tested at 23 +/- 2 C", "about", 21, 25, "degree_Celsius", "tested"),
    ("no more than 2 conditions", "at_most", None, 2, "", "conditions"),
    ("not more than two conditions", "at_most", None, 2, "", "conditions"),
    ("between 80 and 200 participants", "between", 80, 200, "", "participants"),
    ("precision of 50 ppm or better", "at_most", None, 50, "ppm", "precision"),
    ("an accuracy of 90 % or better", "at_least", 90, None, "percent", "accuracy"),
    ("10 to 15 weeks", "between", 10, 15, "week", ""),
    ("a 3-year rotation", "stated", 3, 3, "year", "rotation"),
    ("15-minute or hourly", "stated", 15, 15, "minute", ""),
    ("children aged 0-12", "between", 0, 12, "year", "age"),
    ("fewer than 10,000 examples", "less_than", None, 10000, "", "examples"),
    ("a frozen 7B-parameter model", "stated", 7e9, 7e9, "", "parameter"),
    ("270-300M parameters", "between", 270e6, 300e6, "", "parameters"),
    ("500 or fewer grasps", "at_most", None, 500, "", "grasps"),
    ("capped at 500 grasps", "at_most", None, 500, "", "grasps"),
    ("the period must not exceed 10 years", "at_most", None, 10, "year", "period"),
    ("should not fall below 30 sites", "at_least", 30, None, "", "sites"),
    ("at least one", "at_least", 1, None, "", ""),
    ("add a third condition", "at_least", 3, None, "", "condition"),
    ("p < 0.05", "less_than", None, 0.05, "", "p"),
    ("within 800 meters of", "at_most", None, 800, "meter", ""),
    ("the years 2015-2023 inclusive", "between", 2015, 2023, "", YEAR),
    ("the 2008 crisis", "stated", 2008, 2008, "", YEAR),
    ("2000 people", "stated", 2000, 2000, "", "people"),
    ("due by 31 March 2027", "stated", 20270331, 20270331, "", DATE),
    ("£50k", "stated", 50000, 50000, "GBP", ""),
    ("US$1.2M", "stated", 1.2e6, 1.2e6, "USD", ""),
    ("EUR 5,000", "stated", 5000, 5000, "EUR", ""),
    ("two hundred and fifty farms", "stated", 250, 250, "", "farms"),
    ("12 mg/kg", "stated", 12, 12, "milligram/kilogram", ""),
    ("a single legume", "exactly", 1, 1, "", "legume"),
    ("measured over 12 months", "stated", 12, 12, "month", "measured"),
    ("workers over age 24", "more_than", 24, None, "year", "age"),
    ("a sum of £12k.", "stated", 12000, 12000, "GBP", "sum"),
    ("roughly 40 farms", "about", 40, 40, "", "farms"),
    ("about 1.900 listed farms", "about", 1900, 1900, "", "listed farms"),
    ("1.125 times", "stated", 1.125, 1.125, "", "times"),
]


@pytest.mark.parametrize(("text", "comparison", "low", "high", "unit", "noun"), READ)
def test_a_quantity_is_read_with_its_bounds_unit_and_noun(text, comparison, low, high, unit, noun):
    (found,) = quantities(text)
    got = (found.comparison, found.low, found.high, found.unit, found.noun)
    assert got == (comparison, low, high, unit, noun)
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    "identifier",
    ["PM2.5", "rs3918290", "T01", "E1304", "F1", "COVID-19", "WASP-39b", "AA7075-T6", "DPYD*2A",
     "3D", "1.2.3", "10.1000/xyz123", "7658c9f", "https://example.org/2024/7", "SIB-200"],
)  # fmt: skip
def test_digits_inside_an_identifier_are_no_number(identifier):
    assert numbers(f"see {identifier} there") == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a 2-back task", [2]),
        ("1,000 and 1 000 and 1'000", [1000, 1000, 1000]),
        ("at 08:30", [8.5]),
        ("1. first\n2. second 5", [5]),
        ("## 3.1 Results of 4", [4]),
        ("from −5 to 10", [-5, 10]),
        ("1.5e-3", [0.0015]),
        ("50k and 2 million", [50000, 2e6]),
        ("on 2026-11-27", [20261127]),
        ("fig. (3), [4]", [3, 4]),
    ],
)
def test_a_bare_number_is_given_its_value(text, values):
    assert [n.value for n in numbers(text)] == values


def test_a_dash_that_begins_a_line_makes_no_range():
    assert [q.text for q in quantities("- 40 °C: 3 h\n- 60 °C: 3 h")] == [
        "40 °C",
        "3 h",
        "60 °C",
        "3 h",
    ]


def test_number_words_are_numbers_on_request():
    assert [n.value for n in numbers("three or 4", words=True)] == [3, 4]


@given(st.text(max_size=300))
def test_any_text_is_read_and_every_span_is_its_own_words(text):
    for found in (*numbers(text), *quantities(text)):
        assert text[found.start : found.end] == found.text


@given(st.integers(1, 999_999))
def test_separators_do_not_change_a_value(value):
    assert numbers(f"about {value:,} farms")[0].value == value


@given(st.text(alphabet="0123456789,.- kMm£%CX\n", max_size=200))
def test_digit_soup_is_read_without_complaint(text):
    assert all(q.text for q in quantities(text))


@pytest.mark.parametrize(
    ("text", "comparison", "low", "high", "unit", "noun"),
    [
        ("dives no deeper than 18 m", "at_most", None, 18, "meter", "dives"),
        ("lasts half an hour", "stated", 0.5, 0.5, "hour", ""),
        ("runs for a full year", "stated", 1, 1, "year", ""),
        ("a rate of two thirds", "stated", 0.6666666667, 0.6666666667, "", "rate"),
        ("EUR 135.000", "stated", 135000, 135000, "EUR", ""),
        ("ends on 15/12/2027", "stated", 20271215, 20271215, "", DATE),
        ("ends on 5/6/2027", "stated", 20270506, 20270605, "", DATE),
        ("until December 2027", "stated", 20271201, 20271231, "", DATE),
        ("the 5th of November 2027", "stated", 20271105, 20271105, "", DATE),
        ("the period 1880-1914", "between", 1880, 1914, "", YEAR),
        ("2 schools only", "exactly", 2, 2, "", "schools"),
        ("16 to 70 years old", "between", 16, 70, "year", "age"),
        ("a year and a half", "stated", 1.5, 1.5, "year", ""),
        ("two years and three quarters at most", "at_most", None, 2.75, "year", ""),
        ("at least 20-30 participants", "at_least", 20, None, "", "participants"),
        ("costs add up to 48 kEUR", "stated", 48000, 48000, "EUR", "costs add"),
        ("must not rise by more than 10 %", "at_most", None, 10, "percent", ""),
        ("up to 2–3 sites", "at_most", None, 3, "", "sites"),
        ("€40k-€60k", "between", 40000, 60000, "EUR", ""),
        ("between €40k and €60k", "between", 40000, 60000, "EUR", ""),
        ("40.000,- EUR", "stated", 40000, 40000, "EUR", ""),
        ("0.04 M EUR", "stated", 40000, 40000, "EUR", ""),
        ("40 tsd. EUR", "stated", 40000, 40000, "EUR", ""),
        ("1,5 Mio. EUR", "stated", 1.5e6, 1.5e6, "EUR", ""),
        ("40kEUR", "stated", 40000, 40000, "EUR", ""),
        ("USD 1.5 m", "stated", 1.5e6, 1.5e6, "USD", ""),
        ("by Q3 2027", "stated", 20270701, 20270930, "", DATE),
        ("in 2027Q1", "stated", 20270101, 20270331, "", DATE),
        ("the third quarter of 2027", "stated", 20270701, 20270930, "", DATE),
        ("H1/2027", "stated", 20270101, 20270630, "", DATE),
        ("the last half of 2027", "stated", 20270701, 20271231, "", DATE),
        ("Q1–Q3 2027", "stated", 20270101, 20270930, "", DATE),
        ("Q4 2026 to Q2 2027", "between", 20261001, 20270630, "", DATE),
        ("no later than Q2 2027", "at_most", None, 20270630, "", DATE),
        ("twelve (12) months", "stated", 12, 12, "month", ""),
        ("EUR 40,000 (forty thousand)", "stated", 40000, 40000, "EUR", ""),
        ("two (2) to three (3) sites", "between", 2, 3, "", "sites"),
        ("held at –25 °C", "stated", -25, -25, "degree_Celsius", ""),
        (
            "fewer no-shows at a clinic by a third",
            "stated",
            0.3333333333,
            0.3333333333,
            "",
            "clinic",
        ),
        ("at least a third of patients", "at_least", 0.3333333333, None, "", ""),
        ("less than a fifth of the limit", "less_than", None, 0.2, "", ""),
        ("a third site in Ghent", "at_least", 3, None, "", "site"),
    ],
)
def test_comparatives_dates_and_parts_are_read(text, comparison, low, high, unit, noun):
    (found,) = quantities(text)
    got = (found.comparison, found.low, found.high, found.unit, found.noun)
    assert got == (comparison, low, high, unit, noun)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("between -15 and -5 °C", -15, -5),
        ("between -15 °C and -5 °C", -15, -5),
        ("from -20 to 0 °C", -20, 0),
        ("-15 to -5 °C", -15, -5),
        ("between 15 and 25 °C", 15, 25),
    ],
)
def test_a_range_may_lie_below_zero(text, low, high):
    (found,) = quantities(text)
    assert (found.comparison, found.low, found.high) == ("between", low, high)
    assert found.unit == "degree_Celsius"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10^6 samples", 1e6),
        ("10⁶ samples", 1e6),
        ("4x10³ samples", 4e3),
        ("5 × 10^4 samples", 5e4),
        ("2·10**3 samples", 2e3),
        ("4 × 10^−3 samples", 4e-3),
        ("a hundred samples", 100),
        ("a thousand and twenty samples", 1020),
        ("25 k€", 25_000),
    ],
)
def test_powers_of_ten_and_bare_multipliers_are_numbers(text, value):
    (found,) = quantities(text)
    assert found.low == pytest.approx(value)


@pytest.mark.parametrize("text", ["plots of 10 m² each", "2 x 10 samples", "once a day", "10.5^2"])
def test_what_only_looks_like_a_power_of_ten_is_none(text):
    assert all((q.low or 0) < 100 for q in quantities(text))

"""Moments that a text names by their number."""

import pytest

from dr_rd.text.numbered import numbered


@pytest.mark.parametrize(
    ("text", "unit", "first", "last"),
    [
        ("in week 12", "week", 12, 12),
        ("weeks 3, 6 and 12", "week", 12, 12),
        ("months 3 to 9", "month", 3, 9),
        ("from month 1 to month 18", "month", 1, 18),
        ("M1–M18", "month", 1, 18),
        ("from M3 to M11", "month", 3, 11),
        ("done by M18", "month", 18, 18),
        ("in the second season, season two", "year", 2, 2),
    ],
)
def test_a_moment_is_read_from_the_first_to_the_last_of_its_stretch(text, unit, first, last):
    (found,) = numbered(text)
    assert (found.unit, found.low, found.high) == (unit, first, last)
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    "text", ["M1 macrophages", "four M12 bolts", "an M3 chip", "day 20 %", "weeks 3 days", "M1.5"]
)
def test_what_only_looks_like_a_numbered_moment_is_none(text):
    assert not tuple(numbered(text))

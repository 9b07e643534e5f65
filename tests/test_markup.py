"""What is a mark in a text, and what belongs to its words."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.markup import marks, unmarked


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("takes _18 months_", "takes 18 months"),
        ("takes **_18_** months", "takes 18 months"),
        ("at most `30` sites", "at most 30 sites"),
        ("costs 50,000&nbsp;EUR", "costs 50,000 EUR"),
        ("costs 50&nbsp;000 EUR", "costs 50\u00a0000 EUR"),
        ("at&thinsp;&minus;5 °C", "at −5 °C"),
        ("at least <b>30</b> sites", "at least 30 sites"),
        ("at least\u00a030 sites", "at least 30 sites"),
        ("R&amp;D", "R&D"),
    ],
)
def test_a_mark_is_not_seen(text, seen):
    assert unmarked(text) == seen


@pytest.mark.parametrize(
    "text",
    ["read `data_1.csv` first", "**Phase 1:** twelve sites", "- **Sites** \n", "the DPYD*2A type",
     "snake_case_name", "2 * 3 * 4", "a & b; c", "x < y and y > z", "* one\n* two"],
)  # fmt: skip
def test_what_belongs_to_the_words_stays(text):
    assert unmarked(text) == text


@given(st.text(alphabet="*_`a1 &nbsp;<b>/\n", max_size=120))
def test_marks_stand_in_order_and_apart(text):
    found = marks(text)
    assert all(a.end <= b.start for a, b in pairwise(found))

"""Numbers for readers agree with their nouns."""

import pytest

from core.pluralize import length, pluralize


@pytest.mark.parametrize(
    ("number", "what", "said"),
    [
        (0, "task", "0 tasks"),
        (1, "task", "1 task"),
        (1.0, "working day", "1 working day"),
        (0.5, "month", "0.5 months"),
        (1.04, "month", "1 month"),
        (2, "task", "2 tasks"),
        (1200, "working day", "1,200 working days"),
    ],
)
def test_one_is_singular_and_all_else_plural(number: float, what: str, said: str) -> None:
    assert pluralize(number, what) == said


def test_a_plural_of_its_own_is_named() -> None:
    assert (pluralize(1, "entry", "entries"), pluralize(3, "entry", "entries")) == (
        "1 entry",
        "3 entries",
    )


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (1, "1 working day"),
        (4, "4 working days"),
        (5, "1 week"),
        (29, "6 weeks"),
        (39, "8 weeks"),
        (62, "12.8 weeks"),
        (63, "3 months"),
        (122, "5.8 months"),
    ],
)
def test_a_length_is_told_in_the_unit_that_a_reader_would_use(days: float, said: str) -> None:
    assert length(days, 21) == said

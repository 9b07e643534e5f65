"""Numbers for readers agree with their nouns."""

import pytest

from core.counting import counted


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
    assert counted(number, what) == said


def test_a_plural_of_its_own_is_named() -> None:
    assert (counted(1, "entry", "entries"), counted(3, "entry", "entries")) == (
        "1 entry",
        "3 entries",
    )

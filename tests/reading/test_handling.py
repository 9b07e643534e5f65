"""How many units are done in a day, where the brief says how long one takes and who does them."""

import pytest

from dr_rd.brief import Person
from dr_rd.reading.handling import handled

_TEXT = "Scoring a tape against the sheet takes 24 minutes on average. {more}"
_SCORERS = (
    Person(role="scorers", count=2, share=0.5),
    Person(role="statistician"),
)


@pytest.mark.parametrize(
    ("more", "a_day"),
    [
        ("", 20.0),  # one full day of eight hours among two halves: 480 / 24
        ("They have 6 hours of scoring in a day.", 15.0),
        ("Every tape is scored twice.", 10.0),
        ("Both scorers see each tape.", 10.0),
    ],
)
def test_time_for_each_and_people_make_a_pace(more, a_day):
    found = handled(_TEXT.format(more=more), ("tape", "tapes"), _SCORERS)
    assert found is not None
    assert found.a_day == a_day


def test_people_named_one_by_one_are_among_those_named_together():
    named = (*_SCORERS, Person(role="Scorer Ilse Brandt", share=0.5))
    found = handled(_TEXT.format(more=""), ("tape", "tapes"), named)
    assert found is not None
    assert found.a_day == 20.0


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Scoring a tape takes 24 minutes.", (Person(role="statistician"),)),
        ("Scoring a tape is tedious.", _SCORERS),
        ("Cleaning a filter takes 24 minutes.", _SCORERS),
    ],
)
def test_without_a_length_or_anybody_who_does_it_there_is_none(text, people):
    assert handled(text, ("tape", "tapes"), people) is None

"""What a study samples, by trained weights: a noun of the text, or none."""

import pytest

from dr_rd.reading import load_taggers
from dr_rd.reading.amounts import amounts
from dr_rd.reading.segments import segments
from dr_rd.reading.unit import candidates, likely_unit

_CLINIC = (
    "Does a text message cut missed visits in patients with gout? We recruit 240 patients, 120 per arm. "
    "Each patient is followed for six months in one of 9 clinics. The budget is 40,000 EUR."
)


def unit_in(text):
    found = segments(text)
    return likely_unit(found, amounts(text), (0, found[0].end), load_taggers().unit)


def test_what_is_counted_asked_about_and_followed_is_the_unit():
    assert unit_in(_CLINIC) == "patients"


@pytest.mark.parametrize("word", ["months", "EUR", "six"])
def test_times_money_and_single_things_are_no_candidates(word):
    held = candidates(segments(_CLINIC), amounts(_CLINIC))
    assert not any(p.word == word.lower() for places in held.values() for p in places)


def test_a_text_without_a_noun_that_may_be_one_has_none():
    assert unit_in("Make it good.") is None

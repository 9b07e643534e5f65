"""A slip of the pen is read and shown as a guess; another word stays what it is."""

import pytest

from dr_rd.reading.document import document_of
from dr_rd.reading.spelling import one_slip, slips


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("due 31 octber 2027", ["October"]),
        ("from the 1st of Febuary 2027", ["February"]),
        ("mean wait under 9 mintues", ["minutes"]),
        ("bugdet: 12000 usd\ndeadlin: 2027-06-30", ["budget", "deadline"]),
        ("12 moths on 3 ponds, 5 marches, 40 mouths, 12 weeds", []),
        ("Marsh 2027\nstates: 12\nbudget: 5 EUR\nMarch 2027", []),
    ],
)
def test_what_a_slip_is_taken_for(text, meant):
    assert [slip.meant for slip in slips(text)] == meant


@pytest.mark.parametrize("word", ["weeeks", "weks", "wekes"])
def test_one_letter_too_many_too_few_or_exchanged(word):
    assert one_slip(word, "weeks")


def test_a_first_letter_and_a_short_word_are_not_guessed():
    assert not one_slip("tours", "hours")
    assert not one_slip("weeds", "weeks")


def test_a_guess_keeps_its_place_in_the_source():
    source = "strat: 2027-01-15\nbudget: 9 kEUR"
    document = document_of(source, "x")
    begin = document.text.index("start")
    assert document.quote(begin, begin + len("start")) == "strat"
    assert [(source[g.start : g.end], g.meant) for g in document.guesses] == [("strat", "start")]

"""Messages of a chat and sentences without capitals are read one by one."""

import pytest

from dr_rd.reading import Given, Reader, load_taggers, understood
from dr_rd.reading.amounts import amounts
from dr_rd.reading.casual import with_sentences
from dr_rd.reading.document import document_of
from dr_rd.reading.segments import segments
from dr_rd.text.facts import read

CHAT = "[09:12] mia: need a plan\n[09:13] jo: how many\n[09:14] mia: 40 calls, no names\n"
HURRIED = "weigh bins 4 wks, approx. twice. kids are excluded. start in may. no photos."


def test_each_message_is_a_piece_of_its_own():
    assert [s.text for s in segments(document_of(CHAT, "x").text)] == [
        "need a plan", "how many", "40 calls, no names",
    ]  # fmt: skip


def test_hurried_sentences_are_told_apart_and_short_forms_are_none():
    made = with_sentences(HURRIED)
    assert [s.text for s in segments(made.text)] == [
        "weigh bins 4 wks, approx. twice.", "Kids are excluded.", "Start in may.", "No photos.",
    ]  # fmt: skip
    begin = made.text.index("Kids")
    assert made.place(begin, begin + 4) == (HURRIED.index("kids"), HURRIED.index("kids") + 4)


def test_a_text_with_capitals_stays():
    text = "First this. Then that. and so on. The end."
    assert with_sentences(text).text == text


def test_numbers_that_name_are_no_amounts():
    text = (
        "Measured to ISO 3095 and DIN EN 1988-100 by a second reader on plots of 20 x 20 m, "
        "see annex 4, ticket 4711; 12 masts, ICC 0.03."
    )
    assert [a.fact.amount.low for a in amounts(text)] == [12, 0.03]


@pytest.mark.parametrize(
    "told",
    [
        "Last year we lost 31% of the bagged oysters between May and September.",
        "Is it affordable, yes or no?",
        "Tests cost EUR 27 per sample.",
        "In previous winters up to 40 percent of hives were lost.",
    ],
)
def test_what_is_only_told_or_charged_limits_nothing(told):
    text = f"Find out whether hanging baskets lower mortality. {told}"
    assert understood(Given(text, None, "brief"), Reader(load_taggers())).study.limits == ()


@pytest.mark.parametrize(
    "limit",
    ["It must not cost more than 27 EUR per sample.", "Last year's hives may not be opened."],
)
def test_what_binds_is_a_limit_though_it_speaks_of_cost_or_of_the_past(limit):
    text = f"Find out whether hanging baskets lower mortality. {limit}"
    assert understood(Given(text, None, "brief"), Reader(load_taggers())).study.limits


def test_no_more_than_is_a_bound_whatever_the_sentence_denies_behind_it():
    text = "Limits: no more than 6,000 oysters may be handled, no antibiotics, and both sites must be in it."
    first = next(f.amount for f in read(text).facts if f.amount.noun == "oysters")
    assert (first.comparison, first.high) == ("at_most", 6000)

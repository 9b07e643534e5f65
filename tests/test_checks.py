"""The ledger check, kind by kind: what is violated, met, promised, unclear and not shown."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.brief import Brief
from dr_rd.checks import broken, build_ledger, check, to_json
from dr_rd.reading import read_brief

BRIEFS = Path(__file__).parent / "data" / "briefs"
FIELD = {
    "constraint": "hard_constraints",
    "criterion": "success_criteria",
    "ban": "banned_moves",
}


def ledger(kind, text):
    brief = Brief(objective="Study the effect of x on y.", **{FIELD[kind]: (text,)})
    return build_ledger(brief)


def verdict(kind, item, passage):
    return check(ledger(kind, item), passage)[0].verdict


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("minimum sample size of 30 clusters", "We enrol 33 clusters.", "met"),
        ("minimum sample size of 30 clusters", "We enrol 23 clusters.", "violated"),
        ("maximum number of 30 clusters", "We enrol 33 clusters.", "violated"),
        ("at least 3 sites", "We run the study at two sites.", "violated"),
        ("at most 12 participants", "We enrol 12 participants, 6 per arm.", "met"),
        ("at most 12 participants", "We enrol 14 participants, 7 per arm.", "violated"),
        ("at least 8 schools per arm", "There are 9 schools per arm.", "met"),
        ("at least 8 schools per arm", "There are 6 schools per arm.", "violated"),
    ],
)
def test_counts_are_held_against_the_bound_of_what_they_count(item, passage, expected):
    assert verdict("constraint", item, passage) == expected


def test_a_figure_within_the_range_that_is_studied_breaks_no_other_limit_of_a_phrase():
    brief = Brief(
        objective="Does annealing at 400-800 C change the toughness of the alloy?",
        hard_constraints=("Testing performed at 23 +/- 2 C ambient temperature",),
    )
    made = build_ledger(brief)
    assert check(made, "Sweep of 450, 600 and 750 C to map the curve")[0].verdict != "violated"
    assert check(made, "Specimens tested at 900 C")[0].verdict == "violated"


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        (
            "samples stored at or below 4 °C",
            "Samples are stored at minus 20 degrees Celsius.",
            "met",
        ),
        ("samples stored at or below 4 °C", "Samples are stored at −20 °C.", "met"),
        (
            "samples stored at or below 4 °C",
            "Samples are stored at 8 degrees Celsius.",
            "violated",
        ),
        ("the tool weighs at most 2 kg", "The tool weighs 1,650 g.", "met"),
        ("the tool weighs at most 2 kg", "The tool weighs 2.4 kg.", "violated"),
        ("pressure never exceeds 20 bar", "The pressure goes from 5 to 30 bar.", "violated"),
        ("participants aged 18 to 30", "Students aged 18 to 45 take part.", "violated"),
        ("participants aged 18 to 30", "Students aged 19 to 25 take part.", "met"),
    ],
)
def test_measures_are_compared_with_their_sign_and_in_one_unit(item, passage, expected):
    assert verdict("constraint", item, passage) == expected


@pytest.mark.parametrize("noun", ["sites", "schools", "hospitals", "villages", "clinics"])
def test_places_named_one_by_one_are_counted_whatever_they_are(noun):
    item = f"no more than 3 {noun}"
    assert (
        verdict("constraint", item, "The study runs in Leeds, York, Hull and Bradford.")
        == "violated"
    )
    assert verdict("constraint", item, "The study runs in Leeds, York and Hull.") != "violated"


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("The study runs from January 2026 to December 2027.", "violated"),
        ("Work starts in January 2026 and the final report is due in December 2027.", "violated"),
        ("Work starts in January 2026 and the final report is due in May 2027.", "met"),
        ("The project takes 20 months.", "violated"),
        ("The project takes 15 months.", "met"),
        ("Interviews last 20 minutes.", "not_shown"),
    ],
)
def test_a_deadline_is_held_against_how_long_the_work_takes(passage, expected):
    assert verdict("constraint", "finish within 18 months", passage) == expected


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("The project costs 35,000 EUR.", "met"),
        ("The project costs 45,000 EUR.", "violated"),
        ("We pay 30,000 EUR for staff and 15,000 EUR for travel.", "violated"),
        ("Staff: 30,000 EUR. Travel: 5,000 EUR. Total: 35,000 EUR.", "met"),
        ("The market value of the sector is 3 million EUR. The project costs 35,000 EUR.", "met"),
        ("The project costs 45,000 USD.", "unclear"),
        ("An engineer is paid 450 EUR per day.", "unclear"),
        (
            "| Item | Cost (EUR) |\n|---|---|\n| Staff | 38,000 |\n| **Total** | **58,500** |",
            "violated",
        ),
    ],
)
def test_a_budget_is_held_against_what_the_whole_work_costs(passage, expected):
    assert verdict("constraint", "budget: 40,000 EUR", passage) == expected


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("engineer at 450 EUR per day", "The project costs 40,000 EUR."),
        ("no work from 24 December to 3 January", "The study ends on 30 June 2027."),
        (
            "exclude patients who do not own a phone",
            "Owners of phones are recruited at the clinic.",
        ),
        ("no more than 3 sites", "Earlier trials ran at 12 sites (Smith, 2019)."),
        ("at least 30 sites", "With fewer than 20 sites the power drops."),
    ],
)
def test_what_is_of_something_else_breaks_no_limit(item, passage):
    assert verdict("constraint", item, passage) != "violated"


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("add a seeding treatment", "The analysis runs from a seeded script."),
        ("use self-reported outcomes", "We write a report on outcomes each month."),
        ("add a tillage treatment", "We record the tillage history of each field."),
        ("add eye tracking", "Other labs add eye tracking to such studies."),
        ("add eye tracking", "If funds allow, a later project may add eye tracking."),
    ],
)
def test_words_that_only_look_alike_break_no_ban(item, passage):
    assert verdict("ban", item, passage) != "violated"


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("We add eye tracking in every session.", "violated"),
        ("Gaze is recorded with a Tobii camera.", "violated"),
        ("We do not add eye tracking.", "met"),
        ("No eye tracking is used.", "met"),
        ("Eye tracking was considered but left out.", "met"),
        ("Sessions last an hour.", "not_shown"),
        ("We might add eye tracking.", "unclear"),
    ],
)
def test_a_ban_is_violated_met_by_a_refusal_unclear_or_not_shown(passage, expected):
    assert verdict("ban", "add eye tracking", passage) == expected


@pytest.mark.parametrize("title", ["Adherence to tablets", "Risks of stairs", "Limits of buses"])
def test_a_word_in_the_title_silences_nothing(title):
    text = f"# {title}\n\n## Design\n\nWe add eye tracking and work at nine sites."
    assert verdict("ban", "add eye tracking", text) == "violated"
    assert verdict("constraint", "no more than 3 sites", text) == "violated"


@pytest.mark.parametrize(
    "around",
    [
        "## Constraint ledger\n\n| B01 | {item} | kept |",
        "## Out of scope\n\n- {item}",
        "**Banned moves:**\n\n- {item}\n- another",
        "Out of scope: {item}.",
    ],
)
def test_naming_a_ban_is_not_breaking_it(around):
    item = "add eye tracking"
    assert verdict("ban", item, around.format(item=item)) != "violated"


def test_to_cite_what_does_a_thing_is_not_to_do_it():
    text = "Noise delays sleep [E001, sleep.md, We add eye tracking in every session]."
    assert verdict("ban", "add eye tracking", text) != "violated"


def test_an_item_in_its_own_words_is_promised():
    item = "results are shared with the residents"
    assert verdict("constraint", item, "Results are shared with the residents.") in (
        "met",
        "promised",
    )
    assert verdict("constraint", item, "We count birds at dawn.") == "not_shown"


def test_an_unread_figure_is_not_checkable():
    assert verdict("constraint", "budget: 40k", "The project costs 45,000 EUR.") == "not_checkable"


def test_the_reason_names_value_limit_and_place_and_the_quote_is_the_text_itself():
    text = "## Sample\n\nWe count birds.\n\nWe work at **nine** sites."
    (found,) = check(ledger("constraint", "no more than 3 sites"), text)
    assert (
        found.reason
        == "it states nine sites, but the limit is no more than 3 sites (under “Sample”)"
    )
    assert text[found.start : found.end] == found.quote == "We work at **nine** sites."
    assert to_json([found])["violated"] == 1


def test_texts_beside_each_other_tell_which_of_them_breaks_an_item():
    found = broken(ledger("ban", "add eye tracking"), ["We count birds.", "We add eye tracking."])
    assert [(v.id, at) for v, at in found] == [("B01", (1,))]


@given(st.text(max_size=400))
def test_any_text_gets_a_verdict_with_its_own_words(text):
    items = Brief(objective="x", hard_constraints=("at least 3 sites", "no drones"))
    for found in check(build_ledger(items), text):
        assert text[found.start : found.end] == found.quote


@pytest.mark.parametrize("piece", ["no ", "without ", "3 sites ", "a|", '"a ', "not 3 drones, "])
def test_a_long_and_monotonous_text_is_checked_all_the_same(piece):
    brief = Brief(objective="x", hard_constraints=("at least 3 sites", "no drones"))
    assert len(check(build_ledger(brief), piece * 6000)) == 2  # hangs where time is not linear


def test_a_brief_told_back_under_its_own_headings_breaks_nothing():
    for path in BRIEFS.glob("*.yaml"):
        brief = read_brief(path)
        told = [f"# Proposal\n\n{brief.objective}\n\n## Constraints\n"]
        told += [f"- {c}" for c in (*brief.hard_constraints, *brief.success_criteria)]
        told += ["\n## Bans\n", *(f"- {b}" for b in brief.banned_moves)]
        found = check(build_ledger(brief), "\n".join(told))
        assert [v.id for v in found if v.verdict == "violated"] == [], path.name


@pytest.mark.parametrize("blank", ["\n", "\r\n", "\r", "  ", "\t \t"])
def test_blanks_and_line_ends_change_no_verdict(blank):
    text = f"We count birds.{blank}{blank}We work at{blank}nine sites."
    assert verdict("constraint", "no more than 3 sites", text) == "violated"


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("the exhibition shows at most 80 original objects", "Running machines, 22 objects."),
        (
            "Mentors spend no more than 2 hours a week.",
            "New hires get a postcard two weeks before day 1, with a photo of their mentor."
            + " The gate is open." * 6,  # in a text of a few sentences it would be of that
        ),
        (
            "Record 36 speakers, 12 per valley.",
            "Every speaker grew up and was born in the valley where they are recorded.",
        ),
    ],
)
def test_a_sentence_that_may_be_of_a_part_or_of_another_thing_decides_nothing(item, passage):
    assert verdict("constraint", item, passage) == "unclear"

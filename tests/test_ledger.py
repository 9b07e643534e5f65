"""How a brief's limits become checkable items."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.brief import Brief
from dr_rd.checks import Exclusive, Limit, Period, Prohibition, Requirement, build_ledger
from dr_rd.reading import read_brief

BRIEFS = Path(__file__).parent / "data" / "briefs"


def constraint(text):
    return build_ledger(Brief(objective="x", hard_constraints=(text,))).items[0]


def ban(text):
    return build_ledger(Brief(objective="x", banned_moves=(text,))).items[0]


def test_items_are_numbered_by_kind_in_order():
    ledger = build_ledger(
        Brief(
            objective="x",
            hard_constraints=("at least 3 sites", "no drones"),
            success_criteria=("reports a rate",),
            banned_moves=("add a survey",),
        )
    )
    assert [i.id for i in ledger.items] == ["C01", "C02", "S01", "B01"]
    assert ledger.item("C02").text == "no drones"


def test_several_bounds_in_one_sentence_are_all_kept():
    found = [c.quantity for c in constraint("at least 8 farms across 2 or more regions").checks]
    assert [(q.low, q.noun) for q in found] == [(8, "farms"), (2, "regions")]


def test_a_bound_for_each_group_keeps_its_scope():
    (limit,) = constraint("minimum 50 students per section").checks
    assert limit.scope == "section"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("no eye tracking or neuroimaging", ("eye tracking", "neuroimaging")),
        ("must not use drones", ("drones",)),
        ("no proprietary model runs", ("proprietary model runs",)),
    ],
)
def test_what_is_ruled_out_is_named_thing_by_thing(text, terms):
    (check,) = constraint(text).checks
    assert isinstance(check, Prohibition)
    assert check.terms == terms


def test_one_method_and_not_another_is_exclusive():
    checks = constraint("soil carbon must be measured by combustion, not loss-on-ignition").checks
    exclusive = next(c for c in checks if isinstance(c, Exclusive))
    assert exclusive.against == ("loss-on-ignition",)


def test_years_are_a_period():
    assert constraint("the window must be 2015-2023 inclusive").checks[0] == Period(
        first=2015, last=2023
    )


def test_a_demand_keeps_its_content_words():
    (check,) = constraint("must record the weather station").checks
    assert isinstance(check, Requirement)


@pytest.mark.parametrize(
    ("text", "high", "noun"),
    [
        ("add a third experimental arm", 2, "experimental arm"),
        ("collect more than 500 grasps", 500, "grasps"),
        ("extend the analysis to workers over age 24", 24, "age"),
    ],
)
def test_a_banned_excess_is_the_bound_that_it_passes(text, high, noun):
    (check,) = ban(text).checks
    assert isinstance(check, Limit)
    assert (check.quantity.high, check.quantity.noun) == (high, noun)


def test_a_banned_addition_is_what_it_adds():
    (check,) = ban("expand the survey to include hoverflies or butterflies").checks
    assert check.terms == ("hoverflies", "butterflies")


def test_what_names_nothing_says_why():
    item = constraint("must be")
    assert not item.checkable
    assert item.reason


def test_budget_and_deadline_become_constraints_unless_stated():
    brief = Brief(objective="x", budget="20000 EUR", deadline="31 March 2027")
    assert [i.text for i in build_ledger(brief).items] == [
        "budget: 20000 EUR",
        "deadline: 31 March 2027",
    ]
    stated = brief.model_copy(update={"hard_constraints": ("budget under 20000 EUR",)})
    assert [i.id for i in build_ledger(stated).items] == ["C01", "C02"]


lines = st.lists(st.text(min_size=1, max_size=60)).map(tuple)


@given(lines, lines, lines)
def test_every_limit_is_one_item_word_for_word(constraints, criteria, bans):
    brief = Brief(
        objective="x",
        hard_constraints=constraints,
        success_criteria=criteria,
        banned_moves=bans,
    )
    ledger = build_ledger(brief)
    assert tuple(i.text for i in ledger.items) == (*constraints, *criteria, *bans)
    assert len({i.id for i in ledger.items}) == len(ledger.items)
    assert ledger == build_ledger(brief)
    assert all(i.checkable != bool(i.reason) for i in ledger.items)


def test_nearly_every_item_of_the_sample_briefs_is_checkable():
    items = [i for p in BRIEFS.glob("*.yaml") for i in build_ledger(read_brief(p)).items]
    assert sum(i.checkable for i in items) >= 0.97 * len(items)


@pytest.mark.parametrize(
    ("text", "high", "noun"),
    [
        ("enrol more than 40 participants", 40, "participants"),
        ("include adults over 65", 65, "age"),
    ],
)
def test_a_number_of_people_is_no_age(text, high, noun):
    (found,) = build_ledger(Brief(objective="x", banned_moves=(text,))).items[0].checks
    assert (found.quantity.high, found.quantity.noun) == (high, noun)


@pytest.mark.parametrize(
    "text", ["budget: 40k", "budget 40000", "40k budget", "total cost 12000", "total 120k"]
)
def test_a_sum_without_a_currency_can_be_held_against_nothing_and_says_what_to_write(text):
    (item,) = build_ledger(Brief(objective="x", hard_constraints=(text,))).items
    assert not item.checkable
    assert item.reason == "its sum has no currency: write, for instance, “40,000 EUR”"


def read(field, text):
    (item,) = build_ledger(Brief(objective="x", **{field: (text,)})).items
    return item.checks


@pytest.mark.parametrize("text", ["don't use cloud", "don’t use cloud", "Dont use cloud"])
def test_a_constraint_that_begins_with_dont_refuses(text):
    assert read("hard_constraints", text) == read("hard_constraints", "do not use cloud")
    (found,) = read("hard_constraints", text)
    assert isinstance(found, Prohibition)
    assert found.terms == ("cloud",)


@pytest.mark.parametrize("text", ["don't recruit more than 5 sites", "do not exceed 5 sites"])
def test_a_bound_that_is_not_to_be_passed_refuses_nothing_else(text):
    (found,) = read("hard_constraints", text)
    assert (found.quantity.comparison, found.quantity.high) == ("at_most", 5)


@pytest.mark.parametrize(
    ("field", "text", "terms"),
    [
        ("banned_moves", "without a control group", ("control", "arm")),
        ("banned_moves", "not reporting dropouts", ("report", "dropout")),
        ("banned_moves", "Skip the pilot study", ("pilot study",)),
        ("banned_moves", "don't omit the baseline survey", ("baseline", "survey")),
        ("banned_moves", "fail to report dropouts", ("report", "dropout")),
        ("hard_constraints", "must not skip the pilot study", ("pilot study",)),
    ],
)
def test_a_ban_on_leaving_something_out_asks_for_it(field, text, terms):
    (found,) = read(field, text)
    assert isinstance(found, Requirement)
    assert found.terms == terms


@pytest.mark.parametrize("text", ["no new hires", "publish without consent", "not all sites"])
def test_a_ban_on_doing_something_asks_for_nothing(text):
    assert not any(isinstance(c, Requirement) for c in read("banned_moves", text))


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("12 months", True),
        ("40 kEUR", True),
        ("12 months of follow-up", False),
        ("no cloud", False),
    ],
)
def test_an_item_says_whether_it_bounds_the_work_as_a_whole(text, whole):
    (item,) = build_ledger(Brief(objective="x", hard_constraints=(text,))).items
    assert item.whole == whole


@pytest.mark.parametrize(
    "text",
    ["by June", "done by end of June", "deadline: 30 June", "end of Q2", "finish in the third quarter",
     "by mid-May", "by the end of the year", "by summer"],
)  # fmt: skip
def test_a_date_without_a_year_can_be_held_against_nothing_and_says_what_to_write(text):
    (item,) = build_ledger(Brief(objective="x", hard_constraints=(text,))).items
    assert not item.checkable
    assert item.reason == "its date has no year: write the year, for instance, “June 2027”"


@pytest.mark.parametrize(
    ("text", "comparison", "day"),
    [
        ("fieldwork by May 2027", "at_most", 20270531),
        ("no fieldwork after 31 August 2027", "at_most", 20270831),
        ("the fieldwork must not begin before May 2027", "at_least", 20270501),
        ("fieldwork before May 2027", "less_than", 20270501),
        ("fieldwork after May 2027", "more_than", 20270531),
        ("no data from May 2027", "less_than", 20270501),
        ("no overlap, and fieldwork by May 2027", "at_most", 20270531),
    ],
)
def test_a_date_bounds_what_stands_before_it_and_a_denial_turns_the_bound(text, comparison, day):
    (item,) = build_ledger(Brief(objective="x", hard_constraints=(text,))).items
    (q,) = (c.quantity for c in item.checks if isinstance(c, Limit))
    assert (q.comparison, q.low or q.high) == (comparison, day)


@pytest.mark.parametrize("text", ["by June 2027", "deadline: Q2 2027", "by the end of 2027"])
def test_a_date_with_its_year_is_an_end(text):
    (item,) = build_ledger(Brief(objective="x", hard_constraints=(text,))).items
    assert item.checkable

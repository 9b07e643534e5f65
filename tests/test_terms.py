"""The sum and the end that a brief names bound the whole work; others bound a part of it."""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger, is_budget
from dr_rd.planning.limits import deadlines, load_rates, money_limit
from dr_rd.reading import parse_brief


def ledger_of(*lines, **terms):
    return build_ledger(
        Brief(objective="Does mulch keep soil moist?", hard_constraints=lines, **terms)
    )


def test_a_sum_beside_the_budget_is_no_budget():
    ledger = ledger_of(
        "sensors at most 4,000 EUR", "30,000 EUR for material and helpers", budget="30,000 EUR"
    )
    assert money_limit(ledger, load_rates()) == (30_000, "EUR")
    assert [any(map(is_budget, i.checks)) for i in ledger.items] == [False, True]


def test_a_length_beside_the_end_of_the_work_is_no_deadline():
    ledger = ledger_of(
        "field work must finish within 3 months", "report within 14 months", deadline="14 months"
    )
    assert list(deadlines(ledger, None)) == ["C02"]


def test_a_floor_of_money_stays_held_against_the_budget():
    (floor, budget) = ledger_of("budget at least 20,000 EUR", budget="5000 EUR").items
    assert is_budget(floor.checks[0])
    assert is_budget(budget.checks[0])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("60 weeks from kick-off to the final report", "60 weeks"),
        ("everything has to be over by 31 August 2027", "2027-08-31"),
    ],
)
def test_a_typed_brief_gets_its_end_from_its_lines_in_their_words(line, words):
    brief = parse_brief(
        f"objective: Does mulch keep the soil of vineyards moist?\nhard_constraints: ['{line}']",
        "yaml",
    )
    assert brief.deadline == words

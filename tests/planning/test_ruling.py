"""Bans rule cards out."""

import pytest

from dr_rd.brief import Brief
from dr_rd.ledger import build_ledger
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.ruling import ruled_out


@pytest.fixture(scope="module")
def planner():
    return load_planner()


def design(planner, objective, **said):
    brief = Brief(objective=objective, **said)
    return planner.design(brief, build_ledger(brief), documents=False)


ASTHMA = (
    "Estimate whether air pollution exposure from the nearest monitor goes with childhood asthma."
)


def test_a_card_that_rests_on_what_a_ban_rules_out_is_shown_as_left_out_by_it(planner):
    free = design(planner, ASTHMA)
    barred = design(planner, ASTHMA, banned_moves=("use personal data such as home addresses",))
    title = "Residential PM2.5 exposure assignment"
    assert title in free.techniques
    assert title not in barred.techniques
    assert ("B01", f"technique: {title}") in [(x.ledger_id, x.text) for x in barred.left_out]


def test_a_card_that_only_borders_on_a_ban_stays(planner):
    brief = Brief(
        objective="Test whether annealing temperature changes grain boundary toughness of an alloy.",
        banned_moves=("varying hold time across conditions",),
    )
    cards = {t.id: t for t in planner.library.techniques}
    for name in ("heat-treatment-annealing", "chevron-notch-fracture", "anova-design"):
        assert ruled_out(cards[name], build_ledger(brief)) == "", name

"""Costs added up against a limit, and what scales the library's figures."""

import pytest

from core.graph.state import ThreePoint
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.estimates import Drivers, days, money
from dr_rd.planning.limits import load_rates, money_limit
from dr_rd.planning.methods import Driven
from dr_rd.planning.scaling import TaskCost, scale

FIXED = TaskCost(key="a", full=ThreePoint(low=100, mode=100, high=100))
SITES = TaskCost(key="b", full=ThreePoint(low=1000, mode=1000, high=1000), each=100)
GUESS = TaskCost(key="c", full=ThreePoint(low=200, mode=500, high=900), guessed=True)


def _scale(limit, *more, units=10.0):
    return scale([FIXED, SITES, *more], limit=limit, share=0.5, units=units, currency="GBP")


def test_without_a_limit_nothing_is_kept_or_broken():
    assert (_scale(None).fits, _scale(None).planned) == (None, 1100)


def test_a_loose_limit_is_kept():
    assert (_scale(2000).shortfall, _scale(2000).fits) == (0, True)


def test_an_impossible_limit_says_how_short_it_is_and_what_it_pays_for():
    found = _scale(550)
    assert found.fits is False
    assert (found.shortfall, found.per_unit, found.fixed, found.affordable_units) == (
        550,
        100,
        100,
        4,
    )


def test_a_guess_neither_keeps_nor_breaks_a_limit_and_what_is_priced_still_can():
    assert _scale(1200, GUESS).fits is None  # 1,100 and a guess of 200 to 900
    assert _scale(9000, GUESS).fits is None
    assert _scale(1000, GUESS).fits is False
    found = _scale(1200, GUESS)
    assert (found.known, found.guess_low, found.guess_high) == (1100, 200, 900)
    assert found.affordable_units is None


def test_drivers_multiply():
    driven = Driven(low=1, mode=2, high=3, driver="units", basis="each")
    drivers = Drivers(units=8, months=36, rate=150)
    assert money(driven, drivers).mode == 2000  # 2,400 to one digit
    assert days(driven, drivers).mode == 16


def test_the_study_period_has_no_spread():
    driven = Driven(low=1, mode=2, high=3, driver="horizon", basis="the season")
    found = days(driven, Drivers(units=1, months=12, rate=1))
    assert found.low == found.high == pytest.approx(252)


@pytest.mark.parametrize(
    ("line", "limit"),
    [
        ("Budget EUR 310,000 in all; blankets cost EUR 14 each.", 310_000),
        ("Budget USD 265,000; each set costs USD 22 and each examiner gets USD 900.", 265_000),
        ("Budget GBP 145,000, of which GBP 38,000 is the rig contract.", 145_000),
    ],
)
def test_a_price_in_the_budget_s_line_is_no_budget(line, limit):
    ledger = build_ledger(Brief(objective="Compare two glues.", hard_constraints=(line,)))
    assert money_limit(ledger, load_rates())[0] == limit

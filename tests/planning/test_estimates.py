"""Costs cut to a limit: no more than needed, and never below what the work needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph.state import ThreePoint
from dr_rd.planning.estimates import Drivers, days, money
from dr_rd.planning.library import Driven
from dr_rd.planning.scaling import ScaledCost, scale

FIXED = ScaledCost(
    key="a", full=ThreePoint(low=80, mode=100, high=120), elastic=0.0, per_unit=False
)
SITES = ScaledCost(
    key="b", full=ThreePoint(low=800, mode=1000, high=1200), elastic=0.5, per_unit=True
)


def _scale(limit, units=10.0):
    return scale([FIXED, SITES], limit=limit, share=0.5, units=units, currency="GBP")


def test_without_a_limit_nothing_is_cut():
    assert _scale(None).cut == 0
    assert _scale(None).planned == 1100


def test_a_loose_limit_cuts_nothing():
    assert (_scale(2000).cut, _scale(2000).fits) == (0, True)


def test_a_tight_limit_cuts_what_can_go():
    found = _scale(850)
    assert found.fits
    assert 0.45 <= found.cut <= 0.55


def test_an_impossible_limit_says_how_short_it_is_and_what_it_pays_for():
    found = _scale(300)
    assert not found.fits
    assert found.shortfall == 300
    assert found.per_unit == 50
    assert found.affordable_units == 4


@given(st.floats(1, 5000))
def test_a_plan_that_fits_keeps_to_its_limit(limit):
    found = _scale(limit)
    assert found.planned <= limit + 0.5 or not found.fits
    assert 0 <= found.cut <= 1


def test_drivers_multiply():
    driven = Driven(low=1, mode=2, high=3, driver="units", basis="each")
    drivers = Drivers(units=8, months=36, rate=150)
    assert money(driven, drivers).mode == 2400
    assert days(driven, drivers).mode == 16


def test_the_study_period_has_no_spread():
    driven = Driven(low=1, mode=2, high=3, driver="horizon", basis="the season")
    found = days(driven, Drivers(units=1, months=12, rate=1))
    assert found.low == found.high == pytest.approx(252)

"""Tools against published figures and hand-made cases."""

import pytest
from pydantic import ValidationError

from dr_rd.tools.budget import Budget, budget
from dr_rd.tools.risk_register import RiskRegister, risk_register
from dr_rd.tools.sample_size import SampleSize
from dr_rd.tools.schedule_risk import ScheduleRisk, schedule_risk

POINTS = {"low": 10, "mode": 20, "high": 30}


def test_a_budget_over_its_limit_says_what_it_pays_for():
    found = budget(
        Budget(
            lines=[
                {"id": "T1", "cost": POINTS},
                {"id": "T2", "cost": {"low": 100, "mode": 100, "high": 100}, "per_unit": True},
            ],
            currency="EUR", confidence=0.5, limit=71, units=10,
        )
    )  # fmt: skip
    assert found["total_expected"] == 120
    assert found["fits"] is False
    assert found["headroom"] == pytest.approx(-49, abs=1)
    assert found["affordable_units"] == 5


def test_what_is_priced_and_what_is_guessed_come_to_a_sum_with_what_is_left():
    guess = {"low": 300, "mode": 500, "high": 2000}
    lines = [{"id": "T1", "cost": flat(1000)}, {"id": "T2", "cost": guess, "guessed": True}]
    found = budget(Budget(lines=lines, currency="EUR", confidence=0.5, limit=4000))
    assert (found["known"], found["left"]) == (1000, 3000)
    assert (found["all_low"], found["all_high"]) == (1300, 3000)
    unpriced = budget(Budget(lines=lines[1:], currency="EUR", confidence=0.5, limit=4000))
    assert not {"all_low", "all_high", "left"} & set(unpriced)


def test_the_chance_of_keeping_both_limits_is_not_above_either():
    found = schedule_risk(
        ScheduleRisk(
            activities=[{"id": "a", "days": POINTS, "cost": POINTS}],
            limit_days=20, limit_cost=20,
        )
    )  # fmt: skip
    chances = found["chances"]
    assert chances["both"] <= min(chances["deadline"], chances["budget"])
    assert found["days"]["P50"] == 20
    assert found["critical_path"] == ["a"]


HUGE = (1e300, 1e308, 1.7e308, float("inf"), float("nan"))


def flat(amount):
    return {"low": amount, "mode": amount, "high": amount}


def budgeted(cost=POINTS, **more):
    lines = [{"id": "T1", "cost": cost}]
    return Budget(**{"lines": lines, "currency": "EUR", "confidence": 0.5} | more)


def registered(impact=POINTS, budget=100):
    risks = [{"id": "r", "probability": 0.5, "impact": impact}]
    return RiskRegister(risks=risks, currency="EUR", budget=budget)


def scheduled(days=POINTS, cost=POINTS, **more):
    return ScheduleRisk(activities=[{"id": "a", "days": days, "cost": cost}], **more)


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize(
    "asked",
    [
        lambda n: budgeted(flat(n)),
        lambda n: budgeted(limit=n),
        lambda n: budgeted(units=n),
        lambda n: registered(flat(n)),
        lambda n: registered(budget=n),
        lambda n: scheduled(days=flat(n)),
        lambda n: scheduled(cost=flat(n)),
        lambda n: scheduled(limit_days=n),
        lambda n: scheduled(limit_cost=n),
        lambda n: SampleSize(effects=[n]),
        lambda n: SampleSize(given=n),
    ],
)
def test_a_number_that_no_plan_has_is_refused(asked, huge):
    with pytest.raises(ValidationError):
        asked(huge)


def test_the_largest_amounts_compute():
    most, wide = flat(1e15), {"low": 0, "mode": 0, "high": 1e15}
    wild = [{"id": "d", "activities": ["a"], "factor": flat(1e6)}]
    for points in (most, wide):
        assert budget(budgeted(points, limit=1e15))["total_high"] == 1e15
        assert risk_register(registered(points))["expected_loss"] > 0
        assert schedule_risk(scheduled(points, points, drivers=wild))["days"]["P90"] > 0


def test_drivers_that_multiply_without_end_are_refused():
    many = [{"id": f"d{n}", "activities": ["a"], "factor": flat(1000)} for n in range(3)]
    with pytest.raises(ValidationError, match="together multiply by more than 1,000,000"):
        scheduled(drivers=many)


def test_two_lines_with_one_id_are_refused():
    with pytest.raises(ValidationError, match="two lines have the id 'T1'"):
        budgeted(lines=[{"id": "T1", "cost": POINTS}] * 2)


@pytest.mark.parametrize("currency", ["E", "euros", "EU1", ""])
def test_a_currency_has_three_letters(currency):
    with pytest.raises(ValidationError, match="currency"):
        budgeted(currency=currency)

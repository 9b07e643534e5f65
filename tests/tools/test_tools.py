"""Tools against published figures and hand-made cases."""

import pytest

from dr_rd.tools.budget import Budget, budget
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

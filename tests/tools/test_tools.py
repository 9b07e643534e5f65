"""Tools against published figures and hand-made cases."""

import pytest
from pydantic import ValidationError

from core.errors import TaskError
from dr_rd.tools.budget import Budget, budget
from dr_rd.tools.decision_matrix import DecisionMatrix, decision_matrix
from dr_rd.tools.schedule_risk import ScheduleRisk, schedule_risk

POINTS = {"low": 10, "mode": 20, "high": 30}


def test_a_budget_over_its_limit_says_what_it_pays_for():
    found = budget(
        Budget(
            lines=[
                {"id": "T1", "cost": POINTS},
                {"id": "T2", "cost": {"low": 100, "mode": 100, "high": 100}, "per_unit": True},
            ],
            currency="EUR", confidence=0.5, limit=70, units=10,
        )
    )  # fmt: skip
    assert found["total_expected"] == 120
    assert found["fits"] is False
    assert found["headroom"] == -50
    assert found["affordable_units"] == 5


def test_the_ranking_and_how_much_it_hangs_on_the_weights():
    found = decision_matrix(
        DecisionMatrix(
            options=[{"id": "a", "scores": {"x": 1, "y": 0}}, {"id": "b", "scores": {"x": 0, "y": 1}}],
            weights={"x": 0.6, "y": 0.4},
        )
    )  # fmt: skip
    assert found["ranking"] == ["a", "b"]
    assert found["margin"] == pytest.approx(0.2)
    assert found["stability"] == 0.5


def test_an_option_without_a_score_is_refused():
    with pytest.raises(ValidationError, match="'a' has no score for 'x'"):
        DecisionMatrix(options=[{"id": "a", "scores": {}}], weights={"x": 1})


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


def test_a_stranger_among_the_dependencies_is_named():
    with pytest.raises(TaskError, match="'b' is waited for"):
        schedule_risk(
            ScheduleRisk(
                activities=[{"id": "a", "depends_on": ["b"], "days": POINTS, "cost": POINTS}]
            )
        )

"""Tools against published figures and hand-made cases."""

import pytest
from pydantic import ValidationError

from core.errors import TaskError
from dr_rd.tools.budget import Budget, budget
from dr_rd.tools.decision_matrix import DecisionMatrix, decision_matrix
from dr_rd.tools.sample_size import SampleSize, sample_size, units_needed
from dr_rd.tools.schedule_risk import ScheduleRisk, schedule_risk

POINTS = {"low": 10, "mode": 20, "high": 30}


@pytest.mark.parametrize(("effect", "n"), [(0.2, 393), (0.5, 64), (0.8, 26)])
def test_two_group_sizes_agree_with_the_textbook_table(effect, n):
    """Cohen (1992), table 2, two-sided 0.05, power 0.8; the approximation is within one unit."""
    assert units_needed(effect, 0.05, 0.8, paired=False) == pytest.approx(n, abs=1)


def test_clusters_and_losses_inflate_the_sample():
    plain = sample_size(SampleSize(effects=(0.5,)))["rows"][0]["per_group"]
    found = sample_size(SampleSize(effects=(0.5,), cluster_size=21, icc=0.05, attrition=0.2))
    assert found["design_effect"] == 2.0
    assert found["rows"][0]["per_group"] == pytest.approx(plain * 2 / 0.8, abs=1)


def test_the_detectable_effect_of_a_given_sample_inverts_its_size():
    n = units_needed(0.5, 0.05, 0.8, paired=True)
    found = sample_size(SampleSize(paired=True, given=n))
    assert found["detectable"] == pytest.approx(0.5, abs=0.02)


def test_a_sample_too_small_for_the_formula_gives_no_effect():
    assert sample_size(SampleSize(given=1.2))["detectable"] is None


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

"""The risk register against exact sums."""

import numpy as np
import pytest
from pydantic import ValidationError

from core.values import canonical
from dr_rd.tools.risk_register import RiskRegister, risk_register


def risk(name, probability, low, mode, high, **rest):
    return {
        "id": name, "probability": probability,
        "impact": {"low": low, "mode": mode, "high": high}, **rest,
    }  # fmt: skip


def certain(name, probability, amount):
    return risk(name, probability, amount, amount, amount)


def found(*risks, **rest):
    return risk_register(
        RiskRegister(**{"risks": risks, "currency": "GBP", "budget": 100_000, **rest})
    )


def test_risks_are_ranked_by_expected_loss():
    answer = found(risk("a", 0.2, 1000, 2000, 9000), risk("b", 0.9, 500, 1000, 1500))
    assert [r["id"] for r in answer["risks"]] == ["b", "a"]
    assert [r["expected_loss"] for r in answer["risks"]] == [900, 600]
    assert answer["expected_loss"] == 1500
    assert answer["chance_of_no_loss"] == pytest.approx(0.08)


@pytest.mark.parametrize(
    ("probability", "amount", "bands", "rating"),
    [
        (0.1, 5_000, (1, 1), "low"),
        (0.11, 5_001, (2, 2), "low"),
        (0.5, 20_000, (3, 3), "medium"),
        (0.7, 40_000, (4, 4), "high"),
        (0.71, 40_001, (5, 5), "high"),
        (1, 1, (5, 1), "medium"),
    ],
)
def test_the_grid_has_five_by_five_bands(probability, amount, bands, rating):
    row = found(certain("a", probability, amount))["risks"][0]
    assert (row["probability_band"], row["impact_band"]) == bands
    assert (row["score"], row["rating"]) == (bands[0] * bands[1], rating)


def test_what_is_certain_adds_up():
    answer = found(certain("a", 1, 1000), certain("b", 1, 250), certain("c", 0, 9000))
    assert answer["contingency"] == dict.fromkeys(("P50", "P70", "P80", "P90"), 1250)


def test_percentiles_of_the_sum_are_those_of_the_exact_distribution():
    """Eight coins of 1, 2, 4 … 128: every sum from 0 to 255 is as likely as the others."""
    coins = [certain(str(n), 0.5, 2**n) for n in range(8)]
    answer = found(*coins, iterations=100_000)["contingency"]
    for share in (50, 80, 90):
        assert answer[f"P{share}"] == pytest.approx(share / 100 * 255, abs=2)


def test_many_independent_risks_come_near_the_normal():
    """Variance of each: p (s² + m²) - (p m)², with the PERT-beta's (m - low)(high - m) / 7."""
    rows = [risk(str(n), 0.3, 100, 200, 600) for n in range(100)]
    mean = 250.0
    variance = 0.3 * ((mean - 100) * (600 - mean) / 7 + mean**2) - (0.3 * mean) ** 2
    expected = 100 * 0.3 * mean + 0.8416 * (100 * variance) ** 0.5
    answer = found(*rows, iterations=20_000)
    assert answer["contingency"]["P80"] == pytest.approx(expected, rel=0.01)


def test_the_same_seed_gives_the_same_bytes():
    row = risk("a", 0.5, 100, 2000, 90_000)
    assert canonical(found(row, seed=3)) == canonical(found(row, seed=3))
    assert found(row, seed=3)["contingency"] != found(row, seed=4)["contingency"]


def test_a_risk_that_nobody_owns_is_a_gap():
    kept = {"owner": "Lab lead", "trigger": "Two failed lots", "response": "Second supplier"}
    answer = found(
        risk("a", 0.5, 1, 2, 3, **kept), risk("b", 0.5, 1, 2, 3, **{**kept, "owner": " "})
    )
    assert answer["gaps"] == ["b has no owner"]
    assert answer["risks"][0]["response"] == "Second supplier"


@pytest.mark.parametrize(
    ("risks", "told"),
    [
        ([risk("a", 1.5, 1, 2, 3)], "less than or equal to 1"),
        ([risk("a", 0.5, 3, 2, 1)], "is not in order"),
        ([risk("a", 0.5, 1, 2, 3)] * 2, "two risks have the id 'a'"),
        ([risk("a", 0.5, 1, 2, np.inf)], "finite"),
        ([risk("a", 0.5, 1, 2, 3, mood="x")], "Extra inputs"),
        ([], "at least 1"),
    ],
)
def test_risks_that_make_no_sense_are_refused(risks, told):
    with pytest.raises(ValidationError, match=told):
        found(*risks)

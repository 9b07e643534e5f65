"""Sensitivity against closed forms."""

from math import pi

import numpy as np
import pytest

from dr_rd.simulation.draw import draw, stream
from dr_rd.simulation.sensitivity import rank_correlation, ranks, variance_shares


def test_ranks_agree_with_the_textbook_and_share_ties():
    """Spearman on the ranks 1 2.5 2.5 4 against 1 3 2 4: 4.5 / sqrt(4.5 * 5)."""
    tied = ranks(np.array([1.0, 5.0, 5.0, 9.0]))
    found = rank_correlation({"x": tied}, np.array([0.1, 7.0, 3.0, 100.0]))
    assert found["x"] == pytest.approx(4.5 / (4.5 * 5) ** 0.5)


def test_a_rising_outcome_has_rank_correlation_one_whatever_its_bend():
    x = draw("normal", {"mean": 0, "sd": 1}, 500, stream(1, "x"))
    assert rank_correlation({"x": ranks(x)}, np.exp(3 * x))["x"] == pytest.approx(1)
    assert rank_correlation({"x": ranks(x)}, -x)["x"] == pytest.approx(-1)


def test_what_does_not_vary_or_is_not_finite_has_no_part_in_it():
    x = ranks(np.array([1.0, 2.0, 3.0, 4.0]))
    assert rank_correlation({"x": x, "c": np.ones(4)}, x) == {"x": pytest.approx(1)}
    assert rank_correlation({"x": x}, np.ones(4)) == {}
    assert rank_correlation({"x": x}, np.full(4, np.nan)) == {}
    gapped = rank_correlation({"x": x}, np.array([1.0, np.inf, 3.0, 4.0]))
    assert gapped["x"] == pytest.approx(1)
    assert variance_shares(np.ones(4), np.ones(4), np.ones(4)) is None


def ishigami(x):
    return np.sin(x[0]) + 7 * np.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * np.sin(x[0])


def test_shares_of_the_ishigami_function_are_the_published_ones():
    """Ishigami & Homma (1990), a = 7, b = 0.1, on (-pi, pi)^3.

    In closed form (Saltelli et al. 2008, Global Sensitivity Analysis: The Primer): first order
    0.3139, 0.4424, 0; total order 0.5576, 0.4424, 0.2437.
    """
    variance = 1 / 2 + 7**2 / 8 + 0.1 * pi**4 / 5 + 0.1**2 * pi**8 / 18
    alone = [(1 + 0.1 * pi**4 / 5) ** 2 / 2, 7**2 / 8, 0]
    together = 0.1**2 * pi**8 * 8 / 225
    total = [alone[0] + together, alone[1], together]
    bounds = {"low": -pi, "high": pi}
    a, b = (
        np.stack([draw("uniform", bounds, 200_000, stream(7, f"{name}{i}")) for i in range(3)])
        for name in "ab"
    )
    for i in range(3):
        mixed = a.copy()
        mixed[i] = b[i]
        found = variance_shares(ishigami(a), ishigami(b), ishigami(mixed))
        assert found.first == pytest.approx(alone[i] / variance, abs=0.01)
        assert abs(found.first - alone[i] / variance) < 4 * found.error < 0.02
        assert found.total == pytest.approx(total[i] / variance, abs=0.01)

"""Distributions against their moments."""

import numpy as np
import pytest

from dr_rd.simulation.draw import draw, stream

N = 100_000
POINTS = {"low": 2, "mode": 3, "high": 8}


@pytest.mark.parametrize(
    ("kind", "numbers", "mean", "sd"),
    [
        ("fixed", {"value": 3}, 3, 0),
        ("normal", {"mean": -5, "sd": 2}, -5, 2),
        ("lognormal", {"mean": 10, "sd": 4}, 10, 4),
        ("uniform", {"low": -1, "high": 5}, 2, 6 / 12**0.5),
        ("triangular", POINTS, 13 / 3, ((4 + 9 + 64 - 6 - 16 - 24) / 18) ** 0.5),
        ("pert", POINTS, 22 / 6, (10 / 6 * 26 / 6 / 7) ** 0.5),
        ("empirical", {"values": [1, 1, 4]}, 2, 2**0.5),
        ("triangular", {"low": 2, "mode": 2, "high": 2}, 2, 0),
        ("pert", {"low": 2, "mode": 2, "high": 2}, 2, 0),
    ],
)
def test_draws_have_the_mean_and_sd_of_their_distribution(kind, numbers, mean, sd):
    """PERT: variance (mean - low)(high - mean) / 7."""
    found = draw(kind, numbers, N, stream(3, "x"))
    assert found.dtype == np.float64
    assert np.mean(found) == pytest.approx(mean, abs=5 * sd / N**0.5 + 1e-9)
    assert np.std(found) == pytest.approx(sd, rel=0.02)


def test_a_stream_hangs_on_the_seed_and_the_name_alone():
    first = draw("normal", {"mean": 0, "sd": 1}, 5, stream(1, "x"))
    assert (first == draw("normal", {"mean": 0, "sd": 1}, 5, stream(1, "x"))).all()
    assert (first != draw("normal", {"mean": 0, "sd": 1}, 5, stream(1, "y"))).all()
    assert (first != draw("normal", {"mean": 0, "sd": 1}, 5, stream(2, "x"))).all()


def test_extreme_spreads_give_no_error():
    found = draw("lognormal", {"mean": 1e-100, "sd": 1e100}, 5, stream(1, "x"))
    assert found.shape == (5,)

"""Monte Carlo against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph.state import ThreePoint
from dr_rd.schedule.cpm import critical_path_times
from dr_rd.schedule.montecarlo import percentile, pert, simulate

NONE = ThreePoint(low=0, mode=0, high=0)


def _points(low, mode, high):
    return ThreePoint(low=low, mode=mode, high=high)


def test_pert_has_its_known_mean_and_bounds():
    points = _points(2, 5, 14)
    draws = pert(points, 200_000, np.random.default_rng(1))
    assert draws.mean() == pytest.approx(points.mean, rel=0.005)
    assert draws.min() >= 2
    assert draws.max() <= 14


def test_a_chain_has_the_mean_and_variance_of_its_sum():
    points = _points(1, 2, 6)
    run = simulate(
        {"a": (), "b": ("a",)}, {"a": points, "b": points}, {"a": NONE, "b": NONE},
        iterations=200_000, seed=7,
    )  # fmt: skip
    assert run.duration.mean() == pytest.approx(2 * points.mean, rel=0.005)
    assert run.criticality == {"a": 1.0, "b": 1.0}


def test_parallel_equal_paths_end_later_than_either_alone():
    """Merge bias: the mean of the maximum is above the maximum of the means."""
    points = _points(1, 3, 5)
    run = simulate(
        {"a": (), "b": ()}, {"a": points, "b": points}, {"a": NONE, "b": NONE},
        iterations=50_000, seed=3,
    )  # fmt: skip
    assert run.duration.mean() > points.mean + 0.2
    assert run.criticality["a"] == pytest.approx(0.5, abs=0.02)


def test_costs_add_up():
    run = simulate(
        {"a": (), "b": ()}, {"a": NONE, "b": NONE}, {"a": _points(1, 2, 3), "b": _points(5, 5, 5)},
        iterations=10_000, seed=1,
    )  # fmt: skip
    assert run.cost.mean() == pytest.approx(7, rel=0.01)


def test_one_seed_gives_one_result():
    args = ({"a": ()}, {"a": _points(1, 2, 9)}, {"a": NONE})
    first = simulate(*args, iterations=100, seed=5)
    again = simulate(*args, iterations=100, seed=5)
    assert first.duration.tolist() == again.duration.tolist()


@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=8), st.integers(0, 99))
def test_fixed_durations_agree_with_the_critical_path(days, seed):
    network = {f"t{n}": (f"t{n - 2}",) if n > 1 else () for n in range(len(days))}
    fixed = {t: _points(d, d, d) for t, d in zip(network, days, strict=True)}
    run = simulate(network, fixed, dict.fromkeys(network, NONE), iterations=3, seed=seed)
    times = critical_path_times(network, dict(zip(network, days, strict=True)))
    assert percentile(run.duration, 0.5) == pytest.approx(max(t.finish for t in times.values()))

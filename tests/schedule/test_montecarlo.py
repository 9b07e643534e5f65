"""Monte Carlo against closed forms."""

from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph.state import ThreePoint
from dr_rd.schedule.activities import NOTHING, Activity, Driver, Risk
from dr_rd.schedule.cpm import critical_path_times
from dr_rd.schedule.montecarlo import pay, percentile, simulate
from dr_rd.schedule.passage import passage
from dr_rd.schedule.spread import draw, mean


def _points(low, mode, high):
    return ThreePoint(low=low, mode=mode, high=high)


def activity(key, days=NOTHING, cost=NOTHING, **more):
    return Activity(id=key, days=days, cost=cost, **more)


@pytest.mark.parametrize(
    ("shape", "sd"),
    [
        ("pert", sqrt((6 - 2) * (14 - 6) / 7)),  # (mean - low)(high - mean) / 7
        ("triangular", sqrt((4 + 25 + 196 - 10 - 28 - 70) / 18)),
        ("lognormal", 2),  # (high - low) / 6
    ],
)
def test_each_shape_has_its_mean_and_its_standard_deviation(shape, sd):
    points = _points(2, 5, 14)
    draws = draw([points], shape, 400_000, np.random.default_rng(1))[0]
    assert draws.mean() == pytest.approx(mean(points, shape), rel=0.003)
    assert draws.std() == pytest.approx(sd, rel=0.01)
    if shape != "lognormal":
        assert draws.min() >= 2
        assert draws.max() <= 14


def test_the_percentiles_of_a_lognormal_are_those_of_the_formula():
    points = _points(2, 5, 14)
    draws = draw([points], "lognormal", 400_000, np.random.default_rng(1))[0]
    variance = np.log(1 + (2 / 6) ** 2)
    p80 = exp(np.log(6) - variance / 2 + NormalDist().inv_cdf(0.8) * sqrt(variance))
    assert percentile(draws, 0.8) == pytest.approx(p80, rel=0.005)


def test_a_single_path_has_the_mean_and_variance_of_its_sum():
    points = _points(1, 2, 6)
    run = simulate(
        [activity("a", points), activity("b", points, depends_on=("a",))],
        iterations=400_000, seed=7,
    )  # fmt: skip
    assert run.end.mean() == pytest.approx(2 * points.mean, rel=0.003)
    assert run.end.var() == pytest.approx(2 * (2.5 - 1) * (6 - 2.5) / 7, rel=0.02)
    assert run.criticality == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize(("means", "sds"), [((50, 50), (4, 4)), ((50, 47), (3, 6))])
def test_two_parallel_normal_paths_have_clarks_moments(means, sds):
    """Clark (1961), Oper. Res. 9, 145-162: mean and variance of the greater of two normals."""
    rng = np.random.default_rng(3)
    days = np.stack([rng.normal(m, s, 400_000) for m, s in zip(means, sds, strict=True)])
    found = passage({"a": (), "b": ()}, days)
    spread = sqrt(sds[0] ** 2 + sds[1] ** 2)
    alpha = (means[0] - means[1]) / spread
    ahead, density = NormalDist().cdf(alpha), exp(-(alpha**2) / 2) / sqrt(2 * pi)
    first = means[0] * ahead + means[1] * (1 - ahead) + spread * density
    second = (
        (means[0] ** 2 + sds[0] ** 2) * ahead
        + (means[1] ** 2 + sds[1] ** 2) * (1 - ahead)
        + (means[0] + means[1]) * spread * density
    )
    assert found.end.mean() == pytest.approx(first, abs=0.03)
    assert found.end.var() == pytest.approx(second - first**2, rel=0.02)
    assert (found.slack[0] == 0).mean() == pytest.approx(ahead, abs=0.003)


def test_independent_costs_have_the_variance_of_their_sum():
    points = [_points(1, 2, 3), _points(5, 6, 13), _points(0, 4, 4)]
    run = simulate(
        [activity(f"t{n}", cost=p) for n, p in enumerate(points)], iterations=400_000, seed=1
    )
    assert run.cost.mean() == pytest.approx(sum(p.mean for p in points), rel=0.002)
    variances = [(p.mean - p.low) * (p.high - p.mean) / 7 for p in points]
    assert run.cost.var() == pytest.approx(sum(variances), rel=0.02)


def test_a_shared_driver_makes_two_activities_vary_together_as_the_formula_says():
    """Of X·F and Y·F, all independent: cov = E(X) E(Y) var(F)."""
    points, factor = _points(8, 10, 12), _points(0.8, 1, 1.6)
    cost = activity("a", cost=points), activity("b", cost=points)
    shared = Driver(id="rate", activities=("a", "b"), factor=factor, scales="cost")
    run = simulate(cost, drivers=(shared,), iterations=400_000, seed=2)
    own = (points.mean - 8) * (12 - points.mean) / 7
    common = (factor.mean - 0.8) * (1.6 - factor.mean) / 7
    each = (own + points.mean**2) * (common + factor.mean**2) - (points.mean * factor.mean) ** 2
    expected = 2 * each + 2 * points.mean**2 * common
    assert run.cost.var() == pytest.approx(expected, rel=0.02)
    apart = [Driver(id=k, activities=(k,), factor=factor, scales="cost") for k in ("a", "b")]
    alone = simulate(cost, drivers=apart, iterations=400_000, seed=2)
    assert alone.cost.var() == pytest.approx(2 * each, rel=0.02)


def test_a_driver_that_seldom_acts_leaves_the_rest_alone():
    rare = Driver(id="flood", activities=("a",), factor=_points(2, 2, 2), probability=0.1)
    run = simulate(
        [activity("a", _points(10, 10, 10))], drivers=(rare,), iterations=100_000, seed=4
    )
    assert set(run.end.tolist()) == {10.0, 20.0}
    assert (run.end == 20).mean() == pytest.approx(0.1, abs=0.005)


def test_a_discrete_risk_adds_its_probability_times_its_impact():
    risk = Risk(id="refused", activity="a", probability=0.3, days=_points(20, 20, 20))
    run = simulate([activity("a", _points(10, 10, 10))], risks=(risk,), iterations=100_000, seed=4)
    assert run.end.mean() == pytest.approx(16, rel=0.01)
    assert percentile(run.end, 0.5) == 10
    assert percentile(run.end, 0.8) == 30


def test_parallel_equal_paths_end_later_than_either_alone():
    """Merge bias: the mean of the maximum is above the maximum of the means."""
    points = _points(1, 3, 5)
    run = simulate([activity("a", points), activity("b", points)], iterations=50_000, seed=3)
    assert run.end.mean() > points.mean + 0.2
    assert run.criticality["a"] == pytest.approx(0.5, abs=0.02)


def test_one_seed_gives_one_result():
    first, again = (
        simulate([activity("a", _points(1, 2, 9))], iterations=100, seed=5) for _ in range(2)
    )
    assert first.end.tolist() == again.end.tolist()


@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=8), st.integers(0, 99))
def test_fixed_durations_agree_with_the_critical_path(days, seed):
    network = {f"t{n}": (f"t{n - 2}",) if n > 1 else () for n in range(len(days))}
    plan = [
        activity(t, _points(d, d, d), depends_on=network[t])
        for t, d in zip(network, days, strict=True)
    ]
    run = simulate(plan, iterations=3, seed=seed)
    times = critical_path_times(network, dict(zip(network, days, strict=True)))
    assert percentile(run.end, 0.5) == pytest.approx(max(t.finish for t in times.values()))
    assert run.criticality == {t: float(times[t].critical) for t in network}


def test_days_are_paid_as_simulated_and_cost_nothing_without_a_rate():
    days = [_points(2, 4, 9), _points(1, 2, 3)]
    paid = pay(days, [300.0, 0.0], 500, 7)
    drawn = simulate([activity("a", days[0]), activity("b", days[1])], iterations=500, seed=7)
    assert np.array_equal(paid[0], 300 * drawn.causes["days"]["a"])
    assert not paid[1].any()
    unpaid = pay(days, [0.0, 0.0], 500, 7)
    assert unpaid.shape == paid.shape
    assert not unpaid.any()

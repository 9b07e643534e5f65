"""Agreement measures give the figures of published examples, and keep the laws they are named for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.evaluation.agreement import (
    alpha,
    alpha_interval,
    kappa_interval,
    weighted_kappa,
    wilson,
)

_N = None
_THREE_CODERS = (
    (_N, _N, _N, _N, _N, 3, 4, 1, 2, 1, 1, 3, 3, _N, 3),
    (1, _N, 2, 1, 3, 3, 4, 3, _N, _N, _N, _N, _N, _N, _N),
    (_N, _N, 2, 1, 3, 4, 4, _N, 2, 1, 1, 3, 3, _N, 4),
)
"""The three coders and fifteen units of the example in the article "Krippendorff's alpha" of
Wikipedia, which works both figures out step by step."""

_LEVELS = st.sampled_from([0.0, 0.5, 1.0])


def test_alpha_of_the_published_example():
    rows = list(zip(*_THREE_CODERS, strict=True))
    assert alpha(rows, nominal=True) == pytest.approx(0.691, abs=0.0005)
    assert alpha(rows) == pytest.approx(0.811, abs=0.0005)


def test_kappa_of_two_levels_is_cohens():
    """50 applications, 20 and 15 agreed: 0.7 observed and 0.5 by chance leave 0.4."""
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert weighted_kappa(first, second) == pytest.approx(0.4)


def test_a_step_further_off_counts_more():
    near, far = weighted_kappa([0, 1, 2], [0, 1, 1]), weighted_kappa([0, 1, 2], [0, 1, 0])
    assert (near, far) == (pytest.approx(2 / 3), pytest.approx(0))


@given(st.lists(_LEVELS, min_size=2, max_size=20).filter(lambda r: len(set(r)) > 1))
def test_who_agrees_with_himself_agrees_fully(ratings):
    assert weighted_kappa(ratings, ratings) == 1
    assert alpha([(r, r) for r in ratings]) == 1


@given(st.lists(st.tuples(_LEVELS, _LEVELS), min_size=2, max_size=20))
def test_agreement_does_not_depend_on_who_comes_first(pairs):
    first, second = zip(*pairs, strict=True)
    assert weighted_kappa(first, second) == weighted_kappa(second, first)
    assert alpha(pairs) == alpha([(b, a) for a, b in pairs])


@pytest.mark.parametrize("rows", [[], [(1.0, None)], [(1.0, 1.0), (1.0, 1.0)]])
def test_where_nobody_could_disagree_there_is_no_agreement_to_measure(rows):
    assert alpha(rows) is None
    assert weighted_kappa([], []) is None
    assert weighted_kappa([1, 1], [1, 1]) is None


def test_the_interval_of_a_share_is_wilsons():
    """15 of 50: recomputed by hand from the formula."""
    assert wilson(15, 50) == pytest.approx((0.1910, 0.4375), abs=0.0001)
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.0005)
    assert wilson(0, 0) == (0, 1)
    assert wilson(0, 10)[0] == 0 and wilson(10, 10)[1] == 1


def test_an_interval_holds_its_measure_and_repeats_with_its_seed():
    first = [float(n % 3) for n in range(90)]
    second = [(value + 1) % 3 if n < 20 else value for n, value in enumerate(first)]
    for measure, interval in (
        (weighted_kappa(first, second), kappa_interval(first, second, 3)),
        (
            alpha(list(zip(first, second, strict=True))),
            alpha_interval(list(zip(first, second, strict=True)), 3),
        ),
    ):
        low, high = interval
        assert low < measure < high
        assert 0.05 < high - low < 0.5
    assert kappa_interval(first, second, 3) == kappa_interval(first, second, 3)
    assert kappa_interval(first, second, 3) != kappa_interval(first, second, 4)
    assert kappa_interval([1], [1], 3) is alpha_interval([(1, 1)], 3) is None


def test_the_interval_is_as_wide_as_the_spread_over_samples():
    """Of 400 samples of 60 pairs about 95 in 100 intervals hold the kappa of all."""
    chance = np.random.default_rng(1)
    held = 0
    true = weighted_kappa([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1])  # two levels, one in six differs
    for n in range(400):
        drawn = chance.integers(0, 6, 60)
        first, second = (np.array(r)[drawn] for r in ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]))
        low, high = kappa_interval(list(first), list(second), n)
        held += low <= true <= high
    assert 0.90 <= held / 400 <= 0.98

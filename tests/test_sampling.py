"""What `make test` leaves out it leaves out by a rule, and no value of a parameter altogether."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import covering, stepped

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=3)


@given(SIZES)
def test_each_value_is_tried_and_no_more_cases_than_values(sizes):
    names = [f"p{n}" for n in range(len(sizes))]
    cases = [dict(zip(names, values, strict=True)) for values in product(*map(range, sizes))]
    kept = covering(cases)
    tried = {value for n in kept for value in cases[n].items()}
    assert tried == {
        (name, n) for name, size in zip(names, sizes, strict=True) for n in range(size)
    }
    assert len(kept) == max(sizes)


def test_the_values_of_the_shorter_parameter_are_tried_about_as_often():
    cases = [{"fault": fault, "way": way} for fault, way in product(range(11), range(3))]
    ways = [cases[n]["way"] for n in covering(cases)]
    assert sorted(ways.count(way) for way in range(3)) == [3, 4, 4]


def test_each_third_case_is_one_of_three():
    assert stepped(7, 3) == {0, 3, 6}
    assert stepped(7, 3, 2) == {2, 5}


@pytest.mark.sampled(2, 1)
@pytest.mark.parametrize("number", range(4))
def test_a_case_that_is_left_out_is_exhaustive(number, request):
    assert (request.node.get_closest_marker("exhaustive") is None) == (number % 2 == 1)


@pytest.mark.sampled
@pytest.mark.parametrize("second", [0, 1, pytest.param(2, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("first", [0, 1])
def test_what_was_left_out_by_hand_is_not_counted(first, second, request):
    tried = request.node.get_closest_marker("exhaustive") is None
    assert tried == (first == second)

"""Critical path: worked examples and laws."""

from graphlib import CycleError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.schedule.cpm import critical_path, critical_path_times, order


def test_a_diamond_is_as_long_as_its_longer_side():
    network = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
    times = critical_path_times(network, {"a": 2, "b": 5, "c": 3, "d": 1})
    assert times["d"].finish == 8
    assert times["c"].slack == 2
    assert critical_path(network, times) == ("a", "b", "d")


def test_parallel_ends_have_float_to_the_end_of_the_work():
    times = critical_path_times({"a": (), "b": ()}, {"a": 10, "b": 4})
    assert times["b"].slack == 6
    assert times["a"].critical


def test_a_ring_is_refused():
    with pytest.raises(CycleError):
        order({"a": ("b",), "b": ("a",)})


@st.composite
def networks(draw):
    size = draw(st.integers(1, 12))
    network = {
        f"t{n}": tuple(sorted(draw(st.sets(st.sampled_from([f"t{m}" for m in range(n)])))))
        if n
        else ()
        for n in range(size)
    }
    days = {t: draw(st.floats(0, 100)) for t in network}
    return network, days


@given(networks())
def test_the_critical_path_is_as_long_as_the_work(case):
    network, days = case
    times = critical_path_times(network, days)
    path = critical_path(network, times)
    end = max(t.finish for t in times.values())
    assert sum(days[t] for t in path) == pytest.approx(end, abs=1e-6)
    assert all(t.slack >= -1e-6 for t in times.values())

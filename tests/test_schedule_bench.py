"""The bench of schedules measures one thing in two ways: both must find the same."""

import pytest

from bench.schedule_bench import loop, network, ours


def test_the_loop_and_ours_agree_on_a_small_network():
    given = network(tasks=20, iterations=2000)
    plain, fast = loop(given), ours(given)
    assert fast["days"] == pytest.approx(plain["days"], rel=0.02)
    assert fast["cost"] == pytest.approx(plain["cost"], rel=0.02)

"""Time, ids and chance."""

import asyncio
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from core.clock import SystemClock, fresh_random, new_run_id, seeded, stamp
from core.settings import valid_id
from core.testing import FakeClock

MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1))  # noqa: DTZ001 - made aware below


@given(MOMENTS, st.integers(1, 10**10))
def test_run_ids_are_ids_and_sort_by_time(moment: datetime, later_ms: int) -> None:
    start = moment.replace(tzinfo=UTC, microsecond=0)
    later = start + timedelta(milliseconds=later_ms)
    first, second = (new_run_id(FakeClock(t), fresh_random()) for t in (start, later))
    assert valid_id("run id", first) < valid_id("run id", second)


def test_two_runs_of_one_moment_have_their_own_ids() -> None:
    ids = {new_run_id(FakeClock(), fresh_random()) for _ in range(50)}
    assert len(ids) == 50


def test_each_name_has_its_own_reproducible_chance() -> None:
    assert seeded(1)("a").random() == seeded(1)("a").random()
    assert len({seeded(s)(n).random() for s in (1, 2) for n in "ab"}) == 4


def test_times_are_written_in_utc_to_the_millisecond() -> None:
    assert stamp(FakeClock().now()) == "2026-01-01T00:00:00.000Z"


def test_the_system_clock_is_aware_and_goes_forward() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    asyncio.run(clock.sleep(0))
    assert clock.monotonic() >= before
    assert clock.now().tzinfo is UTC

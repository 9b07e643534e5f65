"""The order of work, its bound, and its waits."""

import asyncio
import random
from collections.abc import Mapping

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import TaskError
from core.graph.scheduler import ExponentialBackoff, ParallelLimiter, Slot, longest_paths


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop that jumps over every wait: a makespan without waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self.jumped = 0.0
        select = self._selector.select

        def skip(timeout: float | None) -> object:
            if timeout:
                self.jumped += timeout
            return select(0)

        self._selector.select = skip

    def time(self) -> float:
        return self.jumped


def makespan(
    needs: Mapping[int, list[int]], cost: Mapping[int, float], slots: int, *, known: bool = True
) -> float:
    async def body(key: int, results: Mapping[int, int], slot: Slot) -> int:
        await asyncio.sleep(cost[key])
        return key

    async def timed() -> float:
        limiter = ParallelLimiter(slots)
        await limiter.run_dag(needs, body, cost=cost if known else None)
        return asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(timed())


@st.composite
def dags(draw: st.DrawFn) -> dict[int, list[int]]:
    size = draw(st.integers(1, 25))
    return {
        key: sorted(draw(st.sets(st.integers(0, key - 1), max_size=3))) if key else []
        for key in range(size)
    }


@given(dags(), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_a_task_starts_after_its_own_dependencies_and_never_too_many_run(
    needs: dict[int, list[int]], slots: int
) -> None:
    running, most, seen = 0, 0, []

    async def body(key: int, results: Mapping[int, int], slot: Slot) -> int:
        nonlocal running, most
        assert set(needs[key]) <= set(results)
        running += 1
        most = max(most, running)
        await anyio.lowlevel.checkpoint()
        running -= 1
        seen.append(key)
        return key

    results = anyio.run(lambda: ParallelLimiter(slots).run_dag(needs, body))
    assert results == {key: key for key in needs}
    assert sorted(seen) == sorted(needs)
    assert most <= slots


def test_as_many_run_at_once_as_there_are_slots() -> None:
    async def body(key: int, results: Mapping[int, int], slot: Slot) -> int:
        waiting.append(key)
        if len(waiting) == 3:
            together.set()
        await together.wait()  # would never end if fewer than three ran at once
        return key

    async def run() -> None:
        with anyio.fail_after(5):
            await ParallelLimiter(3).run_dag({k: [] for k in range(3)}, body)

    waiting: list[int] = []
    together = asyncio.Event()
    asyncio.run(run())
    assert len(waiting) == 3


@pytest.mark.parametrize("slots", [2, 4, 8, 16])
def test_a_dag_ends_near_its_bound(slots: int) -> None:
    ratios = []
    for seed in range(10):
        chance = random.Random(seed)  # noqa: S311 - reproducible on purpose
        needs = {k: sorted(chance.sample(range(k), min(k, 2)))[: k % 3] for k in range(100)}
        cost = {k: chance.lognormvariate(0, 0.8) for k in needs}
        bound = max(max(longest_paths(needs, cost).values()), sum(cost.values()) / slots)
        ratios.append(makespan(needs, cost, slots) / bound)
    assert min(ratios) >= 1 - 1e-9
    assert sum(ratios) / len(ratios) < 1.1


def test_a_slow_branch_does_not_hold_up_a_fast_one() -> None:
    needs = {0: [], 1: [], 2: [1], 3: [2]}
    assert makespan(needs, {0: 3.0, 1: 1.0, 2: 1.0, 3: 1.0}, 2) == pytest.approx(3.0)


def test_the_longest_path_goes_first() -> None:
    needs = {0: [], 1: [], 2: [1], 3: [2]}
    assert longest_paths(needs, {}) == {0: 1, 1: 3, 2: 2, 3: 1}
    assert makespan(needs, dict.fromkeys(needs, 1.0), 1, known=False) == pytest.approx(4.0)


def test_a_waiting_task_gives_its_slot_to_another() -> None:
    async def body(key: str, results: Mapping[str, str], slot: Slot) -> str:
        order.append(f"{key} starts")
        if key == "waits":
            await slot.without(asyncio.sleep(10))
        order.append(f"{key} ends")
        return key

    async def run() -> None:
        needs: dict[str, list[str]] = {"waits": [], "goes": []}
        await ParallelLimiter(1).run_dag(needs, body)

    order: list[str] = []
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(run())
    assert order == ["waits starts", "goes starts", "goes ends", "waits ends"]


def test_what_is_done_is_not_done_again() -> None:
    async def body(key: int, results: Mapping[int, str], slot: Slot) -> str:
        return f"new after {results[0]}"

    needs: dict[int, list[int]] = {0: [], 1: [0]}
    done = {0: "old"}
    results = anyio.run(lambda: ParallelLimiter(2).run_dag(needs, body, done=done))
    assert results == {0: "old", 1: "new after old"}
    assert done == {0: "old"}


def test_a_bug_in_a_task_comes_out_as_itself() -> None:
    async def body(key: int, results: Mapping[int, int], slot: Slot) -> int:
        raise TaskError("broken") if key else ZeroDivisionError

    needs: dict[int, list[int]] = {0: []}
    with pytest.raises(ZeroDivisionError):
        anyio.run(lambda: ParallelLimiter(2).run_dag(needs, body))


def test_a_ring_of_tasks_is_refused() -> None:
    with pytest.raises(ValueError, match="ring"):
        longest_paths({0: [1], 1: [0]}, {})


def test_a_cancelled_wait_does_not_give_its_slot_back_twice() -> None:
    async def body(key: int, results: Mapping[int, int], slot: Slot) -> int:
        await slot.without(asyncio.sleep(100))
        return key

    async def run() -> bool:
        with anyio.move_on_after(1) as scope:
            await ParallelLimiter(1).run_dag({0: [], 1: []}, body)
        return scope.cancelled_caught

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        assert runner.run(run())


@given(
    st.floats(0, 10),
    st.floats(1, 4),
    st.floats(0, 60),
    st.integers(0, 1000),
)
def test_no_wait_passes_its_bound_however_it_is_set(
    base: float, factor: float, cap: float, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - reproducible on purpose
    waits = iter(ExponentialBackoff(base, factor, cap, chance))
    bound = base
    for _ in range(12):
        assert 0 <= next(waits) <= min(bound, cap)
        bound *= factor


def test_the_same_seed_gives_the_same_waits() -> None:
    def first_five(seed: int) -> list[float]:
        waits = iter(ExponentialBackoff(1, 2, 30, random.Random(seed)))  # noqa: S311
        return [next(waits) for _ in range(5)]

    assert first_five(1) == first_five(1)
    assert first_five(1) != first_five(2)

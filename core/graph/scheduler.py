"""When work runs: how many tasks at once, in which order, and how long to wait before a retry."""

import random
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from typing import Generic, TypeVar

import anyio

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ExponentialBackoff:
    """The waits between attempts: each drawn evenly from 0 to a bound that grows.

    Drawing from 0 ("full jitter") keeps tasks that failed together from coming back together.
    """

    base_s: float
    """The first bound, in seconds."""
    factor: float
    """What the bound is multiplied by after each wait."""
    max_s: float
    """The largest bound, in seconds."""
    chance: random.Random
    """Where the draws come from."""

    def __iter__(self) -> Iterator[float]:
        """Yield the waits, in seconds, without end."""
        bound = min(self.base_s, self.max_s)
        while True:
            yield self.chance.uniform(0, bound)
            bound = min(bound * self.factor, self.max_s)


class Slot:
    """A task's right to run, which it gives back while it only waits."""

    def __init__(self, limiter: anyio.CapacityLimiter) -> None:
        self._limiter = limiter
        self._held = False

    async def take(self) -> None:
        """Wait for the right to run."""
        await self._limiter.acquire_on_behalf_of(self)
        self._held = True

    def give_back(self) -> None:
        """Let another task run; giving back twice is once."""
        if self._held:
            self._held = False
            self._limiter.release_on_behalf_of(self)

    async def without(self, wait: Awaitable[None]) -> None:
        """Give the slot back for the time of *wait*, then take one again."""
        self.give_back()
        await wait
        await self.take()


Body = Callable[[Key, Mapping[Key, Result], Slot], Awaitable[Result]]
"""Does one task, given the results so far (its dependencies' among them) and its slot."""


class ParallelLimiter:
    """At most so many tasks at once; runs that share one share its slots."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._limiter = anyio.CapacityLimiter(total)

    async def run_dag(
        self,
        dependencies: Mapping[Key, Collection[Key]],
        body: Body[Key, Result],
        *,
        cost: Mapping[Key, float] | None = None,
        done: Mapping[Key, Result] | None = None,
    ) -> dict[Key, Result]:
        """Do every task that is not *done* as soon as its own dependencies are.

        Among the tasks that could start, the one with the longest path still to go is first.

        Args:
            dependencies: What each task waits for.
            body: Does one task.
            cost: How long each task may take, in any unit; 1 each if not given.
            done: Results that exist already.

        """
        dag = _Dag(dependencies, longest_paths(dependencies, cost or {}), dict(done or {}))
        try:
            async with anyio.create_task_group() as group:
                while dag.unstarted:
                    await dag.something_ready()
                    slot = Slot(self._limiter)
                    await slot.take()
                    # chosen only now: a better task may have become ready during the wait
                    group.start_soon(dag.do, dag.best(), body, slot)
        except BaseExceptionGroup as failures:
            raise _first(failures) from failures
        return dag.results


class _Dag(Generic[Key, Result]):
    def __init__(
        self,
        dependencies: Mapping[Key, Collection[Key]],
        rank: Mapping[Key, float],
        results: dict[Key, Result],
    ) -> None:
        self.results = results
        self._rank = rank
        self._place = {key: place for place, key in enumerate(dependencies)}
        self._missing = {
            key: set(needs) - results.keys()
            for key, needs in dependencies.items()
            if key not in results
        }
        self.unstarted = len(self._missing)
        self._ready: list[tuple[float, int, Key]] = []
        self._changed = anyio.Event()
        self._needed_by: dict[Key, list[Key]] = {key: [] for key in dependencies}
        for key, missing in self._missing.items():
            for needed in missing:
                self._needed_by[needed].append(key)
            if not missing:
                self._make_ready(key)

    async def something_ready(self) -> None:
        while not self._ready:
            self._changed = anyio.Event()
            await self._changed.wait()

    def best(self) -> Key:
        self.unstarted -= 1
        return heappop(self._ready)[2]

    async def do(self, key: Key, body: Body[Key, Result], slot: Slot) -> None:
        try:
            self.results[key] = await body(key, self.results, slot)
        finally:
            slot.give_back()
        for other in self._needed_by[key]:
            self._missing[other].remove(key)
            if not self._missing[other]:
                self._make_ready(other)

    def _make_ready(self, key: Key) -> None:
        heappush(self._ready, (-self._rank[key], self._place[key], key))
        self._changed.set()


def longest_paths(
    dependencies: Mapping[Key, Collection[Key]], cost: Mapping[Key, float]
) -> dict[Key, float]:
    """Return, for each task, the cost of the longest path from its start to the end of all."""
    paths = {key: 0.0 for key in dependencies}
    try:
        order = list(TopologicalSorter(dependencies).static_order())
    except CycleError as cycle:
        raise ValueError(f"tasks wait for each other in a ring: {cycle.args[1]}") from cycle
    for key in reversed(order):
        paths[key] += cost.get(key, 1.0)
        for needed in dependencies[key]:
            paths[needed] = max(paths[needed], paths[key])
    return paths


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first failure itself: callers catch kinds of errors, not groups."""
    failure: BaseException = group
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure

"""When work runs: how many tasks at once, in which order, and how long to wait before a retry."""

import random
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import count
from typing import Generic, TypeVar

import anyio

from core.errors import Stopped

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

    def __init__(
        self, share: "_Share", order: tuple[float, int], heir_next: Callable[[], bool]
    ) -> None:
        self._share, self.order, self._heir_next = share, order, heir_next
        self.held, self.wanted = False, False
        self._granted: Callable[[], None]

    def ask(self, granted: Callable[[], None]) -> None:
        """Stand in line; *granted* is called once the slot is held. The line is served later."""
        self.wanted, self._granted = True, granted
        self._share.enter(self)

    def grant(self) -> None:
        """Become the slot of a task that may run."""
        self.held, self.wanted = True, False
        self._granted()

    def give_back(self) -> None:
        """Let another task run, or no longer stand in line; giving back twice is once."""
        self.wanted = False
        if self.held:
            self.held = False
            self._share.leave()

    def give_back_early(self) -> None:
        """Let another task run while this one's result is made safe.

        It is kept for a task that waits for this one alone and is next: it would find it gone.
        """
        if not self._heir_next():
            self.give_back()

    async def take(self) -> None:
        """Wait for the right to run."""
        granted = anyio.Event()
        self.ask(granted.set)
        self._share.pool.serve()
        await granted.wait()

    async def without(self, wait: Awaitable[None]) -> None:
        """Give the slot back for the time of *wait*, then take one again."""
        self.give_back()
        await wait
        await self.take()


Body = Callable[[Key, Mapping[Key, Result], Slot], Awaitable[Result]]
"""Does one task, given the results so far (its dependencies' among them) and its slot."""


class ParallelLimiter:
    """At most so many tasks at once, over all runs that share it.

    Runs that wait for a slot are served in turn, one slot each, so that no run starves another;
    within a run the task with the longest path still to go is first. Which task that is, is
    decided when a slot is free, not when the task begins to wait. All runs are on one event loop.

    Args:
        total: The bound.
        within: The limiter whose slots these are; see `share`.

    """

    def __init__(self, total: int, within: "ParallelLimiter | None" = None) -> None:
        self._share: _Share = _Share(within._share.pool if within else _Pool(total), total)

    @property
    def total(self) -> int:
        """How many tasks may run at once."""
        return self._share.total

    def share(self, total: int) -> "ParallelLimiter":
        """Return the limiter of one run: at most *total* of the slots that all runs share."""
        return ParallelLimiter(total, self)

    async def run_dag(
        self,
        dependencies: Mapping[Key, Collection[Key]],
        body: Body[Key, Result],
        *,
        cost: Mapping[Key, float] | None = None,
        done: Mapping[Key, Result] | None = None,
    ) -> dict[Key, Result]:
        """Do every task that is not *done* as soon as its own dependencies are.

        A Stopped that a task raises lets those that run come to their end, starts no other, and
        is raised then. Any other error, or a cancellation, ends all tasks at once.

        Args:
            dependencies: What each task waits for.
            body: Does one task.
            cost: How long each task may take, in any unit; 1 each if not given.
            done: Results that exist already.

        """
        rank = longest_paths(dependencies, cost or {})
        dag = _Dag(dependencies, rank, dict(done or {}), self._share)
        try:
            async with anyio.create_task_group() as group:
                while dag.open:
                    for key, slot in await dag.granted():
                        group.start_soon(dag.do, key, body, slot)
        except BaseExceptionGroup as failures:
            raise _first(failures) from failures
        finally:
            dag.close()
        if dag.stopped:
            raise dag.stopped
        return dag.results


class _Pool:
    """The slots of a process, and whose turn it is."""

    def __init__(self, total: int) -> None:
        self._free = total
        self._turns: deque[_Share] = deque()

    def enter(self, share: "_Share") -> None:
        self._turns.append(share)

    def leave(self) -> None:
        self._free += 1
        self.serve()

    def serve(self) -> None:
        """Grant the free slots, one to each run in turn."""
        while self._free and self._turns:
            share = self._turns.popleft()
            if slot := share.next():
                self._free -= 1
                self._turns.append(share)
                slot.grant()


class _Share:
    """One run's part of a pool: how many slots it may hold, and its tasks in line."""

    def __init__(self, pool: _Pool, total: int) -> None:
        if total < 1:
            raise ValueError(f"{total} tasks at once would never end; give at least 1")
        self.pool, self.total = pool, total
        self._held = 0
        self._in_turn = False
        self._line: list[tuple[tuple[float, int], int, Slot]] = []
        self._entered = count()

    def enter(self, slot: Slot) -> None:
        heappush(self._line, (slot.order, next(self._entered), slot))
        self._take_turns()

    def leave(self) -> None:
        self._held -= 1
        self._take_turns()
        self.pool.leave()

    def next(self) -> Slot | None:
        """Count one more slot as held and return whose it is; None gives up the run's turn."""
        while self._line and self._held < self.total:
            slot = heappop(self._line)[2]
            if slot.wanted:
                self._held += 1
                return slot
        self._in_turn = False
        return None

    def head(self) -> tuple[float, int] | None:
        """Return the place of the task that is next in line."""
        while self._line and not self._line[0][2].wanted:
            heappop(self._line)
        return self._line[0][0] if self._line else None

    def _take_turns(self) -> None:
        if self._line and not self._in_turn:
            self._in_turn = True
            self.pool.enter(self)


class _Dag(Generic[Key, Result]):
    """The tasks of one run: which are ready, in line, and done."""

    def __init__(
        self,
        dependencies: Mapping[Key, Collection[Key]],
        rank: Mapping[Key, float],
        results: dict[Key, Result],
        share: _Share,
    ) -> None:
        self.results = results
        self.open = True
        self.stopped: Stopped | None = None
        self._share = share
        self._order = {key: (-rank[key], place) for place, key in enumerate(dependencies)}
        missing = {k: set(n) - results.keys() for k, n in dependencies.items() if k not in results}
        self._missing = {key: len(needs) for key, needs in missing.items()}
        self._left = len(missing)
        self._needed_by: dict[Key, list[Key]] = {key: [] for key in dependencies}
        for key, needs in missing.items():
            for needed in needs:
                self._needed_by[needed].append(key)
        self._in_line: dict[Key, Slot] = {}
        self._granted: list[tuple[Key, Slot]] = []
        self._changed = anyio.Event()
        self._line_up(key for key, number in self._missing.items() if not number)
        share.pool.serve()
        if not self._left:
            self.close()

    async def granted(self) -> list[tuple[Key, Slot]]:
        """Wait for slots; return them with their tasks, which count as started from now on."""
        await self._changed.wait()
        self._changed = anyio.Event()
        granted, self._granted = self._granted, []
        for key, _ in granted:
            self._in_line.pop(key, None)
        return [(key, slot) for key, slot in granted if slot.held]

    async def do(self, key: Key, body: Body[Key, Result], slot: Slot) -> None:
        try:
            self.results[key] = await body(key, self.results, slot)
            self._finish(key)
        except Stopped as cause:
            self.stopped = self.stopped or cause
            self.close()
        except BaseException:
            self.close()
            raise
        finally:
            slot.give_back()
            self._share.pool.serve()

    def close(self) -> None:
        """Start no further task: take those that wait out of the line."""
        self.open = False
        for slot in self._in_line.values():
            slot.give_back()
        self._in_line.clear()
        self._changed.set()

    def _finish(self, key: Key) -> None:
        self._left -= 1
        for other in self._needed_by[key]:
            self._missing[other] -= 1
        if self.open:
            self._line_up(k for k in self._needed_by[key] if not self._missing[k])
        if not self._left:
            self.close()

    def _line_up(self, keys: Iterable[Key]) -> None:
        """Put tasks in line, unserved: the best of them all is to have the next free slot."""
        for key in keys:
            slot = Slot(self._share, self._order[key], partial(self._heir_next, key))
            self._in_line[key] = slot
            slot.ask(partial(self._start, key, slot))

    def _heir_next(self, key: Key) -> bool:
        heirs = [self._order[k] for k in self._needed_by[key] if self._missing[k] == 1]
        head = self._share.head()
        return head is not None and any(heir < head for heir in heirs)

    def _start(self, key: Key, slot: Slot) -> None:
        # by the run's own task: whoever gave the slot back may belong to another run
        self._granted.append((key, slot))
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

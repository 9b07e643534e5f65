"""Resource levelling: who and what there is only once does one activity after the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dr_rd.schedule.activities import Activity, Resource
from dr_rd.schedule.calendar import Steady, Working
from dr_rd.schedule.cpm import TIE, Network, order
from dr_rd.schedule.passage import Passage, passage
from dr_rd.schedule.spread import Draws

_SAMPLED = 24
"""Orders that are drawn; more found no earlier end for the small plans of the tests."""

_Needs = Mapping[str, int]


@dataclass(frozen=True)
class Leveling:
    """Passes work along a network whose activities share resources.

    Serial schedule generation (Kelley 1963): each activity in the order of a list begins at the
    first time at which what it waits for has ended and enough of each resource is free for as
    long as it lasts, gaps before what is placed already included. The list is the one that ends
    first when everything takes its mean, of three priority rules (Kolisch 1996) and, where these
    end later than any plan could, of some drawn around the first of them.
    """

    activities: tuple[Activity, ...]
    resources: tuple[Resource, ...]
    working: tuple[Working, ...] = ()
    """The calendar of each activity; none means that every day is worked."""

    @cached_property
    def network(self) -> Network:
        """What each activity waits for."""
        return {a.id: a.depends_on for a in self.activities}

    def elapsed(self, work: Draws) -> Draws:
        """Return the days that *work* takes of each activity: longer where somebody works part time."""
        shares = {r.id: r.share for r in self.resources}
        slowest = [min((shares[n] for n in a.needs), default=1.0) for a in self.activities]
        found: Draws = work / np.array(slowest)[:, None]
        return found

    def passage(self, days: Draws) -> Passage:
        """Place every activity; *days* are as `elapsed` gives them, one row an activity."""
        if not any(a.needs for a in self.activities):
            return passage(self.network, days, self.working)
        expected = days.mean(axis=1, keepdims=True)
        start, finish = self._placed(days, self._best_list(expected))
        return Passage(start, finish, self._floats(days, start, finish), finish.max(axis=0))

    def links(self, found: Passage) -> Network:
        """Return the network with what each activity waits for because of its resources.

        *found*: a passage of one iteration.
        """
        start, finish = found.start[:, 0], found.finish[:, 0]
        return {
            a.id: (
                *a.depends_on,
                *(
                    self.activities[i].id
                    for i in self._rivals[j]
                    if self.activities[i].id not in a.depends_on
                    and abs(finish[i] - start[j]) < TIE < finish[i] - start[i]
                ),
            )
            for j, a in enumerate(self.activities)
        }

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {a.id: n for n, a in enumerate(self.activities)}

    @cached_property
    def _along(self) -> Sequence[Working]:
        return self.working or [Steady()] * len(self.activities)

    @cached_property
    def _counts(self) -> _Needs:
        return {r.id: r.count for r in self.resources}

    @cached_property
    def _rivals(self) -> Sequence[Mapping[int, bool]]:
        """By row, those that need a resource of its own, and whether the two never overlap."""
        return [
            {
                i: any(a.needs[r] + other.needs[r] > self._counts[r] for r in shared)
                for i, other in enumerate(self.activities)
                if other is not a and (shared := a.needs.keys() & other.needs.keys())
            }
            for a in self.activities
        ]

    def _best_list(self, expected: Draws) -> Sequence[int]:
        """Return the order of the activities that ends first; *expected*: one iteration."""
        free = passage(self.network, expected, self.working)
        loads = (
            sum(
                float(e) * a.needs.get(r.id, 0)
                for a, e in zip(self.activities, expected[:, 0], strict=True)
            )
            / r.count
            for r in self.resources
        )
        bound = max(float(free.end[0]), *loads) + TIE
        best, earliest = list[int](), np.inf
        for keys in self._priorities(expected, free):
            places = self._listed(keys)
            if (end := float(self._placed(expected, places)[1].max())) < earliest - TIE:
                best, earliest = places, end
            if earliest <= bound:
                break
        return best

    def _priorities(self, expected: Draws, free: Passage) -> Iterator[list[float]]:
        """By rule, a number for each activity: the smallest is placed first.

        *free*: what it is without resources.
        """
        latest = (free.finish + free.slack)[:, 0]
        yield latest.tolist()
        yield (latest - expected[:, 0]).tolist()
        after = self._successors()
        yield [-float(sum(expected[m, 0] for m in after[n])) for n in range(len(expected))]
        rng = np.random.default_rng(0)
        for _ in range(_SAMPLED):
            yield (latest + rng.exponential(expected.mean(), len(latest)) * 2).tolist()

    def _successors(self) -> list[set[int]]:
        """The rows of each activity and of all that wait for it, near or far."""
        found = [{n} for n in range(len(self.activities))]
        for task in reversed(order(self.network)):
            for before in self.network[task]:
                found[self._rows[before]] |= found[self._rows[task]]
        return found

    def _listed(self, priority: Sequence[float]) -> list[int]:
        """Rows so that each comes after those it waits for, the smallest number first."""
        left, placed = dict(self.network), list[int]()
        while left:
            free = [t for t, waits in left.items() if not any(w in left for w in waits)]
            task = min(free, key=lambda t: (priority[self._rows[t]], self._rows[t]))
            placed.append(self._rows[task])
            del left[task]
        return placed

    def _placed(self, days: Draws, places: Sequence[int]) -> tuple[Draws, Draws]:
        """Return starts and finishes of the activities, placed in the order of *places*."""
        start, finish = np.zeros_like(days), np.zeros_like(days)
        for at, n in enumerate(places):
            for before in self.activities[n].depends_on:
                np.maximum(start[n], finish[self._rows[before]], out=start[n])
            done = [i for i in self._rivals[n] if i in places[:at]] if days[n].any() else []
            if done:
                start[n] = self._earliest(n, days[n], start[n], start[done], finish[done], done)
            finish[n] = self._along[n].finish(start[n], days[n])
        return start, finish

    def _earliest(
        self, n: int, days: Draws, ready: Draws, start: Draws, finish: Draws, done: Sequence[int]
    ) -> Draws:
        """Return when activity *n* can begin beside those *done*, in each iteration."""
        begins = np.maximum(np.concatenate([ready[None], finish]), ready)
        ends = self._along[n].finish(begins, np.broadcast_to(days, begins.shape))
        runs = finish > start + TIE
        meets = (start < ends[:, None] - TIE) & (finish > begins[:, None] + TIE) & runs
        if all(self._rivals[n][i] for i in done):
            return _first(begins, ~meets.any(axis=1))
        free = np.ones(begins.shape, dtype=bool)
        for resource, amount in self.activities[n].needs.items():
            used = np.array([self.activities[i].needs.get(resource, 0) for i in done])
            most = self._counts[resource] - amount
            free &= _used(used, start, finish, begins) <= most
            crowded = (_used(used, start, finish, start) > most) & (used > 0)[:, None]
            free &= ~(meets & crowded & (start > begins[:, None] + TIE)).any(axis=1)
        return _first(begins, free)

    def _floats(self, days: Draws, start: Draws, finish: Draws) -> Draws:
        """Return how long each activity can slip while all others keep their order."""
        latest = np.tile(finish.max(axis=0), (len(days), 1))
        later = np.argsort(-start.mean(axis=1), kind="stable").tolist()
        for _ in days:
            before = latest.copy()
            for j in later:
                begin = self._along[j].latest(latest[j], days[j])
                for task in self.activities[j].depends_on:
                    np.minimum(latest[self._rows[task]], begin, out=latest[self._rows[task]])
                for i, apart in self._rivals[j].items():
                    ahead = finish[i] <= start[j] + TIE
                    if not apart:
                        ahead &= finish[i] >= start[j] - TIE
                    latest[i] = np.where(ahead, np.minimum(latest[i], begin), latest[i])
            if np.array_equal(before, latest):
                break
        for n, own in enumerate(self._along):
            latest[n] = own.between(finish[n], latest[n])
        return latest


def _first(times: Draws, free: NDArray[np.bool_]) -> Draws:
    """Return the earliest of the *times* that are *free*, in each iteration."""
    found: Draws = np.where(free, times, np.inf).min(axis=0)
    return found


def _used(amounts: NDArray[np.int_], start: Draws, finish: Draws, at: Draws) -> NDArray[np.int_]:
    """Return how much of a resource is in use at each time *at*, one row a time."""
    within = (start <= at[:, None] + TIE) & (finish > at[:, None] + TIE)
    return np.asarray((within * amounts[:, None]).sum(axis=1))

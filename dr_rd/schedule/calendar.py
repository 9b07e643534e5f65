"""Which days are worked: weekends, holidays, seasons; and when work that starts then ends."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from core.errors import TaskError
from core.values import Frozen
from dr_rd.schedule.cpm import TIE
from dr_rd.schedule.spread import Draws

WORKING_DAYS_A_MONTH = 21
"""Working days in a month; 52 weeks of five days over twelve months, less public holidays."""

YEARS = 60
"""How far a calendar reaches from its start."""


class Working(Protocol):
    """Says how work passes along an axis of days; all in days from the start."""

    def finish(self, start: Draws, work: Draws) -> Draws:
        """Return the earliest end of *work* days of work that begin at *start* or later."""

    def latest(self, finish: Draws, work: Draws) -> Draws:
        """Return the latest start of *work* days of work that end by *finish*."""

    def between(self, start: Draws, end: Draws) -> Draws:
        """Return the days of work from *start* to *end*."""


class Steady:
    """Every day of the axis is a working day."""

    def finish(self, start: Draws, work: Draws) -> Draws:
        """Add."""
        return start + work

    def latest(self, finish: Draws, work: Draws) -> Draws:
        """Subtract."""
        return finish - work

    def between(self, start: Draws, end: Draws) -> Draws:
        """Subtract."""
        return end - start


def working_day(first: date, days: int, closed: Iterable[date] = ()) -> date:
    """Return the working day that comes so many *days* after the day *first*, or before it.

    Beyond the calendar it is the calendar's first or last day.
    """
    within = min(max(days, -_MOST), _MOST)
    found = np.busday_offset([first], within, roll="forward", holidays=[*closed])[0]
    day: date = min(max(found, np.datetime64(date.min)), np.datetime64(date.max)).item()
    return day


_MOST = 4_000_000
"""Working days that no calendar of years with four digits holds."""


class Closed(Frozen):
    """Days without work, both ends included."""

    first: date
    last: date

    @model_validator(mode="after")
    def _ordered(self) -> "Closed":
        if self.last < self.first:
            raise ValueError(f"closed from {self.first} to {self.last}: the end comes first")
        return self


class Calendar(Frozen):
    """A rule for which days are worked."""

    id: str = Field(min_length=1, max_length=80)
    weekdays: tuple[int, ...] = Field(
        default=(1, 2, 3, 4, 5), min_length=1, description="1 is Monday, 7 is Sunday (ISO 8601)."
    )
    months: tuple[int, ...] = Field(
        default=tuple(range(1, 13)), min_length=1, description="Months with work: a season."
    )
    closed: tuple[Closed, ...] = Field(default=(), max_length=200)

    @model_validator(mode="after")
    def _in_range(self) -> "Calendar":
        for name, last in (("weekdays", 7), ("months", 12)):
            if strange := [n for n in getattr(self, name) if not 1 <= n <= last]:
                raise ValueError(f"{name} are 1 to {last}, not {strange[0]}")
        return self

    def opened(self, start: date) -> "Opened":
        """Lay the rule out from *start* on."""
        days = [start + timedelta(days=n) for n in range(YEARS * 365)]
        works = np.array([self._works(day) for day in days], dtype=bool)
        for span in self.closed:
            first, last = (span.first - start).days, (span.last - start).days
            works[max(first, 0) : max(last + 1, 0)] = False
        return Opened(self.id, start, works)

    def _works(self, day: date) -> bool:
        return day.isoweekday() in self.weekdays and day.month in self.months


@dataclass(frozen=True, eq=False)
class Opened:
    """A calendar from its start on; a time of 1.5 is noon of the second day."""

    id: str
    start: date
    works: NDArray[np.bool_]

    @cached_property
    def _before(self) -> Draws:
        """Working days before each day."""
        return np.concatenate([[0.0], np.cumsum(self.works, dtype=np.float64)])

    @cached_property
    def _days(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.works)

    def done(self, time: Draws) -> Draws:
        """Return the working days that have passed at *time*."""
        day = np.minimum(np.floor(time).astype(np.intp), len(self.works) - 1)
        return self._before[day] + self.works[day] * (time - day)

    def finish(self, start: Draws, work: Draws) -> Draws:
        """End on the working day on which the last of it is done."""
        done = self.done(start) + work
        whole = np.maximum(np.ceil(done - TIE), 1).astype(np.intp)
        return np.where(work > 0, self._day(whole - 1) + done - (whole - 1), start)

    def latest(self, finish: Draws, work: Draws) -> Draws:
        """Start on the last working day that leaves time enough."""
        done = np.maximum(self.done(finish) - work, 0.0)
        whole = np.floor(done + TIE).astype(np.intp)
        return np.where(work > 0, self._day(whole) + done - whole, finish)

    def within(self, other: "Opened") -> "Opened":
        """Return the days that both calendars work."""
        if other == self:
            return self
        return Opened(f"{self.id} and {other.id}", self.start, self.works & other.works)

    def begin(self, time: float) -> date:
        """Return the day on which work that may begin at *time* does."""
        place = int(self.done(np.array([time]))[0] + TIE)
        return self.start + timedelta(days=int(self._day(np.array([place]))[0]))

    def between(self, start: Draws, end: Draws) -> Draws:
        """Count working days only."""
        return self.done(end) - self.done(start)

    def date(self, time: float) -> date:
        """Return the day on which something ends at *time*."""
        return self.start + timedelta(days=max(int(np.ceil(time - TIE)) - 1, 0))

    def _day(self, place: NDArray[np.intp]) -> Draws:
        """Return the day that is the working day number *place*, from 0."""
        if int(np.max(place)) >= len(self._days):
            raise TaskError(
                f"the work does not end within {YEARS} years of {self.start} in the calendar "
                f"{self.id!r}; open more days or check the durations"
            )
        return self._days[place].astype(np.float64)

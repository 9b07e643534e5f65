"""Who and what a plan may use: people, equipment, closed periods, rates and prices."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from core.values import Amount, Frozen, Name, unsaid

Currency = Annotated[str, Field(pattern="^[A-Z]{3}$", description="Such as EUR.")]

Per = Literal["hour", "day", "week", "month", "year"]

DAYS: Mapping[Per, float] = {"hour": 1 / 8, "day": 1.0, "week": 5.0, "month": 21.0, "year": 220.0}
"""Working days for which a rate is paid: 52 weeks of five days, less leave and public holidays."""

A_UNIT = "unit"
"""How a price or a pace names one of what is sampled, whatever that is called."""

MOST_DAYS = 40_000
"""Days of the calendar that something may last: a century and a bit."""


class Person(Frozen):
    """Somebody who works on a plan, or several alike."""

    role: Name = Field(min_length=1, max_length=80)
    """In the brief's words: "technician"."""
    count: int = Field(default=1, ge=1, le=1000)
    share: float = Field(default=1.0, gt=0, le=1)
    """Of a five-day week."""
    days: float | None = Field(default=None, gt=0, le=MOST_DAYS, exclude_if=lambda v: v is None)
    """The most working days that they have for it; None where nobody says."""
    does: tuple[str, ...] = ()
    """The work that is theirs, in the brief's words: "all laboratory work"."""
    rate: Amount | None = None
    currency: Currency | None = None
    per: Per = "day"

    @model_validator(mode="after")
    def _priced(self) -> "Person":
        if self.rate is not None and self.currency is None:
            raise ValueError(f"the rate of {self.role!r} has no currency; add one, such as EUR")
        return self

    @property
    def day_rate(self) -> float | None:
        """What one working day costs, without overheads."""
        return None if self.rate is None else self.rate / DAYS[self.per]


class Equipment(Frozen):
    """Something that is needed and of which there is only so much."""

    what: Name = Field(min_length=1, max_length=80)
    count: int = Field(default=1, ge=1, le=1000)
    weekdays: tuple[Annotated[int, Field(ge=1, le=7)], ...] = (1, 2, 3, 4, 5)
    """When it may be used; 1 is Monday."""


class ClosedPeriod(Frozen):
    """Days without work, both ends included."""

    first: date
    last: date
    what: Name = ""

    @model_validator(mode="after")
    def _ordered(self) -> "ClosedPeriod":
        if self.last < self.first:
            raise ValueError(f"closed from {self.first} to {self.last}: the end comes first")
        return self


class Price(Frozen):
    """What something costs: 1,500 USD a month for 6 months."""

    what: Name = Field(min_length=1, max_length=120)
    amount: Amount
    currency: Currency
    per: Name = ""
    """"month", "sample", "visit"; "" for a sum that is paid once."""
    times: Amount = 1
    """How many of these are paid."""

    @property
    def total(self) -> float:
        """The sum of them."""
        return self.amount * self.times


class Span(Frozen):
    """How long something takes that nobody can hurry: exposure, follow-up, curing."""

    what: Name = Field(min_length=1, max_length=120)
    days: float = Field(gt=0, le=MOST_DAYS)
    """Days of the calendar."""
    times: int = Field(default=1, ge=1, le=1000)
    """How often it comes, one after the other: two loads of one oven."""
    main: bool = Field(default=False, exclude_if=unsaid)
    """Whether it is of the main work, whatever its words name."""

    @property
    def words(self) -> str:
        """What takes how long, as a plan says it."""
        often = f", {self.times} times one after the other" if self.times > 1 else ""
        return f"{self.what}: {self.days:g} days{often}"


class Throughput(Frozen):
    """How many can be done in a working day."""

    what: Name = Field(min_length=1, max_length=120)
    count: float | None = Field(default=None, gt=0, le=1e9)
    """How many there are to do; None: as many as the plan samples."""
    a_day: float = Field(gt=0, le=1e9)

    def days(self, sampled: float) -> float:
        """Return the working days that all of them take, as many as are *sampled* where nobody says."""
        return (self.count or sampled) / self.a_day


class Resources(Frozen):
    """Who and what a plan may use, as its brief or a settings file says."""

    people: tuple[Person, ...] = Field(default=(), max_length=40)
    equipment: tuple[Equipment, ...] = Field(default=(), max_length=40)
    closed: tuple[ClosedPeriod, ...] = Field(default=(), max_length=100)
    prices: tuple[Price, ...] = Field(default=(), max_length=100)
    spans: tuple[Span, ...] = Field(default=(), max_length=40)
    throughput: tuple[Throughput, ...] = Field(default=(), max_length=40)
    overhead: float = Field(default=0.0, ge=0, le=5)
    """Added to every rate: 0.25 for 25 %."""
    covers: Literal["direct", "all", "unsaid"] = "unsaid"
    """Whether the budget must pay staff."""
    exchange: Mapping[Currency, Annotated[float, Field(gt=0)]] = {}
    """What one unit of a currency is worth in that of the budget, where somebody says so."""

    @property
    def closed_days(self) -> tuple[date, ...]:
        """The days of the closed periods."""
        return tuple(
            date.fromordinal(n)
            for c in self.closed
            for n in range(c.first.toordinal(), c.last.toordinal() + 1)
        )

    @model_validator(mode="after")
    def _distinct(self) -> "Resources":
        names = [p.role for p in self.people] + [e.what for e in self.equipment]
        if twice := next((n for n in names if names.count(n) > 1), None):
            raise ValueError(
                f"{twice!r} stands there twice; give a count, or call each by a name of its own"
            )
        return self

"""What is understood of a brief, as values."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from core.values import Frozen
from dr_rd.study.effects import Effect
from dr_rd.study.statistics import Needed, Statistics

Comparison = Literal["<=", ">=", "=", "range", "none"]
Bound = float | str | None
"""A number, or a day in ISO form."""


class FamilyScore(Frozen):
    """A design family and how well it fits."""

    id: str
    score: float
    why: str


class Budget(Frozen):
    """What the whole work may cost."""

    amount: float
    currency: str | None = None
    """ISO 4217; None where none is named."""
    covers: Literal["direct", "all", "unsaid"] = "unsaid"


class Deadline(Frozen):
    """The last day of the work, or its length."""

    date: str | None = Field(default=None, exclude_if=lambda v: v is None)
    """ISO."""
    months: float | None = Field(default=None, exclude_if=lambda v: v is None)


class Closure(Frozen):
    """Days on which no work is possible."""

    start: str = Field(serialization_alias="from", validation_alias="from")
    end: str = Field(serialization_alias="to", validation_alias="to")
    what: str = ""


class Person(Frozen):
    """Who works, as far as it is said."""

    role: str
    count: float | None = None
    share: float | None = None
    """Of a full-time position."""
    days: float | None = Field(default=None, exclude_if=lambda days: days is None)
    """Working days that they have for it in all, at most."""
    rate: float | None = None
    currency: str | None = None
    per: str | None = None


class UnitPrice(Frozen):
    """What one of something costs, as the document says it."""

    what: str
    amount: float
    currency: str
    per: str
    times: float | None = None
    """How many are paid, where that stands beside it."""


class Count(Frozen):
    """How many of something the work must have."""

    what: str
    comparison: Comparison
    low: float | None = None
    high: float | None = None
    per: str = ""
    """What there are so many of each of: "arm", "language", "day"; "" for a number in all."""


class Duration(Frozen):
    """How long something in the work takes."""

    what: str
    value: float
    unit: str
    comparison: Comparison = "="
    kind: str = ""
    """"exposure" or "follow-up" where nobody can hurry it; "" for another time."""


class Limit(Frozen):
    """A constraint, a success criterion or a ban, in the brief's words."""

    quote: str
    role: Literal["constraint", "criterion", "ban"]
    type: Literal["count", "money", "time", "measure", "share", "requirement", "prohibition"]
    comparison: Comparison = "none"
    low: Bound = None
    high: Bound = None
    unit: str | None = None


class Unread(Frozen):
    """Words that look like a limit and were not understood."""

    quote: str
    why: str


class Guess(Frozen):
    """A misspelt word and the one that it is taken for."""

    quote: str
    taken_for: str


class Contradiction(Frozen):
    """Two passages that cannot both hold."""

    quotes: tuple[str, str]
    sentence: str


class Study(Frozen):
    """The typed facts of the question; what the brief does not say is None or empty."""

    objective: str = ""
    """One sentence, in the brief's words."""
    not_research: str | None = None
    """Why there is nothing to plan, in one sentence; None where there is."""
    families: tuple[FamilyScore, ...] = ()
    """Best first."""
    asks_family: bool = False
    """Whether the best is too weak, or two are too close, to plan on without asking."""
    unit: str | None = None
    comparator: str | None = None
    outcome: str | None = None
    budget: Budget | None = None
    start: str | None = None
    """ISO date."""
    deadline: Deadline | None = None
    closed: tuple[Closure, ...] = ()
    people: tuple[Person, ...] = ()
    prices: tuple[UnitPrice, ...] = ()
    effects: tuple[Effect, ...] = ()
    """Those worth finding, the one that the size is for first."""
    statistics: Statistics = Statistics()
    needed: Needed | None = None
    counts: tuple[Count, ...] = ()
    durations: tuple[Duration, ...] = ()
    limits: tuple[Limit, ...] = ()
    unread: tuple[Unread, ...] = ()
    guesses: tuple[Guess, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    spans: Mapping[str, tuple[int, int]] = {}
    """Where each value stands in the text: "budget", "limits.3"."""

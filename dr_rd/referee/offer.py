"""What the workbench can tell a rule set of work that bids, and what a rule set reports at the end.

A rule set of its own package may leave both out: it is then set up by its scenario alone, and its
result is the log and the outcome.
"""

from collections.abc import Mapping
from datetime import date
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from core.errors import unknown
from core.modes.referee.state import Played
from core.values import Amount, Frozen


class Job(Frozen):
    """One task of a stream of work."""

    id: str
    title: str
    start: Amount
    """Working days from the start of its stream."""
    days: Amount
    cost: Amount = 0
    """In the stream's currency."""
    person: str = ""
    """The role that does it; "" for none."""
    load: float = 1.0
    """Share of that person's days."""
    needs: tuple[str, ...] = ()
    """The jobs that it waits for."""


class Stream(Frozen):
    """Work that can be done or left: a direction of a brief, or a plan of its own."""

    id: str
    title: str
    value: float
    """Points: what it is worth."""
    why: str
    """What the points come from."""
    aims: Mapping[str, float] = {}
    """The points parted by what they are for; what two streams serve counts once. Empty where
    the stream is worth its points whatever else is done."""
    currency: str = ""
    jobs: tuple[Job, ...] = ()
    after: tuple[str, ...] = ()
    """Streams that must have started when it starts, as it builds on their work."""

    @property
    def days(self) -> float:
        """Working days from its start to its end."""
        return max((job.start + job.days for job in self.jobs), default=0.0)

    def until(self, job_id: str) -> "Stream":
        """Return the stream up to that job: it and all that it waits for.

        Raises CallerError if there is no such job.
        """
        known = {job.id: job for job in self.jobs}
        if job_id not in known:
            raise unknown(f"task of {self.id}", job_id, known)
        kept, open_ = set[str](), [job_id]
        while open_:
            kept.add(job := open_.pop())
            open_ += [need for need in known[job].needs if need in known and need not in kept]
        return self.model_copy(update={"jobs": tuple(j for j in self.jobs if j.id in kept)})


class Excluded(Frozen):
    """Work that may not bid."""

    id: str
    title: str
    reason: str


class Offer(Frozen):
    """What may be bid for, as far as a brief, plans and runs say it."""

    title: str
    noun: str = "workstream"
    """What one of the streams is called."""
    streams: tuple[Stream, ...]
    excluded: tuple[Excluded, ...] = ()
    currency: str = ""
    budget: Amount | None = None
    """In all; None if nobody set one."""
    budget_from: str = ""
    """Who set it."""
    days: Amount | None = None
    """Working days until all must have ended; None if nobody set a deadline."""
    days_from: str = ""
    start: date | None = None
    people: Mapping[str, str] = {}
    """Titles of the roles."""
    notes: tuple[str, ...] = ()
    """What was assumed on the way, a sentence each."""


@runtime_checkable
class Commissioned(Protocol):
    """A rule set that can be set up from work that bids."""

    def needs_offer(self, given: Mapping[str, JsonValue]) -> bool:
        """Whether what a scenario gives leaves anything to be taken from plans or runs."""
        ...

    def commission(
        self, offer: Offer | None, given: Mapping[str, JsonValue]
    ) -> Mapping[str, JsonValue]:
        """Return the setup of an *offer*, with what a scenario *given* says in its place.

        Raises CallerError that names what is wrong in the scenario.
        """
        ...


class Report(Frozen):
    """What a rule set has to say of an outcome beyond who won."""

    text: str
    """The whole result, in Markdown, its finding first."""
    finding: str = ""
    """What it comes to, in a sentence; the outcome's summary says it where this is empty."""
    facts: Mapping[str, JsonValue]
    """The same for programs, by the rule set's own schema."""


@runtime_checkable
class Reporting(Protocol):
    """A rule set that reports on its outcome."""

    def report(self, position: Frozen, played: Played) -> Report:
        """Return the report on a position that is over."""
        ...

"""What is bid for and what has been granted: values."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field, model_validator

from core.values import Amount, Frozen, Name, repeated

MONEY = "money"
"""The resource that costs are counted in; all others are people, in working days."""


class Limit(Frozen):
    """How much of a resource there is."""

    id: str
    """Such as "money in all"."""
    resource: str
    per: Literal["period", "total"]
    at_most: Amount
    unit: str
    """Such as "GBP" or "days"."""
    step: Amount = Field(gt=0)
    """By how much it is loosened to see what it costs."""
    source: str = ""
    """Who set it."""
    assumed: bool = False
    """Whether nobody set it."""


class Workstream(Frozen):
    """A package of work as it bids: whole, without a break, from the start of a period."""

    id: Name
    title: str
    points: float = Field(ge=0)
    why: str = ""
    """What the points come from."""
    aims: Mapping[str, float] = {}
    """The points parted by what they are for. An aim that several granted streams serve counts
    once, by the one that serves it best. Empty: the points count whatever else is granted."""
    days: Amount
    """Working days from its start to its end."""
    use: Mapping[str, tuple[Amount, ...]]
    """What it takes of each resource, by period from its start."""
    earliest: int = Field(default=0, ge=0)
    """The first period in which it may start, counted from 0."""
    latest: int | None = Field(default=None, ge=0)
    """The last one; None if any will do."""
    window: str = ""
    """Why it is held to those."""


class After(Frozen):
    """A stream that starts no earlier than some periods after another."""

    stream: str
    after: str
    lag: int = Field(default=1, ge=0)
    """Periods between the two starts; 0 lets both start in one."""
    why: str = ""


class Apart(Frozen):
    """Streams that exclude each other."""

    streams: tuple[str, ...] = Field(min_length=2)
    when: Literal["together", "ever"] = "together"
    """Whether they may not run in one period, or not both be chosen at all."""
    why: str = ""


class NotAdmitted(Frozen):
    """Work that may not bid, and why."""

    id: str
    title: str
    reason: str


class Setup(Frozen):
    """What is bid for, and by which rules."""

    title: str
    noun: Name = "workstream"
    """What one of those that bid is called."""
    currency: Name = ""
    periods: tuple[Name, ...] = Field(min_length=1, max_length=60)
    """Their names, in order."""
    period_days: Amount = Field(gt=0)
    """Working days of one."""
    horizon_days: Amount = Field(gt=0)
    """Working days until everything must have ended."""
    horizon_from: str = ""
    """Who set it."""
    horizon_assumed: bool = False
    """Whether nobody set it."""
    streams: tuple[Workstream, ...] = Field(min_length=1, max_length=40)
    """In the order in which they bid."""
    order_from: str = ""
    """What that order follows."""
    limits: tuple[Limit, ...] = ()
    after: tuple[After, ...] = ()
    apart: tuple[Apart, ...] = ()
    keep: tuple[str, ...] = ()
    """Minimum commitments: no bid may leave one of them without a start."""
    not_admitted: tuple[NotAdmitted, ...] = ()
    notes: tuple[str, ...] = ()
    """What was assumed, a sentence each."""

    @model_validator(mode="after")
    def _names_what_is_there(self) -> "Setup":
        ids = [stream.id for stream in self.streams]
        for kind, names in (
            ("two workstreams", ids),
            ("two periods", self.periods),
            ("two limits", [limit.id for limit in self.limits]),
        ):
            if twice := repeated(names):
                raise ValueError(f"{kind} are called {twice!r}")
        named = [*self.keep, *(s for apart in self.apart for s in apart.streams)]
        named += [s for after in self.after for s in (after.stream, after.after)]
        if strangers := [name for name in named if name not in ids]:
            raise ValueError(f"{strangers[0]!r} is no workstream; they are {', '.join(ids)}")
        return self

    def stream(self, stream_id: str) -> Workstream:
        """Return the stream with that id."""
        return next(stream for stream in self.streams if stream.id == stream_id)

    def worth(self, granted: Iterable[str]) -> float:
        """Return the points of a portfolio; an aim counts once, by the stream that serves it best."""
        streams, best = [self.stream(stream_id) for stream_id in granted], dict[str, float]()
        for stream in streams:
            for aim, points in stream.aims.items():
                best[aim] = max(points, best.get(aim, 0.0))
        own = sum(stream.points for stream in streams if not stream.aims)
        return round(own + sum(best.values()), 2)

    def adds(self, granted: Iterable[str], stream_id: str) -> float:
        """Return how many points a stream adds to what is *granted*."""
        others = [other for other in granted if other != stream_id]
        return round(self.worth([*others, stream_id]) - self.worth(others), 6)

    def idle(self, granted: Iterable[str], stream_id: str) -> bool:
        """Whether a stream may pass and serves nothing that is not served as well already."""
        may_pass = stream_id not in self.keep
        return (
            may_pass and bool(self.stream(stream_id).aims) and self.adds(granted, stream_id) <= 0
        )

    def uses(self, resource: str, stream: Workstream, start: int) -> tuple[float, ...]:
        """Return what a stream that starts in that period takes of a resource, by period."""
        return tuple(self.use_in(resource, stream, start, at) for at in range(len(self.periods)))

    def use_in(self, resource: str, stream: Workstream, start: int, period: int) -> float:
        """Return what it takes in one period."""
        own = stream.use.get(resource, ())
        return own[period - start] if 0 <= period - start < len(own) else 0.0

    def covers(self, stream: Workstream, start: int) -> range:
        """Return the periods in which a stream runs that starts in that one."""
        length = max(1, -int(-stream.days // self.period_days))
        return range(start, start + length)


class Position(Frozen):
    """What has been granted so far."""

    setup: Setup
    starts: Mapping[str, int] = {}
    """The period in which each granted stream starts."""
    turn: int = 0
    """How many streams have had their turn."""

    @property
    def bidder(self) -> str:
        """Whose turn it is; "" once all have had theirs."""
        streams = self.setup.streams
        return streams[self.turn].id if self.turn < len(streams) else ""

    @property
    def points(self) -> float:
        """What is granted is worth."""
        return self.setup.worth(self.starts)

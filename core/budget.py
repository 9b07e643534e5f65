"""What a run may spend: calls, tokens, money, time and attempts, counted over all its sittings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from core.clock import Clock
from core.errors import CallerError, Stopped
from core.events import AttemptJudged, Booted, CallEnded, CallTried, CapReached, Row
from core.settings import Flags


class CapHit(Stopped):
    """The run may spend no more of something; it goes on once the cap is raised."""

    def __init__(self, cap: str, limit: float, spent: float, run_id: str = "RUN") -> None:
        super().__init__(
            f"the run reached {cap}: {_number(spent)} of {_number(limit)} {_UNITS[cap]} are spent; "
            f"what it has is kept. Go on with a higher cap: "
            f"dr-rd resume {run_id} --set {cap}={_number(_raised(limit, spent))}"
        )
        self.cap, self.limit, self.spent = cap, limit, spent

    @property
    def event(self) -> CapReached:
        """What the trace says of it."""
        return CapReached(cap=self.cap, limit=self.limit, spent=self.spent)


_UNITS = {
    "MAX_CALLS": "calls",
    "MAX_TOKENS": "tokens",
    "MAX_COST_USD": "US dollars",
    "MAX_WALL_S": "seconds",
    "MAX_ATTEMPTS": "attempts",
}
_SPENT = {
    "MAX_CALLS": "calls",
    "MAX_TOKENS": "tokens",
    "MAX_COST_USD": "cost_usd",
    "MAX_WALL_S": "wall_s",
    "MAX_ATTEMPTS": "attempts",
}


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has spent."""

    calls: int = 0
    """HTTP requests, each retry counted."""
    tokens: int = 0
    """Sent and received, where the server said how many."""
    cost_usd: float = 0.0
    """Where prices are known."""
    wall_s: float = 0.0
    """From each start of a process to its last event."""
    attempts: int = 0
    """At tasks, over all tasks."""

    def __add__(self, other: "Spent") -> "Spent":
        """Join what two parts of a run spent."""
        return Spent(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.cost_usd + other.cost_usd,
            self.wall_s + other.wall_s,
            self.attempts + other.attempts,
        )


def spent(rows: Iterable[Row]) -> Spent:
    """Add up what the events of earlier sittings say was spent."""
    total, began, last = Spent(), None, None
    wall = 0.0
    for row in rows:
        now = datetime.fromisoformat(row.ts)
        if isinstance(row.event, Booted):
            wall += _seconds(began, last)
            began = now
        last = now
        if isinstance(row.event, CallTried | CallEnded | AttemptJudged):
            total += _of(row.event)
    return total + Spent(wall_s=wall + _seconds(began, last))


def _of(event: CallTried | CallEnded | AttemptJudged) -> Spent:
    if isinstance(event, CallTried):
        return Spent(calls=1, tokens=event.tokens)
    if isinstance(event, AttemptJudged):
        return Spent(attempts=1)
    tokens = (event.prompt_tokens or 0) + (event.completion_tokens or 0)
    return Spent(tokens=tokens, cost_usd=event.cost_usd or 0.0)


def _seconds(began: datetime | None, last: datetime | None) -> float:
    return (last - began).total_seconds() if began and last else 0.0


class Budget:
    """The caps of one run; asked before anything is spent.

    Calls and attempts count from the moment they are allowed, so that however many tasks ask at
    once, a cap of n never lets n + 1 through. Tokens and money are known only once a reply is
    there: calls already under way may go beyond those caps by what they cost.

    Args:
        flags: The caps.
        clock: Measures this sitting.
        past: The events of earlier sittings, oldest first.
        run_id: Named in the remedy.

    """

    def __init__(
        self, flags: Flags, clock: Clock, past: Iterable[Row] = (), run_id: str = "RUN"
    ) -> None:
        self._clock, self._began = clock, clock.monotonic()
        self._sum = spent(past)
        self._run_id = run_id
        self._caps: Mapping[str, float] = {cap: getattr(flags, cap) for cap in _UNITS}

    @property
    def spent(self) -> Spent:
        """What the run has spent so far, earlier sittings included."""
        return replace(self._sum, wall_s=self._wall_s())

    def before_call(self) -> None:
        """Count one HTTP request; raises CapHit if the run may make no more."""
        so_far = self._sum
        self._check("MAX_CALLS", so_far.calls)
        self._check("MAX_TOKENS", so_far.tokens)
        self._check("MAX_COST_USD", so_far.cost_usd)
        self._check("MAX_WALL_S", self._wall_s())
        self._sum = replace(so_far, calls=so_far.calls + 1)

    def before_attempt(self) -> None:
        """Count one attempt at a task; raises CapHit if the run may make no more."""
        self._check("MAX_ATTEMPTS", self._sum.attempts)
        self._check("MAX_WALL_S", self._wall_s())
        self._sum = replace(self._sum, attempts=self._sum.attempts + 1)

    def spent_call(self, tokens: int | None, cost_usd: float | None) -> None:
        """Add what a reply cost; None where nobody knows."""
        self._sum += Spent(tokens=tokens or 0, cost_usd=cost_usd or 0.0)

    def left_s(self) -> float:
        """Return how long the run may still go on, in seconds."""
        return self._caps["MAX_WALL_S"] - self._wall_s()

    async def wait(self, seconds: float) -> None:
        """Wait that long; raises CapHit as soon as the run's time is over."""
        left_s = self.left_s()
        await self._clock.sleep(max(0.0, min(seconds, left_s)))
        if seconds >= left_s:
            raise self.out_of_time()

    def out_of_time(self) -> CapHit:
        """Return what stops a call or a wait that is under way when the run's time is over."""
        limit = self._caps["MAX_WALL_S"]
        return CapHit("MAX_WALL_S", limit, max(limit, self._wall_s()), self._run_id)

    def _wall_s(self) -> float:
        return self._sum.wall_s + self._clock.monotonic() - self._began

    def _check(self, cap: str, spent: float) -> None:
        limit = self._caps[cap]
        # a cap of no money still lets calls through whose price is 0 or unknown
        if spent > limit or (spent == limit and limit != 0):
            raise CapHit(cap, limit, spent, self._run_id)


def check_caps(flags: Flags, so_far: Spent) -> None:
    """Raise CallerError naming the first cap that is below what a run has spent already."""
    for cap, name in _SPENT.items():
        limit, spent = getattr(flags, cap), getattr(so_far, name)
        if limit < spent:
            raise CallerError(
                f"{cap}={_number(limit)} is less than the {_number(spent)} {_UNITS[cap]} that the "
                f"run has spent already; give more, such as {cap}={_number(_raised(limit, spent))}"
            )


def _raised(limit: float, spent: float) -> float:
    """Return twice the cap, or twice what is spent if that went beyond it."""
    return round(2 * max(limit, spent), 2) or 1.0


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")

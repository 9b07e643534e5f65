"""Calls under way, as people watch them: in memory alone, on no record and in no replay."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from core.clock import Clock
from core.pluralize import pluralize

_CHARS = 4
"""Characters of a token, about: some servers send many tokens in one piece."""


class Partial:
    """What has come of a reply: it grows on the run's loop, and any thread may look at it.

    Args:
        clean: Takes secrets out of a text that is cut anywhere, and an end that may begin one.

    """

    def __init__(self, clean: Callable[[str], str]) -> None:
        self._clean = clean
        self._restore: Callable[[str], str] | None = None
        self._pieces: list[str] = []
        self._chars = 0
        self._seen = (0, "")

    def add(self, piece: str) -> None:
        """Take the next piece; one without text was a step of the model all the same."""
        self._pieces.append(piece)
        self._chars += len(piece)

    def restored_by(self, restore: Callable[[str], str]) -> None:
        """Have *restore* put back what was hidden from the server, before anybody looks."""
        self._restore = restore

    @property
    def tokens(self) -> int:
        """About how many tokens have come."""
        return max(len(self._pieces), self._chars // _CHARS)

    def text(self) -> str:
        """Return what may be seen of it now."""
        count, seen = self._seen
        if count != len(self._pieces):
            pieces = tuple(self._pieces)
            whole = "".join(pieces)
            seen = self._clean(self._restore(whole) if self._restore else whole)
            self._seen = (len(pieces), seen)
        return seen


@dataclass(frozen=True, slots=True)
class LiveCall:
    """A call to a model's server, at one moment while it is under way."""

    call_id: str
    task_id: str
    """"" where it belongs to no task."""
    purpose: str
    model: str
    tries: int
    seconds: float
    """Since the call began, its waits counted."""
    tokens: int
    """About how many have come of this try's reply; 0 of one that comes in one piece."""
    text: str

    def headline(self) -> str:
        """Return its line for a person who watches the run."""
        of = f"{self.task_id} " if self.task_id else ""
        came = f"about {pluralize(self.tokens, 'token')}, " if self.tokens else ""
        again = f", try {self.tries}" if self.tries > 1 else ""
        return f"{of}{self.purpose.replace('-', ' ')}: {came}{self.seconds:.0f} s{again}"


@dataclass(slots=True)
class CallUnderWay:
    """A call that is being made; each of its tries begins a reply anew."""

    call_id: str
    task_id: str
    purpose: str
    model: str
    clock: Clock
    began_s: float
    tries: int = 0
    partial: Partial = field(default_factory=lambda: Partial(str))

    def begin_try(self, clean: Callable[[str], str]) -> Partial:
        """Return what takes the pieces of the next try's reply."""
        self.tries += 1
        self.partial = Partial(clean)
        return self.partial

    def seen(self, *, words: bool) -> LiveCall:
        """Return how it stands now, with the *words* that have come or without."""
        partial = self.partial
        return LiveCall(
            call_id=self.call_id,
            task_id=self.task_id,
            purpose=self.purpose,
            model=self.model,
            tries=self.tries,
            seconds=self.clock.monotonic() - self.began_s,
            tokens=partial.tokens,
            text=partial.text() if words else "",
        )


Watched = Callable[[str, str, str, str], AbstractContextManager[CallUnderWay]]
"""Lets people watch a call while it is made: its id, task, purpose and model."""


class LiveCalls:
    """The calls under way in the runs of this process."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[str, str], CallUnderWay] = {}

    @contextmanager
    def watched(
        self, run_id: str, clock: Clock, call_id: str, task_id: str, purpose: str, model: str
    ) -> Iterator[CallUnderWay]:
        """Let people watch a call of a run until it ends."""
        call = CallUnderWay(call_id, task_id, purpose, model, clock, clock.monotonic())
        self._under_way[run_id, call_id] = call
        try:
            yield call
        finally:
            del self._under_way[run_id, call_id]

    def of(self, run_id: str, *, words: bool = True) -> tuple[LiveCall, ...]:
        """Return the calls under way in a run, the oldest first; any thread may ask.

        Without *words* it is not said what has come of them.
        """
        every = self._under_way.copy().items()
        return tuple(call.seen(words=words) for (run, _), call in every if run == run_id)

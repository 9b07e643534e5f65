"""Calls held back from a server that fails again and again."""

from typing import Literal

import anyio

from core.clock import Clock


class Breaker:
    """Holds calls to one server back once it fails again and again.

    After *limit* transient failures in a row calls wait. When *pause_s* is over one of them may
    try; if it is answered all go on, if not they wait once more.
    """

    def __init__(self, limit: int, pause_s: float) -> None:
        self.state: Literal["open", "probing", "closed"] = "closed"
        self.reason = ""
        self._limit, self._pause_s = limit, pause_s
        self._failures = 0
        self._until = 0.0
        self._moved: anyio.Event | None = None

    async def pass_by(self, clock: Clock) -> bool:
        """Wait until a call may go out; return whether it is the one that tries the server.

        Who does must say how it went: answered, failed or gave_up.
        """
        while self.state != "closed":
            left = self._until - clock.monotonic()
            if self.state == "probing":
                self._moved = self._moved or anyio.Event()
                await self._moved.wait()
            elif left > 0:
                await clock.sleep(left)
            else:
                self.state = "probing"
                return True
        return False

    def wait_s(self, clock: Clock) -> float:
        """Return how long it will hold calls back at least, in seconds."""
        return max(0.0, self._until - clock.monotonic()) if self.state == "open" else 0.0

    def answered(self) -> None:
        """Take note that the server is there."""
        self._failures = 0
        self._move("closed", "the server answers again")

    def failed(self, clock: Clock, reason: str) -> None:
        """Take note of a transient failure."""
        self._failures += 1
        if self.state == "probing" or (self.state == "closed" and self._failures >= self._limit):
            self._until = clock.monotonic() + self._pause_s
            self._move("open", f"{self._failures} failures in a row, the last: {reason}")

    def gave_up(self) -> None:
        """Take note that the one that tried the server did not get to it; another may."""
        self._move("open", self.reason)

    def _move(self, state: Literal["open", "closed"], reason: str) -> None:
        if state != self.state:
            self.state, self.reason = state, reason
            moved, self._moved = self._moved, None
            if moved:
                moved.set()


class Breakers:
    """The breakers of a process, one for each server; its runs share them."""

    def __init__(self, limit: int = 5, pause_s: float = 30.0) -> None:
        self._limit, self._pause_s = limit, pause_s
        self._known: dict[str, Breaker] = {}

    def of(self, endpoint: str) -> Breaker:
        """Return the breaker of that server."""
        return self._known.setdefault(endpoint, Breaker(self._limit, self._pause_s))

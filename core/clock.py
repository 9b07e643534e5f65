"""The only place that reads time, sleeps, or makes ids and random numbers."""

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

import anyio

RandomFor = Callable[[str], random.Random]
"""Gives each name a stream of its own, so that one task's draws never shift another's."""


class Clock(Protocol):
    """Time, as a dependency."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from some fixed moment; it never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds from some fixed moment; it never goes back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        await anyio.sleep(seconds)


def stamp(moment: datetime) -> str:
    """Write a UTC time the way every file of a run does, to the millisecond."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return f"{utc.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def new_run_id(clock: Clock, chance: random.Random) -> str:
    """Make a run id that sorts by time: the moment to the millisecond and six random letters."""
    moment = clock.now().astimezone(UTC)
    tail = "".join(chance.choices("abcdefghijkmnpqrstuvwxyz23456789", k=6))
    return f"{moment:%Y%m%d-%H%M%S}-{moment.microsecond // 1000:03d}-{tail}"


def fresh_random() -> random.Random:
    """Return an unpredictable source, for ids."""
    return random.SystemRandom()


def seeded(seed: int) -> RandomFor:
    """Return a factory of reproducible sources, one stream for each name."""

    def source(name: str) -> random.Random:
        return random.Random(f"{seed}/{name}")  # noqa: S311 - reproducible on purpose, no secret

    return source

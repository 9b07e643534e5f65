"""Scripted voices, a scripted table, and a clock that a test moves by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio

from core.clock import seeded
from core.errors import TaskError
from core.modes.downselect.nodes import Opening, Report
from core.modes.downselect.play import dealt
from core.modes.downselect.room import Room
from core.modes.downselect.state import Game, Option, Player, Rules, Wish
from core.modes.downselect.voices import Choice, Look, Speech

SECRETS = ("secret-role", "Secret Title")
"""Words that stand in every scripted seat's role and title, and nowhere else."""


@dataclass
class Scripted:
    """A voice that says and votes what it is told to; "" in its script is silence."""

    lines: Sequence[str] = ()
    votes: Sequence[str] = ()
    """Labels; "?" raises."""
    wishes: Sequence[bool] = ()
    """What it decides, one after the other; then whether it has lines left."""
    slow: anyio.Event | None = None
    """Waited for before each answer."""
    seen: list[tuple[str, Look]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    said: int = 0
    voted: int = 0
    wished: int = 0

    async def wish(self, look: Look) -> Wish:
        self.seen.append(("wish", look))
        if self.slow:
            await self.slow.wait()
        self.wished += 1
        if self.wished <= len(self.wishes):
            return Wish(should_respond=self.wishes[self.wished - 1], reason="scripted")
        return Wish(should_respond=self.said < len(self.lines), reason="has lines")

    async def speak(self, look: Look) -> Speech:
        self.seen.append(("speak", look))
        if self.slow:
            await self.slow.wait()
        self.said += 1
        line = self.lines[self.said - 1]
        if line == "?":
            raise TaskError("no words")
        return Speech(text=line)

    async def vote(self, look: Look, refused: str) -> Choice:
        self.seen.append(("vote", look))
        self.refusals.append(refused)
        if self.slow:
            await self.slow.wait()
        self.voted += 1
        wanted = (
            self.votes[min(self.voted, len(self.votes)) - 1] if self.votes else look.targets[-1]
        )
        if wanted == "?":
            raise TaskError("no ballot")
        rest = tuple(t for t in look.targets if t != wanted)
        return Choice(vote=wanted, reason="scripted", ranking=(*rest, wanted))


@dataclass(frozen=True)
class Steady:
    """A voice without memory: it says one line a round and drops the last it may."""

    name: str

    async def wish(self, look: Look) -> Wish:
        said = any(line.mine for line in look.all_lines[-look.this_round :]) and look.this_round
        return Wish(should_respond=not said, reason="once a round")

    async def speak(self, look: Look) -> Speech:
        return Speech(text=f"line of round {look.round} after {len(look.all_lines)}")

    async def vote(self, look: Look, refused: str) -> Choice:
        return Choice(vote=look.targets[-1], reason="the last one", ranking=look.targets)


class Unreadable(Scripted):
    """A voice whose decisions cannot be read."""

    async def wish(self, look: Look) -> Wish:
        raise TaskError("no JSON")


@dataclass
class ScriptedTable:
    """A table whose voices are given by player id."""

    voices: Mapping[str, Any]
    opening: Opening

    def voice_of(self, player: Player, labels: Mapping[str, str]) -> Any:
        return self.voices[player.id]

    def report(self, game: Game) -> Report:
        return Report(
            text="# Result\n" + "\n".join(game.chat_history.lines()) + f"\n{game.left}\n",
            data={"kept": list(game.left), "winner": game.winner},
        )


def seats(voices: int, people: int = 0) -> tuple[Player, ...]:
    return (
        *(
            Player(id=f"v{n}", role="ai", personality=f"secret-role-{n}", name=f"Secret Title {n}")
            for n in range(1, voices + 1)
        ),
        *(Player(id=f"p{n}", role="human", name=f"ann{n}") for n in range(1, people + 1)),
    )


def three() -> tuple[Option, ...]:
    return tuple(Option(id=f"SECRET-{n}", text=f"way number {n}") for n in (1, 2, 3))


def table(voices: Mapping[str, Any], people: int = 0, **rules: Any) -> ScriptedTable:
    """A table over three options, or between participants with topics."""
    players = rules.get("vote_for") == "players"
    return ScriptedTable(
        voices,
        Opening(
            rules=Rules(**rules),
            players=seats(len(voices), people),
            options=() if players else three(),
            topics=("rain", "snow", "fog", "wind") if players else (),
        ),
    )


def game(voices: int = 3, people: int = 0, seed: int = 0, **rules: Any) -> Game:
    given = table({f"v{n}": None for n in range(1, voices + 1)}, people, **rules).opening
    return dealt(
        room_code="room",
        rules=given.rules,
        players=given.players,
        options=given.options,
        topics=given.topics,
        seed=seed,
        chance=seeded(seed),
    )


class HandClock:
    """Time that a test moves; who sleeps wakes when its time has come, in order."""

    def __init__(self) -> None:
        self.passed = 0.0
        self._sleepers: list[tuple[float, int, anyio.Event]] = []
        self._count = 0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return self.passed

    async def sleep(self, seconds: float) -> None:
        self._count += 1
        woken = anyio.Event()
        self._sleepers.append((self.passed + seconds, self._count, woken))
        await woken.wait()

    async def advance(self, seconds: float) -> None:
        """Let so much time pass, waking each sleeper at its moment."""
        end = self.passed + seconds
        await settled()
        while due := [s for s in self._sleepers if s[0] <= end]:
            first = min(due)
            self._sleepers.remove(first)
            self.passed = max(self.passed, first[0])
            first[2].set()
            await settled()
        self.passed = end
        await settled()


async def settled() -> None:
    """Let whatever can run without time passing run."""
    for _ in range(30):
        await anyio.lowlevel.checkpoint()


def room(
    voices: Mapping[str, Any], people: int = 0, seed: int = 0, clock: Any = None, **rules: Any
) -> tuple[Room, HandClock]:
    clock = clock or HandClock()
    dealt_game = game(len(voices), people, seed, **rules)
    made = Room(dealt_game, lambda player, labels: voices[player.id], clock, seeded(seed))
    return made, clock

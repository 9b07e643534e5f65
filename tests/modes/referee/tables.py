"""A table for tests: a toy's rules, people in some seats, and players with a script."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.driving import Outcome, drive
from core.kit import Kit
from core.modes.referee.state import Game, Played, Refused, Said
from core.modes.referee.views import read_state, states
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts
from core.trace import read_events
from core.values import Frozen
from tests.toys.toy_rules import RULES

OPTIONS = RunOptions(mode="referee", seed=3)

Script = Callable[[str, int, Sequence[Refused]], str | None]
"""What a player writes in a turn after some refusals; None leaves it to the built-in player."""


def built_in(player: str, number: int, refused: Sequence[Refused]) -> str | None:
    """Leave everything to the built-in player."""
    return None


@dataclass
class ToyTable:
    """High card, with what a test says of it."""

    kit: Kit
    script: Script = built_in
    people: Mapping[str, str] = field(default_factory=dict)
    retries: int = 2
    cards: int = 3
    rules = RULES

    @property
    def setup(self):
        return {"cards": self.cards}

    async def decide(self, position: Frozen, player: str, number: int, refused) -> Said:
        text = self.script(player, number, refused)
        if text is not None:
            return Said(text=text)
        chance = self.kit.chance(f"{number}/{player}")
        return Said(text=RULES.choose(position, chance).text)

    def result(self, position: Frozen, played: Played):
        lines = [f"{line.round} {line.author}: {line.text}" for line in played.log]
        facts = {"winners": list(played.outcome.winners), "forced": _forced(played)}
        return "\n".join([f"# {played.outcome.summary}", "", *lines, ""]), facts


def _forced(played: Played) -> int:
    return sum(turn.forced for turn in played.turns)


def parts(**said) -> FakeParts:
    """Return the parts of a run at such a table."""
    return FakeParts((), OPTIONS, make_content=lambda kit: ToyTable(kit, **said))


def begun(root) -> RunFolder:
    """Return the folder of a run that has not begun."""
    return RunStore(root).create("run", OPTIONS, {"idea": "cards"})


def driven(folder: RunFolder, **said) -> Outcome:
    """Drive the run as far as it goes."""
    return asyncio.run(drive(folder, parts(**said), FakeClock()))


def positions(folder: RunFolder) -> list[Game]:
    """Return every state that the run came through, in order."""
    rows = list(read_events(folder.trace_path))
    return [read_state(folder, digest) for digest in states(rows)]

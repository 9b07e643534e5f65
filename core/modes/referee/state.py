"""The state of a game under rules, and what it needs of the workbench."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import JsonValue

from core.kit import Kit
from core.messages import Message, MessageLog
from core.rules import Move, RuleOutcome, RuleSet, Ruling
from core.values import Frozen

ONLOOKER = ""
"""Who sees what is public and no more."""

REFEREE = "referee"
"""Who tells the log of refusals."""


class Turn(Frozen):
    """A legal move that was made."""

    player: str
    action: str
    """The move in the rule set's grammar."""
    refused: int = 0
    """How many decisions of the same turn were refused before it."""
    forced: bool = False
    """Whether the referee made it, because the player found no legal one."""


class Refused(Frozen):
    """A decision of the turn in hand that was sent back."""

    text: str
    """What the player wrote."""
    move: Move | None = None
    """What it means; None where it cannot be read."""
    ruling: Ruling


class Said(Frozen):
    """What a player decides, as it is written."""

    text: str
    marks: tuple[str, ...] = ()
    """How it came about, such as "person" or "failed"."""


class Game(Frozen):
    """One game, or one allocation, under a set of rules."""

    game: Mapping[str, JsonValue] = {}
    """The position, hidden parts included; no view, prompt, event or log has it."""
    views: Mapping[str, Mapping[str, JsonValue]] = {}
    """What each player may see, by id, and what an onlooker may."""
    current_player_id: str = ""
    messages: MessageLog = MessageLog()
    """The public log."""
    turn_history: tuple[Turn, ...] = ()
    game_over: bool = False
    winner: str = ""
    """Who won, or the winners' side; "" while nobody has."""
    summary: str = ""
    last_valid_move: Move | None = None
    invalid_move_feedback: str = ""
    """Why the last decision was refused; for the same player alone. "" after a legal one."""
    refused: tuple[Refused, ...] = ()
    """The decisions of the turn in hand that were sent back."""
    decision: Said | None = None
    """What was decided and is not judged yet."""
    retries: int = 0
    """How often a player is asked again in one turn."""
    most_moves: int = 0

    @property
    def question_id(self) -> str:
        """The name of the question that the turn in hand is to a person."""
        return f"turn-{len(self.turn_history) + 1}-try-{len(self.refused) + 1}"


class Played(Frozen):
    """A game that is over, for whoever writes its result."""

    turns: tuple[Turn, ...]
    log: tuple[Message, ...]
    outcome: RuleOutcome


class Table(Protocol):
    """What a game needs of the workbench: its rules, and who sits there."""

    @property
    def rules(self) -> RuleSet[Any]:
        """The rules."""
        ...

    @property
    def setup(self) -> Mapping[str, JsonValue]:
        """What is played for, as the rules ask for it."""
        ...

    @property
    def people(self) -> Mapping[str, str]:
        """The seats that people hold: by player's id, who may answer; "" is anybody."""
        ...

    @property
    def retries(self) -> int:
        """How often a player is asked again in one turn before the referee moves."""
        ...

    async def decide(
        self, position: Frozen, player: str, number: int, refused: Sequence[Refused]
    ) -> Said:
        """Return what a player decides who is no person; *number* counts the turns from 1."""
        ...

    def result(self, position: Frozen, played: Played) -> tuple[str, JsonValue]:
        """Return the result for people, in Markdown, and for programs."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Deps(Kit):
    """The kit and the table."""

    table: Table

    def position(self, state: Game) -> Frozen:
        """Return the position of a state."""
        found: Frozen = self.table.rules.position.model_validate(state.game)
        return found

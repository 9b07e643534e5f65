"""What a set of rules is to the mode that referees it: legal moves, refusals, an outcome, views.

A rule set knows no engine: it is pure functions of a position, which is a frozen value.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, Generic, TypeVar

from pydantic import JsonValue

from core.values import Frozen

LONGEST = 2_000
"""Legal moves after which a set of rules is at fault that says nothing else of its length."""

P = TypeVar("P", bound=Frozen)
"""A position: all that the rules need to go on, hidden parts included."""


class Move(Frozen):
    """What a player decides, as typed data and as it is written."""

    text: str
    """The decision in the rule set's grammar, such as "play 3 3 4 4 5 5" or "pass"."""
    data: Mapping[str, JsonValue] = {}
    """The same for programs."""


class Ruling(Frozen):
    """What the referee says of a move."""

    legal: bool
    reason: str = ""
    """Why it is refused, by the rule that it breaks and by how much; "" where it is legal."""
    facts: Mapping[str, JsonValue] = {}
    """What the reason rests on, such as a limit, what is asked and what is left."""
    public: str = ""
    """What of the reason everybody may know; "" tells the others no more than that it was refused."""


class RuleOutcome(Frozen):
    """How it ended."""

    winners: tuple[str, ...] = ()
    """Who won, by player's id; empty where nobody wins."""
    side: str = ""
    """The winners' common name, such as "farmers"; "" where they have none."""
    summary: str
    """The same in a sentence."""
    facts: Mapping[str, JsonValue] = {}


class RuleSet(ABC, Generic[P]):
    """The rules of one kind of refereed moves."""

    id: ClassVar[str]
    title: ClassVar[str]
    position: type[P]
    """The class of its positions, by which one is read back from a record."""

    @abstractmethod
    def start(self, setup: Mapping[str, JsonValue], chance: Random) -> P:
        """Return the first position; raises CallerError if the setup cannot be played."""

    @abstractmethod
    def players(self, position: P) -> tuple[str, ...]:
        """Return the ids of all players, in the order in which they sit."""

    @abstractmethod
    def to_move(self, position: P) -> str:
        """Return whose turn it is; "" once it is over."""

    @abstractmethod
    def legal_moves(self, position: P) -> Sequence[Move]:
        """Return what the player to move may do, in a fixed order; never empty before the end."""

    @abstractmethod
    def read(self, text: str) -> Move:
        """Read a decision as a player writes it; raises CallerError that tells the grammar."""

    @abstractmethod
    def validate(self, position: P, move: Move) -> Ruling:
        """Say whether the player to move may do so, and if not why; changes nothing."""

    @abstractmethod
    def apply(self, position: P, move: Move) -> P:
        """Return the position after a legal move; raises ValueError for one that is not."""

    @abstractmethod
    def forced(self, position: P) -> Move:
        """Return the legal move that is made for a player who finds none in time."""

    @abstractmethod
    def choose(self, position: P, chance: Random) -> Move:
        """Return what the built-in player does; it sees no more than its own view."""

    def choose_again(
        self, position: P, refused: Sequence[tuple[Move, Ruling]], chance: Random
    ) -> Move:
        """Return what the built-in player does after the referee's refusals in the same turn."""
        del refused
        return self.choose(position, chance)

    def longest(self, position: P) -> int:
        """Return how many legal moves it takes at most to come from there to its end."""
        del position
        return LONGEST

    @abstractmethod
    def outcome(self, position: P) -> RuleOutcome | None:
        """Return how it ended, or None while it goes on."""

    @abstractmethod
    def view(self, position: P, player: str) -> Mapping[str, JsonValue]:
        """Return what *player* may see; "" is an onlooker, who sees what is public."""

    @abstractmethod
    def describe(self, position: P, player: str) -> str:
        """Return the player's view for a prompt: the rules in brief, what is public, own hand."""

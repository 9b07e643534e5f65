"""A position of the game: hands and bottom cards, bids and plays so far, and what is to be beaten."""

from typing import Final, Literal

from pydantic import Field

from core.clock import seeded
from core.values import Frozen
from dr_rd.referee.doudizhu.cards import DECK, RANKS, in_order
from dr_rd.referee.doudizhu.combinations import Reading, Variants

PLAYERS = ("player_1", "player_2", "player_3")
"""In the order in which they sit and take turns."""

LANDLORD, FARMERS = "landlord", "farmers"
"""The two sides."""

BIDDING: Final = "bidding"
IN_PROGRESS: Final = "in_progress"
FINISHED: Final = "finished"

BID, NO_BID, PASS = "bid", "no bid", "pass"
"""What is done without cards; who passes in the auction makes no bid."""

HIGHEST_BID = 3

_HAND = 17

Status = Literal["bidding", "in_progress", "finished"]


class Action(Frozen):
    """What a player has done; everybody sees it."""

    deal: int
    """In which deal, counted from 1."""
    player: str
    kind: str
    """One of "bid", "no bid" and "pass", or what the cards are read as, such as "pair chain"."""
    bid: int = 0
    """1 to 3 of a bid; 0 otherwise."""
    cards: tuple[str, ...] = ()
    """What was played, lowest first."""


class Table(Frozen):
    """The play that must be beaten."""

    player: str
    cards: tuple[str, ...]
    kind: str
    length: int
    rank: str

    @property
    def reading(self) -> Reading:
        """What the cards are read as."""
        return Reading(self.kind, self.length, RANKS.index(self.rank))


class Position(Frozen):
    """All there is to a game at one moment, hidden cards included."""

    variants: Variants
    names: tuple[str, str, str] = PLAYERS
    """What the players are called, as they sit."""
    seed: int = Field(ge=0)
    """From which every deal is shuffled; it gives all hands away."""
    deal: int = 1
    hands: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    bottom: tuple[str, ...]
    """The three bottom cards; the landlord's hand holds them after the auction."""
    turn: int
    """Whose turn it is, by place in `PLAYERS`; after the end, whose it was."""
    actions: tuple[Action, ...] = ()
    """Of all deals, oldest first."""
    landlord: int | None = None
    """By place in `PLAYERS`; None during the auction."""
    table: Table | None = None
    """None where the player to move leads."""
    passes: int = 0
    """Since the last play."""
    winner: Literal["", "landlord", "farmers"] = ""

    @property
    def status(self) -> Status:
        """Where the game is: its auction, its play, or its end."""
        if self.winner:
            return FINISHED
        return BIDDING if self.landlord is None else IN_PROGRESS

    @property
    def player(self) -> str:
        """Whose turn it is; after the end, whose it was."""
        return PLAYERS[self.turn]

    @property
    def auction(self) -> tuple[Action, ...]:
        """What was said so far in this deal's auction."""
        said = (action for action in self.actions if action.kind in (BID, NO_BID))
        return tuple(action for action in said if action.deal == self.deal)

    @property
    def highest_bid(self) -> int:
        """The highest bid of this deal; 0 before there is one."""
        return max((action.bid for action in self.auction), default=0)

    @property
    def must_bid(self) -> bool:
        """Whether the player to move is the last who can keep the last deal from being thrown in."""
        return (
            self.status == BIDDING
            and self.deal == self.variants.deals
            and len(self.auction) == len(PLAYERS) - 1
            and not self.highest_bid
        )

    @property
    def played(self) -> tuple[str, ...]:
        """All cards played, in the order of the plays."""
        return tuple(card for action in self.actions for card in action.cards)

    def role(self, place: int) -> str | None:
        """Return "landlord" or "farmer"; None during the auction."""
        if self.landlord is None:
            return None
        return LANDLORD if place == self.landlord else "farmer"


def dealt(
    seed: int,
    number: int,
    variants: Variants,
    names: tuple[str, str, str],
    actions: tuple[Action, ...] = (),
) -> Position:
    """Return the position after deal *number*: 17 cards each, 3 at the bottom, first bidder drawn."""
    chance = seeded(seed)(f"deal {number}")
    cards = list(DECK)
    chance.shuffle(cards)
    first, second, third = (in_order(cards[at : at + _HAND]) for at in range(0, 3 * _HAND, _HAND))
    return Position(
        variants=variants,
        names=names,
        seed=seed,
        deal=number,
        hands=(first, second, third),
        bottom=in_order(cards[3 * _HAND :]),
        turn=chance.randrange(len(PLAYERS)),
        actions=actions,
    )

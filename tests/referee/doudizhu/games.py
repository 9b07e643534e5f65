"""Games of Dou Dizhu, played and set up."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from core.clock import seeded
from core.rules import Move
from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.cards import DECK, counted, in_order, without
from dr_rd.referee.doudizhu.combinations import Variants
from dr_rd.referee.doudizhu.position import PLAYERS, Position

LOOSE = Variants(kickers_repeat=True, jokers_ride=True)

Chooser = Callable[[Position, Random], Move]


def drawn(seed: int) -> Random:
    """Return the source of chance of that seed."""
    return seeded(seed)("game")


def words(text: str) -> tuple[str, ...]:
    """Return cards as they are written for `at`."""
    return in_order(text.split())


def started(seed: int = 1, *, name: str = "game", **setup: Any) -> Position:
    """Return the first position under that seed, and that name of the source of chance."""
    return RULES.start(setup, seeded(seed)(name))


def done(position: Position, *texts: str) -> Position:
    """Return the position after those decisions, which must be legal."""
    for text in texts:
        position = RULES.apply(position, RULES.read(text))
    return position


def refusal(position: Position, text: str) -> str:
    """Return why a decision is refused; "" where it is legal."""
    ruling = RULES.validate(position, RULES.read(text))
    assert bool(ruling.reason) != ruling.legal
    return ruling.reason


def at(hand: str, *, variants: Mapping[str, Any] | None = None) -> Position:
    """Return a position in which player_1, the landlord, leads with that *hand*.

    The other cards are the others' as far as they have room for them.
    """
    own = in_order(hand.split())
    left = without(counted(DECK), counted(own))
    assert min(left) >= 0, "there are no such cards"
    rest = [card for card in DECK]
    for card in own:
        rest.remove(card)
    begun = started(variants=dict(variants or {}))
    first = begun.model_copy(update={"turn": 0})
    auctioned = done(first, "bid 3")
    hands = (own, in_order(rest[:17]), in_order(rest[17:34]))
    return auctioned.model_copy(update={"hands": hands})


def answering(hand: str, table: str, **given: Any) -> Position:
    """Return a position in which player_2 holds *hand* and *table* is to be beaten."""
    led = at(f"{table} 3", **given)
    after = done(led, f"play {table}")
    assert after.player == PLAYERS[1]
    return after.model_copy(update={"hands": (after.hands[0], words(hand), after.hands[2])})


def builtin(position: Position, chance: Random) -> Move:
    return RULES.choose(position, chance)


def random_legal(position: Position, chance: Random) -> Move:
    return chance.choice(RULES.legal_moves(position))


def played(
    position: Position, chance: Random, choose: Chooser
) -> tuple[list[Position], list[Move]]:
    """Play to the end; return every position and every move."""
    positions, moves = [position], []
    while RULES.to_move(positions[-1]):
        moves.append(choose(positions[-1], chance))
        positions.append(RULES.apply(positions[-1], moves[-1]))
    return positions, moves

"""The built-in player: it is given a view, and so knows no hand but its own.

It plays what leaves the lightest hand (`hands.burden`), goes out by plays that no unseen card can
beat where it sees such a line, leaves the other farmer's plays alone, and keeps an enemy who is
about to go out from the kind of play that would let it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import JsonValue

from core.rules import Move
from dr_rd.referee.doudizhu.cards import DECK, Counts, cards_of, counted, without
from dr_rd.referee.doudizhu.combinations import (
    BOMB,
    PAIR,
    ROCKET,
    SINGLE,
    Reading,
    Variants,
    beats,
    readings,
)
from dr_rd.referee.doudizhu.generator import plays
from dr_rd.referee.doudizhu.grammar import PASS, bid, play
from dr_rd.referee.doudizhu.hands import burden, fewest_plays, worth_bidding
from dr_rd.referee.doudizhu.position import BIDDING, LANDLORD, Table

_LINE = 4
"""Plays ahead for which a line is sought that cannot be stopped."""

_NEARLY_OUT = 2
"""Cards of a player who is about to go out."""

_LOW = 7
"""Place of the 10: a farmer may go over the other one's single or pair up to that rank."""

_PASSING = 0.7
"""What a pass costs beyond the hand that it leaves, in plays."""

_URGENT = 1.5
"""The same where an enemy is about to go out."""


@dataclass(frozen=True)
class Seen:
    """What a player makes of its view."""

    hand: Counts
    unseen: Counts
    """All cards that it neither holds nor has seen played."""
    variants: Variants
    table: Table | None
    partner: str
    """The other farmer; "" for the landlord."""
    enemies: Mapping[str, int]
    """Cards of each enemy."""
    partner_count: int
    """Cards of the other farmer; 0 for the landlord."""
    next: str
    """Who moves after this player."""

    @cached_property
    def choices(self) -> Sequence[Counts]:
        """What may be played."""
        return plays(self.hand, self.variants, self.table.reading if self.table else None)

    @property
    def fewest(self) -> int:
        """Cards of the enemy who has fewest."""
        return min(self.enemies.values())

    def reading(self, choice: Counts) -> Reading:
        """What *choice* is read as once it is on the table."""
        found = readings(cards_of(choice), self.variants)
        table = self.table
        return next(r for r in found if table is None or beats(r, table.reading))

    def holds(self, reading: Reading) -> bool:
        """Whether no unseen cards of the size of an enemy's hand beat *reading*."""
        most = max(self.enemies.values())
        return all(sum(a) > most for a in plays(self.unseen, self.variants, reading))


def decide(view: Mapping[str, JsonValue]) -> Move:
    """Return what the built-in player does whose *view* of the game this is."""
    seen: Mapping[str, Any] = view
    if seen["game_status"] == BIDDING:
        own = next(p["hand"] for p in seen["players"] if p["id"] == seen["viewer"])
        value = worth_bidding(counted(own))
        if value > seen["highest_bid"]:
            return bid(value)
        return bid(1) if seen["must_bid"] else PASS
    found = _choice(_seen(seen))
    return play(cards_of(found)) if found else PASS


def _seen(view: Mapping[str, Any]) -> Seen:
    sitting = {player["id"]: player for player in view["players"]}
    ids, own = list(sitting), sitting[view["viewer"]]
    others = [player for player in view["players"] if player is not own]
    partner = next((p for p in others if p["role"] == own["role"]), None)
    hand = counted(own["hand"])
    played = counted(card for action in view["actions"] for card in action["cards"])
    return Seen(
        hand=hand,
        unseen=without(without(counted(DECK), played), hand),
        variants=Variants.model_validate(view["variants"]),
        table=Table.model_validate(view["table"]) if view["table"] else None,
        partner=partner["id"] if partner and own["role"] != LANDLORD else "",
        enemies={p["id"]: p["hand_count"] for p in others if p is not partner},
        partner_count=partner["hand_count"] if partner else 0,
        next=ids[(ids.index(own["id"]) + 1) % len(ids)],
    )


def _choice(seen: Seen) -> Counts | None:
    """Return what is played; None for a pass."""
    if not seen.choices:
        return None
    line = _line(seen, seen.choices, seen.hand, _LINE)
    if line:
        return line
    if seen.table is None:
        return min(seen.choices, key=lambda choice: _lead_cost(seen, choice))
    return _answer(seen, seen.table)


def _line(seen: Seen, choices: Sequence[Counts], hand: Counts, left: int) -> Counts | None:
    """Return the first of at most *left* plays that empty the hand, all but the last holding."""
    out = next((choice for choice in choices if choice == hand), None)
    if out or not left or fewest_plays(hand) > left:
        return out
    for choice in sorted(choices, key=lambda c: -sum(c)):
        rest = without(hand, choice)
        if (
            fewest_plays(rest) < left
            and seen.holds(_top(seen, choice, hand))
            and _line(seen, plays(rest, seen.variants), rest, left - 1)
        ):
            return choice
    return None


def _top(seen: Seen, choice: Counts, hand: Counts) -> Reading:
    """Return what *choice* stands as: on the table if it is the first play, else as a lead."""
    if hand == seen.hand:
        return seen.reading(choice)
    return readings(cards_of(choice), seen.variants)[0]


def _lead_cost(seen: Seen, choice: Counts) -> float:
    reading = seen.reading(choice)
    cost = burden(without(seen.hand, choice)) + 0.06 * reading.rank - 0.04 * sum(choice)
    if reading.kind in (SINGLE, PAIR) and sum(choice) in seen.enemies.values():
        cost += 0.0 if seen.holds(reading) else 6.0 - 0.2 * reading.rank  # an enemy may go out
    if seen.next == seen.partner and seen.partner_count == sum(choice):
        cost -= 3.0 - 0.2 * reading.rank  # the other farmer may
    return cost


def _answer(seen: Seen, table: Table) -> Counts | None:
    """Return what is played on *table*; None to leave it."""
    ours = table.player == seen.partner
    if ours and not _goes_over(seen, table):
        return None
    stay = burden(seen.hand) + (_URGENT if seen.fewest <= _NEARLY_OUT else _PASSING)
    if ours:
        stay -= _PASSING
    best = min(seen.choices, key=lambda choice: _answer_cost(seen, choice))
    return best if _answer_cost(seen, best) < stay else None


def _goes_over(seen: Seen, table: Table) -> bool:
    """Whether a farmer plays on the other one's cards: low ones that the landlord would beat."""
    low = table.kind in (SINGLE, PAIR) and table.reading.rank <= _LOW
    return low and seen.next in seen.enemies and seen.partner_count > _NEARLY_OUT


def _answer_cost(seen: Seen, choice: Counts) -> float:
    reading = seen.reading(choice)
    cost = burden(without(seen.hand, choice)) + 0.02 * reading.rank
    if seen.table and seen.table.player == seen.partner and reading.kind in (BOMB, ROCKET):
        cost += 9.0  # never on the other farmer
    if sum(choice) == seen.fewest and seen.next in seen.enemies:
        cost -= 0.3 * reading.rank  # keep the enemy from going out on it
    return cost

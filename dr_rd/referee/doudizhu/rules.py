"""The rules as the mode that referees them asks for: legal moves, refusals, effects, views."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from pydantic import JsonValue, ValidationError, field_validator

from core.errors import CallerError
from core.rules import Move, RuleOutcome, RuleSet, Ruling
from core.values import Frozen, Name, repeated
from dr_rd.referee.doudizhu.cards import DECK, RANKS, cards_of, counted, in_order, without
from dr_rd.referee.doudizhu.combinations import (
    BOMB,
    ROCKET,
    Reading,
    Variants,
    beats,
    readings,
)
from dr_rd.referee.doudizhu.generator import plays
from dr_rd.referee.doudizhu.grammar import PASS, bid, play, read_decision
from dr_rd.referee.doudizhu.player import decide
from dr_rd.referee.doudizhu.position import (
    BID,
    BIDDING,
    FARMERS,
    HIGHEST_BID,
    LANDLORD,
    NO_BID,
    PLAYERS,
    Action,
    Position,
    Table,
    dealt,
)
from dr_rd.referee.doudizhu.position import PASS as PASSED
from dr_rd.referee.doudizhu.views import prompt, view

_SEED_BITS = 53
"""So that the seed is the same number in every reader of JSON."""

_LEGAL = Ruling(legal=True)


class Setup(Frozen):
    """What a game is set up with."""

    variants: Variants = Variants()
    names: tuple[Name, Name, Name] = PLAYERS
    """What the players are called, as they sit."""

    @field_validator("names")
    @classmethod
    def _told_apart(cls, names: tuple[Name, Name, Name]) -> tuple[Name, Name, Name]:
        if (name := repeated(names)) is not None:
            raise ValueError(f"two players are called {name!r}; give each a name of its own")
        return names


class DouDizhu(RuleSet[Position]):
    """A landlord against two farmers, with hidden hands."""

    id: ClassVar[str] = "doudizhu"
    title: ClassVar[str] = "Dou Dizhu"
    position = Position

    def start(self, setup: Mapping[str, JsonValue], chance: Random) -> Position:
        """Deal; raises CallerError that names the first field of *setup* that is wrong."""
        try:
            chosen = Setup.model_validate(dict(setup))
        except ValidationError as wrong:
            fault = wrong.errors()[0]
            place = ".".join(map(str, fault["loc"]))
            fields = ", ".join((*Setup.model_fields, *Variants.model_fields))
            raise CallerError(
                f"the game cannot be set up: {place}: {fault['msg'].lower()}; "
                f"its fields are {fields}"
            ) from wrong
        return dealt(chance.getrandbits(_SEED_BITS), 1, chosen.variants, chosen.names)

    def players(self, position: Position) -> tuple[str, ...]:
        """Return the three players as they sit."""
        del position
        return PLAYERS

    def to_move(self, position: Position) -> str:
        """Return whose turn it is; "" once a hand is empty."""
        return "" if position.winner else position.player

    def longest(self, position: Position) -> int:
        """Return the moves of a game in which every card is played alone, with two passes after."""
        return position.variants.deals * len(PLAYERS) + len(DECK) * len(PLAYERS)

    def legal_moves(self, position: Position) -> Sequence[Move]:
        """Return the pass, if there is one, and then bids or plays."""
        if position.winner:
            return ()
        if position.status == BIDDING:
            bids = [bid(n) for n in range(position.highest_bid + 1, HIGHEST_BID + 1)]
            return bids if position.must_bid else [PASS, *bids]
        table = position.table
        hand = counted(position.hands[position.turn])
        found = plays(hand, position.variants, table.reading if table else None)
        moves = [play(cards_of(counts)) for counts in found]
        return [PASS, *moves] if table else moves

    def read(self, text: str) -> Move:
        """Read `play 3 3 4 4 5 5`, `pass` or `bid 2`; raises CallerError with the grammar."""
        return read_decision(text)

    def validate(self, position: Position, move: Move) -> Ruling:
        """Say whether the player to move may do so; the reason is for that player's eyes only."""
        try:
            data = read_decision(move.text).data
        except CallerError as wrong:
            return Ruling(legal=False, reason=str(wrong))
        if position.winner:
            return _refusal("the game is over", winner=position.winner)
        if position.status == BIDDING:
            return _judge_bid(position, data)
        if data["action"] == "bid":
            return _refusal("the auction is over; play cards or pass")
        if data["action"] == "pass":
            return _LEGAL if position.table else _refusal("who leads may not pass; play cards")
        return _judge_play(position, in_order(_cards(data)))

    def apply(self, position: Position, move: Move) -> Position:
        """Return the position after a legal move; raises ValueError for one that is not."""
        ruling = self.validate(position, move)
        if not ruling.legal:
            raise ValueError(f"{move.text!r} is not legal: {ruling.reason}")
        data = read_decision(move.text).data
        if position.status == BIDDING:
            return _after_bid(position, data)
        if data["action"] == "pass":
            return _after_pass(position)
        return _after_play(position, in_order(_cards(data)))

    def forced(self, position: Position) -> Move:
        """Return the pass where there is one, or else the lowest bid or lead."""
        if position.status == BIDDING:
            return bid(1) if position.must_bid else PASS
        return PASS if position.table else play(position.hands[position.turn][:1])

    def choose(self, position: Position, chance: Random) -> Move:
        """Return what the built-in player does on its own view; it draws nothing by chance."""
        del chance
        return decide(view(position, position.player))

    def outcome(self, position: Position) -> RuleOutcome | None:
        """Return which side won, and what the bid came to, doubled by each bomb and rocket."""
        if not position.winner:
            return None
        own = [PLAYERS[n] for n in range(len(PLAYERS)) if position.role(n) == LANDLORD]
        others = [player for player in PLAYERS if player not in own]
        winners = own if position.winner == LANDLORD else others
        doubled = sum(action.kind in (BOMB, ROCKET) for action in position.actions)
        verb = "wins" if position.winner == LANDLORD else "win"
        side = f"the {position.winner} {verb}"
        return RuleOutcome(
            winners=tuple(winners),
            side=position.winner,
            summary=f"{position.player} has played the last card: {side}",
            facts={
                "winner": position.winner,
                "landlord": own[0],
                "bid": position.highest_bid,
                "bombs": doubled,
                "stake": position.highest_bid * 2**doubled,
            },
        )

    def view(self, position: Position, player: str) -> Mapping[str, JsonValue]:
        """Return the public snapshot, with the hand of *player* and of nobody else."""
        return view(position, player)

    def describe(self, position: Position, player: str) -> str:
        """Return the prompt for *player*, without a word on anybody else's hand."""
        return prompt(position, player)


def _refusal(reason: str, **facts: JsonValue) -> Ruling:
    return Ruling(legal=False, reason=reason, facts=facts)


def _cards(data: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(data["cards"])


def _judge_bid(position: Position, data: Mapping[str, Any]) -> Ruling:
    highest = position.highest_bid
    if data["action"] == "play":
        return _refusal("no cards are played before the auction ends; bid or pass")
    if data["action"] == "pass":
        if not position.must_bid:
            return _LEGAL
        return _refusal(
            f"nobody has bid in deal {position.deal} of {position.deal}, so the last to speak bids",
            deal=position.deal,
        )
    if data["bid"] > highest:
        return _LEGAL
    return _refusal(
        f"a bid of {data['bid']} is not higher than {highest}; bid more or pass",
        bid=data["bid"],
        highest=highest,
    )


def _judge_play(position: Position, cards: tuple[str, ...]) -> Ruling:
    hand, asked = counted(position.hands[position.turn]), counted(cards)
    for rank, left in enumerate(without(hand, asked)):
        if left < 0:
            return _refusal(
                f"you play {asked[rank]} × {RANKS[rank]} and hold {hand[rank]}",
                card=RANKS[rank],
                played=asked[rank],
                held=hand[rank],
            )
    found = readings(cards, position.variants)
    written = " ".join(cards)
    if not found:
        return _refusal(f"{written} is no combination of the rules", cards=list(cards))
    table = position.table
    if table is None or any(beats(reading, table.reading) for reading in found):
        return Ruling(legal=True, facts={"readings": [str(reading) for reading in found]})
    return _refusal(
        f"{_either(found)} does not beat {table.reading}: {_needed(found, table.reading)}",
        readings=[str(reading) for reading in found],
        table=str(table.reading),
    )


def _either(found: Sequence[Reading]) -> str:
    return " or ".join(str(reading) for reading in found)


def _needed(found: Sequence[Reading], table: Reading) -> str:
    """Say what a play on that *table* needs."""
    if table.kind == ROCKET:
        return "nothing beats the rocket"
    if any((r.kind, r.length) == (table.kind, table.length) for r in found):
        return f"a rank above {RANKS[table.rank]} is needed"
    return "the same kind and length is needed, or a bomb or the rocket"


def _after_bid(position: Position, data: Mapping[str, Any]) -> Position:
    value = data.get("bid", 0)
    kind = BID if value else NO_BID
    action = Action(deal=position.deal, player=position.player, kind=kind, bid=value)
    position = position.model_copy(update={"actions": (*position.actions, action)})
    if value == HIGHEST_BID or len(position.auction) == len(PLAYERS):
        return _after_auction(position)
    return _next(position)


def _after_auction(position: Position) -> Position:
    """Give the bottom cards to the highest bidder, or deal again where there is none."""
    bids = [action for action in position.auction if action.bid]
    if not bids:
        again = position.deal + 1
        return dealt(position.seed, again, position.variants, position.names, position.actions)
    landlord = PLAYERS.index(bids[-1].player)
    hands = list(position.hands)
    hands[landlord] = in_order((*hands[landlord], *position.bottom))
    return position.model_copy(
        update={"hands": tuple(hands), "landlord": landlord, "turn": landlord}
    )


def _after_pass(position: Position) -> Position:
    action = Action(deal=position.deal, player=position.player, kind=PASSED)
    passes = position.passes + 1
    cleared = passes == len(PLAYERS) - 1
    update: dict[str, Any] = {"table": None, "passes": 0} if cleared else {"passes": passes}
    actions = (*position.actions, action)
    return _next(position.model_copy(update={"actions": actions, **update}))


def _after_play(position: Position, cards: tuple[str, ...]) -> Position:
    table = position.table
    fits = (r for r in readings(cards, position.variants) if not table or beats(r, table.reading))
    reading = next(fits)
    action = Action(deal=position.deal, player=position.player, kind=reading.kind, cards=cards)
    left = cards_of(without(counted(position.hands[position.turn]), counted(cards)))
    hands = list(position.hands)
    hands[position.turn] = left
    played = position.model_copy(
        update={
            "actions": (*position.actions, action),
            "hands": tuple(hands),
            "passes": 0,
            "table": Table(
                player=position.player,
                cards=cards,
                kind=reading.kind,
                length=reading.length,
                rank=RANKS[reading.rank],
            ),
        }
    )
    if left:
        return _next(played)
    side = LANDLORD if position.turn == position.landlord else FARMERS
    return played.model_copy(update={"winner": side})


def _next(position: Position) -> Position:
    return position.model_copy(update={"turn": (position.turn + 1) % len(PLAYERS)})

"""A rule set of another package: cards are dealt, hidden, and the higher of two takes the trick."""

from collections.abc import Mapping, Sequence

from core.errors import CallerError
from core.rules import Move, RuleOutcome, RuleSet, Ruling
from core.values import Frozen

PLAYERS = ("ann", "bob")


class Hands(Frozen):
    """Who holds what, what lies on the table, and who has taken how many tricks."""

    hands: Mapping[str, tuple[int, ...]]
    table: int | None = None
    led: str = "ann"
    tricks: Mapping[str, int] = {"ann": 0, "bob": 0}


class HighCard(RuleSet[Hands]):
    """Play a card you hold; the higher of two takes the trick and leads."""

    id = "high-card"
    title = "High card"
    position = Hands

    def start(self, setup, chance):
        size = setup.get("cards", 3)
        if not isinstance(size, int) or not 1 <= size <= 20:
            raise CallerError(f"cards: {size!r} cannot be dealt; deal 1 to 20 each")
        deck = list(range(101, 101 + 2 * size))  # figures that stand nowhere else
        chance.shuffle(deck)
        return Hands(hands={"ann": sorted(deck[:size]), "bob": sorted(deck[size:])})

    def players(self, position):
        return PLAYERS

    def to_move(self, position):
        if self.outcome(position):
            return ""
        return position.led if position.table is None else _other(position.led)

    def legal_moves(self, position):
        return tuple(_play(card) for card in position.hands.get(self.to_move(position), ()))

    def read(self, text):
        verb, _, card = text.strip().partition(" ")
        if verb != "play" or not card.isdigit():
            raise CallerError(f"{text!r} is no decision; write play and a card, such as play 103")
        return _play(int(card))

    def validate(self, position, move):
        own = position.hands[self.to_move(position)]
        if move.data["card"] in own:
            return Ruling(legal=True)
        return Ruling(
            legal=False,
            reason=f"you do not hold {move.data['card']}; you hold {', '.join(map(str, own))}",
        )

    def apply(self, position, move):
        if not self.validate(position, move).legal:
            raise ValueError(move.text)
        who, card = self.to_move(position), move.data["card"]
        rest = tuple(c for c in position.hands[who] if c != card)
        hands = {**position.hands, who: rest}
        if position.table is None:
            return position.model_copy(update={"hands": hands, "table": card})
        taker = who if card > position.table else position.led
        tricks = {**position.tricks, taker: position.tricks[taker] + 1}
        return position.model_copy(
            update={"hands": hands, "table": None, "led": taker, "tricks": tricks}
        )

    def forced(self, position):
        return self.legal_moves(position)[0]

    def choose(self, position, chance):
        return self.legal_moves(position)[-1]

    def longest(self, position):
        return sum(len(hand) for hand in position.hands.values())

    def outcome(self, position) -> RuleOutcome | None:
        if any(position.hands.values()):
            return None
        most = max(position.tricks.values())
        won = tuple(p for p in PLAYERS if position.tricks[p] == most)
        return RuleOutcome(winners=won, summary=f"{' and '.join(won)} won {most} tricks")

    def view(self, position, player):
        return {
            "table": position.table,
            "counts": {p: len(hand) for p, hand in position.hands.items()},
            "tricks": dict(position.tricks),
            "hand": list(position.hands.get(player, ())),
        }

    def describe(self, position, player):
        seen = self.view(position, player)
        return f"Play a card you hold. On the table: {seen['table']}. Your hand: {seen['hand']}.\n"


def _play(card: int) -> Move:
    return Move(text=f"play {card}", data={"card": card})


def _other(player: str) -> str:
    return PLAYERS[1 - PLAYERS.index(player)]


RULES = HighCard()


def moves(of: Sequence[Move]) -> list[str]:
    """Return moves as they are written."""
    return [move.text for move in of]

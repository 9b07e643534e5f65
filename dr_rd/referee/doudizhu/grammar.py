"""How a decision is written: `play 3 3 4 4 5 5`, `pass`, and `bid 2` in the auction."""

from core.errors import CallerError, clipped
from core.rules import Move
from dr_rd.referee.doudizhu.cards import card, in_order
from dr_rd.referee.doudizhu.position import HIGHEST_BID

GRAMMAR = (
    'write "play" and the cards, such as "play 3 3 4 4 5 5", or "pass"; '
    'in the auction write "bid 1", "bid 2", "bid 3" or "pass"; '
    "cards are 3 4 5 6 7 8 9 10 J Q K A 2 sj bj"
)

PASS = Move(text="pass", data={"action": "pass"})


def bid(number: int) -> Move:
    """Return the decision to bid that *number*."""
    return Move(text=f"bid {number}", data={"action": "bid", "bid": number})


def play(cards: tuple[str, ...]) -> Move:
    """Return the decision to play those *cards*, which are in order."""
    return Move(text=f"play {' '.join(cards)}", data={"action": "play", "cards": list(cards)})


def read_decision(text: str) -> Move:
    """Read a decision, whatever its case and the order of its cards.

    Raises CallerError that tells what is wrong and the grammar.
    """
    verb, *rest = text.lower().replace(",", " ").split() or [""]
    if verb == "pass" and not rest:
        return PASS
    bids = [str(number) for number in range(1, HIGHEST_BID + 1)]
    if verb == "bid" and len(rest) == 1 and rest[0] in bids:
        return bid(int(rest[0]))
    if verb == "play" and rest:
        try:
            return play(in_order(card(word) for word in rest))
        except CallerError as wrong:
            raise CallerError(f"{str(wrong).rstrip('.')}; {GRAMMAR}") from wrong
    raise CallerError(f"{clipped(text, 60)!r} is no decision; {GRAMMAR}")

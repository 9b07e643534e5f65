"""What a hand is worth: in how few plays it can be emptied, and how much of it holds a table."""

from collections.abc import Iterator
from functools import lru_cache

from dr_rd.referee.doudizhu.cards import ACE, BIG_JOKER, SMALL_JOKER, SUITS, TWO, Counts
from dr_rd.referee.doudizhu.combinations import CHAINS

_POWER = {ACE: 0.15, TWO: 0.4, SMALL_JOKER: 0.6, BIG_JOKER: 0.85}
"""Plays that a card of that rank saves by winning a table, as fitted by bench/doudizhu.py."""

_BOMB, _ROCKET = 1.1, 0.3
"""The same for a bomb, and for a rocket beyond its two jokers."""

_BIDS = ((3, -1.0), (2, 0.0), (1, 1.2))
"""What is bid at that `burden` of 17 cards, or less, as fitted by bench/doudizhu.py."""


def burden(hand: Counts) -> float:
    """Return the plays that *hand* still needs, less those that its high cards save."""
    power = sum(worth * hand[rank] for rank, worth in _POWER.items())
    bombs = _BOMB * sum(many == SUITS for many in hand)
    rocket = _ROCKET if hand[SMALL_JOKER] and hand[BIG_JOKER] else 0.0
    return fewest_plays(hand) - power - bombs - rocket


def worth_bidding(hand: Counts) -> int:
    """Return how much a hand of 17 cards is worth in the auction; 0 for a pass."""
    weight = burden(hand)
    return next((value for value, most in _BIDS if weight <= most), 0)


def fewest_plays(hand: Counts) -> int:
    """Return in how few plays *hand* can be led out, four of a kind being kept as bombs."""
    return _fewest(hand, 0)


@lru_cache(maxsize=1 << 17)
def _fewest(hand: Counts, slots: int) -> int:
    """Return the fewest plays of *hand* while so many kickers still ride on chained triplets."""
    best = _unchained(hand, slots)
    for copies, low, high in _chains(hand):
        left = tuple([n - copies if low <= r <= high else n for r, n in enumerate(hand)])
        more = high - low + 1 if copies == 3 else 0
        best = min(best, 1 + _fewest(left, slots + more))
    return best


def _unchained(hand: Counts, slots: int) -> int:
    """Return the plays if nothing is chained: triplets take singles and pairs along."""
    rocket = bool(hand[SMALL_JOKER] and hand[BIG_JOKER])
    singles = hand.count(1) - 2 * rocket
    pairs, triplets, bombs = hand.count(2), hand.count(3), hand.count(SUITS)
    riding = min(slots + triplets, singles + pairs)
    return rocket + bombs + triplets + pairs + singles - riding


def _chains(hand: Counts) -> Iterator[tuple[int, int, int]]:
    """Yield every chain in the hand, as cards of each rank, lowest rank, highest rank."""
    for copies, fewest in CHAINS.values():
        low = 0
        while low <= ACE:
            high = low
            while high <= ACE and hand[high] >= copies:
                high += 1
            if high - low >= fewest:
                for first in range(low, high - fewest + 1):
                    for last in range(first + fewest - 1, high):
                        yield copies, first, last
            low = high + 1

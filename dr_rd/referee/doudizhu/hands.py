"""What a hand is worth: in how few plays it can be emptied, and how much of it holds a table."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import exp

from dr_rd.referee.doudizhu.cards import ACE, BIG_JOKER, SMALL_JOKER, SUITS, TWO, Counts
from dr_rd.referee.doudizhu.combinations import CHAINS

_POWER: Mapping[int, float] = {ACE: 0.15, TWO: 0.4, SMALL_JOKER: 0.6, BIG_JOKER: 0.85}
"""Plays that a card of that rank saves by winning a table; judged, not fitted."""

_BOMB, _ROCKET = 1.1, 0.3
"""The same for a bomb, and for a rocket beyond its two jokers."""

_ODDS: Mapping[int, float] = {ACE: 0.13, TWO: 0.24, SMALL_JOKER: 1.09, BIG_JOKER: 1.35}
"""Log odds that a card adds to those of a landlord, before the bottom cards are seen.

With the three below, fitted by `python -m bench.doudizhu --fit` to 2,500 deals of the built-in player against
itself in which the first bidder was landlord; standard errors are 0.03 a play, 0.05 an ace or a
two, 0.12 a joker, 0.14 a bomb and 0.20 a rocket.
"""

_ODDS_AT_ALL, _ODDS_OF_PLAY, _ODDS_OF_BOMB, _ODDS_OF_ROCKET = -0.32, -0.16, 0.42, -0.33

_BIDS = ((3, 0.55), (2, 0.48), (1, 0.42))
"""What is bid at that chance to win, or a better one; it is 0.41 for the average hand."""


def burden(hand: Counts) -> float:
    """Return the plays that *hand* still needs, less those that its high cards save."""
    power = sum(worth * hand[rank] for rank, worth in _POWER.items())
    return fewest_plays(hand) - power - _BOMB * bombs(hand) - _ROCKET * rocket(hand)


def landlords_chance(hand: Counts) -> float:
    """Return the chance to win as landlord with these 17 cards and three unknown ones."""
    odds = _ODDS_AT_ALL + _ODDS_OF_PLAY * fewest_plays(hand)
    odds += sum(worth * hand[rank] for rank, worth in _ODDS.items())
    odds += _ODDS_OF_BOMB * bombs(hand) + _ODDS_OF_ROCKET * rocket(hand)
    return 1 / (1 + exp(-odds))


def worth_bidding(hand: Counts) -> int:
    """Return how much a hand of 17 cards is worth in the auction; 0 for a pass."""
    chance = landlords_chance(hand)
    return next((value for value, least in _BIDS if chance >= least), 0)


def bombs(hand: Counts) -> int:
    """Return how many bombs there are."""
    return hand.count(SUITS)


def rocket(hand: Counts) -> int:
    """Return 1 where both jokers are held, and else 0."""
    return hand[SMALL_JOKER] * hand[BIG_JOKER]


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
    singles = hand.count(1) - 2 * rocket(hand)
    pairs, triplets = hand.count(2), hand.count(3)
    riding = min(slots + triplets, singles + pairs)
    return rocket(hand) + bombs(hand) + triplets + pairs + singles - riding


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

"""The 54 cards: only ranks matter, so a card is its rank, and a hand how often each occurs."""

from collections.abc import Iterable, Sequence

from core.errors import unknown

RANKS = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2", "sj", "bj")
"""Lowest first; "sj" and "bj" are the small and the big joker."""

ACE, TWO, SMALL_JOKER, BIG_JOKER = 11, 12, 13, 14
"""Places in `RANKS`."""

SUITS = 4

DECK = (*(rank for rank in RANKS[:SMALL_JOKER] for _ in range(SUITS)), "sj", "bj")

Counts = tuple[int, ...]
"""How many cards of each rank there are, by place in `RANKS`."""

_PLACES = {rank: place for place, rank in enumerate(RANKS)}
_WRITTEN = {rank.lower(): rank for rank in RANKS}


def card(word: str) -> str:
    """Return the card that *word* writes, in either case; raises CallerError if it is none."""
    found = _WRITTEN.get(word.lower())
    if found is None:
        raise unknown("card", word, RANKS)
    return found


def counted(cards: Iterable[str]) -> Counts:
    """Return how many of each rank there are."""
    counts = [0] * len(RANKS)
    for each in cards:
        counts[_PLACES[each]] += 1
    return tuple(counts)


def cards_of(counts: Sequence[int]) -> tuple[str, ...]:
    """Return the cards, lowest first."""
    return tuple(rank for rank, many in zip(RANKS, counts, strict=True) for _ in range(many))


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Return the same cards, lowest first."""
    return tuple(sorted(cards, key=_PLACES.__getitem__))


def without(counts: Counts, taken: Counts) -> Counts:
    """Return what is left once *taken* is; below 0 where it was not there."""
    return tuple([a - b for a, b in zip(counts, taken, strict=True)])

"""What may be played together, as what it can be read, and which reading beats which.

The table of kinds, their sizes and what they are compared by is in docs/modes/doudizhu.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from core.values import Frozen
from dr_rd.referee.doudizhu.cards import ACE, BIG_JOKER, RANKS, SMALL_JOKER, Counts, counted

LARGEST = 20
"""Cards of the largest hand, and so of the largest play."""

SINGLE, PAIR, TRIPLET, BOMB, ROCKET = "single", "pair", "triplet", "bomb", "rocket"
SINGLE_CHAIN, PAIR_CHAIN, AIRPLANE = "single chain", "pair chain", "airplane"
TRIPLET_SINGLE, TRIPLET_PAIR = "triplet with single", "triplet with pair"
AIRPLANE_SINGLES, AIRPLANE_PAIRS = "airplane with singles", "airplane with pairs"
FOUR_SINGLES, FOUR_PAIRS = "four with two singles", "four with two pairs"

SAME = (SINGLE, PAIR, TRIPLET, BOMB)
"""Kinds of equal cards, by how many there are."""

CHAINS = {SINGLE_CHAIN: (1, 5), PAIR_CHAIN: (2, 3), AIRPLANE: (3, 2)}
"""Chained kinds: cards of each rank, and the fewest ranks."""

KICKED = {
    TRIPLET_SINGLE: (3, 1, 1),
    TRIPLET_PAIR: (3, 2, 1),
    AIRPLANE_SINGLES: (3, 1, 1),
    AIRPLANE_PAIRS: (3, 2, 1),
    FOUR_SINGLES: (4, 1, 2),
    FOUR_PAIRS: (4, 2, 2),
}
"""Kinds with kickers: cards of each rank of the body, cards of a kicker, kickers of each rank."""

CHAINED = frozenset((*CHAINS, AIRPLANE_SINGLES, AIRPLANE_PAIRS))
"""Kinds of which plays of one length only are compared; they hold no 2 and no joker in a row."""


class Variants(Frozen):
    """Where tables differ; the defaults are the stricter reading."""

    kickers_repeat: bool = False
    """Whether the kickers of one play may share a rank, as in 3 3 3 4 4 4 5 5."""
    jokers_ride: bool = False
    """Whether both jokers may be kickers of one play."""
    deals: int = Field(default=4, ge=1, le=20)
    """How often cards are dealt at most; in the last deal somebody must bid."""


@dataclass(frozen=True, slots=True, order=True)
class Reading:
    """One way to read a play."""

    kind: str
    length: int
    """Ranks in a row; 1 for what is no chain."""
    rank: int
    """What is compared, by place in `RANKS`: the highest rank of the body."""

    def __str__(self) -> str:
        if self.kind == ROCKET:
            return ROCKET
        top = f" up to {RANKS[self.rank]}" if self.kind in CHAINED else f" of {RANKS[self.rank]}"
        return f"{self.kind} of {self.length}{top}" if self.kind in CHAINED else self.kind + top


def beats(one: Reading, table: Reading) -> bool:
    """Whether *one* may be played on *table*."""
    if one.kind == ROCKET or table.kind == ROCKET:
        return table.kind != ROCKET
    if one.kind == BOMB and table.kind != BOMB:
        return True
    return (one.kind, one.length) == (table.kind, table.length) and one.rank > table.rank


def readings(cards: Sequence[str], variants: Variants) -> tuple[Reading, ...]:
    """Return every way to read *cards*, the one without kickers first, then by highest rank."""
    if not 0 < len(cards) <= LARGEST:
        return ()
    counts = counted(cards)
    plain = (*_equal(counts), *_chains(counts))
    return (*plain, *sorted(_kicked(counts, len(cards), variants), key=lambda r: -r.rank))


def _equal(counts: Counts) -> Iterator[Reading]:
    ranks = [rank for rank, many in enumerate(counts) if many]
    if len(ranks) == 1 and counts[ranks[0]] <= len(SAME):
        yield Reading(SAME[counts[ranks[0]] - 1], 1, ranks[0])
    if ranks == [SMALL_JOKER, BIG_JOKER]:
        yield Reading(ROCKET, 1, BIG_JOKER)


def _chains(counts: Counts) -> Iterator[Reading]:
    ranks = [rank for rank, many in enumerate(counts) if many]
    for kind, (copies, fewest) in CHAINS.items():
        alike = all(counts[rank] == copies for rank in ranks)
        if alike and len(ranks) >= fewest and _in_row(ranks):
            yield Reading(kind, len(ranks), ranks[-1])


def _in_row(ranks: Sequence[int]) -> bool:
    return ranks[-1] <= ACE and ranks[-1] - ranks[0] == len(ranks) - 1


def _kicked(counts: Counts, size: int, variants: Variants) -> Iterator[Reading]:
    for kind, (copies, kicker, each) in KICKED.items():
        length, odd = divmod(size, copies + kicker * each)
        if odd or not length or (length > 1) != (kind in CHAINED):
            continue
        for low in range(len(RANKS) - length + 1):
            body = range(low, low + length)
            ranks_fit = length == 1 or body[-1] <= ACE
            if ranks_fit and all(counts[rank] == copies for rank in body):
                rest = [0 if rank in body else many for rank, many in enumerate(counts)]
                if kickers_fit(rest, kicker, variants):
                    yield Reading(kind, length, body[-1])


def kickers_fit(rest: Sequence[int], kicker: int, variants: Variants) -> bool:
    """Whether the cards counted in *rest* may ride as kickers of that many cards each."""
    if not variants.jokers_ride and rest[SMALL_JOKER] and rest[BIG_JOKER]:
        return False
    if variants.kickers_repeat:
        return all(many % kicker == 0 for many in rest)
    return all(many in (0, kicker) for many in rest)

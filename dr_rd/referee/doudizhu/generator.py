"""Every play that a hand holds, built up from its ranks; it shares no code with the readings."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from dr_rd.referee.doudizhu.cards import ACE, BIG_JOKER, RANKS, SMALL_JOKER, Counts
from dr_rd.referee.doudizhu.combinations import (
    BOMB,
    CHAINED,
    CHAINS,
    KICKED,
    LARGEST,
    ROCKET,
    SAME,
    Reading,
    Variants,
)

KINDS = (*SAME[:-1], *CHAINS, *KICKED, BOMB, ROCKET)
"""All kinds, in the order in which plays are listed."""


def plays(hand: Counts, variants: Variants, table: Reading | None = None) -> list[Counts]:
    """Return what may be played from *hand*, each set of cards once, in a fixed order.

    Args:
        hand: The cards held.
        variants: The rules of the table.
        table: What must be beaten; None where the player leads.

    """
    found = _answers(hand, variants, table) if table else _leads(hand, variants)
    return list(dict.fromkeys(found))


def _leads(hand: Counts, variants: Variants) -> Iterator[Counts]:
    for kind in KINDS:
        yield from _of_kind(hand, kind, variants)


def _answers(hand: Counts, variants: Variants, table: Reading) -> Iterator[Counts]:
    if table.kind == ROCKET:
        return
    yield from _of_kind(hand, table.kind, variants, table.length, table.rank)
    if table.kind != BOMB:
        yield from _of_kind(hand, BOMB, variants)
    yield from _of_kind(hand, ROCKET, variants)


def _of_kind(
    hand: Counts, kind: str, variants: Variants, length: int = 0, above: int = -1
) -> Iterator[Counts]:
    """Yield the plays of one kind; of any length where that is 0."""
    if kind == ROCKET:
        if hand[SMALL_JOKER] and hand[BIG_JOKER]:
            yield _play((SMALL_JOKER, BIG_JOKER), 1)
    elif kind in SAME:
        copies = SAME.index(kind) + 1
        for rank in range(above + 1, len(RANKS)):
            if hand[rank] >= copies:
                yield _play((rank,), copies)
    elif kind in CHAINS:
        copies, fewest = CHAINS[kind]
        for body in _rows(hand, copies, length or fewest, length or LARGEST // copies, above):
            yield _play(body, copies)
    else:
        yield from _with_kickers(hand, kind, variants, length, above)


def _with_kickers(
    hand: Counts, kind: str, variants: Variants, length: int, above: int
) -> Iterator[Counts]:
    copies, kicker, each = KICKED[kind]
    if kind in CHAINED:
        longest = LARGEST // (copies + kicker * each)
        bodies = _rows(hand, copies, length or 2, length or longest, above)
    else:
        ranks = range(above + 1, len(RANKS))
        bodies = ((rank,) for rank in ranks if hand[rank] >= copies)
    for body in bodies:
        own = _play(body, copies)
        spare = tuple([0 if r in body else many // kicker for r, many in enumerate(hand)])
        for kickers in _kickers(spare, len(body) * each, variants):
            yield tuple([a + b * kicker for a, b in zip(own, kickers, strict=True)])


def _rows(
    hand: Counts, copies: int, fewest: int, most: int, above: int
) -> Iterator[tuple[int, ...]]:
    """Yield ranks in a row of which the hand holds that many *copies*, the top one over *above*."""
    for low in range(ACE + 1):
        for high in range(low, min(ACE, low + most - 1) + 1):
            if hand[high] < copies:
                break
            if high - low + 1 >= fewest and high > above:
                yield tuple(range(low, high + 1))


@lru_cache(maxsize=4096)
def _kickers(spare: Counts, many: int, variants: Variants) -> tuple[Counts, ...]:
    """Return the ways to choose *many* kickers of those to *spare*, by rank."""
    ranks = [rank for rank, left in enumerate(spare) if left]
    if variants.kickers_repeat:
        ranks = [rank for rank in ranks for _ in range(spare[rank])]
    found = dict.fromkeys(_play(chosen, 1) for chosen in combinations(ranks, many))
    both = not variants.jokers_ride
    return tuple(k for k in found if not (both and k[SMALL_JOKER] and k[BIG_JOKER]))


def _play(ranks: Sequence[int], copies: int) -> Counts:
    counts = [0] * len(RANKS)
    for rank in ranks:
        counts[rank] += copies
    return tuple(counts)

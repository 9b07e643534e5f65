"""Texts that say nearly the same, found without comparing every pair."""

import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from dr_rd.evidence.words import words

_SHINGLE = 3
_COMMONPLACE = 40
"""A run of words in more texts than this is boilerplate and says nothing about a pair."""

Shingles = frozenset[int]


def shingles(text: str) -> Shingles:
    """Return the runs of three words of *text*, numbers blanked: copies differ in numbers."""
    blanked = ["#" if w[0].isdigit() else w for w in words(text)]
    runs = (blanked[i : i + _SHINGLE] for i in range(len(blanked) - _SHINGLE + 1))
    return frozenset(zlib.crc32(" ".join(run).encode()) for run in runs)


def likeness(a: Shingles, b: Shingles) -> float:
    """Return the share of the smaller text's runs that both have, from 0 to 1."""
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def alike(texts: Sequence[Shingles], threshold: float) -> Iterator[tuple[int, int]]:
    """Yield the positions of each pair of *texts* at least *threshold* alike, in order."""
    holders: dict[int, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        for run in text:
            holders[run].append(number)
    pairs = {
        pair
        for numbers in holders.values()
        if 1 < len(numbers) <= _COMMONPLACE
        for pair in combinations(numbers, 2)
    }
    yield from (p for p in sorted(pairs) if likeness(texts[p[0]], texts[p[1]]) >= threshold)

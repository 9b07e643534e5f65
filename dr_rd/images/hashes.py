"""Perceptual hashes: pictures that look alike have hashes that differ in few bits."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
"""Rows of brightness from 0 to 255."""

NEAR_D, NEAR_P = 6, 10
"""Bits of 64 in which hashes of one scene differ at most, when it is saved or scaled anew."""


def dhash(small: Grey) -> str:
    """Whether each of 8 × 8 neighbours rises from left to right, as 16 hexadecimal digits.

    *small* is 8 rows of 9. The method is N. Krawetz's (2013).
    """
    return _hex(small[:, 1:] > small[:, :-1])


def phash(small: Grey) -> str:
    """Which of the 64 slowest cosine waves are above their median, as 16 hexadecimal digits.

    *small* is 32 rows of 32; see C. Zauner (2010), Implementation and Benchmarking of Perceptual
    Image Hash Functions. The mean brightness is left out of the median.
    """
    waves = _cosines(32)
    slow = (waves @ small.astype(np.float64) @ waves.T)[:8, :8]
    # rounded, so that what differs between processors decides nothing
    rounded = np.round(slow, 6)
    return _hex(rounded > np.median(rounded.ravel()[1:]))


def alike(rows: Sequence[Mapping[str, str]]) -> list[dict[str, object]]:
    """Pair up rows with `path`, `pixels`, `dhash` and `phash` that are the same or nearly so."""
    found: list[dict[str, object]] = []
    for one, other in combinations(rows, 2):
        pair = [one["path"], other["path"]]
        if one["pixels"] == other["pixels"]:
            found.append({"images": pair, "kind": "same pixels", "bits": 0})
        elif one["phash"] and other["phash"]:
            d, p = (_bits(one[name], other[name]) for name in ("dhash", "phash"))
            if d <= NEAR_D and p <= NEAR_P:
                found.append({"images": pair, "kind": "nearly the same", "bits": p})
    return found


def _cosines(n: int) -> NDArray[np.float64]:
    """Return the matrix of the discrete cosine transform, type II, not scaled."""
    k = np.arange(n)
    return np.asarray(np.cos(np.pi * np.outer(k, 2 * k + 1) / (2 * n)), dtype=np.float64)


def _hex(bits: NDArray[np.bool_]) -> str:
    return np.packbits(bits).tobytes().hex()


def _bits(one: str, other: str) -> int:
    return (int(one, 16) ^ int(other, 16)).bit_count()

"""A text as weighted n-grams of words and of characters (tf-idf)."""

import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

LONGEST = 8_000
"""Characters of a text that are read: what is asked for stands in its first pages."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")
_DIGITS = re.compile(r"\d+")
_WORDS, _CHARACTERS = 2, (3, 4, 5)
"""Longest n-gram of words, and lengths of those of characters."""


def word_ngrams(text: str) -> Counter[str]:
    """Words and pairs of words in lower case; every number counts as 0."""
    words = [_DIGITS.sub("0", w) for w in _WORD.findall(text.lower())]
    spans = (range(len(words) - n + 1) for n in range(1, _WORDS + 1))
    return Counter(
        " ".join(words[at : at + n]) for n, starts in enumerate(spans, start=1) for at in starts
    )


def character_ngrams(words: Mapping[str, int]) -> Counter[str]:
    """Pieces of single words, a space standing for a word's beginning and end.

    A word that is shorter than a piece counts whole in its place.
    """
    found: Counter[str] = Counter()
    for word, count in words.items():
        if " " not in word:
            padded = f" {word} "
            for n in _CHARACTERS:
                for at in range(max(1, len(padded) - n + 1)):
                    found[padded[at : at + n]] += count
    return found


def keyed(text: str) -> tuple[dict[int, int], dict[int, int]]:
    """Count the n-grams of words and of characters in *text*, by their 32-bit keys."""
    words = word_ngrams(text[:LONGEST])
    pieces = character_ngrams(words)
    return (
        {word_key(gram): count for gram, count in words.items()},
        {zlib.crc32(f"c{gram}".encode()): count for gram, count in pieces.items()},
    )


def word_key(gram: str) -> int:
    """Return the key of an n-gram of words."""
    return zlib.crc32(f"w{gram}".encode())


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The n-grams that are known."""

    keys: NDArray[np.uint32]
    """CRC-32 of each, ascending."""
    idf: Array
    """How much each tells: the log of how few of the training texts hold it."""

    def vector(self, text: str) -> tuple[NDArray[np.intp], Array]:
        """Return the positions of the known n-grams of *text* and their weights.

        Those of words and those of characters have length 1 each.
        """
        blocks = [self._block(counts) for counts in keyed(text)]
        return (
            np.concatenate([at for at, _ in blocks]),
            np.concatenate([values for _, values in blocks]),
        )

    def positions(self, keys: Sequence[int]) -> list[int]:
        """Return where each n-gram stands; -1 if it is not known."""
        wanted = np.array(keys, np.uint32)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        found: list[int] = np.where(self.keys[at] == wanted, at, -1).tolist()
        return found

    def _block(self, counts: Mapping[int, int]) -> tuple[NDArray[np.intp], Array]:
        keys = np.fromiter(counts, np.uint32, len(counts))
        times = np.fromiter(counts.values(), np.float32, len(counts))
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[at] == keys
        at, times = at[known], times[known]
        values = (1 + np.log(times)) * self.idf[at]
        length = float(np.linalg.norm(values))
        return at, (values / length if length else values).astype(np.float32)

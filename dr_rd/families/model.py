"""The trained ranker: logistic regressions whose weights are data.

`data/families/weights.npz` is written by `python -m bench.families.train`.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dr_rd.evidence.embeddings import Embedder
from dr_rd.families.features import LONGEST, Array, Vocabulary, word_key, word_ngrams
from dr_rd.files import data_folder
from dr_rd.text import lexicon, sentences, stem

LONGEST_EMBEDDED = 1_200
"""Characters of a text that are embedded; the time grows with them."""

LONGEST_OBJECTIVE = 300
"""Characters up to which an objective is taken as one sentence."""

_FEWEST = 4
"""Words of a sentence that may hold what is asked for; fewer are a heading."""


@dataclass(frozen=True, slots=True)
class Regression:
    """One multinomial logistic regression; its logits are divided by the temperature."""

    ngrams: Array
    """[n-gram, family]"""
    bias: Array
    temperature: float
    weakest: float
    """Probability of the best family below which it is too weak to plan on without asking."""
    closest: float
    """Lead over the second below which the two are too close."""
    meaning: Array | None = None
    """[dimension, family], of the embeddings of the text and of its objective; None without."""
    centre: Array | None = None
    """Mean of those embeddings over the training texts."""


@dataclass(frozen=True, slots=True)
class Model:
    """The regressions with what both read a text by."""

    ids: tuple[str, ...]
    vocabulary: Vocabulary
    selector: Array
    """[n-gram]: how much each speaks for a sentence that holds the objective."""
    lexical: Regression
    semantic: Regression

    def regression(self, embedder: Embedder | None) -> Regression:
        """The regression for what is installed."""
        return self.lexical if embedder is None else self.semantic

    def probabilities(self, text: str, objective: str, embedder: Embedder | None) -> Array:
        """Return the calibrated probability of each family of `ids`."""
        used = self.regression(embedder)
        at, values = self.vocabulary.vector(text)
        logits = values @ used.ngrams[at].astype(np.float32) + used.bias
        if embedder is not None and used.meaning is not None and used.centre is not None:
            seen = embedded(text, objective, embedder)
            logits = logits + centred(seen, used.centre) @ used.meaning
        scaled = np.exp((logits - logits.max()) / used.temperature)
        return np.asarray(scaled / scaled.sum(), np.float32)

    def objective(self, text: str) -> str:
        """Return the sentence of *text* that most likely says what is asked for."""
        found = [s.text for s in sentences(text) if len(s.text.split()) >= _FEWEST]
        if len(found) < 2:
            return found[0] if found else text
        return max(found, key=self.asks)

    def asks(self, sentence: str) -> float:
        """Return how much *sentence* seems to say what is asked for, as log odds."""
        at, values = self.vocabulary.vector(sentence)
        return float(values @ self.selector[at].astype(np.float32))

    def known(self, text: str) -> dict[str, int]:
        """Return the telling words of *text* that the model knows, each with its position."""
        grams = [g for g in word_ngrams(text[:LONGEST]) if _holds_content(g)]
        found = self.vocabulary.positions([word_key(g) for g in grams])
        return {g: n for g, n in zip(grams, found, strict=True) if n >= 0}

    def strongest(self, known: Mapping[str, int], family: str, most: int = 3) -> tuple[str, ...]:
        """Return the *known* words that speak most for *family*, the strongest first."""
        column = self.lexical.ngrams[:, self.ids.index(family)].astype(np.float32)
        gains = {g: float(column[n] * self.vocabulary.idf[n]) for g, n in known.items()}
        best = sorted((g for g, v in gains.items() if v > 0), key=lambda g: (-gains[g], g))
        return _apart(best)[:most]


_EMPTY = frozenset({"whether", "use", "uses", "used", "using"})
"""Words that say nothing to a reader, whatever their weight, besides the usual stop words."""

_SHORTEST = 3
"""Letters of a word that is named; fewer are mostly an abbreviation's."""


def _holds_content(gram: str) -> bool:
    """Whether an n-gram begins and ends with a word that tells something."""
    words = gram.split()
    return not any(
        w.isdigit() or len(w) < _SHORTEST or w in _EMPTY or stem(w) in lexicon().stopwords
        for w in (words[0], words[-1])
    )


def _apart(grams: Iterable[str]) -> tuple[str, ...]:
    """Leave out the n-grams that share a word with a stronger one."""
    kept: list[str] = []
    for gram in grams:
        if not any(set(gram.split()) & set(k.split()) for k in kept):
            kept.append(gram)
    return tuple(kept)


def embedded(text: str, objective: str, embedder: Embedder) -> Array:
    """Return the vectors of a text and of its objective, one after the other."""
    return np.concatenate(
        [embedder.query(text[:LONGEST_EMBEDDED]), embedder.query(objective[:LONGEST_EMBEDDED])]
    )


def centred(vectors: Array, centre: Array) -> Array:
    """Take *centre* off both vectors of a text and give each length 1 again.

    All vectors of the embedder point the same way; what differs between texts is small beside it.
    """
    halves = np.split(np.asarray(vectors, np.float32) - centre, 2)
    return np.concatenate([half / (float(np.linalg.norm(half)) or 1.0) for half in halves])


@cache
def load_model() -> Model:
    """Read the weights, once."""
    held = np.load(io.BytesIO((data_folder() / "families" / "weights.npz").read_bytes()))
    return Model(
        ids=tuple(str(i) for i in held["ids"]),
        vocabulary=Vocabulary(held["keys"], held["idf"].astype(np.float32)),
        selector=held["selector"],
        lexical=_regression("lexical", held),
        semantic=_regression("semantic", held),
    )


def _regression(name: str, held: Mapping[str, Any]) -> Regression:
    temperature, weakest, closest = (float(v) for v in held[f"{name}.decision"])
    meaning, centre = (held.get(f"{name}.{part}") for part in ("meaning", "centre"))
    return Regression(
        ngrams=held[f"{name}.ngrams"],
        bias=held[f"{name}.bias"],
        temperature=temperature,
        weakest=weakest,
        closest=closest,
        meaning=None if meaning is None else meaning.astype(np.float32),
        centre=centre,
    )

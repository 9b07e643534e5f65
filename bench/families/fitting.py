"""Fits the regressions of `dr_rd.families.model` to labelled texts."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from bench.families.examples import Example
from dr_rd.evidence.embeddings import Embedder, Vectors
from dr_rd.families.features import Array, Vocabulary, keyed
from dr_rd.families.model import Model, Regression, centred, embedded
from dr_rd.text import sentences, stem

RAREST = 2
"""Texts that hold an n-gram, from which it is known."""
C_LEXICAL, C_SEMANTIC, C_SELECTOR = 40.0, 20.0, 5.0
SHARE = 0.5
"""What the embeddings of the text, and those of its objective, count beside the n-grams."""
OVERLAP = 0.34
"""Share of common stems from which a sentence holds the objective."""


class Cached:
    """An embedder that computes each vector once and keeps it in a file."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self.inner, self._path = inner, path
        self._held = dict(np.load(path)) if path.exists() else {}

    def passage(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text; these are not kept."""
        return self.inner.passage(texts)

    def query(self, text: str) -> Vectors:
        """Return the vector of a text."""
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._held:
            self._held[key] = self.inner.query(text)
        return self._held[key]

    def keep(self) -> None:
        """Write the vectors to the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self._path, **self._held)


def vocabulary(texts: Sequence[str]) -> Vocabulary:
    """The n-grams of *texts* that are not too rare, and how much each tells."""
    count: dict[int, int] = {}
    for text in texts:
        for block in keyed(text):
            for key in block:
                count[key] = count.get(key, 0) + 1
    keys = np.array(sorted(k for k, n in count.items() if n >= RAREST), np.uint32)
    df = np.array([count[int(k)] for k in keys], np.float32)
    idf = np.log((1 + len(texts)) / (1 + df)) + 1
    return Vocabulary(keys, idf.astype(np.float16).astype(np.float32))


def matrix(texts: Sequence[str], known: Vocabulary) -> csr_matrix:
    rows = [known.vector(t) for t in texts]
    ends = np.cumsum([0, *(len(at) for at, _ in rows)])
    return csr_matrix(
        (np.concatenate([v for _, v in rows]), np.concatenate([a for a, _ in rows]), ends),
        shape=(len(rows), len(known.keys)),
    )


def rotated(rows: csr_matrix) -> tuple[Array, Callable[[Array], Array]]:
    """Return *rows* in as few dimensions as there are rows, and what turns weights back.

    A regression with an L2 penalty has its weights in the span of the rows, so nothing is lost.
    """
    values, vectors = np.linalg.eigh((rows @ rows.T).toarray().astype(np.float64))
    kept = values > 1e-8 * values.max()
    scale, basis = np.sqrt(values[kept]), vectors[:, kept]
    return basis * scale, lambda weights: rows.T @ (basis / scale @ weights)


def fit(examples: Sequence[Example], embedder: Embedder | None) -> Model:
    """Train on *examples*; without an *embedder*, the regression on n-grams alone.

    Temperature and thresholds are those of an uncalibrated model: 1, 0 and 0.
    """
    texts = [e.text for e in examples]
    known = vocabulary(texts)
    turned, back = rotated(matrix(texts, known))
    ids, bias, coefficients = _regressed(turned, examples, C_LEXICAL)
    lexical = Regression(back(coefficients), bias, 1.0, 0.0, 0.0)
    semantic = lexical
    if embedder is not None:
        seen = np.array([embedded(e.text, e.objective, embedder) for e in examples])
        centre = seen.mean(axis=0)
        meaning = np.array([centred(v, centre) for v in seen]) * np.sqrt(SHARE)
        ids, bias, coefficients = _regressed(np.hstack([turned, meaning]), examples, C_SEMANTIC)
        split = turned.shape[1]
        semantic = Regression(
            back(coefficients[:split]), bias, 1.0, 0.0, 0.0,
            meaning=coefficients[split:] * np.sqrt(SHARE), centre=centre,
        )  # fmt: skip
    return Model(ids, known, _selector(examples, known), lexical, semantic)


def _regressed(
    rows: Array, examples: Sequence[Example], strength: float
) -> tuple[tuple[str, ...], Array, Array]:
    labels = [e.families[0] for e in examples]
    fitted = LogisticRegression(C=strength, max_iter=300, tol=1e-3).fit(
        rows, labels, sample_weight=[e.weight for e in examples]
    )
    return tuple(fitted.classes_), fitted.intercept_.astype(np.float32), fitted.coef_.T


def _selector(examples: Sequence[Example], known: Vocabulary) -> Array:
    """Weights that tell the sentence of a text which holds its objective from the others."""
    held: list[tuple[str, bool]] = []
    for example in examples:
        if example.group:  # hardly longer than what it asks for
            continue
        found = [s.text for s in sentences(example.text) if len(s.text.split()) >= 4]
        shares = [_common(s, example.objective) for s in found]
        best = max(shares, default=0.0)
        if len(found) > 1 and best >= OVERLAP:
            held += [(s, share == best) for s, share in zip(found, shares, strict=True)]
    fitted = LogisticRegression(C=C_SELECTOR, class_weight="balanced", solver="liblinear")
    fitted.fit(matrix([s for s, _ in held], known), [asks for _, asks in held])
    return fitted.coef_[0]


def _common(sentence: str, objective: str) -> float:
    if len(sentence) > 20 and (sentence in objective or objective in sentence):
        return 1.0
    a, b = (set(map(stem, text.lower().split())) for text in (sentence, objective))
    return len(a & b) / len(a | b)

"""Search: which passages answer a question, live and newer ones first."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import bm25s
import numpy as np
from numpy.typing import NDArray

from core.values import Frozen
from dr_rd.evidence.corpus import Corpus, Document, Passage
from dr_rd.evidence.embeddings import Embedder, installed
from dr_rd.evidence.words import language, stems, words

STALE = 0.5
"""What the score of a passage counts if its document is not live."""
FUSION = 60
"""The constant of reciprocal rank fusion; 60 is the value its authors published (2009)."""
MAX_EMBEDDED = 2_000
"""Passages that are embedded: at some 10 ms each, opening the index stays under half a minute."""
SAME = 0.25
"""Share of common words from which a passage replaces one of an older edition."""
COPY = 0.9
"""Share of common words from which two passages with the same numbers are one."""

Scores = NDArray[np.float32]
Scorer = Callable[[str], Scores]
"""Scores every passage for a query; 0 is no match."""


class Hit(Frozen):
    """A passage that answers a query."""

    passage: Passage
    score: float
    """Comparable within one search only; higher is better."""
    superseded_by: str | None = None
    """The id of the passage that replaces this one."""


class Index(Protocol):
    """Search over one corpus."""

    @property
    def name(self) -> str:
        """How it searches, for the report: such as "BM25" or "BM25 + embeddings"."""

    def search(self, query: str, k: int = 5) -> tuple[Hit, ...]:
        """Return up to *k* passages for *query*, best first."""


def open_index(corpus: Corpus) -> Index:
    """Index *corpus* with the best search that is installed."""
    return index_with(corpus, installed())


def index_with(corpus: Corpus, embedder: Embedder | None) -> Index:
    """Index *corpus* by words and, given an *embedder*, by meaning as well."""
    scorers = [lexical(corpus)]
    name = "BM25"
    if embedder is not None and len(corpus.passages) > MAX_EMBEDDED:
        name = f"BM25 (embeddings are left out above {MAX_EMBEDDED:,} passages)"
    elif embedder is not None:
        scorers.append(semantic(corpus, embedder))
        name = "BM25 + embeddings"
    return Search(name, corpus, tuple(scorers), replacements(corpus))


@dataclass(frozen=True, slots=True)
class Search:
    """Scorers fused by rank; then live before stale, and copies told once."""

    name: str
    corpus: Corpus
    scorers: tuple[Scorer, ...]
    replaced_by: Mapping[int, int]
    """Positions of passages that are not live, to the passage that holds instead."""

    def search(self, query: str, k: int = 5) -> tuple[Hit, ...]:
        """Return up to *k* passages for *query*, best first."""
        if not self.corpus.passages or not query.strip() or k < 1:
            return ()
        scores = self._preferred(fuse([score(query) for score in self.scorers]))
        kept: list[int] = []
        for i in np.argsort(-scores, kind="stable")[: np.count_nonzero(scores > 0)].tolist():
            if not any(_copies(self._passage(i), self._passage(j)) for j in kept):
                kept.append(i)
            if len(kept) == k:
                break
        return tuple(self._hit(i, float(scores[i])) for i in kept)

    def _preferred(self, scores: Scores) -> Scores:
        """Lift what replaces a stale passage to its score, then lower the stale one."""
        result = scores.copy()
        for stale, live in self.replaced_by.items():
            result[live] = max(result[live], scores[stale])
        for i, passage in enumerate(self.corpus.passages):
            result[i] *= _weight(self.corpus.document_of(passage))
        return result

    def _passage(self, i: int) -> Passage:
        return self.corpus.passages[i]

    def _hit(self, i: int, score: float) -> Hit:
        live = self.replaced_by.get(i)
        newer = None if live is None else self._passage(live).id
        return Hit(passage=self._passage(i), score=round(score, 6), superseded_by=newer)


def _weight(document: Document) -> float:
    """Live first; among live ones a dated document a hair before an older or undated one."""
    age = 0.0 if document.dated is None else document.dated.toordinal() / 1e9
    return (1.0 if document.status == "live" else STALE) + age


def fuse(scored: Sequence[Scores]) -> Scores:
    """Add up the reciprocal ranks of several scorers; one alone keeps its scores."""
    if len(scored) == 1:
        return scored[0]
    total: Scores = np.sum([_reciprocal(s) for s in scored], axis=0, dtype=np.float32)
    return total


def _reciprocal(scores: Scores) -> Scores:
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores), dtype=np.float32)
    ranks[order] = np.arange(1, len(scores) + 1)
    result: Scores = np.where(scores > 0, 1 / (FUSION + ranks), 0).astype(np.float32)
    return result


def _copies(a: Passage, b: Passage) -> bool:
    """Whether two passages say the same in the same numbers."""
    first, second = words(a.text), words(b.text)
    numbers = [[w for w in found if w[0].isdigit()] for found in (first, second)]
    return numbers[0] == numbers[1] and _shared(set(first), set(second)) >= COPY


def _shared(a: Set[str], b: Set[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


# --- Scorers -------------------------------------------------------------------------------


def context(corpus: Corpus, passage: Passage) -> str:
    """Return the text a passage is found by: its title and headings before its own words."""
    title = corpus.document_of(passage).title
    return "\n".join(dict.fromkeys((title, *passage.heading, passage.text)))


def lexical(corpus: Corpus) -> Scorer:
    """Score by BM25 over the stems of each document's language."""
    tongues = {d.id: language(d.text) for d in corpus.documents}
    documents = [stems(context(corpus, p), tongues[p.document_id]) for p in corpus.passages]
    if not any(documents):
        return partial(_nothing, len(documents))
    retriever = bm25s.BM25()
    retriever.index(documents, show_progress=False)
    return partial(_lexical, retriever, sorted(set(tongues.values())), len(documents))


def _nothing(size: int, _query: str) -> Scores:
    return np.zeros(size, dtype=np.float32)


def _lexical(retriever: bm25s.BM25, tongues: Sequence[str], size: int, query: str) -> Scores:
    """Stem the query in every language of the corpus: it is too short to tell its own."""
    terms = {t for name in tongues for t in stems(query, name)} & retriever.vocab_dict.keys()
    if not terms:
        return _nothing(size, query)
    result: Scores = retriever.get_scores(sorted(terms)).astype(np.float32)
    return result


def semantic(corpus: Corpus, embedder: Embedder) -> Scorer:
    """Score by the angle between the vectors of passage and query."""
    vectors = embedder.passage([context(corpus, p) for p in corpus.passages])

    def score(query: str) -> Scores:
        # Only the order is used: these cosines crowd together far above zero.
        result: Scores = np.maximum(vectors @ embedder.query(query), 0).astype(np.float32)
        return result

    return score


# --- Editions ------------------------------------------------------------------------------


def replacements(corpus: Corpus) -> dict[int, int]:
    """Map each passage of a replaced document to the passage that holds in its stead."""
    subjects: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
    for i, p in enumerate(corpus.passages):
        subjects[p.document_id].append((i, frozenset(stems(" ".join((*p.heading, p.text))))))
    found: dict[int, int] = {}
    for document in corpus.documents:
        live = subjects[document.superseded_by] if document.superseded_by else []
        for i, subject in subjects[document.id]:
            likeness, j = max(((_overlap(subject, s), -j) for j, s in live), default=(0.0, 0))
            if likeness >= SAME:
                found[i] = -j
    return found


def _overlap(a: Set[str], b: Set[str]) -> float:
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0

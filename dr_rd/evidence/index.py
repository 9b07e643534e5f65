"""Search: which passages answer a question, live and newer ones first."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from anyio import get_cancelled_exc_class
from numpy.typing import NDArray

from core.compute import in_thread
from core.values import Frozen
from dr_rd.evidence.answers import Answered, Finder
from dr_rd.evidence.corpus import Corpus, Document, Passage
from dr_rd.evidence.editions import replacements
from dr_rd.evidence.embeddings import Embedder, Vectors, installed
from dr_rd.evidence.words import language, sentences, stems, words

if TYPE_CHECKING:
    import bm25s

STALE = 0.5
"""What the score of a passage counts if its document is not live."""
BONUS = 0.5
"""What a perfect match of words adds to a match of meaning, which spans 0 to 1."""
HALF = 8.0
"""The BM25 score that earns half the bonus: two or three rare words in common."""
MAX_EMBEDDED = 1_000
"""Passages that are embedded: at 20 to 100 ms each, the first search stays under two minutes."""
_AT_ONCE = 16
"""Sentences that are embedded at once, between looks whether somebody waits for the end."""
COPY = 0.9
"""Share of common words from which two passages with the same numbers are one."""

Scores = NDArray[np.float32]
Scorer = Callable[[str], Scores]
"""Scores every passage for a query; 0 is no match."""
Among = Callable[[Document], bool]
"""Whether a document is searched."""


class Hit(Frozen):
    """A passage that answers a query."""

    passage: Passage
    score: float
    """Comparable within one search only; higher is better."""
    superseded_by: str | None = None
    """The id of the passage that replaces this one."""
    answers: bool = False
    """Whether it speaks of what is asked, rather than being only nearest to it."""

    @property
    def place(self) -> str:
        """Where in its document the passage stands."""
        passage = self.passage
        if passage.page is not None:
            return f"page {passage.page}"
        if passage.row is not None:
            return f"row {passage.row}"
        return " › ".join(passage.heading)


class Index(Protocol):
    """Search over one corpus."""

    @property
    def name(self) -> str:
        """How it searches, for the report: such as "BM25" or "BM25 + embeddings"."""

    def search(self, query: str, k: int = 5, among: Among | None = None) -> tuple[Hit, ...]:
        """Return up to *k* passages for *query*, best first; *among* picks the documents."""

    def answered(self, question: str, most: int = 3) -> Answered:
        """Return up to *most* sections that speak of what is asked, and as many older ones."""

    async def prepare(self) -> None:
        """Do now, beside the event loop, what the first search would else take long for."""


def open_index(corpus: Corpus) -> Index:
    """Index *corpus* with the best search that is installed."""
    return index_with(corpus, installed())


def index_with(corpus: Corpus, embedder: Embedder | None) -> Index:
    """Index *corpus* by words and, given an *embedder*, by meaning as well."""
    name, meaning = "BM25", None
    if embedder is not None and len(corpus.passages) > MAX_EMBEDDED:
        name = f"BM25 (embeddings are left out above {MAX_EMBEDDED:,} passages)"
    elif embedder is not None and corpus.passages:
        name, meaning = "BM25 + embeddings", semantic(corpus, embedder)
    replaced_by = replacements(corpus)
    return Search(name, corpus, lexical(corpus), meaning, replaced_by, Finder(corpus, replaced_by))


@dataclass(frozen=True, slots=True)
class Search:
    """Matches of words and of meaning; then live before stale, and copies told once."""

    name: str
    corpus: Corpus
    by_words: Scorer
    by_meaning: "Meaning | None"
    replaced_by: Mapping[int, int]
    """Positions of passages that are not live, to the passage that holds instead."""
    finder: Finder
    """Whose answers lead: what speaks of the question comes before what is only near to it."""

    async def prepare(self) -> None:
        """Make the vectors beside the event loop; whoever is stopped does not wait for them."""
        if self.by_meaning is None:
            return
        try:
            await in_thread(self.by_meaning.prepare)
        except get_cancelled_exc_class():
            self.by_meaning.stop()
            raise

    def answered(self, question: str, most: int = 3) -> Answered:
        """Return up to *most* sections that speak of what is asked, and as many older ones."""
        return self.finder.find(question, most)

    def search(self, query: str, k: int = 5, among: Among | None = None) -> tuple[Hit, ...]:
        """Return up to *k* passages for *query*, best first; *among* picks the documents."""
        if not self.corpus.passages or not query.strip() or k < 1:
            return ()
        meaning = None if self.by_meaning is None else self.by_meaning(query)
        scores = self._preferred(fuse(self.by_words(query), meaning))
        led = self.finder.positions(query, k)
        for rank, i in enumerate(reversed(led), 1):
            scores[i] = float(scores.max()) + rank
        kept: list[int] = []
        for i in np.argsort(-scores, kind="stable")[: np.count_nonzero(scores > 0)].tolist():
            if among and not among(self.corpus.document_of(self._passage(i))):
                continue
            if not any(_copies(self._passage(i), self._passage(j)) for j in kept):
                kept.append(i)
            if len(kept) == k:
                break
        return tuple(self._hit(i, float(scores[i]), answers=i in led) for i in kept)

    def _preferred(self, scores: Scores) -> Scores:
        """Lift what replaces a stale passage to its score, then lower the stale one."""
        result = scores.copy()
        for stale, live in self.replaced_by.items():
            result[live] = max(result[live], scores[stale])
        for i, passage in enumerate(self.corpus.passages):
            result[i] *= _weight(self.corpus, passage)
        return result

    def _passage(self, i: int) -> Passage:
        return self.corpus.passages[i]

    def _hit(self, i: int, score: float, *, answers: bool) -> Hit:
        live = self.replaced_by.get(i)
        newer = None if live is None else self._passage(live).id
        return Hit(
            passage=self._passage(i),
            score=round(score, 6),
            superseded_by=newer,
            answers=answers,
        )


def _weight(corpus: Corpus, passage: Passage) -> float:
    """Live first; among live ones a dated document a hair before an older or undated one."""
    dated = corpus.document_of(passage).dated
    age = 0.0 if dated is None else dated.toordinal() / 1e9
    return (1.0 if corpus.status_of(passage) == "live" else STALE) + age


def fuse(by_words: Scores, by_meaning: Scores | None) -> Scores:
    """Add a bounded bonus for shared words to the place within the range of meanings.

    Bounded, so that a word shared by chance cannot outweigh a clear match in meaning; ranks alone
    cannot tell a strong match of words from the best of weak ones.
    """
    if by_meaning is None:
        return by_words
    spread = float(np.ptp(by_meaning))
    place = (by_meaning - by_meaning.min()) / spread if spread else np.zeros_like(by_meaning)
    total: Scores = (place + BONUS * by_words / (by_words + HALF)).astype(np.float32)
    return total


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
    import bm25s  # noqa: PLC0415 - it brings SciPy, and few runs have documents

    retriever = bm25s.BM25()
    retriever.index(documents, show_progress=False)
    return partial(_lexical, retriever, sorted(set(tongues.values())), len(documents))


def _nothing(size: int, _query: str) -> Scores:
    return np.zeros(size, dtype=np.float32)


def _lexical(retriever: "bm25s.BM25", tongues: Sequence[str], size: int, query: str) -> Scores:
    """Stem the query in every language of the corpus: it is too short to tell its own."""
    terms = {t for name in tongues for t in stems(query, name)} & retriever.vocab_dict.keys()
    if not terms:
        return _nothing(size, query)
    result: Scores = retriever.get_scores(sorted(terms)).astype(np.float32)
    return result


class Meaning:
    """Scores by the nearest sentence of a passage: a passage may speak of several things.

    The vectors are made for the first question, unless they were prepared before.
    """

    def __init__(self, corpus: Corpus, embedder: Embedder) -> None:
        self._corpus, self._embedder = corpus, embedder
        self._lock, self._stopped = Lock(), Event()
        self._made: tuple[Vectors, NDArray[np.intp]] | None = None

    def prepare(self) -> None:
        """Make the vectors; another thread may stop it, and then there are none."""
        self._stopped.clear()
        with self._lock:
            if self._made is not None:
                return
            passages = enumerate(self._corpus.passages)
            found = [(i, s) for i, p in passages for s in _titled_sentences(self._corpus, p)]
            parts = []
            for start in range(0, len(found), _AT_ONCE):
                if self._stopped.is_set():
                    return
                texts = [text for _, text in found[start : start + _AT_ONCE]]
                parts.append(self._embedder.passage(texts))
            self._made = np.concatenate(parts), np.array([i for i, _ in found], dtype=np.intp)

    def stop(self) -> None:
        """Have whoever prepares stop after the sentences in hand."""
        self._stopped.set()

    def __call__(self, query: str) -> Scores:
        """Score every passage for a query."""
        while self._made is None:
            self.prepare()
        vectors, owners = self._made
        result = np.zeros(int(owners[-1]) + 1, dtype=np.float32)
        np.maximum.at(result, owners, vectors @ self._embedder.query(query))
        return result


def semantic(corpus: Corpus, embedder: Embedder) -> Meaning:
    """Score by meaning."""
    return Meaning(corpus, embedder)


def _titled_sentences(corpus: Corpus, passage: Passage) -> Iterator[str]:
    """The sentences of *passage*, each after the title that says what "it" is."""
    title = corpus.document_of(passage).title
    whole = [(0, len(passage.text))]
    spans = sentences(passage.text) if passage.row is None else whole
    yield from (f"{title}: {passage.text[start:end]}" for start, end in spans)

"""Search: which passages answer a question, live and newer ones first."""

from typing import Protocol

from core.values import Frozen
from dr_rd.evidence.corpus import Corpus, Passage


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
    raise NotImplementedError(corpus)

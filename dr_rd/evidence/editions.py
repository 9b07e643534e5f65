"""Passages of documents that no longer hold, and those that stand in their stead."""

from collections import defaultdict
from collections.abc import Set

from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.words import stems

SAME = 0.25
"""Share of common words from which a passage replaces one of an older edition."""


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

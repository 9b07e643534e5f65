"""Redundancy: no sentence is said again in nearly the same words."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from core.scores import Score
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.sentences import Segment, normal
from dr_rd.evaluation.subject import Subject

_LEAST = 8
"""Words of a sentence below which saying it twice is no matter."""
_ALIKE = 0.66
"""Share of word pairs that two sentences of one content have in common (Jaccard index)."""
_RARE = 4
"""Rarest words of a sentence by which its likes are looked for."""
_FEW = 5
"""Sentences below which redundancy says nothing."""


def redundancy(subject: Subject) -> Score:
    """Share of the longer sentences that are not said before in nearly the same words.

    Table rows, quotations and references to numbered items are not counted: they repeat on purpose.
    """
    told = [s for s in subject.sentences if _counts(s)]
    if len(told) < _FEW:
        return not_applicable(
            "redundancy", f"it has {len(told)} longer sentences, too few to compare"
        )
    again = repeated(told)
    return share(
        "redundancy", len(told) - len(again), len(told), "longer sentences are said once",
        [f"“{s.text[:120]}” is said before" for s in again],
        "Say it once, and refer to it.", [s.text for s in again],
    )  # fmt: skip


def _counts(sentence: Segment) -> bool:
    if sentence.kind in ("row", "heading") or cue("reference").match(sentence.text):
        return False
    return len(sentence.text) > 30 and len(normal(sentence.text).split()) >= _LEAST


def repeated(told: Sequence[Segment]) -> list[Segment]:
    """Return the sentences that nearly repeat an earlier one, in order."""
    words = [normal(s.text).split() for s in told]
    often = Counter(w for ws in words for w in set(ws))
    held: dict[str, list[int]] = defaultdict(list)
    pairs = [frozenset(pairwise(ws)) for ws in words]
    figures = [frozenset(filter(_figured, ws)) for ws in words]
    again = []
    for n, ws in enumerate(words):
        rare = sorted(set(ws), key=lambda w: (often[w], w))[:_RARE]
        near = Counter(m for w in rare for m in held[w][-_FEW * 10 :])
        likes = (m for m, shared in near.items() if shared > 1 and figures[m] == figures[n])
        if any(_alike(pairs[m], pairs[n]) for m in likes):
            again.append(told[n])
        for w in rare:
            held[w].append(n)
    return again


def _figured(word: str) -> bool:
    """Whether a word has a digit; most are all letters, which is seen at once."""
    return not word.isalpha() and any(c.isdigit() for c in word)


def _alike(a: frozenset[tuple[str, str]], b: frozenset[tuple[str, str]]) -> bool:
    """Whether two sentences say the same; those whose figures or ids differ are never asked."""
    shared = len(a & b)
    return shared >= _ALIKE * (len(a) + len(b) - shared)

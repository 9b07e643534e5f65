"""Values of one kind that stand under different conditions, so that nothing compares them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.values import Frozen
from dr_rd.evidence.agreement import COMMONPLACE, LISTED, Stated, about, blanked, measured
from dr_rd.evidence.corpus import Corpus, Passage
from dr_rd.evidence.units import differ, same_kind
from dr_rd.evidence.words import sentences
from dr_rd.quantity import DATE, YEAR, Quantity

_NAME = re.compile(r"(?<=[^.!?\s] )[^\W\d_a-z][^\W\d_]{2,}(?!\w)")
"""A name, which is no first word of a sentence."""


class Apart(Frozen):
    """Two statements of two documents in the same words, each under conditions of its own."""

    first: Stated
    """Its value is the whole sentence."""
    second: Stated
    names: tuple[str, str] | None = None
    """What each is of, where that tells them apart; None where other figures do."""


@dataclass(frozen=True, slots=True)
class _MeasuredSentence:
    passage: Passage
    sentence: str
    figures: tuple[Quantity, ...]
    names: frozenset[str]


def kept_apart(corpus: Corpus) -> tuple[Apart, ...]:
    """Find what two live documents say in the same words of other places or with other figures.

    Of two sentences that differ in one figure alone, one is right: those are no such pair.
    """
    groups: dict[frozenset[str], list[_MeasuredSentence]] = defaultdict(list)
    for passage in corpus.passages:
        if corpus.status_of(passage) == "live" and passage.row is None:
            for words, said in _sentence_words(passage):
                groups[words].append(said)
    close = (g for g in groups.values() if 1 < len(g) <= COMMONPLACE)
    return tuple(
        Apart(first=_stated(a), second=_stated(b), names=_differing(a, b))
        for group in close
        for a, b in combinations(group, 2)
        if a.passage.document_id != b.passage.document_id and _apart(a, b)
    )


def _sentence_words(passage: Passage) -> Iterator[tuple[frozenset[str], _MeasuredSentence]]:
    for start, end in sentences(passage.text):
        sentence = passage.text[start:end]
        figures = measured(sentence)
        values = tuple(q for q in figures if q.noun not in (YEAR, DATE))
        if not 0 < len(values) <= LISTED:
            continue
        names = frozenset(_NAME.findall(sentence))
        bare = _NAME.sub(" ", blanked(sentence, figures)) if names else blanked(sentence, figures)
        yield from (
            (words, _MeasuredSentence(passage, sentence, values, names)) for words in about(bare)
        )


def _apart(a: _MeasuredSentence, b: _MeasuredSentence) -> bool:
    pairs = _pairs(a.figures, b.figures)
    if not len(pairs) == len(a.figures) == len(b.figures):
        return False
    others = sum(differ(x, y) for x, y in pairs)
    return others > 0 if _differing(a, b) else others > 1 and a.names == b.names


def _pairs(one: Sequence[Quantity], other: Sequence[Quantity]) -> list[tuple[Quantity, Quantity]]:
    """Each figure of one with the first of its kind in the other, in whatever order they stand."""
    left, found = list(other), []
    for figure in one:
        if alike := next((q for q in left if same_kind(figure, q)), None):
            left.remove(alike)
            found.append((figure, alike))
    return found


def _differing(a: _MeasuredSentence, b: _MeasuredSentence) -> tuple[str, str] | None:
    """The names that only one of the two holds; None unless both hold some."""
    mine, its = sorted(a.names - b.names), sorted(b.names - a.names)
    return (" ".join(mine), " ".join(its)) if mine and its else None


def _stated(said: _MeasuredSentence) -> Stated:
    return Stated(passage=said.passage, value=" ".join(said.sentence.split()))

"""Prose in sentences, and how each is meant."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

from dr_rd.text.attribution import DONE, adds, figured, intended
from dr_rd.text.clauses import clauses_of
from dr_rd.text.document import Block, document, sentence_spans
from dr_rd.text.lexicon import Word, cued, lexicon
from dr_rd.text.polarity import Stance, stances_of

_INLINE = re.compile(r"[*_`]*([^\W\d_][\w\s-]{1,40}?)[*_`]*:[*_`]*\s")
_SIGN = ("percent",)
_THERE = re.compile(r"there (?:is|are)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, list item or table row, and how it is meant."""

    text: str
    start: int
    end: int
    words: tuple[Word, ...]
    stances: tuple[Stance, ...]
    """For each word, whether the sentence affirms it; "told" is of others, or quoted."""
    clauses: tuple[int, ...]
    """For each word, the number of its clause."""
    meanings: frozenset[str]
    aside: bool
    """Whether it stands where things are named but not planned."""
    listed: bool
    """Whether it is a list item, a table row or a quotation."""
    planned: bool
    """Whether it says outright that something will be done."""

    def clause(self, start: int) -> str:
        """The clause that holds the position *start* of the whole text."""
        if not self.words:
            return self.text
        at = self._at(start)
        number = self.clauses[at] if at < len(self.words) else 0
        first = self.words[bisect_left(self.clauses, number)]
        last = self.words[bisect_right(self.clauses, number) - 1]
        return self.text[first.start - self.start : last.end - self.start]

    def _at(self, start: int) -> int:
        """The number of the first word that ends after *start*."""
        return bisect_right(self.words, start, key=lambda w: w.end)

    def stance(self, start: int) -> Stance:
        """Whether the sentence affirms what stands at the position *start*."""
        if not self.stances:
            return "affirmed"
        return self.stances[min(self._at(start), len(self.stances) - 1)]


def sentences(text: str) -> tuple[Sentence, ...]:
    """Cut Markdown into sentences, list items and table rows, with what each word means."""
    read = document(text)
    return tuple(
        _sentence(text, start, end, block)
        for block in read.blocks
        if block.kind != "heading"
        for start, end in sentence_spans(text, block)
    )


def _sentence(text: str, start: int, end: int, block: Block) -> Sentence:
    body = text[start:end]
    words = lexicon().words(body, start)
    label = _INLINE.match(body)
    titles = (*block.headings, block.label, label[1] if label else "")
    aside = any(map(names_aside, titles))
    clauses = clauses_of(words, text)
    stances = stances_of(body, start, words, clauses)
    return Sentence(
        text=body,
        start=start,
        end=start + len(body),
        words=tuple(words),
        stances=stances,
        clauses=clauses,
        meanings=frozenset(_SIGN if "%" in body else ()).union(*(w.meanings for w in words)),
        aside=aside,
        listed=block.kind in ("item", "row", "quote"),
        planned=cued("planned", body),
    )


def background(sentence: Sentence) -> bool:
    """Whether a sentence says how a thing is, not what is done with it."""
    said = sentence.text
    if plans(sentence) or _THERE.match(said):
        return False
    return cued("usual", said) or not figured(said)


def plans(sentence: Sentence) -> bool:
    """Whether a sentence says that something is done in this study."""
    said = sentence.text
    return bool(sentence.planned or intended(said) or adds(said) or DONE.search(said))


@lru_cache(maxsize=1024)
def names_aside(title: str) -> bool:
    """Whether a heading is one under which things are named but not planned."""
    bare = re.sub(r"^[\d.\s]+|[*_:#]", "", title).strip()
    refused = _REFUSED.match(bare) or lexicon().aside.search(bare)
    return len(bare.split()) <= _TITLE and bool(refused)


_TITLE = 8
"""Words that a heading has at most."""
_REFUSED = re.compile(r"(?:not|never)\b", re.IGNORECASE)

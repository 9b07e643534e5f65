"""Prose in sentences, and how each is meant."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from dr_rd.prose.blocks import Block, blocks_of, names_aside
from dr_rd.prose.clauses import clauses_of
from dr_rd.prose.lexicon import Word, cued, lexicon
from dr_rd.prose.sayings import DONE, adds, figured, intended
from dr_rd.prose.stances import Stance, stances_of

_END = re.compile(r"(?<=[.!?。！？؟])[\"'”’)*_]*\s+(?=[\"'“‘(*_\[]*[^\W_a-z])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|al|vs|fig|approx|no|cf|dr|prof|st|etc)|(?<!°)(?<!°\s)(?<!\d\s)\b[A-Z])\.$",
    re.I,
)
_OF_FIGURES = re.compile(r"\b(?:max|ca|nr|(?<!\d\s)min)\.$", re.I)
_INLINE = re.compile(r"[*_`]*([^\W\d_][\w\s-]{1,40}?)[*_`]*:[*_`]*\s")
_LONGEST = 2000
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
    """Cut Markdown into sentences, list items and table rows."""
    return tuple(s for block in blocks_of(text) for s in _cut(block, text))


def _cut(block: Block, text: str) -> Iterator[Sentence]:
    """Cut a block into sentences; a table row is one, and an endless one is cut by length."""
    begin = block.start
    for end in [*_ends(block, text), block.end]:
        for start in range(begin, end, _LONGEST):
            yield _sentence(text, start, min(end, start + _LONGEST), block)
        begin = end


def _ends(block: Block, text: str) -> Iterator[int]:
    if block.row:
        return
    for match in _END.finditer(text, block.start, block.end):
        before = text[max(block.start, match.start() - 8) : match.start()]
        shortened = text[match.end()].isdigit() and _OF_FIGURES.search(before)
        if not shortened and not _ABBREVIATION.search(before):
            yield match.end()


def _sentence(text: str, start: int, end: int, block: Block) -> Sentence:
    body = text[start:end].rstrip(" \t\r\n|")
    start += len(body) - len(body.lstrip())
    body = body.lstrip()
    words = lexicon().words(body, start)
    cues = lexicon().cues
    label = _INLINE.match(body)
    aside = block.aside or bool(label and names_aside(label[1]))
    clauses = clauses_of(words, text)
    stances = stances_of(body, start, words, clauses)
    return Sentence(
        text=body,
        start=start,
        end=start + len(body),
        words=tuple(words),
        stances=stances,
        clauses=clauses,
        meanings=frozenset().union(*(w.meanings for w in words)),
        aside=aside,
        listed=block.listed,
        planned=bool(cues["planned"].search(body)),
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

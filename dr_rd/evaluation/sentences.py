"""The sentences of a Markdown text, cut once and fast, with the figures that each states.

Every pattern looks at one line or one paragraph, so cutting takes time in proportion to length.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dr_rd.quantity import Quantity, quantities

Kind = Literal["prose", "item", "row", "heading"]


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence, list item, table row or heading."""

    text: str
    kind: Kind
    heading: str
    """The nearest heading above it; "" before the first."""
    start: int
    """Where it begins in the text it was cut from."""
    quantities: tuple[Quantity, ...] = ()
    """What it states; places count from the beginning of the whole text."""

    @property
    def end(self) -> int:
        """Where it ends in the text it was cut from."""
        return self.start + len(self.text)

    def before(self, quantity: Quantity) -> str:
        """What the sentence says before a quantity."""
        return self.text[: quantity.start - self.start]

    def after(self, quantity: Quantity) -> str:
        """What the sentence says after a quantity."""
        return self.text[quantity.end - self.start :]


def sentences(text: str) -> tuple[Segment, ...]:
    """Cut Markdown into sentences; code blocks are left out, an endless one is cut by length."""
    found = quantities(_SOFT.sub(" ", text))  # where a line ends is nothing to a quantity
    starts = [q.start for q in found]
    cut = []
    for kind, heading, start, end in _pieces(text):
        for a, b in _spans(text, kind, start, end):
            held = found[bisect_left(starts, a) : bisect_left(starts, b)]
            inside = tuple(q for q in held if q.end <= b)
            cut.append(Segment(text[a:b], kind, heading, a, inside))
    return tuple(cut)


@lru_cache(maxsize=8192)
def normal(text: str) -> str:
    """Fold *text* so that sentences that say the same look the same: case, spaces, marks.

    Several metrics ask it of each sentence.
    """
    return " ".join(_WORD.findall(text.casefold()))


_WORD = re.compile(r"[^\W_]+(?:[.,’'-][^\W_]+)*")
_LONGEST = 2000
_SOFT = re.compile(r"(?<![\n|])\n(?!\s*(?:[|#>*+•-]|\(?\d{1,3}[.)]\s|\n|\Z))")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<title>.+?)\s*#*\s*$")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\(?\d{1,3}[.)])\s+|\s*>\s*")
_RULE = re.compile(r"[\s|:=_*-]*$")
_LABEL = re.compile(r"\s*\*\*(?P<title>[^*]{1,120})\*\*\s*:?\s*$")
_END = re.compile(r"(?<=[.!?。！？؟])[\"'”’)*_\]]*(?:\s+(?=[\"'“‘(*_\[]*[^\W_a-z])|(?<=[。！？]))")
_ABBREVIATION = re.compile(
    r"(?:\b(?i:e\.g|i\.e|al|vs|fig|approx|no|cf|dr|prof|st|etc|eq|ref|ca)|(?<![\d°])(?<!\d\s)\b[A-Z])\.$"
)

_Piece = tuple[Kind, str, int, int]


def _pieces(text: str) -> Iterator[_Piece]:
    """Walk the lines: a piece is a paragraph, an item, a row or a heading, with its place."""
    heading, fenced, position = "", False, 0
    open_piece: _Piece | None = None
    for line in text.split("\n"):
        start, end = position, position + len(line)
        position = end + 1
        if _FENCE.match(line):
            fenced = not fenced
        kind = "blank" if fenced or _RULE.match(line) or _FENCE.match(line) else _kind(line)
        if kind == "more" and open_piece and open_piece[0] in ("prose", "item"):
            open_piece = (*open_piece[:3], end)
            continue
        if open_piece:
            yield open_piece
        open_piece = None
        if kind == "heading":
            heading = _title(line)
            yield "heading", heading, start, end
        elif kind == "row":
            yield "row", heading, start, end
        elif kind == "item":
            item = _ITEM.match(line)
            open_piece = ("item", heading, start + (item.end() if item else 0), end)
        elif kind == "more":
            open_piece = ("prose", heading, start, end)
    if open_piece:
        yield open_piece


def _kind(line: str) -> Literal["heading", "row", "item", "more"]:
    if _HEADING.match(line) or _LABEL.match(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "row"
    return "item" if _ITEM.match(line) else "more"


def _title(line: str) -> str:
    found = _HEADING.match(line) or _LABEL.match(line)
    return found["title"].strip("*_ ") if found else ""


def _spans(text: str, kind: Kind, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the sentences of a piece begin and end."""
    begin = start
    ends = [m for m in _END.finditer(text, start, end)] if kind in ("prose", "item") else []
    for match in ends:
        if not _ABBREVIATION.search(text[max(begin, match.start() - 8) : match.start()]):
            yield from _parts(text, begin, match.end())
            begin = match.end()
    yield from _parts(text, begin, end)


def _parts(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Trim a span, and part an endless one."""
    for a in range(begin, end, _LONGEST):
        piece = text[a : min(end, a + _LONGEST)]
        bare = piece.strip()
        if bare:
            first = a + len(piece) - len(piece.lstrip())
            yield first, first + len(bare)

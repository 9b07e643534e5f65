"""The sentences of a Markdown text, cut once and fast, with the figures that each states.

Every pattern looks at one line or one paragraph, so cutting takes time in proportion to length.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dr_rd.quantity import Quantity, quantities
from dr_rd.text.document import document, sentence_spans

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
    for block in document(text).blocks:
        for a, b in sentence_spans(text, block):
            held = found[bisect_left(starts, a) : bisect_left(starts, b)]
            inside = tuple(q for q in held if q.end <= b)
            kind = "item" if block.kind == "quote" else block.kind
            cut.append(Segment(text[a:b], kind, block.heading, a, inside))
    return tuple(cut)


@lru_cache(maxsize=8192)
def normal(text: str) -> str:
    """Fold *text* so that sentences that say the same look the same: case, spaces, marks.

    Several metrics ask it of each sentence.
    """
    return " ".join(_WORD.findall(text.casefold()))


_WORD = re.compile(r"[^\W_]+(?:[.,’'-][^\W_]+)*")
_SOFT = re.compile(r"(?<![\n|])\n(?!\s*(?:[|#>*+•-]|\(?\d{1,3}[.)]\s|\n|\Z))")

"""A model's window: how many tokens it reads and writes at once, and what of a text fits in."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from core.values import Frozen

T = TypeVar("T")

CONTEXT = 8_192
"""The window of a model that nobody knows, in tokens: what most of them have at the least."""

SPARE = 0.1
"""The share of a window that stays free: tokens are reckoned from a measured rate, not counted."""

_OTHER = re.compile(r"[^\x00-\u024f\u1e00-\u1eff\u2000-\u206f]+")
"""What is written neither in Latin letters nor in the signs that go with them."""

_PIECE = re.compile(r"\S+[^\S\n]*|[^\S\n]+|\n")
_FIGURE = re.compile(r"\d|^[\W_]+$")

_DIGITS = 9
"""What is kept of a sum, so that none is a token greater for the order in which it was added."""

Source = Literal["setting", "server", "default"]

_SOURCES: dict[Source, str] = {
    "setting": "set by DRRD_CONTEXT",
    "server": "said by the server",
    "default": "assumed: the server says nothing of it, and DRRD_CONTEXT is not set",
}


class Rates(Frozen):
    """How many characters of each kind of writing make a token of one model."""

    words: float = 3.0
    """Of words in Latin letters, with the blanks and signs between them."""
    figures: float = 1.2
    """Of numbers, ids, dates, the lines of tables, and the ends of lines."""
    others: float = 0.7
    """Of other scripts; a character counts as its bytes in UTF-8, a third each."""
    measured: bool = False
    """Whether they were measured on the model; if not, they are low enough for most."""


class Window(Frozen):
    """How much one model reads and writes at once; saved with a run, so that a replay fits alike."""

    context: int = CONTEXT
    """Of the prompt and the reply together, in tokens."""
    source: Source = "default"
    """Who says so."""
    rates: Rates = Rates()

    @property
    def description(self) -> str:
        """What is known of it, for a person."""
        how = "" if self.rates.measured else ", assumed"
        rate = f"{self.rates.words:.1f} characters a token{how}"
        return f"context {self.context:,} tokens, {_SOURCES[self.source]}; {rate}"

    def tokens(self, text: str) -> int:
        """Reckon the tokens of *text*, rounded up."""
        words, figures, others = extents(text)
        rates = self.rates
        found = words / rates.words + figures / rates.figures + others / rates.others
        return math.ceil(round(found, _DIGITS))

    def room(self, used: int, reply: int) -> int:
        """Return the tokens left beside a prompt of *used* and a reply of up to *reply* tokens."""
        return max(0, math.floor(self.context * (1 - SPARE)) - used - reply)


def extents(text: str) -> tuple[float, float, float]:
    """Measure how much of *text* is words, figures and other scripts, in characters.

    A piece between blanks is a figure if it holds a digit or no letter at all, and counts with the
    blanks behind it; no piece goes on behind the end of its line, so that lines count as they do alone.
    """
    others = sum(len(part.encode()) for part in _OTHER.findall(text)) / 3
    pieces = _PIECE.findall(_OTHER.sub("", text))
    figures = sum(len(piece) for piece in pieces if _FIGURE.search(piece))
    return sum(map(len, pieces)) - figures, figures, others


def fitted(
    material: Sequence[T],
    window: Window,
    *,
    used: int,
    reply: int,
    text: Callable[[T], str] = str,
    share: float = 1.0,
) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """Choose what a model is given to read: each piece that still fits, whole, the worthiest first.

    Args:
        material: The pieces in order of worth.
        window: Of the model that reads them.
        used: The tokens of all else in the prompt.
        reply: The tokens that the reply may take.
        text: What a piece is in the prompt, with all that stands around it.
        share: How much of the room they may take; less once the model found it too much.

    Returns:
        The pieces that fit and those left out, each in order of worth.

    """
    room = math.floor(window.room(used, reply) * share)
    kept, left_out = list[T](), list[T]()
    for piece in material:
        needed = window.tokens(text(piece))
        (kept if needed <= room else left_out).append(piece)
        room -= needed if needed <= room else 0
    return tuple(kept), tuple(left_out)

"""Every number of a text, however it is written."""

import re
from bisect import bisect_left
from collections.abc import Iterable

from dr_rd.quantity.dates import dates_in
from dr_rd.quantity.digits import digits_in
from dr_rd.quantity.grammar import compiled
from dr_rd.quantity.tokens import Token
from dr_rd.quantity.values import Number
from dr_rd.quantity.words import words_in


def numbers(text: str, *, words: bool = False) -> tuple[Number, ...]:
    """Return every bare number of *text*, in order.

    Digits inside identifiers, addresses, list markers and heading numbers are no numbers. Number
    words are left out unless *words* asks for them.
    """
    kept = ("digits", "date", "time", "word") if words else ("digits", "date", "time")
    return tuple(
        Number(value=t.value, text=text[t.start : t.end], start=t.start, end=t.end)
        for t in tokens(text)
        if t.kind in kept
    )


_ADDRESSES = (
    ("://", re.compile(r"https?://\S+", re.IGNORECASE)),
    ("www.", re.compile(r"www\.\S+", re.IGNORECASE)),
    ("10.", re.compile(r"10\.(?<=\b10\.)\d{4,9}/\S+")),
    ("arxiv", re.compile(r"\barXiv[:\s]\s?\d{4}\.\d{4,5}(?:v\d+)?", re.IGNORECASE)),
)
"""What each kind of address has, and how it is written; most texts have none."""
_MARKER = re.compile(
    r"^[ \t>]*(?:\#{1,6}[ \t]+\d+(?:\.\d+)*\.?(?=[ \t])|\d{1,3}[.)](?=[ \t]))", re.MULTILINE
)
"""The number of a heading or of a list item."""


def _skipped(text: str) -> list[tuple[int, int]]:
    """Where numbers are none: in addresses and markers."""
    found = [m.span() for m in _MARKER.finditer(text)]
    lower = text.lower()
    for sign, address in _ADDRESSES:
        if sign in lower:
            found += [m.span() for m in address.finditer(text)]
    return found


def tokens(text: str) -> list[Token]:
    """Every number of *text*, in digits, in words or as a date, in order."""
    grammar = compiled()
    taken = _skipped(text)
    found = sorted(dates_in(grammar, text), key=lambda t: t.start)
    taken += [(t.start, t.end) for t in found]
    found += _outside(found, words_in(grammar, text))
    found += digits_in(grammar, text, sorted(taken))
    return sorted(found, key=lambda t: t.start)


def _outside(dates: list[Token], words: Iterable[Token]) -> list[Token]:
    """The number words that are no part of a date; both come in order."""
    starts = [d.start for d in dates]
    return [
        w for w in words if (n := bisect_left(starts, w.end)) == 0 or dates[n - 1].end <= w.start
    ]

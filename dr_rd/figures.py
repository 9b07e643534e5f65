"""Which figures of a text its sources do not give."""

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence

from dr_rd.language import counted_in_words
from dr_rd.quantity import Number, numbers

ROUNDED = 0.005
"""Relative difference that rounding for display may make."""

EXACT = 1e-6
"""The same where only the digits that are shown may differ."""


def lacking(text: str, source: str, tongue: str, within: float = EXACT) -> tuple[str, ...]:
    """Return the figures of *text*, in digits, words or one sign, that do not stand in *source*.

    They may be rounded to the digits that they show, and "one" is no figure.

    Args:
        text: What is said, in the language *tongue*, such as "german".
        source: What it rests on.
        tongue: The language whose words for numbers are known.
        within: Relative difference that is none.

    """
    known = sorted({abs(n.value) for n in numbers(source, words=True)})
    stated = (n for n in numbers(text, words=True) if n.text.casefold() != "one")
    held = source.casefold()
    return (
        *(n.text for n in stated if not near(n, known, within)),
        *counted_in_words(text, tongue, lambda word: word in held),
        *(sign for sign in _signs(text) if sign not in source),
    )


def near(number: Number, known: Sequence[float], within: float = ROUNDED) -> bool:
    """Whether a known value, written with as many decimals as *number*, is that number.

    *known* is in order, and without signs.
    """
    decimals = len(number.text.partition(".")[2])
    rounding = (0.5 * 10.0**-decimals if decimals else 0.0) + 1e-9
    value = abs(number.value)
    first = bisect_left(known, min(value - rounding - 0.5, value / (1 + within)))
    for n in range(first, len(known)):
        k = known[n]
        if k > max(value + rounding + 0.5, value / (1 - within)):
            return False
        whole = not decimals and k != int(k) and round(k) == value
        if whole or abs(value - k) <= max(within * k, rounding):
            return True
    return False


def _signs(text: str) -> list[str]:
    """The numbers in one sign, such as "½"; those behind a letter belong to a unit or formula."""
    pairs = zip(f" {text}", text, strict=False)
    return [c for b, c in pairs if unicodedata.category(c) in ("No", "Nl") and not b.isalpha()]

"""Misspelt months, units and keys, one slip away from the word that is meant."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from dr_rd.quantity import months
from dr_rd.reading.labels import phrases_of


class Slip(NamedTuple):
    """A misspelt word, where it stands, and the word it is taken for."""

    start: int
    end: int
    meant: str


_KEYS = (
    "objective",
    "budget",
    "start",
    "deadline",
    "duration",
    "constraint",
    "criterion",
    "ban",
    "people",
)
"""Kinds of labels that are looked for under a slip."""
_UNITS = ("seconds", "minutes", "hours", "weeks", "months", "years", "percent", "euros", "pounds", "dollars", "francs",
          "metres", "litres", "grams", "kilograms", "kilometres")  # fmt: skip
_OTHER_WORDS = ("moths", "ponds", "march", "marches", "months")
"""Words of their own that lie one slip away from another."""
_SHORT = 6
"""Letters up to which another letter in a word makes another word, and not a slip."""

_KEY = re.compile(
    r"^[ \t]*(?:[-*#]+[ \t]+)?[*_]{0,2}(?P<word>[a-z]{5,14})[*_]{0,2}[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_COUNTED = re.compile(r"(?<![\w.,])\d[\d.,]*\s?(?P<word>[a-z]{5,11})\b")
_MONTH = re.compile(
    r"(?<![\w.,])\d{1,2}(?:st|nd|rd|th)?\.?\s(?:of\s)?(?P<one>[A-Za-z]{4,10})\b|\b(?P<two>[A-Za-z]{4,10}),?\s(?=20\d\d\b)"
)


def slips(text: str) -> Iterator[Slip]:
    """Yield the months by a day or a year, the units of figures and the keys of lines that are misspelt."""
    found = {
        *_slips(_MONTH, text, months()),
        *_slips(_COUNTED, text, _UNITS),
        *_slips(_KEY, text, _key_words()),
    }
    yield from sorted(found)


def _slips(pattern: re.Pattern[str], text: str, known: Iterable[str]) -> Iterator[Slip]:
    for found in pattern.finditer(text):
        name = next(k for k, v in found.groupdict().items() if v)
        word = found[name].lower()
        if word in _OTHER_WORDS:
            continue
        meant = [k for k in known if one_slip(word, k)]
        if len(meant) == 1 and word not in known:
            said = (
                meant[0].capitalize()
                if found[name][0].isupper() or known is months()
                else meant[0]
            )
            yield Slip(*found.span(name), said)


@cache
def _key_words() -> tuple[str, ...]:
    return tuple(p for p in phrases_of(_KEYS) if p.isascii() and p.isalpha() and len(p) >= 5)


def one_slip(word: str, meant: str) -> bool:
    """Whether *word* is *meant* with two letters exchanged, one left out or one too many, or in a long word another."""
    if word[:1] != meant[:1] or word == meant:
        return False
    short, long = sorted((word, meant), key=len)
    if len(long) - len(short) == 1:
        return any(long[:n] + long[n + 1 :] == short for n in range(1, len(long)))
    if len(long) != len(short):
        return False
    apart = [n for n, (a, b) in enumerate(zip(word, meant, strict=True)) if a != b]
    if len(apart) == 2:
        one, two = apart
        return two == one + 1 and word[one] == meant[two] and word[two] == meant[one]
    return len(apart) == 1 and len(meant) > _SHORT

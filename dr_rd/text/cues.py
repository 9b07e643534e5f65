"""Words and phrases as patterns."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Self

_TOKEN = re.compile(r"\w+")


class Cue:
    """A pattern whose every match has one of some words; a text without them is not searched.

    Where no words are given every text is.
    """

    def __init__(self, words: Iterable[str], pattern: str) -> None:
        self._words = frozenset(words)
        self._text = pattern

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Compiled where it is searched for first: few texts have the words of most cues."""
        return re.compile(self._text, re.IGNORECASE)

    @classmethod
    def of(cls, phrases: Iterable[str]) -> Self:
        """Look for any of *phrases*, whole and in any case; "recruit*" is "recruited", too."""
        ordered = sorted({p.lower() for p in phrases}, key=lambda p: (p[0], -len(p), p))
        tails = {
            letter: "|".join(r"[\s-]+".join(map(_ending, p[1:].split(" "))) for p in group)
            for letter, group in groupby(ordered, key=lambda p: p[0])
        }  # parted by first letter, since a long row of choices is slow
        body = "|".join(f"{re.escape(letter)}(?:{tail})" for letter, tail in tails.items())
        telling = [_telling(p) for p in ordered]
        return cls(telling if all(telling) else [], rf"\b(?:{body})\b")

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in *text*."""
        if self._words and self._words.isdisjoint(_spoken(text)):
            return None
        return self._pattern.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match in *text*, in order."""
        if self._words and self._words.isdisjoint(_spoken(text)):
            return iter(())
        return self._pattern.finditer(text)


def _telling(phrase: str) -> str:
    """The word of a phrase that fewest texts have, which is seldom a short one; "" if all are open."""
    whole = [w for w in phrase.split() if "*" not in w]
    words = [t for w in whole for t in _TOKEN.findall(w)]
    return max(words, key=lambda t: (t not in _COMMON, len(t)), default="")


_COMMON = frozenset(
    "a an the of in on at to for from by with and or but is are was were be been has have had that"
    " which who it its we they them their this these those will out up".split()
)


def _ending(word: str) -> str:
    """The pattern of a word, which "*" at its end leaves open."""
    return re.escape(word).replace(r"\*", r"\w*")


@lru_cache(maxsize=8192)
def _spoken(text: str) -> frozenset[str]:
    """The words of *text* in lower case; many cues are looked for in one sentence."""
    return frozenset(_TOKEN.findall(text.lower()))

"""A text without the white space and the marks that say nothing, and where its places were."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from dr_rd.markup import Mark, marks

_BLANK = re.compile(r"\r\n?|[ \t]+(?=[\r\n]|\Z)|(?<=[^\s])[ \t]{2,}")


@dataclass(frozen=True, slots=True)
class Layout:
    """What is read: lines end in one way and in no blank, words are one blank apart."""

    text: str
    cuts: tuple[int, ...]
    """The places of *text* from which more was cut off."""
    lost: tuple[int, ...]
    """How many characters were, up to each of them."""

    def begin(self, place: int) -> int:
        """Where in the original stands what begins at *place*."""
        return place + self._lost(bisect_right(self.cuts, place))

    def end(self, place: int) -> int:
        """Where in the original ends what ends at *place*."""
        return place + self._lost(bisect_left(self.cuts, place))

    def _lost(self, number: int) -> int:
        return self.lost[number - 1] if number else 0


def laid_out(text: str) -> Layout:
    """Read *text* whatever its line ends, its columns and its emphasis are."""
    parts: list[str] = []
    cuts: list[int] = []
    lost: list[int] = []
    last = place = 0
    for start, end, seen in sorted([*marks(text), *_blanks(text)]):
        parts += [text[last:start], seen]
        place += start - last + len(seen)
        last = end
        if len(seen) < end - start:
            cuts.append(place)
            lost.append(last - place)
    return Layout("".join([*parts, text[last:]]), tuple(cuts), tuple(lost))


def _blanks(text: str) -> Iterator[Mark]:
    for found in _BLANK.finditer(text):
        seen = _kept(found[0], text[found.end() : found.end() + 1])
        yield Mark(found.start(), found.end(), seen)


def _kept(blank: str, after: str) -> str:
    if blank[0] == "\r":
        return "\n"
    return "" if after in ("", "\r", "\n") else " "

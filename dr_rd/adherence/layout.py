"""A text without the white space that says nothing, and where its places were."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

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
    """Read *text* whatever its line ends and its columns are."""
    parts: list[str] = []
    cuts: list[int] = []
    lost: list[int] = []
    last = place = 0
    for match in _BLANK.finditer(text):
        kept = _kept(match[0], text[match.end() : match.end() + 1])
        parts += [text[last : match.start()], kept]
        place += match.start() - last + len(kept)
        last = match.end()
        if len(kept) < len(match[0]):
            cuts.append(place)
            lost.append(last - place)
    return Layout("".join([*parts, text[last:]]), tuple(cuts), tuple(lost))


def _kept(blank: str, after: str) -> str:
    if blank[0] == "\r":
        return "\n"
    return "" if after in ("", "\r", "\n") else " "

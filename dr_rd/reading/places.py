"""A text made from another, with the place in that other of every piece."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of the text, and where it stands in the source."""

    at: int
    start: int
    end: int
    verbatim: bool

    def source(self, position: int) -> int | None:
        """Where a position of the text stands in the source; None where the piece was rewritten."""
        if not self.verbatim:
            return None
        return min(self.start + position - self.at, self.end)


@dataclass(slots=True)
class Mapped:
    """A text put together from pieces of a source."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    _starts: list[int] = field(default_factory=list)
    _pieces: list[_Piece] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The whole."""
        return "".join(self.parts)

    def add(self, text: str, start: int | None = None, end: int | None = None) -> None:
        """Append *text*, which the source has at *start*; with *end*, a rewriting of what it has."""
        if text and start is not None:
            stop = start + len(text) if end is None else end
            self._starts.append(self.length)
            self._pieces.append(_Piece(self.length, start, stop, end is None))
        self.parts.append(text)
        self.length += len(text)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the source stands what this text has from *start* to *end*."""
        if not self._pieces:
            return start, end
        first = self._pieces[max(0, bisect_right(self._starts, start) - 1)]
        last = self._pieces[max(0, bisect_right(self._starts, max(start, end - 1)) - 1)]
        begin, stop = first.source(start), last.source(end)
        begin = first.start if begin is None else begin
        return begin, max(begin, last.end if stop is None else stop)


def rewritten(text: str, replacements: Iterable[tuple[int, int, str]]) -> Mapped:
    """Return *text* with what stands from start to end of each replacement as its third says.

    Where two meet, the first that stands is taken, and the longer of two at one place.
    """
    out, at = Mapped(), 0
    for start, end, said in sorted(replacements, key=lambda found: (found[0], -found[1])):
        if start >= at:
            out.add(text[at:start], at)
            out.add(said, start, end)
            at = end
    out.add(text[at:], at)
    return out

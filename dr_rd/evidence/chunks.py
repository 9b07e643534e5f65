"""Blocks cut to passages: a few sentences each, never across a heading, page or table row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dr_rd.evidence.extract import Block, Heading
from dr_rd.evidence.words import sentences

PASSAGE = 500
"""Characters that a passage grows to: three or four sentences, which a reader can check."""
LONGEST = 1_500
"""Characters of the longest passage; text without a full stop is cut here at a space."""
BETWEEN = "\n\n"
"""What the extracted text has between two blocks."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage before it has a name."""

    start: int
    end: int
    heading: Heading = ()
    page: int | None = None
    row: int | None = None


def joined(blocks: Sequence[Block]) -> str:
    """Return the extracted text: the blocks with a blank line between them."""
    return BETWEEN.join(b.text for b in blocks)


def pieces(blocks: Sequence[Block]) -> Iterator[Piece]:
    """Cut *blocks* to pieces whose offsets count in `joined(blocks)`."""
    held: Piece | None = None
    for unit in _units(blocks):
        if held is None:
            held = unit
        elif _fits(held, unit):
            held = Piece(held.start, unit.end, held.heading, held.page)
        else:
            yield held
            held = unit
    if held is not None:
        yield held


def _fits(held: Piece, unit: Piece) -> bool:
    same_place = (held.heading, held.page) == (unit.heading, unit.page)
    no_row = held.row is None and unit.row is None
    return same_place and no_row and unit.end - held.start <= PASSAGE


def _units(blocks: Sequence[Block]) -> Iterator[Piece]:
    """The sentences and rows of *blocks*; a heading's own line is left to the path."""
    offset = 0
    for block in blocks:
        is_heading = bool(block.heading) and block.text == block.heading[-1]
        whole = [(0, len(block.text))] if block.row is not None else list(sentences(block.text))
        for start, end in [] if is_heading else whole:
            for first, last in _bounded(block.text, start, end):
                yield Piece(offset + first, offset + last, block.heading, block.page, block.row)
        offset += len(block.text) + len(BETWEEN)


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = space if space > 0 else start + LONGEST
        yield start, cut
        start = cut + (space > 0)
    yield start, end

"""Table rows as blocks of text, heading paths, and why a file is not read."""

from collections.abc import Iterator, Sequence

from dr_rd.evidence.extract import Block, Heading

MAX_ROWS = 5_000
"""Rows of a table: more are measurements to be analysed, not statements to be quoted."""
_HEADING_DEPTH = 6


class Unreadable(Exception):
    """The file cannot be read; the message ends the sentence "this file ..."."""


def under(path: Heading, level: int, title: str) -> Heading:
    """Return the heading path after a heading of *level* (from 1) called *title*."""
    level = min(level, _HEADING_DEPTH)
    return (*path[: level - 1], title.strip() or "(untitled)")


class Rows:
    """The rows of one table; the first names the columns."""

    def __init__(self) -> None:
        self.cells: list[str] = []
        self._header: list[str] | None = None
        self._count = 0

    def close(self, path: Heading, page: int | None = None) -> Iterator[Block]:
        """End a row: yield it, unless it is the header."""
        cells, self.cells = [" ".join(c.split()) for c in self.cells], []
        if not any(cells):
            return
        if self._header is None:
            self._header = cells
            return
        self._count += 1
        if self._count > MAX_ROWS:
            raise Unreadable(f"has a table of more than {MAX_ROWS:,} rows; give a summary of it")
        yield Block(labelled(self._header, cells), path, page, self._count)


def labelled(header: Sequence[str], cells: Sequence[str]) -> str:
    """Write a table row as text: each cell after the name of its column."""
    names = [*header, *[""] * len(cells)]
    pairs = zip(names, cells, strict=False)
    return "; ".join(f"{n}: {c}" if n else c for n, c in pairs if c)

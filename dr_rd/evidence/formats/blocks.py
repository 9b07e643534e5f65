"""What parsers of several formats share: letters from bytes, blocks of text, rows of tables."""

import re
from collections.abc import Iterator, Sequence

from dr_rd.evidence.extract import Block, Heading

MAX_TEXT = 2_000_000
"""Characters of one document: about 700 pages; more is a data set, not a document to cite."""
MAX_ROWS = 5_000
"""Rows of a table: more are measurements to be analysed, not statements to be quoted."""
_HEADING_DEPTH = 6
_SAMPLE = 65_536


class Unreadable(Exception):
    """The file cannot be read; the message ends the sentence "this file ..."."""


def decode(data: bytes) -> str:
    """Decode *data* by its byte-order mark, as UTF-8, or as the likeliest other encoding."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding)
    if b"\0" in data:
        raise Unreadable("is binary, not text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes  # noqa: PLC0415 - almost every file is UTF-8

        best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        raise Unreadable("is in an encoding that could not be told; save it as UTF-8")
    return _strict(data, best.encoding)


_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise Unreadable("is not valid text in its encoding; save it as UTF-8") from error


def lines(text: str) -> str:
    """Give a text plain line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def paragraphs(text: str) -> Iterator[Block]:
    """Cut a text at its blank lines."""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        if stripped := paragraph.strip():
            yield Block(stripped)


_FRONT = re.compile(r"\A---[ \t]*\n(.{0,4000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z][\w -]{0,40}):[ \t]*(.+?)[ \t]*$", re.MULTILINE)


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Split off leading `key: value` lines between rules; nothing nested is looked into."""
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    pairs = {k.strip().lower(): v.strip("\"'") for k, v in _PAIR.findall(match.group(1))}
    return pairs, text[match.end() :]


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

    def close(self, path: Heading) -> Iterator[Block]:
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
        yield Block(labelled(self._header, cells), path, row=self._count)


def labelled(header: Sequence[str], cells: Sequence[str]) -> str:
    """Write a table row as text: each cell after the name of its column."""
    names = [*header, *[""] * len(cells)]
    pairs = zip(names, cells, strict=False)
    return "; ".join(f"{n}: {c}" if n else c for n, c in pairs if c)

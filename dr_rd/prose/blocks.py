"""Markdown in blocks: paragraphs, list items, table rows, quotations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dr_rd.prose.lexicon import lexicon

_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.+)")
_LABEL = re.compile(
    r"\s*(?:\*\*|__)?([^\W\d_](?:[^.!?|:*\n]{0,60}[^.!?|:*\s])?)(?:\*\*|__)?\s*+:?\s*+(?:\*\*)?\s*+$"
)
_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"[\s|:=-]+$")
_QUOTE = re.compile(r"\s*>")
_REFUSED = re.compile(r"(?:not|never)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, table row or quotation: where it stands, and as what."""

    start: int
    end: int
    aside: bool
    listed: bool
    row: bool = False


def blocks_of(text: str) -> Iterator[Block]:
    """Walk the lines; a block is a paragraph, a list item, a table row or a quotation."""
    reader = _Lines()
    position = 0
    for line in text.splitlines(keepends=True):
        yield from reader.take(line.rstrip(), position)
        position += len(line)
    yield from reader.flush()


class _Lines:
    """The state of reading line by line."""

    def __init__(self) -> None:
        self._fenced = False
        self._headings: dict[int, bool] = {}
        self._label: bool | None = None
        self._blank = True
        self._open: Block | None = None

    def take(self, line: str, at: int) -> Iterator[Block]:
        """Read one line; give the blocks that it ends."""
        if _FENCE.match(line):
            yield from self.flush()
            self._fenced = not self._fenced
        elif self._fenced:
            return
        elif not line.strip() or _RULE.match(line):
            yield from self.flush()
            self._blank = True
        elif self._titled(line):
            yield from self.flush()
        else:
            yield from self._content(line, at)

    def flush(self) -> Iterator[Block]:
        """Give the open block, if any."""
        if self._open:
            yield self._open
        self._open = None

    def _titled(self, line: str) -> bool:
        """Whether *line* is a heading or a label alone on its line; note what it says."""
        if heading := _HEADING.match(line):
            level = len(heading[1])
            self._headings = {n: a for n, a in self._headings.items() if n < level}
            self._headings[level] = names_aside(heading[2])
            self._label = None
            return True
        marked = line.rstrip().endswith((":", "**", "__", ":**"))
        label = _LABEL.match(line) if marked else None
        if label and not _ITEM.match(line):
            self._label = names_aside(label[1])
            self._blank = False
            return True
        return False

    def _content(self, line: str, at: int) -> Iterator[Block]:
        new = _ITEM.match(line) or _ROW.match(line) or _QUOTE.match(line)
        if self._blank and not new:
            self._label = None
        self._blank = False
        if new or not self._open:
            yield from self.flush()
            start = at + (new.end() if new else 0)
            self._open = Block(
                start, at + len(line), self._aside, bool(new), bool(_ROW.match(line))
            )
        else:
            self._open = replace(self._open, end=at + len(line))

    @property
    def _aside(self) -> bool:
        return bool(self._label) or any(self._headings.values())


def names_aside(title: str) -> bool:
    """Whether a heading is one under which things are named but not planned."""
    bare = re.sub(r"^[\d.\s]+|[*_:#]", "", title).strip()
    refused = _REFUSED.match(bare) or lexicon().aside.search(bare)
    return len(bare.split()) <= 8 and bool(refused)

"""A Markdown text as blocks with their places: the one reader of headings, lists, tables and sentences.

CommonMark with tables, as markdown-it reads it, except that indented lines are no code, a rule under
a line makes no heading of it, and a line in bold type, or one that ends in a colon, is a label.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Kind = Literal["heading", "prose", "item", "row", "quote"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, a list item, a table row or a quoted line; *text[start:end]* is what it says."""

    kind: Kind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    """The titles that it stands under, the outermost first; those of the document itself are not among them."""
    heading: str = ""
    """The nearest heading or label in bold type above it; its own title where it is one."""
    label: str = ""
    """The label on a line of its own that leads in to it: "Out of scope:"."""
    cells: tuple[Cell, ...] = ()
    head: tuple[str, ...] = ()
    """Of a table row the titles of the columns."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a head."""

    head: tuple[str, ...]
    rows: tuple[Block, ...]
    heading: str
    caption: str
    """The line above it; "" where none is."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a text consists of, in order."""

    text: str
    blocks: tuple[Block, ...]
    tables: tuple[Table, ...]


@lru_cache(maxsize=64)
def document(text: str) -> Document:
    """Read Markdown; code in fences is left out. Time is in proportion to length."""
    reader = _Reader(text)
    for token in _parser().parse(text):
        reader.take(token)
    return Document(text, tuple(_untitled(reader.blocks, reader.titles)), tuple(reader.tables))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.disable(["code", "html_block", "reference", "lheading"])
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


_BREAK = re.compile(r"\r\n?|\n")
_LABEL = re.compile(
    r"\s*(?P<bold>\*\*|__)?(?P<title>[^\W\d_](?:[^.!?|:：*\n]{0,60}[^.!?|:：*\s])?)(?:\*\*|__)?\s*+(?P<colon>[:：]?)\s*+(?:\*\*)?\s*+$"
)
_MARKS = re.compile(r"^[\d.\s]+|[*_#]")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"[\s|:=_*-]*$")
_RUN = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+(?=\S)")


@dataclass(slots=True)
class _Reader:
    """The state of reading token by token."""

    text: str
    blocks: list[Block] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    """The headings of the first level."""
    _titles: dict[int, str] = field(default_factory=dict)
    _heading: str = ""
    _label: str = ""
    _label_line: int = -1
    _open: list[str] = field(default_factory=list)
    _cells: list[Cell] = field(default_factory=list)
    _head: tuple[str, ...] = ()
    _rows: list[Block] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)
    _column: int = 0

    def __post_init__(self) -> None:
        breaks = list(_BREAK.finditer(self.text))
        self._starts = [0, *(m.end() for m in breaks)]
        self._ends = [*(m.start() for m in breaks), len(self.text)]

    def take(self, token: Token) -> None:
        """Read one token."""
        if token.type == "inline":
            self._inline(token)
        elif token.type == "tr_open":
            self._cells, self._column = [], self._starts[(token.map or [0])[0]]
        elif token.type == "tr_close":
            self._row()
        elif token.type == "table_close":
            self._table()
        elif token.nesting > 0:
            self._open.append(token.tag)
        elif token.nesting < 0:
            self._open.pop()

    def _inline(self, token: Token) -> None:
        first, last = token.map or (0, 1)
        if self._open and self._open[-1][0] == "h":
            self._title(int(self._open[-1][1]), token.content, first)
        elif self._open and self._open[-1] in ("th", "td"):
            self._cell(token.content, first)
        else:
            self._paragraph(token.content.split("\n"), first, last)

    def _place(self, content: str, line: int) -> tuple[int, int]:
        """Where in the text the content of a line stands."""
        bare = content.strip()
        start, end = self._starts[line], self._ends[line]
        at = self.text.rfind(bare, start, end)
        return (at, at + len(bare)) if at >= 0 else (start, end)

    def _title(self, level: int, content: str, line: int) -> None:
        title = _MARKS.sub("", content).strip(" :")
        self._titles = {n: t for n, t in self._titles.items() if n < level}
        self._titles[level] = title
        if level == 1:
            self.titles.append(title)
        self._heading, self._label = content.strip("*_ "), ""
        self.blocks.append(self._block("heading", *self._place(content, line)))

    def _block(self, kind: Kind, start: int, end: int) -> Block:
        titles = tuple(self._titles.values())
        return Block(kind, start, end, titles, self._heading, self._label)

    def _cell(self, content: str, line: int) -> None:
        at = self.text.find(content, self._column, self._ends[line]) if content else -1
        at = at if at >= 0 else self._column
        self._cells.append(Cell(content.strip(), at, at + len(content)))
        self._column = at + len(content)

    def _row(self) -> None:
        cells = tuple(self._cells)
        if not self._head:
            self._head = tuple(c.text for c in cells)
        start, end = cells[0].start, max(c.end for c in cells)
        block = self._block("row", start, max(start, end))
        self._rows.append(replace(block, cells=cells, head=self._head))

    def _table(self) -> None:
        above = self.blocks[-1] if self.blocks else None
        caption = self.text[above.start : above.end].splitlines()[-1:] if above else [""]
        self.blocks += self._rows
        rows = tuple(self._rows[1:])
        self.tables.append(Table(self._head, rows, self._heading, (caption or [""])[0].strip()))
        self._head, self._rows = (), []

    def _paragraph(self, lines: Sequence[str], first: int, last: int) -> None:
        """Part a paragraph at its labels, its runs of items and its rows; what is left is one block."""
        kind: Kind = (
            "quote" if "blockquote" in self._open else "item" if "li" in self._open else "prose"
        )
        begin: tuple[int, int] | None = None
        if kind == "prose" and self._label and first > self._label_line + 2:
            self._label = ""  # a label leads in to what follows it at once, and to lists
        for line, content in zip(range(first, last), lines, strict=False):
            start, end = self._place(content, line)
            row, run = bool(_ROW.match(content)), _RUN.match(content) if kind == "prose" else None
            labelled = kind == "prose" and not row and self._labelled(content, line)
            alone = row or run or labelled or kind == "quote"
            if alone and begin:
                self.blocks.append(self._block(kind, *begin))
                begin = None
            if labelled or _RULE.match(content):
                continue
            if alone:
                shown: Kind = "row" if row else "item" if run else kind
                self.blocks.append(self._block(shown, start + (run.end() if run else 0), end))
            else:
                begin = (begin[0] if begin else start, end)
        if begin:
            self.blocks.append(self._block(kind, *begin))

    def _labelled(self, content: str, line: int) -> bool:
        """Whether a line is a label; note what it says."""
        found = _LABEL.match(content)
        if not found or not (found["colon"] or found["bold"]):
            return False
        self._label, self._label_line = found["title"].strip(), line
        if found["bold"]:
            self._heading = self._label
            self.blocks.append(self._block("heading", *self._place(content, line)))
        return True


def _untitled(blocks: Sequence[Block], titles: Sequence[str]) -> Iterator[Block]:
    """Take the title of the document off the headings: it says what all is about, not what a part is."""
    titled = (
        len(titles) == 1 and blocks[0].kind == "heading" and blocks[0].headings == (titles[0],)
    )
    for block in blocks:
        yield replace(block, headings=block.headings[1:]) if titled else block


# --- Sentences

_END = re.compile(r"(?<=[.!?。！？؟])[\"'”’)*_\]]*(?:\s+(?=[\"'“‘(*_\[]*[^\W_a-z])|(?<=[。！？]))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|al|vs|fig|approx|no|cf|dr|prof|st|etc|eq|ref)|(?<!°)(?<!°\s)(?<!\d\s)(?<!\d)\b[A-Z])\.$",
    re.I,
)
_OF_FIGURES = re.compile(r"\b(?:max|ca|nr|(?<!\d\s)min)\.$", re.I)
_LONGEST = 2000
"""Characters of a sentence beyond which it is cut."""


def sentence_spans(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a block begin and end; a row or a heading is one."""
    cuts = [block.start, *_ends(text, block), block.end]
    for begin, end in pairwise(cuts):
        for first in range(begin, end, _LONGEST):
            piece = text[first : min(end, first + _LONGEST)]
            if bare := piece.strip():
                start = first + len(piece) - len(piece.lstrip())
                yield start, start + len(bare)


def _ends(text: str, block: Block) -> Iterator[int]:
    if block.kind in ("row", "heading"):
        return
    for match in _END.finditer(text, block.start, block.end):
        before = text[max(block.start, match.start() - 8) : match.start()]
        figure = text[match.end() : match.end() + 1].isdigit() and _OF_FIGURES.search(before)
        if not figure and not _ABBREVIATION.search(before):
            yield match.end()

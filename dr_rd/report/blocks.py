"""A Markdown text as blocks that other formats than HTML are made of."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode


@dataclass(frozen=True, slots=True)
class Run:
    """Some words of one look."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, item of a list, table, listing or figure.

    *level* is the heading's from 1, or how deep an item of a list stands, from 0; *label* is what
    a numbered item begins with, or what a figure shows. A table's first row is its head where *headed*.
    """

    kind: str
    runs: tuple[Run, ...] = ()
    level: int = 0
    label: str = ""
    rows: tuple[tuple[tuple[Run, ...], ...], ...] = ()
    headed: bool = False
    svg: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class About:
    """What a document says of itself beside its text."""

    title: str
    run_id: str
    """The run it is the result of, which stands on every page."""
    made: datetime


def reader() -> MarkdownIt:
    """Return what reads our Markdown: tables, and neither HTML nor pictures."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def blocks(markdown: str) -> list[Block]:
    """Return the blocks of a text in order."""
    tree = SyntaxTreeNode(reader().parse(printable(markdown)))
    return [block for node in tree.children for block in _read(node, 0)]


def printable(text: str) -> str:
    """Return what XML 1.0 can hold of a text, and a font show: no control characters or noncharacters."""
    return _UNPRINTABLE.sub("", text)


_UNPRINTABLE = re.compile(r"[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def with_figures(read: Sequence[Block], drawn: Sequence[str], before: str) -> list[Block]:
    """Return the blocks with figures before the heading of that name, or at the end."""
    figures = [Block("figure", label=_titled(svg), svg=svg) for svg in drawn]
    heads = (k for k, b in enumerate(read) if b.kind == "heading" and words(b.runs) == before)
    at = next(heads, len(read))
    return [*read[:at], *figures, *read[at:]]


def _titled(svg: str) -> str:
    """What a figure shows, as its own title says."""
    found = _TITLE.search(svg)
    return unescape(found[1]) if found else ""


_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


def shares(table: Block) -> list[float]:
    """Return which share of the width each column of a table gets.

    Its longest word has room in it, and what is left of a line goes by its longest cell.
    """
    columns = range(max(map(len, table.rows), default=0))
    texts = [[words(row[k]) for row in table.rows if k < len(row)] for k in columns]
    needed = [max(len(w) for text in column for w in (text.split() or [""])) for column in texts]
    needed = [min(n, _LINE // 3) + _GAP for n in needed]
    wanted = [min(max(map(len, column)), _LINE // 2) + 1 for column in texts]
    spare = max(_LINE - sum(needed), 0)
    got = [n + spare * w / sum(wanted) for n, w in zip(needed, wanted, strict=True)]
    return [width / sum(got) for width in got]


_LINE, _GAP = 100, 3
"""Characters of a table's line over the whole width, and of the space beside a cell's text."""


def is_leftward(runs: Sequence[Run]) -> bool:
    """Whether the first letter is of a script read from the right (UAX 9, rules P2 and P3)."""
    kinds = (unicodedata.bidirectional(sign) for sign in words(runs))
    return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)


def words(runs: Sequence[Run]) -> str:
    """Return the runs' text without its looks."""
    return "".join(run.text for run in runs)


def _read(node: SyntaxTreeNode, depth: int) -> Iterator[Block]:
    match node.type:
        case "heading":
            yield Block("heading", _runs(node), int(node.tag[1:]))
        case "paragraph":
            yield Block("paragraph", _runs(node))
        case "fence" | "code_block":
            yield Block("code", (Run(node.content.rstrip("\n"), code=True),))
        case "bullet_list" | "ordered_list":
            first = int(node.attrs.get("start", 1))
            for k, item in enumerate(node.children):
                label = f"{first + k}." if node.type == "ordered_list" else ""
                yield from _item(item, depth, label)
        case "table":
            rows = [row for part in node.children for row in part.children]
            cells = tuple(tuple(_runs(cell) for cell in row.children) for row in rows)
            headed = any(words(cell).strip() for cell in cells[0])
            yield Block("table", rows=cells if headed else cells[1:], headed=headed)
        case _:  # a quotation; a rule has no words
            for child in node.children:
                yield from _read(child, depth)


def _item(item: SyntaxTreeNode, depth: int, label: str) -> Iterator[Block]:
    """The first paragraph of an item carries its mark, and what follows stands as deep."""
    for k, child in enumerate(item.children):
        if child.type == "paragraph":
            yield Block("item" if k == 0 else "paragraph", _runs(child), depth, label)
        else:
            yield from _read(child, depth + 1)


def _runs(node: SyntaxTreeNode) -> tuple[Run, ...]:
    """The words below a block, each with its look; a link is its words and its address."""
    inline = next((c for c in node.children if c.type == "inline"), None)
    return tuple(_looks(inline.token.children or ())) if inline and inline.token else ()


def _looks(tokens: Sequence[Token]) -> Iterator[Run]:
    bold = italic = False
    link, seen = "", ""
    for token in tokens:
        match token.type:
            case "strong_open" | "strong_close":
                bold = token.type == "strong_open"
            case "em_open" | "em_close":
                italic = token.type == "em_open"
            case "link_open":
                link, seen = str(token.attrs.get("href", "")), ""
            case "link_close":
                if link not in ("", seen):
                    yield Run(f" ({link})", bold, italic)
            case "softbreak":
                yield Run(" ", bold, italic)
            case "hardbreak":
                yield Run("\n", bold, italic)
            case _:
                seen += token.content
                yield Run(token.content, bold, italic, token.type == "code_inline")

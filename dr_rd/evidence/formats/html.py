"""HTML: the text of block elements under their headings, without scripts and menus."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from bs4 import BeautifulSoup, Tag
from bs4.element import Comment, NavigableString, PageElement

from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.formats.blocks import Rows, decode, under


def read(data: bytes) -> Extract:
    """HTML: the text of block elements under their headings, without scripts and menus."""
    soup = BeautifulSoup(_html_text(data), "html.parser")
    meta = {
        str(tag.get("name") or tag.get("property")).lower(): str(tag["content"])
        for tag in soup.find_all("meta", content=True)
    }
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for tag in soup.find_all(["script", "style", "template", "noscript", "nav", "head", "title"]):
        tag.extract()
    return Extract(tuple(_html_blocks(soup)), title, meta)


def _html_text(data: bytes) -> str:
    """Decode as the file declares, where it does."""
    declared = re.search(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{1,40})", data[:2048], re.I)
    if declared is None:
        return decode(data)
    try:
        return data.decode(declared.group(1).decode())
    except (UnicodeDecodeError, LookupError):
        return decode(data)


_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|dd|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|h[1-6]|header|hr|li|main|ol|p|pre|section|table|tr|ul"
)
_MAX_NESTING = 200
"""Parents of a text that are looked at; deeper nesting is machine-made."""


def _html_blocks(soup: BeautifulSoup) -> Iterator[Block]:
    path: Heading = ()
    rows = Rows()
    table: int | None = None
    strings = (s for s in soup.descendants if _is_text(s))
    for (_, block), group in groupby(((s, _block_of(s)) for s in strings), key=_identity):
        parts = [s for s, _ in group]
        if block.name == "tr":
            owner = id(block.find_parent("table"))
            rows, table = (rows, table) if table == owner else (Rows(), owner)
            rows.cells = _cells(parts)
            yield from rows.close(path)
        elif text := " ".join("".join(map(str, parts)).split()):
            if re.fullmatch("h[1-6]", block.name):
                path = under(path, int(block.name[1]), text)
            yield Block(text, path)


def _is_text(element: PageElement) -> bool:
    return isinstance(element, NavigableString) and not isinstance(element, Comment)


def _identity(pair: tuple[PageElement, Tag]) -> tuple[int, Tag]:
    return id(pair[1]), pair[1]


def _block_of(string: PageElement) -> Tag:
    parents = list(islice(string.parents, _MAX_NESTING))
    return next((p for p in parents if _BLOCK.fullmatch(p.name)), parents[-1])


def _cells(parts: Sequence[PageElement]) -> list[str]:
    """The texts of a row by column; a cell without text holds its place."""
    texts: dict[int, list[str]] = {}
    for part in parts:
        texts.setdefault(id(part.find_parent(["td", "th"])), []).append(str(part))
    row = parts[0].find_parent("tr")
    cells = row.find_all(["td", "th"]) if row else []
    found: list[str] = []
    for cell in (c for c in cells if c.find_parent("tr") is row):  # one left open holds the next
        span = str(cell.get("colspan", "1"))
        width = min(int(span), _COLUMNS) if span.isdecimal() else 1
        found += [" ".join("".join(texts.get(id(cell), ())).split()), *[""] * (width - 1)]
    return found


_COLUMNS = 100
"""Columns that a cell may span."""

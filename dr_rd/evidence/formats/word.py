"""Word: paragraphs, text boxes and table rows under their headings."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement

from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.formats.blocks import Rows, Unreadable, under
from dr_rd.evidence.formats.office import check_zip, left_out


def read(data: bytes) -> Extract:
    """Word: headers and footers, then paragraphs, text boxes and table rows under their headings."""
    names = check_zip(data)
    try:
        document = docx.Document(io.BytesIO(data))
    except PackageNotFoundError as error:
        raise Unreadable(f"is damaged ({type(error).__name__})") from error
    properties = document.core_properties
    meta = {}
    if "docProps/core.xml" in names and properties.modified:
        meta["modified"] = properties.modified.date().isoformat()
    reader = _Word(document)
    blocks = [*_margins(document, reader), *reader.body(), *_notes(document, reader)]
    first = next((b.heading[0] for b in blocks if b.heading), "")
    title = reader.title or properties.title or first
    return Extract(tuple(blocks), title, meta, tuple(left_out(names)))


class _Word:
    """Walks the elements of one Word file; what was a heading stands above what follows."""

    def __init__(self, document: Document) -> None:
        self._root = document.element
        self._styles = {s.style_id: s.name or "" for s in document.styles}
        self._path: Heading = ()
        self.title = ""

    def body(self) -> Iterator[Block]:
        """The blocks of every body: some programs write several."""
        for body in self._root.iterchildren(qn("w:body")):
            yield from self.blocks(body)

    def blocks(self, parent: BaseOxmlElement) -> Iterator[Block]:
        """The blocks beneath an element, in order."""
        for child in parent.iterchildren():
            if child.tag == qn("w:p"):
                yield from self._paragraph(child)
            elif child.tag == qn("w:tbl"):
                yield from self._table(child)
            elif child.tag in _WRAPPERS:
                yield from self.blocks(child)

    def _paragraph(self, element: BaseOxmlElement) -> Iterator[Block]:
        style = element.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        name = "" if style is None else self._styles.get(style.get(qn("w:val")), "")
        if text := _text(element).strip():
            if name == "Title" and not self.title:
                self.title = text
            elif match := re.fullmatch(r"Heading (\d)", name):
                self._path = under(self._path, int(match.group(1)), text)
            yield Block(text, self._path)
        for box in _boxes(element):
            yield from self.blocks(box)

    def _table(self, table: BaseOxmlElement) -> Iterator[Block]:
        """Rows under their header; a table of one row or column only places text on the page."""
        found = [list(_wrapped(row, "w:tc")) for row in _wrapped(table, "w:tr")]
        if len(found) == 1 or all(len(cells) == 1 for cells in found):
            for cells in found:
                for cell in cells:
                    yield from self.blocks(cell)
            return
        rows, above = Rows(), list[str]()
        for cells in found:
            above = rows.cells = _cell_texts(cells, above)
            yield from rows.close(self._path)
            yield from self._nested(cells, above[0])

    def _nested(self, cells: Iterable[BaseOxmlElement], name: str) -> Iterator[Block]:
        """The tables and text boxes in the cells of a row, under the row's name."""
        path = self._path
        self._path = (*path, name) if 0 < len(name) <= _NAME else path
        for cell in cells:
            for child in _inner(cell, (qn("w:tbl"), _BOX)):
                yield from self._table(child) if child.tag == qn("w:tbl") else self.blocks(child)
        self._path = path


_NAME = 80
"""Characters of the first cell of a row that may name what is nested in it."""
_BOX = qn("w:txbxContent")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""A second copy of a drawing, for programs that know no drawings."""
_WRAPPERS = frozenset(map(qn, ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo")))
_APART = frozenset({*map(qn, ("w:tbl", "w:del", "w:moveFrom", "w:pPr")), _BOX, _FALLBACK})
"""What is no text of the paragraph or cell that it stands in."""
_SPACES: Mapping[str, str] = {
    qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"
}  # fmt: skip


def _text(element: BaseOxmlElement) -> str:
    """The text of a paragraph or cell, insertions kept and deletions left out."""
    parts = []
    for child in element.iterchildren():
        if child.tag == qn("w:t"):
            parts.append(child.text or "")
        elif child.tag not in _APART:
            end = "\n" if child.tag == qn("w:p") else ""
            parts.append(_SPACES.get(child.tag) or _text(child) + end)
    return "".join(parts)


def _inner(element: BaseOxmlElement, tags: tuple[str, ...]) -> Iterator[BaseOxmlElement]:
    """The outermost elements with one of *tags* beneath *element*."""
    for child in element.iterchildren():
        if child.tag in tags:
            yield child
        elif child.tag != _FALLBACK:
            yield from _inner(child, tags)


def _boxes(paragraph: BaseOxmlElement) -> Iterator[BaseOxmlElement]:
    return _inner(paragraph, (_BOX,))


def _wrapped(parent: BaseOxmlElement, tag: str) -> Iterator[BaseOxmlElement]:
    """The rows of a table, or cells of a row, through what may be wrapped around them."""
    for child in parent.iterchildren():
        if child.tag == qn(tag):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _wrapped(child, tag)


def _cell_texts(cells: Iterable[BaseOxmlElement], above: list[str]) -> list[str]:
    """The texts of a row by column: merged cells fill the columns and rows that they span."""
    found: list[str] = []
    for cell in cells:
        span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
        merged = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
        goes_on = merged is not None and merged.get(qn("w:val")) != "restart"
        text = above[len(found)] if goes_on and len(found) < len(above) else _text(cell).strip()
        width = 1 if span is None else min(int(span.get(qn("w:val"), "1")), _COLUMNS)
        found += [text, *[""] * (width - 1)]
    return found or [""]


_COLUMNS = 63
"""Columns that a table of Word may have."""


def _margins(document: Document, reader: _Word) -> Iterator[Block]:
    """Headers and footers, each once, unless they only number the pages."""
    kinds = (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER)
    parts = [r.target_part for r in document.part.rels.values() if r.reltype in kinds]
    found = (b for part in parts for b in reader.blocks(parse_xml(part.blob)))
    seen: dict[str, Block] = {b.text: b for b in found if re.search(r"[^\W\d_]{3}", b.text)}
    yield from (Block(text) for text in seen)


def _notes(document: Document, reader: _Word) -> Iterator[Block]:
    """Footnotes and endnotes, after the text."""
    kinds = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES)
    for rel in document.part.rels.values():
        if rel.reltype in kinds:
            for note in parse_xml(rel.target_part.blob).iterchildren():
                yield from (Block(b.text) for b in reader.blocks(note))

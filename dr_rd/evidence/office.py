"""Word and Excel files to blocks of text; the parts of them that are left out are named."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement
from python_calamine import CalamineWorkbook, SheetMetadata, SheetTypeEnum, SheetVisibleEnum

from core.pluralize import pluralize
from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.rows import MAX_ROWS, Rows, Unreadable, under

MAX_UNZIPPED = 100_000_000
"""Bytes that an Office file may unpack to: far above any real text, far below a small machine."""
MAX_RATIO = 200
"""How often its parts may shrink by packing; XML packs 20-fold, a bomb 1000-fold."""
MAX_PARTS = 5_000
"""Parts inside an Office file: a picture on every page of a long report fits."""

_LEFT_OUT = (
    (r"media/.+", "picture"),
    (r"charts/chart\d*\.xml", "chart"),
    (r"diagrams/data\d*\.xml", "diagram"),
    (r"embeddings/.+|afchunk.+", "embedded file"),
    (r"comments\d*\.xml|comments/.+", "sheet or text with comments"),
)
"""Parts that are not read, by what their names match below "word/" or "xl/"."""


def _check_zip(data: bytes) -> Mapping[str, int]:
    """Refuse what would unpack to far more than a document; return the size of each part."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    size = sum(p.file_size for p in parts)
    packed = sum(p.compress_size for p in parts)
    if len(parts) > MAX_PARTS:
        raise Unreadable(f"holds {len(parts):,} parts; the limit is {MAX_PARTS:,}")
    if size > MAX_UNZIPPED or size > MAX_RATIO * max(packed, 5_000):
        raise Unreadable(f"would unpack to {size:,} bytes from {packed:,}; it may be a zip bomb")
    return {p.filename: p.file_size for p in parts}


def _left_out(names: Iterable[str]) -> Iterator[str]:
    inner = [name.partition("/")[2] for name in names]
    for pattern, kind in _LEFT_OUT:
        if number := sum(re.fullmatch(pattern, name, re.IGNORECASE) is not None for name in inner):
            yield pluralize(number, kind)


# --- Word ----------------------------------------------------------------------------------


def read_docx(data: bytes) -> Extract:
    """Word: headers and footers, then paragraphs, text boxes and table rows under their headings."""
    names = _check_zip(data)
    document = docx.Document(io.BytesIO(data))
    properties = document.core_properties
    meta = {}
    if "docProps/core.xml" in names and properties.modified:
        meta["modified"] = properties.modified.date().isoformat()
    reader = _Word(document)
    blocks = [*_margins(document, reader), *reader.body(), *_notes(document, reader)]
    first = next((b.heading[0] for b in blocks if b.heading), "")
    title = reader.title or properties.title or first
    return Extract(tuple(blocks), title, meta, tuple(_left_out(names)))


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


# --- Excel ---------------------------------------------------------------------------------


def read_xlsx(data: bytes) -> Extract:
    """Excel: the rows of every sheet that is shown, each cell after the name of its column."""
    names = _check_zip(data)
    blocks: list[Block] = []
    left_out = [*_left_out(names), *_uncomputed(data, names)]
    with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
        for sheet in book.sheets_metadata:
            if why := _not_read(sheet):
                left_out.append(f"the sheet {sheet.name!r}, which is {why}")
                continue
            table = book.get_sheet_by_name(sheet.name)
            if table.height > MAX_ROWS:
                left_out.append(f"the sheet {sheet.name!r} of {table.height:,} rows")
            else:
                blocks += _sheet_blocks(sheet.name, table.iter_rows())
    return Extract(tuple(blocks), *_properties(data, names), tuple(left_out))


def _not_read(sheet: SheetMetadata) -> str:
    if sheet.visible != SheetVisibleEnum.Visible:
        return "hidden"
    return "" if sheet.typ == SheetTypeEnum.WorkSheet else "no table"


def _sheet_blocks(name: str, rows: Iterable[Sequence[object]]) -> Iterator[Block]:
    """Rows after their header; an empty row ends a table, and a lone cell is a line of text."""
    path: Heading = (name,)
    yield Block(name, path)
    table = Rows()
    for row in rows:
        cells = [_cell(value) for value in row]
        filled = [c for c in cells if c]
        if not filled:
            table = Rows()
        elif len(filled) == 1 and len(cells) > 1:
            yield Block(filled[0], path)
        else:
            table.cells = cells
            yield from table.close(path)


def _cell(value: object) -> str:
    """A cell as a person reads it: whole numbers without a point, days without a time."""
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat(*([" "] if isinstance(value, datetime) else []))
    return str(value).strip()


def _uncomputed(data: bytes, names: Iterable[str]) -> Iterator[str]:
    """Formulas that the program which wrote the file never computed."""
    sheets = [n for n in names if re.fullmatch(r"xl/worksheets/[^/]+\.xml", n)]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        number = sum(len(_NO_VALUE.findall(archive.read(n))) for n in sheets)
    if number:
        yield f"{pluralize(number, 'formula')} whose result the file does not hold"


_NO_VALUE = re.compile(rb"<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>|(?=</c>))")


def _properties(data: bytes, names: Iterable[str]) -> tuple[str, dict[str, str]]:
    """The title that the file gives itself, and the days when it was changed and made."""
    if "docProps/core.xml" not in names:
        return "", {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        root = parse_xml(archive.read("docProps/core.xml"))
    found = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in root}
    days = {k: found[k][:10] for k in ("modified", "created") if found.get(k)}
    return found.get("title", ""), days

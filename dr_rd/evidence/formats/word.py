"""Word: paragraphs and table rows under their headings."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table
from docx.text.paragraph import Paragraph

from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.formats.blocks import Rows, Unreadable, under

MAX_UNZIPPED = 100_000_000
"""Bytes that a Word file may unpack to: far above any real text, far below a small machine."""
MAX_RATIO = 200
"""How often a Word file's parts may shrink by packing; XML packs 20-fold, a bomb 1000-fold."""
MAX_PARTS = 5_000
"""Parts inside a Word file: a picture on every page of a long report fits."""


def read(data: bytes) -> Extract:
    """Word: paragraphs and table rows under their headings."""
    names = _check_zip(data)
    try:
        document = docx.Document(io.BytesIO(data))
    except PackageNotFoundError as error:
        raise Unreadable(f"is damaged ({type(error).__name__})") from error
    meta = {}
    if "docProps/core.xml" in names and document.core_properties.modified:
        meta["modified"] = document.core_properties.modified.date().isoformat()
    title, blocks = _docx_blocks(document.iter_inner_content())
    return Extract(tuple(blocks), title or document.core_properties.title, meta)


def _check_zip(data: bytes) -> frozenset[str]:
    """Refuse what would unpack to far more than a document; return the names of the parts."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    size = sum(p.file_size for p in parts)
    packed = sum(p.compress_size for p in parts)
    if len(parts) > MAX_PARTS:
        raise Unreadable(f"holds {len(parts):,} parts; the limit is {MAX_PARTS:,}")
    if size > MAX_UNZIPPED or size > MAX_RATIO * max(packed, 5_000):
        raise Unreadable(f"would unpack to {size:,} bytes from {packed:,}; it may be a zip bomb")
    return frozenset(p.filename for p in parts)


def _docx_blocks(content: Iterable[Paragraph | Table]) -> tuple[str, list[Block]]:
    path: Heading = ()
    title = ""
    blocks: list[Block] = []
    for item in content:
        if isinstance(item, Table):
            blocks.extend(_docx_rows(item, path))
        elif text := item.text.strip():
            style = (item.style.name if item.style else None) or ""
            if style == "Title" and not title:
                title = text
            elif match := re.fullmatch(r"Heading (\d)", style):
                path = under(path, int(match.group(1)), text)
            blocks.append(Block(text, path))
    return title, blocks


def _docx_rows(table: Table, path: Heading) -> Iterator[Block]:
    rows = Rows()
    for row in table.rows:
        rows.cells = [cell.text for cell in row.cells]
        yield from rows.close(path)

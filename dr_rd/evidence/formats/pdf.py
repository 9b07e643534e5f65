"""PDF: the text of each page, paragraph by paragraph."""

import io
import re
from collections.abc import Iterator, Mapping

import pypdf
from pypdf.errors import PyPdfError

from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.formats.blocks import MAX_TEXT, Unreadable

MAX_PAGES = 1_000
"""Pages of a PDF: the length of a long standard or handbook."""


def read(data: bytes) -> Extract:
    """PDF: the text of each page, paragraph by paragraph."""
    try:
        return _read(data)
    except PyPdfError as error:
        raise Unreadable(f"is damaged ({type(error).__name__})") from error


def _read(data: bytes) -> Extract:
    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):  # an owner's password bars no reader
        raise Unreadable("is encrypted; save a copy without a password")
    if len(reader.pages) > MAX_PAGES:
        raise Unreadable(f"has {len(reader.pages):,} pages; the limit is {MAX_PAGES:,}")
    meta = _pdf_meta(reader)
    blocks = tuple(_pdf_blocks(reader))
    empty = len(reader.pages) - len({b.page for b in blocks})
    scans = f"{empty} of {len(reader.pages)} pages, on which no text was found (scans?)"
    return Extract(blocks, meta.pop("title", ""), meta, (scans,) if empty else ())


def _pdf_meta(reader: pypdf.PdfReader) -> dict[str, str]:
    known: Mapping[str, object] = reader.metadata or {}
    wanted = {"/Title": "title", "/ModDate": "modified", "/CreationDate": "created"}
    return {name: str(known[key]).strip() for key, name in wanted.items() if known.get(key)}


def _pdf_paragraphs(text: str, page: int, path: Heading) -> Iterator[Block]:
    """The paragraphs of a page, under the lines that look like their headings."""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in paragraph.splitlines() if line.strip()]
        held: list[str] = []
        for before, line, after in zip([".", *lines], lines, [*lines[1:], ""], strict=False):
            heads = _looks_like_heading(line) and re.search(r"[.!?:]\s*$", before)
            if heads and after and not _looks_like_heading(after):
                if held:
                    yield Block("\n".join(held).strip(), path, page)
                held, path = [], (line.strip(),)
                yield Block(path[0], path, page)
            else:
                held.append(line)
        if held:
            yield Block("\n".join(held).strip(), path, page)


def _looks_like_heading(line: str) -> bool:
    return len(line) <= _HEADING and _HEADING_LINE.fullmatch(line.strip()) is not None


_HEADING = 60
_HEADING_LINE = re.compile(r"(?:\d+(?:\.\d+)*\.?\s+)?[^\W\d_a-z][^\d.!?;:,]*")
"""A short line without figures, but for its own number, and without a stop."""


def _pdf_blocks(reader: pypdf.PdfReader) -> Iterator[Block]:
    size, path = 0, Heading()
    for number, page in enumerate(reader.pages, start=1):
        for block in _pdf_paragraphs(page.extract_text(), number, path):
            path = block.heading
            size += len(block.text)
            if size > MAX_TEXT:
                raise Unreadable(f"holds more text than the limit of {MAX_TEXT:,} characters")
            yield block

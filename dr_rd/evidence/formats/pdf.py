"""PDF: the text of each page, paragraph by paragraph."""

import io
from collections.abc import Iterator, Mapping

import pypdf
from pypdf.errors import PyPdfError

from dr_rd.evidence.extract import Block, Extract
from dr_rd.evidence.formats.blocks import MAX_TEXT, Unreadable, paragraphs

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
    if reader.is_encrypted:
        raise Unreadable("is encrypted; save a copy without a password")
    if len(reader.pages) > MAX_PAGES:
        raise Unreadable(f"has {len(reader.pages):,} pages; the limit is {MAX_PAGES:,}")
    meta = _pdf_meta(reader)
    return Extract(tuple(_pdf_blocks(reader)), meta.pop("title", ""), meta)


def _pdf_meta(reader: pypdf.PdfReader) -> dict[str, str]:
    known: Mapping[str, object] = reader.metadata or {}
    wanted = {"/Title": "title", "/ModDate": "modified", "/CreationDate": "created"}
    return {name: str(known[key]).strip() for key, name in wanted.items() if known.get(key)}


def _pdf_blocks(reader: pypdf.PdfReader) -> Iterator[Block]:
    size = 0
    for number, page in enumerate(reader.pages, start=1):
        for block in paragraphs(page.extract_text(), number):
            size += len(block.text)
            if size > MAX_TEXT:
                raise Unreadable(f"holds more text than the limit of {MAX_TEXT:,} characters")
            yield block

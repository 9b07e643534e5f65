"""Plain text: paragraphs between blank lines."""

from dr_rd.evidence.extract import Extract
from dr_rd.evidence.formats.blocks import decode, front_matter, lines, paragraphs


def read(data: bytes) -> Extract:
    """Plain text: paragraphs between blank lines."""
    meta, body = front_matter(lines(decode(data)))
    return Extract(tuple(paragraphs(body)), meta.get("title", ""), meta)

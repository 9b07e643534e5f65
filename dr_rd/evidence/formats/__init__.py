"""One parser a format: the bytes of a file to blocks of text with their place.

These run in a child process (see child.py), so a parser that fails or never ends costs one file.
Each is imported with the first file of its format: the libraries of all take half a second.
"""

from importlib import import_module

from dr_rd.evidence.extract import Extract
from dr_rd.evidence.formats.blocks import MAX_TEXT, Unreadable

PARSERS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "plain",
    ".text": "plain",
    ".html": "html",
    ".htm": "html",
    ".csv": "table",
    ".tsv": "table",
    ".pdf": "pdf",
    ".docx": "word",
    ".xlsx": "sheet",
}
"""By each ending that is read, the module here whose `read` reads it."""


def parse(suffix: str, data: bytes) -> Extract:
    """Parse *data*, the bytes of a file named with *suffix*; raise `Unreadable` with the reason."""
    _check_kind(suffix, data)
    extract: Extract = import_module(f"{__name__}.{PARSERS[suffix]}").read(data)
    size = sum(len(b.text) for b in extract.blocks)
    if size > MAX_TEXT:
        raise Unreadable(f"holds {size:,} characters of text; the limit is {MAX_TEXT:,}")
    if not size:
        raise Unreadable(_EMPTY.get(suffix, "holds no text"))
    return extract


_EMPTY = {".pdf": "holds no text (a scan?); run text recognition and save it again"}


def _check_kind(suffix: str, data: bytes) -> None:
    if not data.strip():
        raise Unreadable("is empty")
    actual = next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
    if b"%PDF-" in data[:1024]:
        actual = "PDF"
    if actual == "old Office" and suffix in (".docx", ".xlsx"):
        raise Unreadable("is encrypted, or of an old Office; save a copy without a password")
    wanted = {".pdf": "PDF", ".docx": "zip", ".xlsx": "zip"}.get(suffix, "")
    if wanted and actual != wanted:
        raise Unreadable(f"is named {suffix} but is not one inside")
    if actual != wanted:
        raise Unreadable(f"is named {suffix} but holds {actual} data; give it its right ending")


_MAGIC = (
    (b"PK\x03\x04", "zip"),
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"\xd0\xcf\x11\xe0", "old Office"),
    (b"\x7fELF", "program"),
    (b"\x1f\x8b", "gzip"),
    (b"{\\rtf", "RTF"),
)

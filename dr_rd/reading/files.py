"""The text of a brief: from a file of any usual form, from standard input, or quoted."""

import codecs
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from core.errors import CallerError
from dr_rd.evidence.extract import Extract
from dr_rd.evidence.parsing import parse_all
from dr_rd.sources import is_file_name, missing

MAX_BYTES = 1_000_000
"""Of a text; at a megabyte it is a document, for --docs."""
MAX_FILE = 20_000_000
"""Bytes of a Word file, a PDF or a page, which hold pictures besides."""

Kind = Literal["yaml", "json", "markdown", "text"]

KINDS: Mapping[str, Kind] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
}
PARSED = (".docx", ".pdf", ".html", ".htm")
"""Endings of files that a parser makes text of."""


class Given(NamedTuple):
    """A text to be read."""

    text: str
    kind: Kind | None
    """None where its form is to be told from itself."""
    name: str
    """What error messages call it."""
    stem: str = ""
    """The file's name without its ending; "" where there is no file."""
    quoted: bool = False
    """Whether it stood on the command line itself."""


def given_text(source: str | Path, stdin: BinaryIO | None = None) -> Given:
    """Return the text of a file, of *stdin* for "-", or *source* itself.

    Raises CallerError with one sentence if it cannot be used.
    """
    if not str(source):
        raise CallerError("the brief is empty; name a file or write at least an objective")
    if str(source) == "-":
        stream = stdin or (sys.stdin.buffer if sys.stdin else None)
        if stream is None:
            raise CallerError("standard input is closed; name a file instead of -")
        return Given(_decoded(stream.read(MAX_BYTES + 1), "standard input"), None, "brief")
    if not is_file_name(source):
        return Given(str(source), "text", "the brief", quoted=True)
    path = Path(source)
    if path.suffix.lower() in PARSED:
        return Given(_parsed(path), "markdown", path.name, path.stem)
    kind = KINDS.get(path.suffix.lower())
    return Given(_decoded(_bytes(path, MAX_BYTES), str(path)), kind, path.name, path.stem)


def _bytes(path: Path, most: int) -> bytes:
    try:
        if path.is_dir():
            raise CallerError(f"{str(path)!r} is a folder; name a brief in it, such as brief.yaml")
        if path.exists() and not path.is_file():
            raise CallerError(f"{str(path)!r} is no ordinary file; save the brief to one")
        with path.open("rb") as file:
            return file.read(most + 1)
    except FileNotFoundError as e:
        raise missing(path) from e
    except OSError as e:
        raise CallerError(f"cannot read {str(path)!r}: {(e.strerror or 'unknown').lower()}") from e


def _decoded(raw: bytes, where: str) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark."""
    _check_size(len(raw), MAX_BYTES, where)
    utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = raw.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as e:
        raise CallerError(
            f"{where} is not UTF-8 text (byte {e.start} cannot be read); save it as UTF-8"
        ) from e
    if "\0" in text:
        raise CallerError(
            f"{where} is a binary file; a brief is YAML, JSON, Markdown, text, Word, PDF or HTML"
        )
    return text


def _parsed(path: Path) -> str:
    """The text of a Word file, a PDF or a page as Markdown."""
    raw = _bytes(path, MAX_FILE)
    _check_size(len(raw), MAX_FILE, str(path))
    (found,) = parse_all([(path.suffix.lower(), raw)])
    if isinstance(found, str):
        raise CallerError(f"{str(path)!r} {found}")
    text = markdown_of(found)
    _check_size(len(text.encode()), MAX_BYTES, str(path))
    return text


def _check_size(size: int, most: int, where: str) -> None:
    if size > most:
        raise CallerError(
            f"{where} is larger than {most:,} bytes, the most a brief may have; "
            "keep the question in the brief and give the rest as documents"
        )


def markdown_of(extract: Extract) -> str:
    """Return what a parser found as Markdown: headings, paragraphs, and rows as items."""
    lines: list[str] = []
    above: tuple[str, ...] = ()
    for block in extract.blocks:
        if block.heading != above:
            shared = next(
                (n for n, (a, b) in enumerate(zip(above, block.heading, strict=False)) if a != b),
                min(len(above), len(block.heading)),
            )
            lines += [
                f"{'#' * (n + 1)} {title}" for n, title in enumerate(block.heading) if n >= shared
            ]
            above = block.heading
        if block.heading and block.text == block.heading[-1]:
            continue
        lines.append(f"- {block.text}" if block.row is not None else block.text)
    return "\n\n".join(lines)

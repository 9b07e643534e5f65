"""A brief read from a file, from standard input, or from quoted text."""

import codecs
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from core.errors import CallerError
from dr_rd.brief.parsing import Kind, parse_brief
from dr_rd.brief.values import NAMELESS, Brief
from dr_rd.sources import is_file_name, missing

MAX_BYTES = 1_000_000
"""A brief is read by a person before a run; at a megabyte it is a document, for --docs."""

KINDS: Mapping[str, Kind] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
}


def read_brief(source: str | Path, stdin: BinaryIO | None = None) -> Brief:
    """Read a brief from a file, from *stdin* for "-", or from quoted text (the objective).

    Raises CallerError with one sentence if it cannot be used.
    """
    if not str(source):
        raise CallerError("the brief is empty; name a file or write at least an objective")
    if str(source) == "-":
        stream = stdin or (sys.stdin.buffer if sys.stdin else None)
        if stream is None:
            raise CallerError("standard input is closed; name a file instead of -")
        return parse_brief(_decoded(stream.read(MAX_BYTES + 1), "standard input"), None, "brief")
    if not is_file_name(source):
        return _brief_from_text(str(source))
    path = Path(source)
    kind = KINDS.get(path.suffix.lower())
    brief = parse_brief(_decoded(_bytes(path), str(path)), kind, path.name)
    named = brief.id != NAMELESS or not path.stem
    return brief if named else brief.model_copy(update={"id": path.stem})


def _brief_from_text(text: str) -> Brief:
    """Read text from the command line: one line is the objective, whole."""
    brief = parse_brief(text, "text", "the brief")
    line = text.strip()
    return brief if "\n" in line else brief.model_copy(update={"objective": line})


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise CallerError(f"{str(path)!r} is a folder; name a brief in it, such as brief.yaml")
        if path.exists() and not path.is_file():
            raise CallerError(f"{str(path)!r} is no ordinary file; save the brief to one")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as e:
        raise missing(path) from e
    except OSError as e:
        raise CallerError(f"cannot read {str(path)!r}: {(e.strerror or 'unknown').lower()}") from e


def _decoded(raw: bytes, where: str) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark."""
    if len(raw) > MAX_BYTES:
        raise CallerError(
            f"{where} is larger than {MAX_BYTES:,} bytes, the most a brief may have; "
            "keep the question in the brief and give the rest as documents"
        )
    utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = raw.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as e:
        raise CallerError(
            f"{where} is not UTF-8 text (byte {e.start} cannot be read); save it as UTF-8"
        ) from e
    if "\0" in text:
        raise CallerError(f"{where} is a binary file; a brief is YAML, JSON, Markdown or text")
    return text

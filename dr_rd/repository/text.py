"""Bytes of a file as text that may be shown: no binary, no secret, nothing that steers a screen."""

import re

from core.errors import TaskError
from core.redaction import Redactor

LONGEST = 400
"""Characters of one line that are shown; longer ones are generated."""

_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY")
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and those that turn the direction of writing."""


def readable(path: str, data: bytes) -> list[str]:
    """Return the lines of a text file, without its secrets; line numbers stay.

    Raises:
        TaskError: It is no UTF-8 text, or it holds a private key.

    """
    if b"\0" in data:
        raise TaskError(f"{path!r} is binary")
    if _KEY.search(data):
        raise TaskError(f"{path!r} holds a private key")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path!r} is binary, or text in another coding than UTF-8") from error
    clean = Redactor().text(text.replace("\r\n", "\n"))
    return [_calm(line) for line in clean.removesuffix("\n").split("\n")] if clean else []


def cut(line: str) -> str:
    """Shorten a line to what is shown."""
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _calm(line: str) -> str:
    return _STEERING.sub(_escaped, line)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

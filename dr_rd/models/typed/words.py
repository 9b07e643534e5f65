"""The words of a reply while it comes: models answer in JSON, which nobody likes to watch."""

import json
import re

_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)(?:"(\s*:)?|\\?\Z)', re.DOTALL)
"""A text of a JSON value that may break off within it; its second group says that it is a name."""
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def words_of(reply: str) -> str:
    """Return the texts of a JSON value that may break off anywhere, one a line with its name.

    Of any other reply it is all. Signs that would steer a terminal or turn lines around are left out.
    """
    shown = "".join(c for c in _texts(reply) if c.isprintable() or c == "\n")
    return shown.strip()


def _texts(reply: str) -> str:
    if reply.lstrip("`json \t\r\n")[:1] not in ("{", "["):
        return reply
    lines, name = list[str](), ""
    for found in _TEXT.finditer(reply):
        said = _read(found[1])
        if found[2]:
            name = said
            continue
        lines.append(f"{name}: {said}" if name else said)
        name = ""
    return "\n".join(lines)


def _read(text: str) -> str:
    try:
        return str(json.loads(f'"{_CUT_ESCAPE.sub("", text)}"', strict=False))
    except ValueError:
        return text

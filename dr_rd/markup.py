"""Marks that change how a text looks and not what it says: emphasis, HTML's tags and names of characters."""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple


class Mark(NamedTuple):
    """What stands between two places of a text, and what a reader sees of it."""

    start: int
    end: int
    seen: str


_PAIR = re.compile(
    r"(?<![\w*_`\\])(?P<open>[*_`]{1,3})(?=[^\s*_`])(?P<words>[^\n*_`]{0,80}[^\s*_`])(?P<close>[*_`]{1,3})(?![\w*_`])"
)
_CODED = re.compile(r"[\d<>=≤≥~£$€][^`.]*(?:\.\d[^`.]*)*")
"""A figure in backticks; names of files and of variables keep theirs."""
_LINE_BEGUN = re.compile(r"(?:^|\n)[ \t>]*(?:[-*+•]|\d{1,3}[.)])?[ \t]*$")
_LINE_ENDED = re.compile(r"[ \t]*(?::|\r|\n|$)")
_BEFORE = 24  # characters in which the beginning of a line has room

_CHARACTER = re.compile(
    r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});"
    r"|</?(?:b|i|u|em|strong|mark|code|span|small)(?:\s[^<>\n*_`]{0,80})?>"
    r"|(?<!\d)[\u00a0\u2007\u2009\u202f]|[\u00a0\u2007\u2009\u202f](?!\d)",
    re.IGNORECASE,
)
"""A character by its name, a tag, or a space of another width that parts no thousands."""


def marks(text: str) -> tuple[Mark, ...]:
    """Return what in *text* is a mark, in order; a label in bold type at the head of a line is none."""
    return tuple(sorted([*_emphasised(text), *_characters(text)]))


def unmarked(text: str) -> str:
    """Return *text* as a reader sees it, without its marks."""
    parts, last = list[str](), 0
    for mark in marks(text):
        parts += [text[last : mark.start], mark.seen]
        last = mark.end
    return "".join([*parts, text[last:]])


def _emphasised(text: str) -> Iterator[Mark]:
    for found in _PAIR.finditer(text):
        if found["close"] == found["open"][::-1] and not _is_meaningful_mark(found, text):
            yield Mark(*found.span("open"), "")
            yield Mark(*found.span("close"), "")


def _is_meaningful_mark(found: re.Match[str], text: str) -> bool:
    """Whether marks say something after all: what a label is, and what a name."""
    if "`" in found["open"]:
        return not _CODED.fullmatch(found["words"])
    if len(found["open"]) == 1:
        return False
    begun = _LINE_BEGUN.search(text[max(0, found.start() - _BEFORE) : found.start()])
    ended = found["words"].endswith(":") or _LINE_ENDED.match(text, found.end())
    return bool(begun and ended)


def _characters(text: str) -> Iterator[Mark]:
    for found in _CHARACTER.finditer(text):
        seen = found[0] if found[0].isspace() else html.unescape(found[0])
        if found[0][0] == "<":
            seen = ""
        if len(seen) <= 1:
            between = (
                text[found.start() - 1 : found.start()].isdigit()
                and text[found.end() : found.end() + 1].isdigit()
            )
            yield Mark(found.start(), found.end(), " " if seen.isspace() and not between else seen)

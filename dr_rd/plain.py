"""Words of a model, as one line in which nothing is read as Markdown or HTML, or not at all."""

import html
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from dr_rd.prompts import undelimited

ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|www\.)[^\s<>\"'”)\]]*[^\s<>\"'”)\].,;:!?]|mailto:\S+|"
    r"\b(?:doi:\s?)?10\.\d{4,9}/[^\s<>\"”)\]]*[^\s<>\"”)\].,;:]|\barxiv:\s?\d{4}\.\d{4,5}(?:v\d+)?|"
    r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b(?:[\w-]+\.)+(?:com|org|net|edu|gov|io|eu|de|uk|info)\b(?:/[^\s)\]]*)?",
    re.IGNORECASE,
)
"""Links, DOIs, arXiv numbers, addresses for mail, and names of hosts."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]\w{1,31});", re.IGNORECASE)
_AMPERSAND = re.compile(r"&(?=#\w|[a-z]\w{1,31};)", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
    "|(?<![\u0600-\u07ff\u0900-\u0dff])[\u200c\u200d]"  # joiners spell words in these alphabets
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IN_ANGLES = re.compile(r"<([a-z][a-z0-9+.-]*:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>", re.IGNORECASE)
_LINKED = re.compile(r"!?\[([^\]]*)\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)[^()]*\)")
_TAG = re.compile(r"</?[a-z!?][^<>]*>", re.IGNORECASE)
_OPENED = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)
_MARKED = re.compile(r"`+|\*{2,}|~{2,}|_{2,}|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|(?<!\S)\|+(?!\S)")
_ELEMENT = (
    "applet|audio|base|body|button|canvas|details|div|embed|form|frame|head|html|iframe|img|input|"
    "link|marquee|math|meta|noscript|object|picture|script|select|source|span|style|svg|table|"
    "template|textarea|title|video"
)
_FORMULA = re.compile(
    r"(?<!\S)(?P<tick>`?)(?P<said>[^\s`<>|]*[\w)\]]\*+[\w(][^\s`<>|]*|[^\s`<>|]*(?<!\w)__\w+__[^\s`<>|]*"
    rf"|[\w.()]+<(?!(?:{_ELEMENT})\b)[\w.]+\s(?:[\w.,()+/^-]+\s)*[\w.]+>[\w.()]*[\w)])(?P=tick)",
    re.IGNORECASE,
)
"""A product, a power, a name between double underscores, two comparisons: no marks, but meant so."""
_LEADING = re.compile(r"^\s*(?:(?:#{1,6}|>(?!\s?\d)|[-*+•–—]|\(?\d{1,3}[.)])(?:\s+|$))+")


def plain(text: str) -> str:
    """Return what a reader sees of *text* if nothing in it is a mark, in composed letters.

    Comments, tags, lines that part material and characters without a shape are gone; of a link its
    address is left beside its words, for whoever judges it. A formula or name of code that would
    lose a character stands whole in a code span, in which nothing is a mark.
    """
    read = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    seen = _AMPERSAND.sub("& ", undelimited(_UNSEEN.sub("", _CONTROL.sub(" ", read))))
    open_ = _IN_ANGLES.sub(r"\1", _COMMENT.sub(" ", _LINKED.sub(_unlinked, seen)))
    parts, end = list[str](), 0
    for formula in _FORMULA.finditer(open_):
        said = formula["said"].rstrip(".,;:")
        if _unmarked(said) != said:
            parts += [_unmarked(open_[end : formula.start()]), code(said)]
            end = formula.end() if formula["tick"] else formula.start("said") + len(said)
    bare = "".join([*parts, _unmarked(open_[end:])])
    return unicodedata.normalize("NFC", " ".join(_LEADING.sub("", bare).split()))


def code(text: str) -> str:
    """Return *text* with all its characters that have a shape, on one line, as a code span."""
    shown = " ".join(_UNSEEN.sub("", _CONTROL.sub(" ", text)).split())
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{shown}{space}{fence}"


def _unmarked(text: str) -> str:
    """Return *text* without tags and without the signs that mark words."""
    return _MARKED.sub("", _OPENED.sub("< ", _TAG.sub(" ", text)))


def plain_values(value: Any) -> Any:  # noqa: ANN401 - any value of lists, mappings and texts
    """Return *value* with every text in it plain, keys too."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, Mapping):
        return {plain_values(key): plain_values(held) for key, held in value.items()}
    return [plain_values(held) for held in value] if isinstance(value, list | tuple) else value


def _unlinked(found: re.Match[str]) -> str:
    words, address = found.groups()
    return f"{words} {address}" if ADDRESS.match(address) else words

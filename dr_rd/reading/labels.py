"""What headings, labels and keys announce: `data/reading/labels.yaml`."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache, lru_cache

from dr_rd.files import read_yaml

_ONLY_WHOLE = ("to", "from", "by", "an", "de", "von", "para", "à", "could", "kann", "what")
"""Phrases that are every sentence's words, and announce something only by themselves: "To:"."""
_EDGES = re.compile(r"^[\W\d_]+(?=\D)|[\W_]+$")
_SEPARATORS = re.compile(r"[\s_/]+")
_LONGEST = 90
"""Characters of a label; what is longer is a sentence."""


@lru_cache(maxsize=4096)
def label_kind(label: str) -> str:
    """Return the kind of a label, such as "budget"; "" where none of its words is known."""
    bare = _bare(label)
    if not bare or len(bare) > _LONGEST:
        return ""
    if whole := _kinds().get(bare):
        return whole
    held = [m for m in _phrases().finditer(bare) if m[0] not in _ONLY_WHOLE]
    if not held:
        return ""
    return _kinds()[max(held, key=lambda m: (len(m[0]), m.start()))[0]]


def nearest_kind(labels: Iterable[str]) -> str:
    """Return the kind of the innermost of *labels*, outermost first, that has one."""
    return next((kind for label in reversed([*labels]) if (kind := label_kind(label))), "")


def phrases_of(kinds: Container[str]) -> Iterator[str]:
    """Yield the phrases that announce one of *kinds*."""
    return (phrase for phrase, kind in _kinds().items() if kind in kinds)


def _bare(label: str) -> str:
    return _EDGES.sub("", _SEPARATORS.sub(" ", label.replace("’", "'")).strip()).lower()


@cache
def _kinds() -> Mapping[str, str]:
    raw: dict[str, list[str]] = read_yaml("reading", "labels.yaml")
    return {phrase: kind for kind, phrases in raw.items() for phrase in phrases}


@cache
def _phrases() -> re.Pattern[str]:
    ordered = sorted(_kinds(), key=len, reverse=True)
    spaced = [re.escape(p) for p in ordered if p.isascii() or not _unspaced(p)]
    joined = [re.escape(p) for p in ordered if _unspaced(p)]
    return re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)|{'|'.join(joined)}")


def _unspaced(phrase: str) -> bool:
    """Whether a phrase is of a script that sets no blanks between words."""
    return "\u3400" <= phrase[0] <= "\u9fff"

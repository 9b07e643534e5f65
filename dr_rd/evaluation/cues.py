"""The words that metrics look for, read from data/language/cues.yaml."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from core.values import Frozen
from dr_rd.files import read_yaml

_WORD_BEGINS = r"\b"


class _Cues(Frozen):
    """The file: lists of phrases, and patterns where a phrase is not enough."""

    phrases: Mapping[str, tuple[str, ...]]
    """Matched as whole words in any case; one that ends in "*" matches what goes on, too."""
    patterns: Mapping[str, tuple[str, ...]]
    """Regular expressions, in any case; with "\\b" begins every choice of one, or none."""


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return the pattern of a list by its name; KeyError if the file has none."""
    held = _held()
    if name in held.patterns:
        return re.compile(_either(held.patterns[name]), re.IGNORECASE)
    body = "|".join(map(_phrase, sorted(held.phrases[name], key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{body})", re.IGNORECASE)


@cache
def listed(name: str) -> frozenset[str]:
    """Return the phrases of a list as they are written."""
    return frozenset(_held().phrases[name])


@cache
def _held() -> _Cues:
    return _Cues.model_validate(read_yaml("language", "cues.yaml"))


def _either(patterns: Sequence[str]) -> str:
    """Any of *patterns*; what begins with a word is looked for only where one begins."""
    led = "|".join(p for p in patterns if p.startswith(_WORD_BEGINS))
    rest = [f"(?:{p})" for p in patterns if not p.startswith(_WORD_BEGINS)]
    return "|".join([rf"\b(?=\w)(?:{led})", *rest] if led else rest)


def _phrase(phrase: str) -> str:
    body = r"[\s-]+".join(map(re.escape, phrase.rstrip("*").split()))
    return rf"{body}\w*" if phrase.endswith("*") else rf"{body}(?!\w)"

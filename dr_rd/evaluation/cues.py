"""The words that metrics look for, read from data/language/cues.yaml."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from core.values import Frozen
from dr_rd.files import read_yaml

_WORD_BEGINS = r"\b"


class _Begun(Frozen):
    """A pattern that begins with one of some words, whole or in part."""

    by: tuple[str, ...]
    then: str


class _Cues(Frozen):
    """The file: lists of phrases, and patterns where a phrase is not enough."""

    phrases: Mapping[str, tuple[str, ...]]
    """Matched as whole words in any case; one that ends in "*" matches what goes on, too."""
    patterns: Mapping[str, tuple[str, ...]]
    """Regular expressions, in any case; with "\\b" begins every choice of one, or none."""
    begun: Mapping[str, tuple[_Begun, ...]]
    """Patterns in any case that are tried only where one of their first words stands."""


class Openings:
    """Patterns that are tried only where one of their first words stands: that costs least."""

    def __init__(self, given: Sequence[_Begun]) -> None:
        self._every = [
            re.compile(rf"\b(?:{'|'.join(map(re.escape, g.by))}){g.then}", re.IGNORECASE)
            for g in given
        ]
        self._by_letter: dict[str, list[re.Pattern[str]]] = {}
        firsts: dict[str, set[str]] = {}
        for one, pattern in zip(given, self._every, strict=True):
            for letter in dict.fromkeys(word[0] for word in one.by):
                self._by_letter.setdefault(letter, []).append(pattern)
            for word in one.by:
                firsts.setdefault(word[0], set()).add(re.escape(word.split()[0][1:]))
        led = "|".join(f"{k}(?:{'|'.join(sorted(v))})" for k, v in firsts.items())
        self._first = re.compile(rf"\b(?:{led})", re.IGNORECASE)

    def search(self, text: str, position: int = 0) -> re.Match[str] | None:
        """Return the first match from *position* on; of several in one place the one listed first."""
        for first in self._first.finditer(text, position):
            for pattern in self._by_letter.get(first[0][0].lower(), self._every):
                if found := pattern.match(text, first.start()):
                    return found
        return None


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return the pattern of a list by its name; KeyError if the file has none."""
    held = _load_cues()
    if name in held.patterns:
        return re.compile(_either(held.patterns[name]), re.IGNORECASE)
    return re.compile(rf"(?<!\w)(?:{_any(held.phrases[name])})", re.IGNORECASE)


@cache
def begun(name: str) -> Openings:
    """Return the patterns of a list that begin with words; KeyError if the file has none."""
    return Openings(_load_cues().begun[name])


@cache
def phrase_set(name: str) -> frozenset[str]:
    """Return the phrases of a list as they are written."""
    return frozenset(_load_cues().phrases[name])


@cache
def _load_cues() -> _Cues:
    return _Cues.model_validate(read_yaml("language", "cues.yaml"))


def _either(patterns: Sequence[str]) -> str:
    """Any of *patterns*; what begins with a word is looked for only where one begins."""
    led = "|".join(p for p in patterns if p.startswith(_WORD_BEGINS))
    rest = [f"(?:{p})" for p in patterns if not p.startswith(_WORD_BEGINS)]
    return "|".join([rf"\b(?=\w)(?:{led})", *rest] if led else rest)


def _any(phrases: Sequence[str]) -> str:
    """Any of *phrases*, the longest first, parted by their first letter: a long row of choices is slow."""
    rows: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        rows.setdefault(phrase[0].lower(), []).append(_phrase(phrase))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rows.items())


def _phrase(phrase: str) -> str:
    """A phrase without its first letter."""
    body = r"[\s-]+".join(map(re.escape, phrase.rstrip("*").split()))
    body = body.removeprefix(re.escape(phrase[0]))
    return rf"{body}\w*" if phrase.endswith("*") else rf"{body}(?!\w)"

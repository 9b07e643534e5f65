"""Things that have names of which a brief tells the kind alone: "a dataset", "two councils"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from pydantic import Field

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.text import stem

_MOST = 4
"""Things that are asked about; the first of a brief are the ones it turns on."""

_TELLING = 3
"""Words before a noun that tell which one it is: "winter cereal rye cover crop"."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the brief with the mark by which a reader finds it."""

    text: str
    mark: str


class NamedKind(Frozen):
    """A kind of things that have names."""

    nouns: tuple[str, ...] = Field(min_length=1)
    ask: str
    near: bool = False
    """Whether only a name within the phrase says which one is meant."""
    in_criteria: bool = False
    """Whether it is asked for where a success criterion names it."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds a thing of the kind, with up to three words before it and six behind."""
        nouns = "|".join(map(re.escape, sorted(self.nouns, key=len, reverse=True)))
        return re.compile(
            rf"(?P<before>(?:[^\s,;:]+ ){{0,3}}?)\b(?P<noun>(?:{nouns})s?)\b(?=(?P<after>(?: \S+){{0,6}}))",
            re.IGNORECASE,
        )

    @property
    def row(self) -> str:
        """The row of what is studied in which it is asked for."""
        return "studied" if self.near else "where"


class _Kinds(Frozen):
    """`data/report/unnamed.yaml`."""

    kinds: tuple[NamedKind, ...]


@cache
def load_kinds() -> tuple[NamedKind, ...]:
    """Read the kinds of things that have names."""
    return _Kinds.model_validate(read_yaml("report", "unnamed.yaml")).kinds


def unnamed(lines: Sequence[Line], units: str) -> Iterator[tuple[str, str]]:
    """Yield row and question for each thing that *lines* do not name, at most four.

    What is ruled out is not asked for, nor which of the sampled *units* are meant.
    """
    known, count = set[str](), 0
    every = [line.text for line in lines]
    for line in lines:
        kinds = (k for k in load_kinds() if k.in_criteria or not line.mark.startswith("S"))
        for kind, found in ((k, m) for k in kinds for m in k.pattern.finditer(line.text)):
            noun = _stems(found["noun"])
            ruled_out = _DENIED.search(line.text[: found.start("noun")])
            sampled = not kind.near and noun & _stems(units)
            attribute = not kind.near and _ATTRIBUTE.match(found["after"])
            if noun & known or ruled_out or sampled or attribute:
                continue
            known |= noun
            if count < _MOST and not any(_is_named(found["noun"], kind, text) for text in every):
                count += 1
                yield kind.row, _question(kind, found)


def _is_named(noun: str, kind: NamedKind, text: str) -> bool:
    """Whether a line says which one it is: by a name in the phrase, or anywhere behind it."""
    for found in kind.pattern.finditer(f"{text[:1].lower()}{text[1:]}"):
        if found["noun"].lower() != noun.lower():
            continue
        words = found["before"].split()
        before = [w for w in words if w[0].isalpha() and w.lower() not in _LOOSE]
        after = "" if kind.near and _PREPOSED.match(found["after"]) else found["after"]
        near = " ".join(after.split(" ")[:3]) if kind.near else after
        told = kind.near and len(before) >= _TELLING
        if told or _NAME.search(f"{found['before']}{found['noun']}{near}"):
            return True
    return False


def _question(kind: NamedKind, found: re.Match[str]) -> str:
    before = found["before"].split()[-1:]
    told = [w for w in before if w.lower() not in _LOOSE and not _NO_ATTRIBUTE.search(w)]
    return kind.ask.format(thing=" ".join((*told, found["noun"])))


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.lower().split()))


_NAME = re.compile(r"\b[A-Z][\w-]*[a-zA-Z0-9]|\b[A-Z]+ ?\d|\b[a-z]+\d+")
"""A name or a code: "Friesland", "CEM I 42.5", "rs3918290"."""
_PREPOSED = re.compile(r"^ ?(?:in|at|from|near|of|by|with|for|to|and|or|on|as)\b")
_DENIED = re.compile(r"\b(?:no|not|without|never)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"^ (?!(?:an?|the|of|in|on|at|by|with|for|from|and|to|or|than|as|is|are|was|were|that|which|who"
    r"|within|per|across|over)\b)[a-z]"
)
"""What follows a noun that only tells of the next one: "university course"."""
_NO_ATTRIBUTE = re.compile(
    r"^\d|ing$|[^s]s$|ed$|^(?:specific|chosen|single|given|certain|same|other)$", re.IGNORECASE
)
"""A word before a noun that is a verb, a figure or says nothing of it."""
_LOOSE = frozenset(
    "a an the of in on at by with for from to and or than as only at least most all each per both one its their"
    " is are was were be must no not whether that which into".split()
)

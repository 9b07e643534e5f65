"""A passage, read once for all claims that rest on it."""

import re
from dataclasses import dataclass
from functools import lru_cache

from dr_rd.evidence.support.clauses import placed
from dr_rd.evidence.support.content import content
from dr_rd.evidence.support.figures import Figure, figures
from dr_rd.evidence.words import plain, sentences


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """One sentence of a passage."""

    text: str
    words: frozenset[str]
    """Of the sentence, of the one before where it takes up its subject, and of the headings."""
    own: frozenset[str]


@dataclass(frozen=True, slots=True)
class PassageFigure:
    """A figure of a passage, in the words around it."""

    figure: Figure
    near: frozenset[str]
    sentence: int


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A passage, read once for all claims that rest on it."""

    text: str
    tokens: tuple[str, ...]
    """Its words in lower case."""
    tongue: str
    said: tuple[PassageSentence, ...]
    given: tuple[PassageFigure, ...]


@lru_cache(maxsize=1024)
def read_passage(text: str, about: str, tongue: str) -> SourcePassage:
    """Read the passage *text*, which stands under *about*, in the language *tongue*."""
    spoken = [_in_turn(_with_units(text[a:b])) for a, b in sentences(text)] or [text]
    heading, said = content(plain(about), tongue), list[PassageSentence]()
    for sentence in spoken:
        own = content(sentence, tongue)
        before = said[-1].words if said and _TAKEN_UP.search(sentence) else frozenset[str]()
        said.append(PassageSentence(sentence, own | before | heading, own))
    given = [
        PassageFigure(figure, near, n)
        for n, sentence in enumerate(spoken)
        for figure, near in placed(sentence, tongue)
    ]
    tokens = tuple(_TOKEN.findall(text.lower()))
    return SourcePassage(text, tokens, tongue, tuple(said), tuple(given))


_TOKEN = re.compile(r"\w+")
_TAKEN_UP = re.compile(
    r"^(?:\W*\w+\W+){0,3}?(?:it|its|they|them|their|this|these|those|that|such|he|she|his|her|both|"
    r"the latter|the former|so|er|sie|es|diese\w*|il|elle|ils|ces?)\b",
    re.IGNORECASE,
)
_CELL = re.compile(r"(?<![^;\s])([^;:]{1,40}): (\d[\d.,]*)(?=;|$)")


def _with_units(source: str) -> str:
    """Say the unit of a column after the number of its cell: "Price EUR: 5" is "5 EUR" too."""

    def with_unit_of_column(match: re.Match[str]) -> str:
        name, _, unit = match[1].rpartition(" ")
        with_unit = f"{match[2]} {unit or name}"
        has_unit = any(f.quantity.unit for f in figures(with_unit))
        return f"{match[1]}: {with_unit}" if has_unit else match[0]

    return _CELL.sub(with_unit_of_column, source)


_LIST = r"((?:[^\s,;]+(?:\s[^\s,;]+)?,\s)*[^\s,;]+(?:\s[^\s,;]+)?,?\sand\s[^\s,;]+)"
_VALUES = re.compile(
    r"((?:\d[\d.]*[^,;]{0,12},\s)*\d[\d.]*[^,;]{0,12}?),?\sand\s(\d[\d.]*)(\s?[^,;.\s]*)"
)


def _in_turn(sentence: str) -> str:
    """Pair two lists off: "A and B gave 1 and 2 m respectively" is "A gave 1 m; B gave 2 m"."""
    if "respectively" not in sentence.casefold():
        return sentence
    found = _VALUES.search(sentence)
    names = re.search(_LIST, sentence[: found.start()]) if found else None
    if not found or not names:
        return sentence
    values = [*re.split(r",\s", found[1]), found[2]]
    named = re.split(r",\s(?:and\s)?|\sand\s", names[1])
    if len(named) != len(values):
        return sentence
    said = sentence[names.end() : found.start()].strip()
    bare = [re.sub(r"[^\d.].*", "", value) for value in values]
    pairs = zip(named, bare, strict=True)
    return "; ".join(f"{name} {said} {value}{found[3]}" for name, value in pairs)

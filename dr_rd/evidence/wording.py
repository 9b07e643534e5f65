"""Which words make two statements agree, differ in strength, or point in opposite directions."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.text import stemmed


class Opposites(Frozen):
    """Words of one side, and words that say the opposite."""

    one: tuple[str, ...]
    other: tuple[str, ...]


class Entries(Frozen):
    """The data file, as written."""

    opposites: tuple[Opposites, ...]
    pivots: Mapping[str, tuple[str, ...]]
    backward: tuple[str, ...]
    negations: tuple[str, ...]
    harmless: tuple[str, ...]
    hedges: tuple[str, ...]
    shares: tuple[tuple[str, ...], ...]
    fractions: tuple[str, ...]
    causes: tuple[str, ...]
    links: tuple[str, ...]
    light: tuple[str, ...]
    hearsay: tuple[str, ...]
    numbered: tuple[str, ...]
    same: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """A word of direction in a text."""

    pair: int
    side: int
    """0 or 1, of that pair."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Wording:
    """The data file, compiled."""

    sides: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Of each pair the phrases of either direction."""
    turning: Mapping[str, frozenset[tuple[int, int]]]
    """The pairs and sides of direction whose phrases begin with a word."""
    pivots: Mapping[str, re.Pattern[str]]
    """By what they put in order: things compared, events, causes."""
    backward: frozenset[str]
    negations: re.Pattern[str]
    harmless: re.Pattern[str]
    hedges: re.Pattern[str]
    shares: tuple[re.Pattern[str], ...]
    fractions: re.Pattern[str]
    causes: re.Pattern[str]
    links: re.Pattern[str]
    light: frozenset[str]
    """Stems that say nothing of what a text is about."""
    hearsay: re.Pattern[str]
    """Words that pass on what others say."""
    names: re.Pattern[str]
    """A thing with the number that it is called by."""
    form: frozenset[str]
    """Words that say how it is said: negating, hedging, of direction."""
    meanings: Mapping[str, str]
    """The stem that stands for all of one meaning."""

    def turns(self, text: str) -> Iterator[Turn]:
        """Every word of direction in *text*; one word may belong to several pairs."""
        said = set(_TOKEN.findall(text.lower())) & self.turning.keys()
        for number, side in sorted({at for word in said for at in self.turning[word]}):
            for m in whole(self.sides[number][side]).finditer(text):
                yield Turn(number, side, m.start(), m.end())

    def denials(self, text: str) -> Iterator[re.Match[str]]:
        """Every negation in *text* that denies something."""
        idle = [m.span() for m in self.harmless.finditer(text)]
        for match in self.negations.finditer(text):
            if not any(a <= match.start() < b for a, b in idle):
                yield match

    def share(self, text: str) -> int | None:
        """How much of a whole *text* speaks of, from 0; None where it does not say."""
        found = [level for level, pattern in enumerate(self.shares) if pattern.search(text)]
        return max(found, default=None)

    def numbered(self, text: str) -> list[str]:
        """Return what *text* calls by its number, such as "day 2"."""
        return [m[0] for m in self.names.finditer(text)]

    def meaning(self, word: str) -> str:
        """The stem that stands for what the stem *word* means."""
        return self.meanings.get(word, word)


@cache
def wording() -> Wording:
    """Return the wording; it is read once."""
    raw = Entries.model_validate(read_yaml("language", "claims.yaml"))
    grouped = (*(p.one + p.other for p in raw.opposites), *raw.shares, *raw.pivots.values())
    form = [*raw.negations, *raw.hedges, *raw.links, *(w for words in grouped for w in words)]
    return Wording(
        sides=tuple((p.one, p.other) for p in raw.opposites),
        turning=_turning(raw.opposites),
        pivots={kind: whole(words) for kind, words in raw.pivots.items()},
        backward=frozenset(raw.backward),
        negations=re.compile(rf"{whole(raw.negations).pattern}|n't\b|不|没|未|无", re.IGNORECASE),
        harmless=whole(raw.harmless),
        hedges=whole(raw.hedges),
        shares=tuple(whole(s) for s in raw.shares),
        fractions=whole(raw.fractions),
        causes=whole(raw.causes),
        links=whole(raw.links),
        light=frozenset(map(stemmed, raw.light)),
        hearsay=whole(raw.hearsay),
        names=re.compile(rf"{whole(raw.numbered).pattern}\.?\s+\d+(?![\d.,]*\d)", re.IGNORECASE),
        form=frozenset(form),
        meanings={stemmed(w): stemmed(line[0]) for line in raw.same for w in line if " " not in w},
    )


_TOKEN = re.compile(r"\w+")


def _turning(opposites: Iterable[Opposites]) -> dict[str, frozenset[tuple[int, int]]]:
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for number, pair in enumerate(opposites):
        for side, phrases in enumerate((pair.one, pair.other)):
            for phrase in phrases:
                found[_TOKEN.findall(phrase.lower())[0]].add((number, side))
    return {word: frozenset(places) for word, places in found.items()}


@cache
def whole(words: tuple[str, ...]) -> re.Pattern[str]:
    """Match any of *words*, as a whole; the longest first."""
    listed = "|".join(re.escape(w) for w in sorted(words, key=len)[::-1])
    return re.compile(rf"(?<![\w-])(?:{listed})(?![\w-])", re.IGNORECASE)

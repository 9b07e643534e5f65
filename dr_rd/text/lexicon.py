"""What words mean: the language files, in stems."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

from dr_rd.files import read_yaml
from dr_rd.text.cues import Cue
from dr_rd.text.stems import WORD, root, stem, stems_of

_PAUSE = re.compile(r"[,;:.!?()|—]")  # no phrase goes on across it
_REACH = 8
"""Words from one to the other of two that mean a thing together."""
_CUES = tuple(
    (
        "weighed own usual whole ahead brief harmless unreal gone maybe others outsiders "
        "planned parts stative begun totals spending unspent taken all_told variants "
        "preliminary single sole further lasting durations moments covering entirely ceiling "
        "steady covariates minor besides due working ending unrestricted funds outlay ceding "
        "resumed data_years fresh "
    ).split()
)


class Word(NamedTuple):
    """One word: its stem, the meanings that begin with it, and where it stands."""

    stem: str
    meanings: frozenset[str]
    start: int
    end: int
    stop: bool
    """Whether it carries no meaning of its own."""


_Stems = tuple[str, ...]

_Entry = tuple[frozenset[str], Mapping[str, Sequence[tuple[_Stems, frozenset[str]]]], bool]
"""What a word means alone; by their second word the phrases that begin with it, with meanings; and
whether any of these is one of two words that mean a thing together."""


class Lexicon:
    """The language files, in stems."""

    def __init__(self, raw: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> None:
        things = {
            name: _Thing(**thing) for field in fields.values() for name, thing in field.items()
        }
        sure = {name: thing.kinds for name, thing in things.items()}
        self.stopwords = frozenset(map(stem, raw["stopwords"]))
        self.generic = frozenset(map(stem, raw["generic"]))
        self.heads = frozenset(map(stem, raw["heads"]))
        self.including = frozenset(map(stem, raw["including"]))
        self.acting = frozenset(map(stem, raw["acting"]))
        self.joining = frozenset(map(stem, raw["joining"]))
        self.concepts = frozenset(things) | {g[0] for g in raw["same"] if " " in g[0]}
        self.varying = frozenset(map(stem, raw["varying"]))
        self.stretching = frozenset(map(stem, raw["stretching"]))
        self.restricting = frozenset(u for n in raw["restricting"] for u in (stem(n), n))
        self.seeking = frozenset(map(stem, raw["seeking"]))
        self.relational = frozenset(map(stem, raw["relational"]))
        self.verbs = frozenset(map(stem, raw["verbs"])) | self.including - frozenset(
            map(stem, raw["verbal_nouns"])
        )
        self.reasons = frozenset(raw["reasons"])
        self.places = frozenset(raw["places"])
        self.scheduling = frozenset(map(stem, raw["scheduling"]))
        self.funding = frozenset(map(stem, raw["funding"]))
        self.bounding = frozenset(map(stem, raw["bounding"]))
        self.starting = frozenset(map(stem, raw["starting"]))
        self.reckoning: tuple[str, ...] = tuple(raw["reckoning"])
        self.omitting: tuple[str, ...] = tuple(raw["omitting"])
        self.shortened: Mapping[str, str] = raw["shortened"]
        self.groups = frozenset(map(stem, raw["groups"]))
        self.studies = self.groups | frozenset(map(stem, raw["studies"]))
        self.located = frozenset(u for n in raw["located"] for u in (stem(n), n))
        self.sampled = frozenset(map(stem, raw["sampled"]))
        self.auxiliaries = frozenset(raw["auxiliaries"])
        self.opposites: list[dict[str, Any]] = raw["opposites"]
        self._meanings = _Phrases()
        for group in raw["same"]:
            for phrase in group:
                self._meanings.add(phrase, group[0], own=True)
        self._signs = frozenset((stem(h), name) for name, t in things.items() for h in t.hints)
        for name in things:
            self._meanings.add(name, name, own=True)
        self._halves = self._paired(things)
        for general, phrases in {**sure, **raw["counted"]}.items():
            for phrase in (general, *phrases):
                within = set(stems_of(general)) <= set(stems_of(phrase))  # "ESG score" is ESG
                self._meanings.add(phrase, general if within else phrase, own=True)
                self._meanings.add(phrase, general)
        for pair in self.opposites:
            for phrase in (*pair["one"], *pair["other"]):
                self._meanings.add(phrase, phrase, own=True)
        self._meanings.close(raw["same"])
        for name, thing in things.items():
            for hint in thing.hints:
                self._meanings.add(hint, name)
        self._meanings.descend({name: (*t.kinds, *t.hints) for name, t in things.items()})
        self._meanings.descend(raw["counted"])
        self._compounds = _by_first(raw["compounds"])
        self._entry = lru_cache(maxsize=65536)(self._looked_up)
        self.meanings = lru_cache(maxsize=4096)(self._all_meanings)
        self._units = lru_cache(maxsize=4096)(self._parted)
        self.aside = Cue.of(raw["aside"])
        self.cues = {name: Cue.of(raw[name]) for name in _CUES}

    def words(self, text: str, offset: int = 0, *, together: bool = True) -> list[Word]:
        """Cut *text* into words with their meanings, those of two words together with them."""
        spans = [m.span() for m in WORD.finditer(text)]
        stems = _opposed([stem(text[a:b]) for a, b in spans])
        meanings, paired = self._meant(stems, _parted(spans, text))
        stop = self.stopwords
        found = [
            Word(s, means, start + offset, end + offset, s in stop)
            for s, means, (start, end) in zip(stems, meanings, spans, strict=True)
        ]
        return self._together(found, paired) if together and paired else found

    def _meant(
        self, stems: Sequence[str], parted: Sequence[int]
    ) -> tuple[list[frozenset[str]], list[int]]:
        """What each word means, alone or with those after it up to a pause; and which may be one of two."""
        found, paired, count = [], list[int](), len(stems)
        for n, s in enumerate(stems):
            means, phrases, half = self._entry(s)
            if half:
                paired.append(n)
            if phrases and n + 1 < count:
                for phrase, meanings in phrases.get(stems[n + 1], ()):
                    stop = n + len(phrase)
                    if tuple(stems[n:stop]) == phrase and stop <= _next(parted, n, count) + 1:
                        means |= meanings
            found.append(means)
        for n, size in self._compounded(stems) if self._compounds else ():
            found[n : n + size] = [frozenset([" ".join(stems[n : n + size])])] * size
        return found, paired

    def _compounded(self, stems: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Where compounds begin, and of how many words: no version control is any control group."""
        for n, s in enumerate(stems):
            for key in self._compounds.get(s, ()):
                if tuple(stems[n : n + len(key)]) == key:
                    yield n, len(key)

    def _paired(self, things: Mapping[str, "_Thing"]) -> Mapping[str, tuple[str, str]]:
        """Mark the words of each pair of lists; for each mark, the other one and the thing meant."""
        halves: dict[str, tuple[str, str]] = {}
        for name, thing in things.items():
            for n, lists in enumerate(thing.together):
                marks = [f"{name}/{n}{side}" for side in "ab"]
                for mark, other, phrases in zip(marks, reversed(marks), lists, strict=True):
                    halves[mark] = (other, name)
                    for phrase in phrases:
                        self._meanings.add(phrase, mark)
        return halves

    def _together(self, words: list[Word], paired: Sequence[int]) -> list[Word]:
        """Give the later of two words, of those numbered *paired*, that together mean a thing that meaning."""
        halves = self._halves
        marked = [(n, m) for n in paired for m in words[n].meanings if m in halves]
        places: dict[str, list[int]] = {}
        for n, mark in marked:
            places.setdefault(mark, []).append(n)
        for n, mark in marked:
            other, name = self._halves[mark]
            near = [m for m in places.get(other, ()) if 0 < n - m <= _REACH]
            if any("or" not in [w.stem for w in words[m:n]] for m in near):
                up = self._meanings.of(name)
                words[n] = words[n]._replace(meanings=words[n].meanings | up)
        return words

    def _looked_up(self, stem: str) -> _Entry:
        """What a word means: a worker is not any work, so only one that tells has its root."""
        own = {stem} if stem in self.generic else {stem, root(stem)}
        phrases = self._meanings.starting(stem)
        alone = (meanings for phrase, meanings in phrases.items() if len(phrase) == 1)
        longer: dict[str, list[tuple[_Stems, frozenset[str]]]] = {}
        for phrase, meanings in phrases.items():
            if len(phrase) > 1:
                longer.setdefault(phrase[1], []).append((phrase, frozenset(meanings)))
        half = any(not self._halves.keys().isdisjoint(meanings) for meanings in phrases.values())
        return frozenset(own).union(*alone), longer, half

    def _all_meanings(self, phrase: str) -> frozenset[str]:
        """Everything that the words of a phrase mean."""
        return frozenset[str]().union(*(w.meanings for w in self.words(phrase)))

    def is_sign(self, word: Word, meaning: str) -> bool:
        """Whether a word alone only hints at a meaning, as "bought" hints at what is private."""
        return (word.stem, meaning) in self._signs

    def units(self, phrase: str, *, generic: bool = False) -> tuple[str, ...]:
        """The meanings that tell *phrase* from others; general words count only if alone."""
        units = self._units(phrase)
        told = tuple(u for u in units if u not in self.generic)
        return units if generic or not told else told

    def _parted(self, phrase: str) -> tuple[str, ...]:
        stems = _opposed([stem(m[0]) for m in WORD.finditer(phrase)])
        units: list[str] = []
        position = 0
        while position < len(stems):
            size, meaning = self._meanings.longest(stems, position)
            if meaning or stems[position] not in self.stopwords:
                units.append(meaning or stems[position])
            position += size
        return tuple(dict.fromkeys(units))


def _parted(spans: Sequence[tuple[int, int]], text: str) -> list[int]:
    """The numbers of the words, in order, after which a pause stands before the next."""
    after = (bisect_left(spans, (m.start(),)) - 1 for m in _PAUSE.finditer(text))
    return [n for n in after if 0 <= n < len(spans) - 1]


def _next(parted: Sequence[int], n: int, count: int) -> int:
    """The number of the first word from *n* on after which a pause stands; *count* where none does."""
    at = bisect_left(parted, n)
    return parted[at] if at < len(parted) else count


def _by_first(phrases: Iterable[str]) -> Mapping[str, Sequence[_Stems]]:
    """Phrases, in stems, by the first."""
    found: dict[str, list[_Stems]] = {}
    for key in map(stems_of, phrases):
        found.setdefault(key[0], []).append(key)
    return found


def _opposed(stems: list[str]) -> list[str]:
    """Mark what stands after "non": "non-native" is not a kind of native."""
    if "non" not in stems:
        return stems
    return [f"non-{s}" if n and stems[n - 1] == "non" else s for n, s in enumerate(stems)]


@dataclass(frozen=True, slots=True)
class _Thing:
    """How a thing is named, hinted at, and put together."""

    kinds: Sequence[str] = ()
    hints: Sequence[str] = ()
    together: Sequence[Sequence[Sequence[str]]] = ()


class _Phrases:
    """Phrases, in stems, and what they mean."""

    def __init__(self) -> None:
        self._by_first: dict[str, dict[tuple[str, ...], set[str]]] = {}
        self._own: dict[tuple[str, ...], str] = {}

    def add(self, phrase: str, meaning: str, *, own: bool = False) -> None:
        """Give *phrase* a meaning; the first of its own is what it is called by."""
        key = stems_of(phrase)
        self._by_first.setdefault(key[0], {}).setdefault(key, set()).add(meaning)
        if own:
            self._own.setdefault(key, meaning)

    def close(self, groups: Iterable[Sequence[str]]) -> None:
        """Give the words of a group every meaning that any of them has."""
        for group in groups:
            keys = [stems_of(p) for p in group]
            everything = set().union(*(self._by_first[k[0]][k] for k in keys))
            for key in keys:
                self._by_first[key[0]][key] |= everything

    def descend(self, kinds: Mapping[str, Sequence[str]]) -> None:
        """Give each kind every meaning of the general thing, two steps up."""
        for _ in range(2):
            for general, phrases in kinds.items():
                key = stems_of(general)
                up = self._by_first[key[0]][key] | {self._own[key]}
                for kind in map(stems_of, phrases):
                    self._by_first[kind[0]][kind] |= up

    def starting(self, stem: str) -> Mapping[_Stems, Set[str]]:
        """Every phrase that begins with *stem*, and what it means."""
        return self._by_first.get(stem, {})

    def of(self, phrase: str) -> frozenset[str]:
        """Everything that *phrase* means."""
        key = stems_of(phrase)
        return frozenset(self._by_first[key[0]][key])

    def longest(self, stems: list[str], position: int) -> tuple[int, str]:
        """The length of the longest phrase starting there, and its own meaning."""
        keys = self._by_first.get(stems[position], {})
        fit = [
            k for k in keys if k in self._own and tuple(stems[position : position + len(k)]) == k
        ]
        if not fit:
            return 1, ""
        best = max(fit, key=len)
        return len(best), self._own[best]


@cache
def lexicon() -> Lexicon:
    """Return the lexicon; it is read once."""
    return Lexicon(read_yaml("language", "lexicon.yaml"), read_yaml("language", "things.yaml"))


@lru_cache(maxsize=8192)
def cued(cue: str, text: str) -> bool:
    """Whether *text* has a word or phrase of the lexicon's list *cue*; many figures ask it of one clause."""
    return lexicon().cues[cue].search(text) is not None

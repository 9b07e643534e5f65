"""What a folder answers: the passages that speak of what is asked, in its words or in others."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from core.values import Frozen
from dr_rd.evidence.corpus import Corpus, Passage
from dr_rd.evidence.dates import first_date
from dr_rd.evidence.wording import whole, wording
from dr_rd.evidence.words import language, sentences, words
from dr_rd.files import read_yaml
from dr_rd.language import common
from dr_rd.text import stemmed

ANSWERS = 0.55
"""Share of what is asked that a passage must speak of to answer it."""
OWN = 0.3
"""Share that its own words and its heading must speak of: a title alone answers nothing."""
CLOSE = 0.8
"""Share of the best score from which another passage answers as well, so that its date counts."""
A_YEAR = 0.08
"""What each year that a document is older than the newest that answers takes from its score."""
SHOWN = 4
"""Passages of one section that are shown where its heading is what answers."""
CANDIDATES = 300
"""Passages that are looked at more closely, of those that share most with the question."""


class Section(Frozen):
    """Passages of one document that answer together: one, or what stands under a heading."""

    passages: tuple[Passage, ...]
    score: float
    """Share of what is asked that they speak of, from 0 to 1."""


class Answered(Frozen):
    """What a folder says on one question."""

    current: tuple[Section, ...] = ()
    """Of documents that hold, best first."""
    older: tuple[Section, ...] = ()
    """Of documents, or parts of them, that are superseded, drafts or in an archive."""


class _Entries(Frozen):
    """The data file, as written."""

    topics: tuple[tuple[str, ...], ...]
    light: tuple[str, ...]
    telling: tuple[str, ...]
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Topics:
    """The data file, compiled: by its first stem, each phrase and the number of its topic."""

    phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]]
    light: frozenset[str]
    """Stems that say little of what a question is about."""
    figures: re.Pattern[str]

    def found(self, run: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """Yield where a phrase begins and ends in a run of stems, and its topic."""
        for start, stem in enumerate(run):
            for phrase, topic in self.phrases.get(stem, ()):
                if tuple(run[start : start + len(phrase)]) == phrase:
                    yield start, start + len(phrase), topic


@cache
def _topics() -> _Topics:
    raw = _Entries.model_validate(read_yaml("language", "topics.yaml"))
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for number, line in enumerate(raw.topics):
        for phrase in line:
            run = tuple(stemmed(w, "english") for w in words(phrase))
            phrases[run[0]].append((run, f"#{number}"))
    return _Topics(
        phrases={k: tuple(v) for k, v in phrases.items()},
        light=(_stems(raw.light) | wording().light) - _stems(raw.telling),
        figures=whole(raw.figures),
    )


def _stems(found: Iterable[str]) -> frozenset[str]:
    return frozenset(stemmed(w, "english") for w in found)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A word or phrase of a question."""

    readings: frozenset[frozenset[str]]
    """Its stems in each language of the corpus."""
    topics: frozenset[str]

    def match(self, tokens: frozenset[str]) -> float:
        """How surely *tokens* speak of it: 1 in its own words, less in others."""
        held = max(len(stems & tokens) / len(stems) for stems in self.readings)
        if held == 1:
            return 1.0
        return max(_OTHER_WORDS if self.topics & tokens else 0.0, _PART * held)


_OTHER_WORDS = 0.8
_PART = 0.4
"""What a phrase counts of which only some words are there."""
_WHOLE_PASSAGE, _ABOVE, _DOCUMENT = 0.8, 0.7, 0.6
"""What a match counts beside the sentence, in an outer heading or title, in the path."""
_NO_WORD = re.compile(r"[\W_]+")
_HEAD = 300
"""Characters at the start of a document that say what all of it is about."""
_NOWHERE = 0.5
"""What a word counts that no passage holds: it tells none from another."""
_FIGURE = 0.08
"""What a figure adds to a sentence where a question wants one."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A passage as it is matched."""

    parts: tuple[tuple[frozenset[str], bool], ...]
    """The tokens of each sentence, and whether it holds a figure."""
    all: frozenset[str]
    heading: frozenset[str]
    above: frozenset[str]
    document: frozenset[str]


class Finder:
    """Finds what the passages of one corpus answer; made once for all questions."""

    def __init__(self, corpus: Corpus, replaced_by: Mapping[int, int]) -> None:
        self._corpus, self._replaced_by = corpus, replaced_by
        tongues = {d.id: language(d.text) for d in corpus.documents}
        self._tongues = sorted(set(tongues.values()))
        whole_documents = {
            d.id: _tokens(
                " ".join((_NO_WORD.sub(" ", d.path.rpartition(".")[0]), d.title, d.text[:_HEAD])),
                tongues[d.id],
            )
            for d in corpus.documents
        }
        self._entries = [
            self._entry(p, tongues[p.document_id], whole_documents[p.document_id])
            for p in corpus.passages
        ]
        self._holders: dict[str, set[int]] = defaultdict(set)
        for number, entry in enumerate(self._entries):
            for token in entry.all | entry.heading | entry.above:
                self._holders[token].add(number)

    def _entry(self, passage: Passage, tongue: str, document: frozenset[str]) -> _Entry:
        text = passage.text
        spans = [(0, len(text))] if passage.row is not None else list(sentences(text))
        parts = tuple(
            (_tokens(text[a:b], tongue), bool(re.search(r"\d", text[a:b]))) for a, b in spans
        )
        *above, inner = passage.heading or ("",)
        return _Entry(
            parts=parts,
            all=frozenset().union(*(tokens for tokens, _ in parts)),
            heading=_tokens(inner, tongue),
            above=_tokens(". ".join(above), tongue),
            document=document,
        )

    def find(self, question: str, most: int = 3) -> Answered:
        """Return up to *most* sections that answer *question*, and as many that no longer do."""
        units = self._units(question)
        live, older = self._scored(question, units)
        return Answered(
            current=tuple(self._sections(live, units, most)),
            older=tuple(self._sections(older, units, most)),
        )

    def positions(self, question: str, most: int) -> list[int]:
        """Return where in the corpus the passages stand that answer *question*, best first."""
        units = self._units(question)
        return [
            i
            for group in self._groups(self._scored(question, units)[0], units, most)
            for i in group
        ]

    def _scored(
        self, question: str, units: Sequence[_Unit]
    ) -> tuple[dict[int, float], dict[int, float]]:
        """The passages that answer, with their score: those that hold, and those that do not."""
        weights = [self._weight(u) for u in units]
        figure = bool(_topics().figures.search(question))
        near = {
            i: self._score(self._entries[i], units, weights, figure=figure)
            for i in self._candidates(units, weights)
        }
        scored = {i: score for i, score in near.items() if score >= ANSWERS}
        for stale, holds in self._replaced_by.items():
            if stale in scored and near.get(holds, 0.0) >= OWN:  # it answers the same question
                scored[holds] = max(scored.get(holds, 0.0), scored[stale])
        passages, live = self._corpus.passages, dict[int, float]()
        for i in [i for i in scored if self._corpus.status_of(passages[i]) == "live"]:
            live[i] = scored.pop(i)
        return live, scored

    def _units(self, question: str) -> list[_Unit]:
        """The words of a question that say what it is about, a phrase of a topic as one."""
        return list(dict.fromkeys(_read_units(question, self._tongues)))

    def _weight(self, unit: _Unit) -> float:
        """What is spoken of in few passages tells more."""
        held = set[int]().union(*(self._holders.get(t, ()) for t in unit.topics))
        for stems in unit.readings:
            held |= set.intersection(*(self._holders.get(s, set[int]()) for s in stems))
        weight = math.log(1 + len(self._entries) / (1 + len(held)))
        return weight if held else _NOWHERE * weight

    def _candidates(self, units: Sequence[_Unit], weights: Sequence[float]) -> list[int]:
        rough: dict[int, float] = defaultdict(float)
        for unit, weight in zip(units, weights, strict=True):
            for i in set[int]().union(
                *(self._holders.get(t, ()) for t in unit.topics.union(*unit.readings))
            ):
                rough[i] += weight
        return sorted(rough, key=lambda i: (-rough[i], i))[:CANDIDATES]

    def _score(
        self, entry: _Entry, units: Sequence[_Unit], weights: Sequence[float], *, figure: bool
    ) -> float:
        """Share of the question that the best sentence speaks of, where it stands."""
        total = sum(weights)
        best = 0.0
        fixed = [
            max(
                unit.match(entry.heading),
                _WHOLE_PASSAGE * unit.match(entry.all),
                _ABOVE * unit.match(entry.above),
                _DOCUMENT * unit.match(entry.document),
            )
            for unit in units
        ]
        for tokens, holds_figure in entry.parts:
            own = [max(u.match(tokens), u.match(entry.heading)) for u in units]
            if sum(w * m for w, m in zip(weights, own, strict=True)) < OWN * total:
                continue
            share = sum(w * max(a, b) for w, a, b in zip(weights, own, fixed, strict=True)) / total
            best = max(best, share + _FIGURE * (figure and holds_figure))
        return min(best, 1.0)

    def _sections(
        self, scored: Mapping[int, float], units: Sequence[_Unit], most: int
    ) -> Iterator[Section]:
        for group in self._groups(scored, units, most):
            score = max(scored.get(i, 0.0) for i in group)
            passages = tuple(self._corpus.passages[i] for i in group)
            yield Section(passages=passages, score=round(score, 3))

    def _groups(
        self, scored: Mapping[int, float], units: Sequence[_Unit], most: int
    ) -> list[list[int]]:
        """Put together the passages that answer, newer documents first among equals."""
        passages = self._corpus.passages
        top = max(scored.values(), default=0.0)
        close = [i for i in scored if scored[i] >= CLOSE * top]
        days = {i: self._day(passages[i]) for i in close}
        newest = max((d for d in days.values() if d), default=None)
        ranked = sorted(close, key=lambda i: (-scored[i] + A_YEAR * _years(days[i], newest), i))
        found: list[list[int]] = []
        for i in ranked:
            if len(found) < most and not any(i in group for group in found):
                found.append(self._group(i, units, scored))
        return found

    def _day(self, passage: Passage) -> date | None:
        """The day of a row that names one, as in a log; else its document's."""
        own = first_date(passage.text, bare_year=False) if passage.row is not None else None
        return own or self._corpus.document_of(passage).dated

    def _group(self, i: int, units: Sequence[_Unit], scored: Mapping[int, float]) -> list[int]:
        """The passage, with those beside it where their common heading is what answers."""
        entry, passages = self._entries[i], self._corpus.passages
        by_heading = sum(u.match(entry.heading) for u in units)
        by_text = sum(u.match(entry.all) for u in units)
        if by_heading < by_text or not by_heading:
            return [i]
        beside = [
            j
            for j in range(max(0, i - SHOWN), min(len(passages), i + SHOWN))
            if (passages[j].document_id, passages[j].heading)
            == (passages[i].document_id, passages[i].heading)
        ]
        return sorted(sorted(beside, key=lambda j: (-scored.get(j, 0.0), j))[:SHOWN])


def _years(day: date | None, newest: date | None) -> float:
    return min((newest - day).days / 365, 3.0) if day and newest else 0.0


def _read_units(question: str, tongues: Sequence[str]) -> Iterator[_Unit]:
    """Cut a question to phrases of topics and other words, each with its stems in all *tongues*."""
    found, tongue = words(question), language(question)
    run = [stemmed(w, tongue) for w in found]
    dull, light = common(tongue), _topics().light
    says = [w not in dull and s not in light for w, s in zip(found, run, strict=True)]
    phrases = sorted(_topics().found(run), key=lambda p: (p[0] - p[1], p[0]))
    taken: set[int] = set()
    spans: dict[tuple[int, int], set[str]] = {}
    for start, end, topic in phrases:
        if (start, end) in spans:
            spans[start, end].add(topic)
        elif not taken & set(range(start, end)) and any(says[start:end]):
            spans[start, end] = {topic}
            taken.update(range(start, end))
    rest = [(i, i + 1) for i, w in enumerate(found) if i not in taken and w not in dull]
    rest = [(a, b) for a, b in rest if says[a]] or ([] if spans else rest)
    for start, end in sorted([*spans, *rest]):
        own = [w for w in found[start:end] if w not in dull]
        readings = frozenset(frozenset(stemmed(w, t) for w in own) for t in (tongue, *tongues))
        yield _Unit(readings, frozenset(spans.get((start, end), ())))


def _tokens(text: str, tongue: str) -> frozenset[str]:
    """The stems of a text, and the topics that its words name."""
    run = [stemmed(w, tongue) for w in words(text)]
    return frozenset(run) | {topic for _, _, topic in _topics().found(run)}

"""Which words of the documents a task quotes: each sentence once, where it bears most."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.state import GraphTask
from dr_rd.evidence.wording import wording
from dr_rd.evidence.words import language, sentences, stems
from dr_rd.planning.signals import phrase
from dr_rd.tools import Registry

_QUOTES = 4
"""Sentences quoted in one answer for the task's own words, and as many for its tools' needs."""

_OF_ONE = 2
"""Sentences of one passage that an answer quotes."""

_POINTERS = 3
"""Passages that an answer points to because another task quotes them."""

_SHARED = 2
"""Content words that a sentence, with its heading, must share with its task."""

_FIGURES = 1.5
"""What a figure makes a sentence count more: a plan is built on them."""

_SPREAD = 0.4
"""Share of what a sentence says to all tasks below which it introduces them and tells none."""

_LENGTH = 20
"""Words of a usual sentence; a longer one holds words of every task by chance."""

_DISPUTED = 0.5
"""What a sentence counts whose value a newer document replaces, or another one contradicts."""

_NEEDED = 2
"""What phrases that a tool's task needs count, against 1 for a word of that task alone."""


@dataclass(frozen=True, slots=True)
class Quote:
    """One sentence of a passage, quoted in the task that it bears on most."""

    id: str
    text: str
    place: str
    note: str
    """Why it counts less; "" where nothing speaks against it."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A passage that bears on this task too, and the task that quotes it."""

    id: str
    task_id: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one task takes from the passages that it found."""

    quotes: tuple[Quote, ...] = ()
    pointers: tuple[Pointer, ...] = ()


def select_quotes(
    hits: Iterable[Mapping[str, Any]],
    task: GraphTask,
    tasks: Sequence[GraphTask],
    known: str,
    tools: Registry,
) -> Reading:
    """Choose from the *hits* of *task*; what *known* says is no reason to quote a sentence.

    Which task a sentence belongs to depends on the plan alone, so that tasks that are worked at
    the same time agree on it.
    """
    wants = _wants(tasks, known, tools)
    found = [s for hit in _once(hits) for s in _sentence_scores(hit, wants) if s.tells]
    mine = sorted((s for s in found if s.home == task.id), key=lambda s: -s.rank)
    quotes = [
        quote for needed in (False, True) for quote in _best(s for s in mine if s.needed == needed)
    ]
    quoted = {q.hit["id"] for q in quotes}
    elsewhere = {
        s.hit["id"]: Pointer(s.hit["id"], s.home)
        for s in sorted(found, key=lambda s: s.scores.get(task.id, 0.0))
        if s.home != task.id and s.hit["id"] not in quoted and task.id in s.scores
    }
    quotes.sort(key=lambda s: -s.rank)
    return Reading(tuple(map(_quote, quotes)), tuple(elsewhere.values())[::-1][:_POINTERS])


def _once(hits: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """Each passage once, though several searches found it."""
    return {hit["id"]: hit for hit in hits}.values()


def _best(ranked: Iterable["_Sentence"]) -> list["_Sentence"]:
    """The first of *ranked*, no more of any one passage than a reader wants."""
    quotes: list[_Sentence] = []
    for sentence in ranked:
        if sum(q.hit["id"] == sentence.hit["id"] for q in quotes) < _OF_ONE:
            quotes.append(sentence)
    return quotes[:_QUOTES]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a hit, and how much it bears on each task."""

    text: str
    hit: Mapping[str, Any]
    scores: Mapping[str, float]
    wanted: frozenset[str]
    """The tasks whose tools need what it says."""
    said: float
    """How much it says to all tasks together, be it too little for any of them."""

    @property
    def home(self) -> str:
        """The task that it bears on most; the first of equals."""
        return max(self.scores, key=lambda key: self.scores[key])

    @property
    def needed(self) -> bool:
        """Whether it is there for that task's tools."""
        return self.home in self.wanted

    @property
    def focus(self) -> float:
        """How much of what it says it says to that task."""
        return self.scores[self.home] / self.said

    @property
    def tells(self) -> bool:
        """Whether it says anything of its own: a figure, or more to one task than to all."""
        return bool(re.search(r"\d", self.text)) or self.focus >= _SPREAD

    @property
    def rank(self) -> float:
        """How early it is quoted: an introduction has words of every task, and many."""
        length = max(1.0, len(self.text.split()) / _LENGTH)
        return self.scores[self.home] * self.focus / length


@dataclass(frozen=True, slots=True)
class _Want:
    """What a task looks for."""

    words: frozenset[str]
    """Stems of its own words that are not in the question at large."""
    phrases: tuple[str, ...]
    """What the tools that it uses need."""

    def needs(self, text: str) -> bool:
        """Whether *text* says what the tools need."""
        return any(phrase(p).search(text) for p in self.phrases)


def _sentence_scores(hit: Mapping[str, Any], wants: Mapping[str, _Want]) -> Iterator[_Sentence]:
    spread = Counter(word for want in wants.values() for word in want.words)
    heading = _content(str(hit["place"]))
    for text in _sentences(hit):
        said = _content(text)
        weight = _FIGURES if re.search(r"\d", text) else 1.0
        weight *= _DISPUTED if _conflicts(text, hit) else 1.0
        needed = frozenset(k for k, w in wants.items() if w.needs(text))
        bears = {
            key: weight
            * (_NEEDED * (key in needed) + sum(1 / spread[w] for w in said & want.words))
            for key, want in wants.items()
        }
        scores = {
            key: score
            for key, score in bears.items()
            if key in needed or (score and len((said | heading) & wants[key].words) >= _SHARED)
        }
        if scores:
            yield _Sentence(text, hit, scores, needed, sum(bears.values()))


def _sentences(hit: Mapping[str, Any]) -> Iterator[str]:
    """The sentences of a passage; a table row is one."""
    text = str(hit["text"])
    if str(hit["place"]).startswith("row "):
        yield text
        return
    for start, end in sentences(text):
        yield text[start:end]


def _wants(tasks: Sequence[GraphTask], known: str, tools: Registry) -> dict[str, _Want]:
    """What each task that searches looks for."""
    tongue = language(known)
    old = _content(known, tongue)
    return {
        t.id: _Want(_content(" ".join(texts(t)), tongue) - old, tools.sought(t.tool_request))
        for t in tasks
        if any(tools.give(r.name, "passages") for r in t.tool_request)
    }


def _content(text: str, tongue: str = "") -> frozenset[str]:
    """The stems of *text* that say what it is about, in its own language."""
    known, found = wording(), stems(text, tongue or language(text))
    return frozenset(known.meaning(w) for w in found if w.isalpha() and w not in known.light)


def texts(task: GraphTask) -> list[str]:
    """Everything that a task says of itself."""
    tests = (a.text for a in task.acceptance)
    return [task.title, task.description, *task.steps, task.deliverable, *tests]


def _quote(sentence: _Sentence) -> Quote:
    hit = sentence.hit
    place = ", ".join(x for x in (hit["document"], hit["place"]) if x)
    place = place.replace("[", "(").replace("]", ")")  # it stands in square brackets itself
    note = f" ({hit['status']})" if hit["status"] != "live" else ""
    objection = objections(sentence.text, hit)
    note += f" ({objection})" if objection else ""
    return Quote(hit["id"], sentence.text, place, note)


def objections(text: str, hit: Mapping[str, Any]) -> str:
    """Say which values of *text*, from a passage, no longer hold or need not; "" where all do."""
    said = [
        f"superseded: the newer [{d['passage']}] says {d['against']}"
        if d["superseded"]
        else f"in conflict: [{d['passage']}] says {d['against']}, and no date tells which holds"
        for d in _conflicts(text, hit)
    ]
    return "; ".join(dict.fromkeys(said))


def _conflicts(text: str, hit: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What stands against the values of a text."""
    return [d for d in hit.get("disputed", ()) if d["value"] in text]

"""Which files of the library a brief speaks for, and by which words."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log

from pydantic import Field

from core.values import Frozen, unsaid
from dr_rd.brief import Brief
from dr_rd.planning.library import Library, Method, Signals, Technique
from dr_rd.text import answered, sentences

_CLOSED = re.compile(
    r"[,;:.()](?=\s*(?:only|but|instead)\b)"
    r"|\b(?:is|are) not (?:needed|required|necessary|wanted)\b(?=\s*[,;])",
    re.IGNORECASE,
)
"""Where what is ruled out has ended, and what follows is asked for."""

_STRONG, _WEAK, _AGAINST = 3.0, 1.0, 2.0
"""Points a phrase brings: one strong phrase outweighs two weak ones."""

_ALIKE = 4.0
"""Points of an objective that equals one of a method's exemplars."""

_LONE = 0.5
"""What a weak phrase counts that no other phrase of its file stands beside."""

_OF_LIMITS, _TIE = 0.1, 0.25
"""What a point counts that a limit brings, and the most that limits count together."""

_RESEMBLES = 0.25
"""Likeness from which an objective is said to be like an exemplar; less is common words."""

_ENOUGH_WEAK = 3
"""Weak phrases that together show a technique as well as one strong phrase does."""


class Match(Frozen):
    """How well a file of the library fits, and why."""

    id: str
    title: str
    score: float
    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    exemplar: str = ""
    """The exemplar objective that the brief's is most like; "" where none is."""
    kind: str = Field(default="", exclude_if=unsaid)
    """The kind of question that it answers, where that and the place decided; "" elsewhere."""


def requested_text(brief: Brief) -> str:
    """Everything the brief asks for, without what it rules out."""
    return "\n".join((_aims(brief), *map(affirmed, brief.hard_constraints)))


def _aims(brief: Brief) -> str:
    """What the brief is after: its field, its objective and what would be a success.

    Of an objective that seems to rule everything out ("which pastures were given up") all counts.
    """
    objective = affirmed(brief.objective)
    kept = objective if _CONTENT.search(objective) else brief.objective
    return "\n".join((affirmed(brief.domain), kept, *map(affirmed, brief.success_criteria)))


_CONTENT = re.compile(r"\w")


def affirmed(line: str) -> str:
    """*line* without the words of what it rules out: they speak for nothing that uses it."""
    ends = [0, *(m.end() for m in _CLOSED.finditer(line)), len(line)]
    return "".join(word for a, b in pairwise(ends) for word in _affirmed(line[a:b]))


def _affirmed(text: str) -> Iterator[str]:
    last = 0
    for sentence in answered(sentences(text), text):
        for word, stance in zip(sentence.words, sentence.stances, strict=True):
            if stance == "denied":
                yield f"{text[last : word.start]},"
                last = word.end
    yield text[last:]


def rank_methods(brief: Brief, library: Library) -> tuple[Match, ...]:
    """Methods by how well they fit *brief*, best first; ties by id.

    What the brief is after decides. A limit decides only where it names a method; its other words
    say under which conditions the work is done, and no more than break a tie.
    """
    words = _Words(
        brief.objective,
        _aims(brief),
        "\n".join(map(affirmed, brief.hard_constraints)),
        "\n".join(map(affirmed, brief.plausible_directions)),
    )
    weights = _Telling(library)
    matches = (_method_match(m, words, weights) for m in library.methods)
    return tuple(sorted(matches, key=lambda m: (-m.score, m.id)))


def find_techniques(text: str, library: Library) -> tuple[Technique, ...]:
    """Techniques that *text* asks for, best first; ties by id."""
    found = [(match_signals(t.signals, text), t) for t in library.techniques]
    shown = [
        (_STRONG * len(strong) + _WEAK * len(weak), t)
        for (strong, weak, against), t in found
        if not against and (strong or len(weak) >= _ENOUGH_WEAK)
    ]
    return tuple(t for _, t in sorted(shown, key=lambda pair: (-pair[0], pair[1].id)))


def match_signals(
    signals: Signals, text: str
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the strong, weak and contrary phrases of *signals* that *text* holds."""
    strong, weak, against = (
        _distinct(phrases_in(ps, text)) for ps in (signals.strong, signals.weak, signals.against)
    )
    if settled(signals, (*strong, *weak), text):
        return strong, weak, against
    return _plain(strong, signals), _plain(weak, signals), against


def _plain(found: tuple[str, ...], signals: Signals) -> tuple[str, ...]:
    return tuple(p for p in found if p not in signals.ambiguous)


def settled(signals: Signals, found: Sequence[str], text: str) -> bool:
    """Whether phrases that other fields use as well mean what *signals* takes them for.

    Another phrase tells it, or a word of the field; the words of such a phrase itself do not.
    """
    unsure = [p for p in found if p in signals.ambiguous]
    beside = [p for p in found if p not in signals.ambiguous and not any(p in u for u in unsure)]
    return bool(beside) or any(phrases_in(signals.field, text))


def phrases_in(phrases: Iterable[str], text: str) -> Iterator[str]:
    """Those of *phrases* that *text* holds."""
    lowered = text.lower()
    return (p for p in phrases if _may_hold(p, lowered) and phrase(p).search(text))


def _may_hold(text: str, lowered: str) -> bool:
    """Whether the beginnings of all words of a phrase are there: few are, and patterns are dear."""
    return all(begin in lowered for begin in _beginnings(text))


@lru_cache(maxsize=8192)
def _beginnings(text: str) -> tuple[str, ...]:
    return tuple(word[:4] for word in re.split(r"[\s-]+", text.lower().strip()))


@lru_cache(maxsize=8192)
def phrase(text: str) -> re.Pattern[str]:
    """Build the pattern that finds *text*: any case, hyphen or space, plural, -ise or -ize."""
    words = r"[-–\s]+".join(_word(w) for w in re.split(r"[\s-]+", text.strip()) if w)
    begin = r"(?<!\w)" if text.strip()[:1].isalnum() else ""
    return re.compile(rf"{begin}{words}(?:s|es)?(?!\w)", re.IGNORECASE)


def stems(text: str) -> frozenset[str]:
    """Content words of *text*, cut to their first six letters."""
    words = re.findall(r"[^\W\d_]{4,}", text.lower())
    return frozenset(w[:6] for w in words if w not in _COMMON)


_COMMON = frozenset(
    "whether that with from this than then least must only such each using under over into between "
    "have been were their there which would should could more less same other within across "
    "test assess determine estimate quantify does design study include report must".split()
)


def _distinct(phrases: Iterable[str]) -> tuple[str, ...]:
    """Leave out spellings of a phrase that is there already, and phrases within longer ones."""
    plain = {re.sub(r"[-–\s]+", " ", p).replace("z", "s").lower(): p for p in phrases}
    inner = {a for a in plain for b in plain if a != b and f" {a} " in f" {b} "}
    return tuple(p for key, p in plain.items() if key not in inner)


def _word(word: str) -> str:
    return re.sub(r"(?<=\w{3})i[sz](?=(?:e|ed|es|ing|ation|ations)$)", "i[sz]", re.escape(word))


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a brief, by what they may decide."""

    objective: str
    aims: str
    limits: str
    directions: str


class _Telling:
    """How much a word tells of a method: the less, the more methods have it in their exemplars."""

    def __init__(self, library: Library) -> None:
        self._methods = len(library.methods)
        self._holding = Counter(
            word for m in library.methods for word in stems(" ".join(m.exemplars))
        )

    def alike(self, a: frozenset[str], b: frozenset[str]) -> float:
        """Return how alike two sets of words are, 0..1."""
        both, either = sum(map(self._of, a & b)), sum(map(self._of, [*a, *b]))
        return 2 * both / either if either else 0.0

    def _of(self, word: str) -> float:
        return log(self._methods / max(1, self._holding[word]))


def _method_match(method: Method, words: _Words, telling: _Telling) -> Match:
    strong, weak, against = match_signals(method.signals, words.aims)
    limits = match_signals(method.signals, words.limits)
    strong += tuple(p for p in limits[0] if _names(p, method) and p not in strong)
    told = tuple(p for p in (*limits[0], *limits[1]) if p not in (*strong, *weak))
    aside = tuple(p for p in match_signals(method.signals, words.directions)[0] if p not in strong)
    alike, exemplar = _most_alike(words.objective, method.exemplars, telling)
    score = _points(strong, weak, against) + _WEAK * len(aside) + _ALIKE * alike
    return Match(
        id=method.id,
        title=method.title,
        score=round(score + _tie(limits), 3),
        strong=(*strong, *aside),
        weak=(*weak, *told),
        against=against,
        exemplar=exemplar,
    )


def _points(strong: Sequence[str], weak: Sequence[str], against: Sequence[str]) -> float:
    lone = len(weak) == 1 and not strong
    return _STRONG * len(strong) + _WEAK * (_LONE if lone else len(weak)) - _AGAINST * len(against)


def _tie(limits: tuple[Sequence[str], Sequence[str], Sequence[str]]) -> float:
    """What the words of limits add or take: less than a weak word of the objective does."""
    return max(-_TIE, min(_TIE, _OF_LIMITS * _points(*limits)))


def _names(said: str, method: Method) -> bool:
    """Whether a phrase is what a method is called: "quasi-experimental design", "field trial"."""
    called = stems(method.id)
    return bool(called) and called <= stems(said)


def _most_alike(objective: str, exemplars: Iterable[str], telling: _Telling) -> tuple[float, str]:
    """How alike an objective is to the exemplar most like it; 0 where they share common words."""
    mine = stems(objective)
    scored = ((telling.alike(mine, stems(e)), e) for e in exemplars)
    alike, exemplar = max(scored, key=lambda pair: pair[0])
    return (alike, exemplar) if alike >= _RESEMBLES else (0.0, "")

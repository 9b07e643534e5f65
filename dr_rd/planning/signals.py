"""Which files of the library a brief speaks for, and by which words."""

import re
from collections.abc import Iterable
from functools import lru_cache

from pydantic import Field

from core.values import Frozen, unsaid
from dr_rd.brief import Brief
from dr_rd.planning.library import Library, Method, Signals, Technique

_DENIED = re.compile(
    r"[^,;.()]*\b(?:is|are) not (?:needed|required|necessary|wanted|allowed|permitted)\b"
    r"|\b(?:no|not|never|without|excluding|except|rather than|instead of|other than)\b[^,;.()]*",
    re.IGNORECASE,
)
"""What a limit rules out says nothing for a method that uses it."""

_STRONG, _WEAK, _AGAINST = 3.0, 1.0, 2.0
"""Points a phrase brings: one strong phrase outweighs two weak ones."""

_ALIKE = 4.0
"""Points of an objective that equals one of a method's exemplars."""

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


def asked(brief: Brief) -> str:
    """Everything the brief asks for, without what it rules out."""
    lines = (brief.domain, brief.objective, *brief.hard_constraints, *brief.success_criteria)
    return "\n".join(_DENIED.sub("", line) for line in lines)


def rank_methods(brief: Brief, library: Library) -> tuple[Match, ...]:
    """Methods by how well they fit *brief*, best first; ties by id."""
    text, directions = asked(brief), "\n".join(brief.plausible_directions)
    matches = (_method_match(m, brief.objective, text, directions) for m in library.methods)
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
    kinds, lowered = (signals.strong, signals.weak, signals.against), text.lower()
    strong, weak, against = (
        _distinct(p for p in ps if _may_hold(p, lowered) and phrase(p).search(text))
        for ps in kinds
    )
    return strong, weak, against


def _may_hold(text: str, lowered: str) -> bool:
    """Whether the beginnings of all words of a phrase are there: few are, and patterns are dear."""
    return all(begin in lowered for begin in _beginnings(text))


@lru_cache(maxsize=8192)
def _beginnings(text: str) -> tuple[str, ...]:
    return tuple(word[:3] for word in re.split(r"[\s-]+", text.lower().strip()))


@lru_cache(maxsize=8192)
def phrase(text: str) -> re.Pattern[str]:
    """Build the pattern that finds *text*: any case, hyphen or space, plural, -ise or -ize."""
    words = r"[-–\s]+".join(_word(w) for w in re.split(r"[\s-]+", text.strip()) if w)
    return re.compile(rf"(?<!\w){words}(?:s|es)?(?!\w)", re.IGNORECASE)


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


def _method_match(method: Method, objective: str, text: str, directions: str) -> Match:
    strong, weak, against = match_signals(method.signals, text)
    aside = [p for p in match_signals(method.signals, directions)[0] if p not in strong]
    alike, exemplar = _most_alike(objective, method.exemplars)
    score = _STRONG * len(strong) + _WEAK * len(weak) - _AGAINST * len(against)
    score += _WEAK * len(aside) + _ALIKE * alike
    return Match(
        id=method.id,
        title=method.title,
        score=round(score, 3),
        strong=(*strong, *aside),
        weak=weak,
        against=against,
        exemplar=exemplar if alike >= 0.15 else "",
    )


def _most_alike(objective: str, exemplars: Iterable[str]) -> tuple[float, str]:
    mine = stems(objective)
    scored = ((_dice(mine, stems(e)), e) for e in exemplars)
    return max(scored, key=lambda pair: pair[0])


def _dice(a: frozenset[str], b: frozenset[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0

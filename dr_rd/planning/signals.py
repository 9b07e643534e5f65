"""Which files of the library a brief speaks for, and by which words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from dr_rd.brief import Brief
from dr_rd.planning.library import Library
from dr_rd.planning.techniques import Signals, Technique
from dr_rd.text import answered, sentences

_CLOSED = re.compile(
    r"[,;:.()](?=\s*(?:only|but|instead)\b)"
    r"|\b(?:is|are) not (?:needed|required|necessary|wanted)\b(?=\s*[,;])",
    re.IGNORECASE,
)
"""Where what is ruled out has ended, and what follows is asked for."""

_STRONG, _WEAK = 3.0, 1.0
"""Points a phrase brings: one strong phrase outweighs two weak ones."""

_ENOUGH_WEAK = 3
"""Weak phrases that together show a technique as well as one strong phrase does."""


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
    spoken = _spoken(text)
    return (p for p in phrases if _may_hold(p, spoken) and phrase(p).search(text))


def _may_hold(text: str, spoken: str) -> bool:
    """Whether words begin as all words of a phrase do: few texts have them, and patterns are dear."""
    for begin in _beginnings(text):  # noqa: SIM110 - a generator takes twice as long
        if begin not in spoken:
            return False
    return True


@lru_cache(maxsize=256)
def _spoken(text: str) -> str:
    """The words of *text* in lower case, each after a space."""
    return " " + re.sub(r"\W+", " ", text.lower())


@lru_cache(maxsize=8192)
def _beginnings(text: str) -> tuple[str, ...]:
    """What words that are spelled with s or z have in common, and others whole."""
    begun = (_BEGINNING.match(word) for word in re.split(r"[\s-]+", text.lower().strip()))
    return tuple(f" {found[0]}" for found in begun if found)


_BEGINNING = re.compile(r"\w+?(?=\W|$|(?<=\w{3})i[sz])")


@lru_cache(maxsize=8192)
def phrase(text: str) -> re.Pattern[str]:
    """Build the pattern that finds *text*: any case, hyphen or space, plural, -ise or -ize."""
    words = r"[-–\s]+".join(_word(w) for w in re.split(r"[\s-]+", text.strip()) if w)
    begin = r"(?<!\w)" if text.strip()[:1].isalnum() else ""
    return re.compile(rf"{begin}{words}(?:s|es)?(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=16384)
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

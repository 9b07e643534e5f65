"""A sentence cut where its statements part: its clauses, and what stands with a figure."""

import re
from collections.abc import Iterator, Sequence, Set

from dr_rd.evidence.support.content import content, told_by
from dr_rd.evidence.support.figures import Figure, figures

BREAK = re.compile(
    r"[;:()]|,\s|\sto\s(?=\d)|\s(?:and|but|while|whereas|although|though|than|against|versus|compared with|und|"
    r"während|et|mais|y|pero)\s"
)
_CLAUSE = re.compile(
    r"[;:]\s|,?\s(?:but|yet|while|whereas|although|though|aber|während|mais|pero)\s"
    r"|,\s(?:so|and|und|et|y)\s"
)


def clauses(text: str) -> list[str]:
    """Return the clauses of a sentence."""
    return [part for part in _CLAUSE.split(text) if part.strip(" .,")]


def home(wanted: Set[str], said: str, tongue: str) -> str:
    """The clause of *said* that a clause with the words *wanted* is about."""
    best, *rest = clauses(said) or [said]
    for clause in rest:
        a, b = content(clause, tongue), content(best, tongue)
        if nearer(wanted, a, b) or (
            not nearer(wanted, b, a) and len(wanted & a) > len(wanted & b)
        ):
            best = clause
    return best


def nearer(wanted: Set[str], a: Set[str], b: Set[str]) -> bool:
    """Whether the words that only *a* has are the ones wanted, more than those of *b*."""
    only_a, only_b = a - b, b - a
    if not only_a & wanted:
        return False
    return _own(wanted, only_a) > _own(wanted, only_b)


def _own(wanted: Set[str], own: Set[str]) -> float:
    return len(own & wanted) / len(own) if own else 0.5


def placed(text: str, tongue: str) -> Iterator[tuple[Figure, frozenset[str]]]:
    """Each figure of *text*, and the words between the two breaks that it stands between.

    Where there are none, as in brackets, those of the stretch before are meant.
    """
    found = figures(text)
    inside = [(f.quantity.start, f.quantity.end) for f in found]
    cuts = [m.start() for m in BREAK.finditer(text)]
    cuts = [0, *(c for c in cuts if not any(a <= c < b for a, b in inside)), len(text)]
    for figure in found:
        at = max(figure.quantity.end - 1, 0)
        last = max(n for n, c in enumerate(cuts) if c <= at)
        end = min((c for c in cuts if c > at), default=len(text))
        own = told_by(text[cuts[last] : end], tongue) | _beside(figure, found, cuts[last], end)
        before = (told_by(text[cuts[n] : end], tongue) for n in range(last - 1, -1, -1))
        yield figure, own or next(filter(None, before), frozenset())


def _beside(figure: Figure, found: Sequence[Figure], start: int, end: int) -> frozenset[str]:
    """The other figures from *start* to *end*, as words: "24 % in 2010" is not of 2020."""
    others = (f.quantity for f in found if f is not figure and start <= f.quantity.start < end)
    return frozenset(f"#{q.low:g} {q.unit}" for q in others if q.low is not None)

"""Two things put in order: which is more, which comes first, which causes which."""

import re
from dataclasses import dataclass

from dr_rd.evidence.support.content import DIGIT
from dr_rd.evidence.wording import Turn, wording
from dr_rd.evidence.words import stems


@dataclass(frozen=True, slots=True)
class _Order:
    """Two things, and what puts them in order."""

    left: frozenset[str]
    right: frozenset[str]
    ways: frozenset[tuple[int, int]]
    """Which way: pairs and sides of its words of direction, or whether the link runs backward."""


def same_order(mine: str, theirs: str, kind: str, tongue: str) -> bool | None:
    """Whether both put the same two things in the same order; None where they do not compare.

    They are swapped where what stands on one side here stands on the other there.
    """
    a, b = _ordered(mine, kind, tongue), _ordered(theirs, kind, tongue)
    if not a or not b or not {p for p, _ in a.ways} & {p for p, _ in b.ways}:
        return None
    left, right = b.left - b.right, b.right - b.left
    swapped = bool(a.left & right and a.right & left)
    if not swapped and not a.right & right:
        return None
    turned = any((pair, 1 - side) in b.ways for pair, side in a.ways)
    return swapped == turned


def _ordered(text: str, kind: str, tongue: str) -> _Order | None:
    pivot = wording().pivots[kind].search(text)
    if not pivot or DIGIT.match(text[pivot.end() :].lstrip()[:1]):
        return None
    ways = frozenset({(-1, int(pivot[0].casefold() in wording().backward))})
    if kind == "compared":
        turns = [t for t in wording().turns(text) if _comparing(text, t, pivot)]
        ways = frozenset((t.pair, t.side) for t in turns)
    left, right = stems(text[: pivot.start()], tongue), stems(text[pivot.end() :], tongue)
    return _Order(frozenset(left), frozenset(right[:_REFERENCE]), ways) if left and right else None


_REFERENCE = 5
"""Content words after "than" and the like that name the other thing."""

_ATTRIBUTE = re.compile(r"\b(?:the|an?|this|each|every)\s+$", re.IGNORECASE)


def _comparing(text: str, turn: Turn, pivot: re.Match[str]) -> bool:
    """Whether a word of direction is what the pivot compares by: not "the larger" of "the larger one"."""
    if pivot[0].casefold() != "than":
        return turn.start == pivot.start()
    return turn.start < pivot.start() and not _ATTRIBUTE.search(text[: turn.start])

"""Which line of a plan tests a limit: one that shares what the limit is about, and adds to it."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from core.graph.state import GraphTask
from dr_rd.modes.delivery.bench import own_lines
from dr_rd.modes.delivery.wording import Rarity, phrases, repeats, stem, stems

_FIGURE = re.compile(r"\d|\b(?:number|count|counts|counted|sum|share|total)\b", re.IGNORECASE)
_NEAR = 5
"""Words after a figure among which stands what it counts."""
_SHARED = 2
"""Stems that a line must share with a limit, besides those of the objective."""


def own_test(
    text: str,
    tasks: Sequence[GraphTask],
    rarity: Rarity,
    common: Collection[str],
    owner: str,
    *,
    counted: bool,
) -> tuple[GraphTask, str] | None:
    """Return the task and the line of it that test the limit *text*; None where no line does.

    A line counts if it shares two stems that the objective does not have, among them most of the
    phrase that the limit begins with, two of its words side by side where it has two, and if it is
    no repetition of the limit. Where the limit has a figure, the line must count the same thing.
    """
    begins = about(text, common)
    best: tuple[float, GraphTask, str] | None = None
    for task in tasks:
        for line in own_lines(task):
            shared = rarity.shared(text, line, common)
            if (
                len(shared) < _SHARED
                or 2 * len(begins & set(shared)) <= len(begins)
                or repeats(line, text)
            ):
                continue
            if not _holds_pair(text, line, common) or (counted and not _counts(line, begins)):
                continue
            weight = sum(rarity.weight(s) for s in shared) + (0.5 if task.id == owner else 0.0)
            if best is None or weight > best[0]:
                best = (weight, task, line)
    return best and (best[1], best[2])


def about(text: str, common: Collection[str]) -> frozenset[str]:
    """Return the stems of the first phrase of a limit that says more than the objective."""
    found = (stems(phrase) - set(common) for phrase in phrases(text))
    return frozenset(next((f for f in found if f), ()))


def _holds_pair(text: str, line: str, common: Collection[str]) -> bool:
    """Whether two neighbours of a limit's first phrase are neighbours in a line too."""
    phrase = next((p for p in phrases(text) if stems(p) - set(common)), "")
    pairs = set(pairwise(_sequence(phrase)))
    return not pairs or bool(pairs & set(pairwise(_sequence(line))))


def _counts(line: str, words: Collection[str]) -> bool:
    """Whether a figure, or the word for one, stands close before one of those stems in a line."""
    after = (line[m.end() :].split()[:_NEAR] for m in _FIGURE.finditer(line))
    return any(stems(" ".join(near)) & set(words) for near in after)


def _sequence(text: str) -> list[str]:
    return [stem(part) for word in text.lower().split() for part in re.findall(r"\w+", word)]


def maker(
    text: str, tasks: Sequence[GraphTask], common: Collection[str], owner: GraphTask
) -> GraphTask | None:
    """Return the one task that makes what a limit is about, where its owner does not; else None.

    It is the only one whose title and deliverable both have a word of the limit's first phrase.
    """
    words = about(text, common)

    def makes(task: GraphTask) -> frozenset[str]:
        return words & stems(task.title) & stems(task.deliverable)

    if words & (stems(owner.title) | stems(owner.deliverable)):
        return None
    found = [task for task in tasks if makes(task)]
    return found[0] if len(found) == 1 else None

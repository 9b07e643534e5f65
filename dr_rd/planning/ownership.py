"""Which task answers for which ledger item."""

from collections.abc import Iterable, Mapping, Sequence

from dr_rd.files import read_yaml
from dr_rd.ledger import LedgerItem
from dr_rd.planning.signals import phrase, stems

Topics = Mapping[str, Sequence[str]]
"""Each topic with the words that show it."""

_FIRST, _STEP, _WORDS = 2.0, 0.2, 0.25
"""Points for a package's first topic, less for each later one, and for each word shared."""


class Candidate:
    """A task that could own an item: its topics, strongest first, and its words."""

    def __init__(self, key: str, owns: Sequence[str], text: str) -> None:
        self.key = key
        self._points = {t: _FIRST - _STEP * n for n, t in enumerate(owns)}
        self._stems = stems(text)

    def points(self, topics: Mapping[str, int], words: frozenset[str]) -> float:
        """How much this task has to do with an item of those topics and words."""
        shared = sum(self._points[t] * hits for t, hits in topics.items() if t in self._points)
        return shared + _WORDS * len(words & self._stems)


def load_topics() -> Topics:
    """Read the topics and their words."""
    topics: dict[str, list[str]] = read_yaml("planning", "topics.yaml")
    return topics


def topics_of(item: LedgerItem, topics: Topics) -> dict[str, int]:
    """Topics of *item*, each with the number of its words that were found.

    A ban is always about scope: whoever guards the scope keeps it out.
    """
    found = {t: sum(bool(phrase(w).search(item.text)) for w in ws) for t, ws in topics.items()}
    if item.kind == "ban":
        found["scope"] = found.get("scope", 0) + 2
    else:
        found.pop("scope", None)
    return {t: hits for t, hits in found.items() if hits}


def owners(
    items: Iterable[LedgerItem], candidates: Sequence[Candidate], topics: Topics
) -> dict[str, str]:
    """Each item's owner by key; items that nobody has anything to do with are left out."""
    found: dict[str, str] = {}
    for item in items:
        about, words = topics_of(item, topics), stems(item.text)
        scored = [(c.points(about, words), -n, c) for n, c in enumerate(candidates)]
        best, _, owner = max(scored, key=lambda s: (s[0], s[1]))
        if best > 0:
            found[item.id] = owner.key
    return found

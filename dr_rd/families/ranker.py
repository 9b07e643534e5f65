"""Which design families a text asks for, and whether that is sure enough to plan on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from core.errors import clipped, unknown
from dr_rd.evidence.embeddings import Embedder, installed
from dr_rd.families.conditions import (
    Condition,
    barring,
    check_families,
    excluded,
    naming,
    settled,
)
from dr_rd.families.features import Array
from dr_rd.families.model import LONGEST_OBJECTIVE, Model, load_model
from dr_rd.families.values import Fact, Family, Ranked, Reading
from dr_rd.files import read_yaml

_FEWEST = 6
"""Words of a text below which nothing is sure: no text so short was ever counted."""

_SHOWN = 90
"""Characters of a line that are shown of it."""


@dataclass(frozen=True, slots=True)
class Ranker:
    """Ranks design families for a text; it holds no state of any one text."""

    families: Mapping[str, Family]
    conditions: tuple[Condition, ...]
    model: Model
    embedder: Embedder | None
    """None where no embeddings are installed; n-grams alone decide then."""

    def method(self, family: str, facts: Iterable[Fact] = ()) -> str:
        """Return the id of the method that plans *family* where a brief states *facts*."""
        found = self.families[family]
        return next((found.variants[f.id] for f in facts if f.id in found.variants), found.method)

    def stated(
        self, text: str, bans: Iterable[str] = (), lines: Iterable[str] = ()
    ) -> tuple[Fact, ...]:
        """Return what *text* states of its design; *lines* are what it demands."""
        whole = "\n".join([text, *(f"no {ban}" for ban in bans)])
        return *barring(whole, self.conditions), *naming(lines, self.conditions)

    def settles(self, lines: Iterable[str]) -> bool:
        """Whether demanded *lines* say of which families the design is one."""
        return bool(settled(self.stated("", lines=lines), self.conditions))

    def evidence(self, facts: Sequence[Fact]) -> Array:
        """Return 0 for each family of the model that *facts* leave no room for, and 1 for the others."""
        barred, named = excluded(facts, self.conditions), settled(facts, self.conditions)
        kept = [f not in barred and (not named or f in named) for f in self.model.ids]
        return np.array(kept, np.float32)

    def read(
        self, text: str, objective: str = "", bans: Iterable[str] = (), lines: Iterable[str] = ()
    ) -> Reading:
        """Rank the families for *text*, whose *objective* is one sentence of it.

        Where *objective* is empty or longer than a sentence, the sentence that most likely says
        what is asked for is taken. *lines* are what the text demands, see `stated`.
        """
        facts = self.stated(text, bans, tuple(lines))
        kept = self.probabilities(text, objective) * self.evidence(facts)
        kept /= kept.sum() or 1.0
        order = sorted(range(len(kept)), key=lambda n: (-kept[n], self.model.ids[n]))
        known = self.model.known(text)
        ranked = tuple(self._ranked(n, float(kept[n]), known, facts) for n in order)
        weak, close = self._weak(ranked), self._close(ranked)
        named = settled(facts, self.conditions)
        return Reading(
            ranked=ranked,
            asks=not named and (len(text.split()) < _FEWEST or weak or close),
            close=close,
            excluded=excluded(facts, self.conditions),
            facts=facts,
        )

    def probabilities(self, text: str, objective: str = "") -> Array:
        """Return the probability of each family of the model, conditions left aside."""
        sentence = objective if 0 < len(objective) <= LONGEST_OBJECTIVE else ""
        sentence = sentence or self.model.objective(objective or text)
        return self.model.probabilities(text, sentence, self.embedder)

    def named(
        self, family: str, text: str, objective: str = "", lines: Iterable[str] = ()
    ) -> Reading:
        """Rank the families for a text whose author names one of them, which comes first.

        Raises CallerError if there is none with that id.
        """
        if family not in self.families:
            raise unknown("design family", family, sorted(self.families))
        found = self.read(text, objective, lines=lines)
        others = tuple(r for r in found.ranked if r.id != family)
        first = Ranked(id=family, score=1.0, why="the brief names it")
        return Reading(ranked=(first, *others), asks=False, facts=found.facts)

    def _ranked(
        self, n: int, score: float, known: Mapping[str, int], facts: Sequence[Fact]
    ) -> Ranked:
        family = self.model.ids[n]
        barred = excluded(facts, self.conditions)
        if family in barred:
            why = f"ruled out by “{clipped(barred[family], _SHOWN)}”"
            return Ranked(id=family, score=0.0, why=why)
        if named := settled(facts, self.conditions):
            if family not in named:
                return Ranked(
                    id=family, score=0.0, why="none of those that the brief's lines allow"
                )
            why = f"its line “{clipped(named[family].quote, _SHOWN)}”"
            return Ranked(id=family, score=round(score, 3), why=why)
        words = self.model.strongest(known, family)
        named_words = ", ".join(f"“{w}”" for w in words)
        why = f"its words {named_words}" if words else "the likeness of its text as a whole"
        return Ranked(id=family, score=round(score, 3), why=why)

    def _weak(self, ranked: Sequence[Ranked]) -> bool:
        return ranked[0].score < self.model.regression(self.embedder).weakest

    def _close(self, ranked: Sequence[Ranked]) -> bool:
        lead = ranked[0].score - ranked[1].score
        return lead < self.model.regression(self.embedder).closest


def load_conditions() -> tuple[Condition, ...]:
    """Read the conditions."""
    return tuple(map(Condition.model_validate, read_yaml("families", "conditions.yaml")))


@cache
def load_families() -> Mapping[str, Family]:
    """Read the families, by their ids."""
    return {f.id: f for f in map(Family.model_validate, read_yaml("families", "families.yaml"))}


def load_ranker(embedder: Embedder | None = None, *, find: bool = True) -> Ranker:
    """Read the families, the conditions and the weights; with *find*, use installed embeddings."""
    families, conditions = load_families(), load_conditions()
    check_families(conditions, families)
    return Ranker(
        families=families,
        conditions=conditions,
        model=load_model(),
        embedder=embedder or (installed() if find else None),
    )

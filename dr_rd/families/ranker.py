"""Which design families a text asks for, and whether that is sure enough to plan on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from core.errors import unknown
from dr_rd.evidence.embeddings import Embedder, installed
from dr_rd.families.conditions import Condition, check_families, excluded
from dr_rd.families.features import Array
from dr_rd.families.model import LONGEST_OBJECTIVE, Model, load_model
from dr_rd.families.values import Family, Ranked, Reading
from dr_rd.files import read_yaml

_FEWEST = 6
"""Words of a text below which nothing is sure: no text so short was ever counted."""


@dataclass(frozen=True, slots=True)
class Ranker:
    """Ranks design families for a text; it holds no state of any one text."""

    families: Mapping[str, Family]
    conditions: tuple[Condition, ...]
    model: Model
    embedder: Embedder | None
    """None where no embeddings are installed; n-grams alone decide then."""

    def method(self, family: str) -> str:
        """Return the id of the method that plans *family*."""
        return self.families[family].method

    def ranked(self, text: str, objective: str = "") -> tuple[Ranked, ...]:
        """Return all families, the most probable first; see `read`."""
        return self.read(text, objective).ranked

    def read(self, text: str, objective: str = "", bans: Iterable[str] = ()) -> Reading:
        """Rank the families for *text*, whose *objective* is one sentence of it.

        Where *objective* is empty or longer than a sentence, the sentence that most likely says
        what is asked for is taken.
        """
        barred = excluded("\n".join([text, *(f"no {ban}" for ban in bans)]), self.conditions)
        found = self.probabilities(text, objective)
        kept = np.where([i in barred for i in self.model.ids], 0.0, found)
        kept /= kept.sum() or 1.0
        order = sorted(range(len(kept)), key=lambda n: (-kept[n], self.model.ids[n]))
        known = self.model.known(text)
        ranked = tuple(self._ranked(n, float(kept[n]), known, barred) for n in order)
        asks = len(text.split()) < _FEWEST or self._asks(ranked)
        return Reading(ranked=ranked, asks=asks, excluded=barred)

    def probabilities(self, text: str, objective: str = "") -> Array:
        """Return the probability of each family of the model, conditions left aside."""
        sentence = objective if 0 < len(objective) <= LONGEST_OBJECTIVE else ""
        sentence = sentence or self.model.objective(objective or text)
        return self.model.probabilities(text, sentence, self.embedder)

    def named(self, family: str, text: str, objective: str = "") -> Reading:
        """Rank the families for a text whose author names one of them, which comes first.

        Raises CallerError if there is none with that id.
        """
        if family not in self.families:
            raise unknown("design family", family, sorted(self.families))
        others = tuple(r for r in self.ranked(text, objective) if r.id != family)
        first = Ranked(id=family, score=1.0, why="the brief names it")
        return Reading(ranked=(first, *others), asks=False)

    def _ranked(
        self, n: int, score: float, known: Mapping[str, int], barred: Mapping[str, str]
    ) -> Ranked:
        family = self.model.ids[n]
        if family in barred:
            return Ranked(id=family, score=0.0, why=f"ruled out by “{barred[family]}”")
        words = self.model.strongest(known, family)
        named = ", ".join(f"“{w}”" for w in words)
        why = f"its words {named}" if named else "the likeness of its text as a whole"
        return Ranked(id=family, score=round(score, 3), why=why)

    def _asks(self, ranked: tuple[Ranked, ...]) -> bool:
        best, second = ranked[0].score, ranked[1].score
        used = self.model.regression(self.embedder)
        return best < used.weakest or best - second < used.closest


def load_conditions() -> tuple[Condition, ...]:
    """Read the conditions."""
    return tuple(map(Condition.model_validate, read_yaml("families", "conditions.yaml")))


def load_ranker(embedder: Embedder | None = None, *, find: bool = True) -> Ranker:
    """Read the families, the conditions and the weights; with *find*, use installed embeddings."""
    families = {
        f.id: f for f in map(Family.model_validate, read_yaml("families", "families.yaml"))
    }
    conditions = load_conditions()
    check_families(conditions, families)
    return Ranker(
        families=families,
        conditions=conditions,
        model=load_model(),
        embedder=embedder or (installed() if find else None),
    )

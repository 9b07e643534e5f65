"""Cross-validation, calibration and thresholds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold

from bench.families.examples import Example, right
from bench.families.fitting import fit
from dr_rd.evidence.embeddings import Embedder
from dr_rd.families.features import Array
from dr_rd.families.model import Model
from dr_rd.families.ranker import Ranker, load_conditions

FOLDS = 5
SURE, LEAST = 0.94, 0.92
"""Shares that must be right where nobody is asked: of all texts, and of each kind of them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was predicted of some examples."""

    examples: Sequence[Example]
    ids: tuple[str, ...]
    probabilities: Array
    """[example, family], uncalibrated."""
    evidence: Array
    """[example, family]: 0 where what the text states of its design leaves no room for the family."""

    def part(self, where: Sequence[int]) -> "Outcome":
        """Return what was predicted of the examples with those numbers."""
        return Outcome(
            [self.examples[n] for n in where],
            self.ids,
            self.probabilities[where],
            self.evidence[where],
        )

    def calibrated(self, temperature: float) -> "Outcome":
        """Return the same with probabilities scaled by a temperature, and the evidence in them."""
        scaled = np.power(self.probabilities, 1 / temperature) * self.evidence
        scaled = np.maximum(scaled, 1e-12)
        scaled /= scaled.sum(axis=1, keepdims=True)
        return Outcome(self.examples, self.ids, scaled, self.evidence)

    def rankings(self) -> list[list[str]]:
        """Return the families of each example, the best first."""
        return [[self.ids[n] for n in np.argsort(-row)] for row in self.probabilities]

    def share(self, among: int) -> float:
        """The share of examples of which one of the first *among* families is right."""
        return float(np.mean(self._hits(among)))

    def _hits(self, among: int) -> list[bool]:
        return [right(r, e, among) for r, e in zip(self.rankings(), self.examples, strict=True)]

    def rated(self) -> "Rated":
        """Return what decides whether an example is asked about, and whether its family is right."""
        best, second = np.sort(self.probabilities, axis=1)[:, :-3:-1].T
        return Rated(best, best - second, np.array(self._hits(1)))

    def settled(self, weakest: float, closest: float) -> tuple[float, float]:
        """Return the share that is decided without asking, and the share of it that is right."""
        return self.rated().settled(weakest, closest)


@dataclass(frozen=True, slots=True)
class Rated:
    """The best family of each example: its probability, its lead and whether it is right."""

    best: Array
    lead: Array
    hits: Array

    def settled(self, weakest: float, closest: float) -> tuple[float, float]:
        """Return the share that is decided without asking, and the share of it that is right."""
        decided = (self.best >= weakest) & (self.lead >= closest)
        return float(decided.mean()), float(self.hits[decided].mean()) if decided.any() else 1.0


def predicted(model: Model, examples: Sequence[Example], embedder: Embedder | None) -> Outcome:
    """Predict each example's families from its text alone."""
    ranker = Ranker({}, load_conditions(), model, embedder)
    rows = [ranker.probabilities(e.text) for e in examples]
    weights = [ranker.evidence(ranker.stated(e.text, lines=e.lines)) for e in examples]
    return Outcome(examples, model.ids, np.array(rows), np.array(weights))


Training = Callable[[Sequence[int]], list[Example]]
"""What is trained on, by the numbers of the examples that may be used."""


def cross_validated(
    examples: Sequence[Example], training: Training, embedder: Embedder
) -> tuple[Outcome, Outcome]:
    """Predict each example by models that saw neither it, nor a restatement, nor one of its group.

    Returns the outcomes of the n-grams alone and of n-grams with embeddings.
    """
    labels = [e.families[0] for e in examples]
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=3)
    lexical, semantic, *weights = (np.zeros((len(examples), len(set(labels)))) for _ in range(4))
    groups = [e.group or str(n) for n, e in enumerate(examples)]
    for train, test in folds.split(labels, labels, groups):
        model = fit(training(train.tolist()), embedder)
        asked = [examples[n] for n in test]
        for found, weight, used in zip(
            (lexical, semantic), weights, (None, embedder), strict=True
        ):
            outcome = predicted(model, asked, used)
            found[test], weight[test] = outcome.probabilities, outcome.evidence
    return (
        Outcome(examples, model.ids, lexical, weights[0]),
        Outcome(examples, model.ids, semantic, weights[1]),
    )


def temperature(outcome: Outcome) -> float:
    """The temperature under which the acceptable families were the likeliest."""
    return float(min(np.arange(0.1, 2.01, 0.05), key=lambda t: _loss(outcome.calibrated(t))))


def _loss(outcome: Outcome) -> float:
    accepted = [
        sum(row[outcome.ids.index(f)] for f in e.families)
        for row, e in zip(outcome.probabilities, outcome.examples, strict=True)
    ]
    return -float(np.mean(np.log(np.maximum(accepted, 1e-9))))


def thresholds(whole: Outcome, parts: Sequence[Outcome]) -> tuple[float, float]:
    """The thresholds that ask least and keep the shares that must be right."""
    grid = [(w, c) for w in np.arange(0.2, 0.96, 0.01) for c in np.arange(0.0, 0.9, 0.02)]
    rated, kinds = whole.rated(), [p.rated() for p in parts]
    kept = [
        g
        for g in grid
        if rated.settled(*g)[1] >= SURE and all(k.settled(*g)[1] >= LEAST for k in kinds)
    ]
    weakest, closest = max(kept, key=lambda g: rated.settled(*g)[0])
    return float(weakest), float(closest)

"""How far a judge may be trusted, measured against people: what lets it count, or keeps it out."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import yaml
from pydantic import Field, ValidationError, field_validator

from core.errors import CallerError, unknown
from core.files import sha256
from core.values import Frozen
from dr_rd.evaluation.agreement import (
    Interval,
    Rows,
    alpha,
    alpha_interval,
    kappa_interval,
    weighted_kappa,
    wilson,
)
from dr_rd.evaluation.judge import POINTS, Judge, JudgedCriterion, Level
from dr_rd.files import parse_yaml, read_text
from dr_rd.simulation.sensitivity import rank_correlation, ranks

LEAST_LABELS = 100
"""Labelled texts a criterion needs before its agreement means anything."""

_LEAST_KAPPA, _BELOW_PEOPLE = 0.6, 0.05
"""The agreement that counts; and how far it may stay below that of people with each other."""

_MOST_FLIPS = 0.05
"""The share of repeated opinions that may differ."""

_PASSES = 0.6
"""The points from which a text passes a criterion: "met" does, "partly" does not."""


class Label(Frozen):
    """A text, what people say of it on one question, and what the judge said each time."""

    text: str = Field(min_length=1)
    criterion: str
    labels: Mapping[str, Level] = Field(min_length=1)
    """What each person says, by name."""
    judged: tuple[Level | None, ...] = ()
    """What the judge said, each time it was asked; None where it failed."""

    @field_validator("labels", mode="before")
    @classmethod
    def _one_person(cls, value: Any) -> Any:  # noqa: ANN401 - what the file holds
        return {"label": value} if isinstance(value, str) else value

    @field_validator("labels")
    @classmethod
    def _somebody_decides(cls, value: Mapping[str, Level]) -> Mapping[str, Level]:
        if not POINTS.keys() & set(value.values()):
            raise ValueError("nobody says met, partly or not_met; leave the text out")
        return value


class CriterionCalibration(Frozen):
    """How a judge did on one question; None where the labels leave a figure undefined."""

    key: str
    question_digest: str
    texts: int
    failed: int
    """Texts on which the judge came to no level."""
    met: float
    """Share of texts that people call met: agreement is cheap where nearly all are."""
    confusion: Mapping[str, Mapping[str, int]]
    """People's level (the middle one), then the judge's, then how many texts."""
    kappa: float | None
    """Quadratically weighted, of the judge with the people's mean."""
    kappa_interval: Interval | None
    alpha: float | None
    """Krippendorff's, the judge as one rater among the people."""
    alpha_interval: Interval | None
    people: float | None
    """Mean weighted kappa of each two people."""
    false_pass: float | None
    """Share that the judge passes of the texts that people do not."""
    false_pass_interval: Interval
    flips: float | None
    """Share of each two opinions on one text that differ."""
    flips_interval: Interval
    length: float | None
    """Spearman's rho of the judge's points with the text's length; beyond 0.3 it likes words."""
    counts: bool
    """Whether the judge's score on this question may count."""
    because: tuple[str, ...]
    """What keeps it out; () if it counts."""


class Calibration(Frozen):
    """A judge measured: valid for these models, these prompts and these questions only."""

    panel: tuple[str, ...]
    prompt_digest: str
    criteria: tuple[CriterionCalibration, ...]

    def allows(self, judge: Judge, criterion: JudgedCriterion) -> bool:
        """Tell whether *judge* may count on *criterion*."""
        same = self.panel == _panel(judge) and self.prompt_digest == prompt_digest()
        asked = {c.question_digest for c in self.criteria if c.counts}
        return same and criterion.digest in asked


def prompt_digest() -> str:
    """SHA-256 of what judges are told: another wording is another judge."""
    return sha256(read_text("prompts", "judge.md").encode())


def _panel(judge: Judge) -> tuple[str, ...]:
    return tuple(model.name for model in judge.panel)


# --------------------------------------------------------------------------------- labels


def read_labels(path: Path, known: Sequence[JudgedCriterion]) -> tuple[Label, ...]:
    """Read a YAML or JSON list of labels; raises CallerError with the first thing wrong."""
    try:
        held = parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as wrong:
        raise CallerError(f"the labels {str(path)!r} cannot be read; name a UTF-8 file") from wrong
    except (yaml.YAMLError, ValueError) as wrong:
        raise CallerError(f"the labels {str(path)!r} are no YAML or JSON: {wrong}") from wrong
    if not isinstance(held, list) or not held:
        raise CallerError(
            f"the labels {str(path)!r} are no list; write one entry a text: text, criterion, labels"
        )
    labels = tuple(_label(n, entry) for n, entry in enumerate(held, 1))
    names = {c.key for c in known}
    for label in labels:
        if label.criterion not in names:
            raise unknown("criterion", label.criterion, names)
    return labels


def _label(number: int, entry: object) -> Label:
    try:
        return Label.model_validate(entry)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the entry"
        raise CallerError(f"label {number}: {place}: {first['msg'].lower()}") from wrong


def read_calibration(path: Path) -> Calibration:
    """Read what `dr-rd calibrate` wrote; raises CallerError if the file is nothing of the kind."""
    try:
        return Calibration.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as wrong:
        raise CallerError(
            f"{str(path)!r} is no calibration; make one with dr-rd calibrate LABELS"
        ) from wrong


# ------------------------------------------------------------------------------- measures


def calibrate(
    labels: Sequence[Label],
    criteria: Sequence[JudgedCriterion],
    panel: Sequence[str],
    *,
    seed: int = 0,
) -> Calibration:
    """Measure a judge's opinions against people's, question by question."""
    by_key = {c.key: c for c in criteria}
    grouped: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        grouped[label.criterion].append(label)
    return Calibration(
        panel=tuple(panel),
        prompt_digest=prompt_digest(),
        criteria=tuple(
            _calibrate_criterion(by_key[key], held, seed) for key, held in sorted(grouped.items())
        ),
    )


def _calibrate_criterion(
    criterion: JudgedCriterion, labels: Sequence[Label], seed: int
) -> CriterionCalibration:
    told = [(label, p) for label in labels if (p := _modal_points(label)) is not None]
    people = [_people(label) for label, _ in told]
    judge = [points for _, points in told]
    rows = [[*_raters(label, labels), points] for label, points in told]
    wrong = [j >= _PASSES for p, j in zip(people, judge, strict=True) if p < _PASSES]
    pairs = [a != b for label in labels for a, b in combinations(label.judged, 2)]
    figures = {
        "kappa": weighted_kappa(people, judge),
        "people": _between_people(labels),
        "flips": fmean(pairs) if pairs else None,
    }
    because = _because(len(told), **figures)
    return CriterionCalibration(
        key=criterion.key,
        question_digest=criterion.digest,
        texts=len(labels),
        failed=len(labels) - len(told),
        met=fmean([_people(label) >= _PASSES for label in labels]),
        confusion=_confusion(told),
        kappa_interval=kappa_interval(people, judge, seed),
        alpha=alpha(rows),
        alpha_interval=alpha_interval(rows, seed),
        false_pass=fmean(wrong) if wrong else None,
        false_pass_interval=wilson(sum(wrong), len(wrong)),
        flips_interval=wilson(sum(pairs), len(pairs)),
        length=_length(told),
        counts=not because,
        because=because,
        **figures,
    )


def _because(
    texts: int, kappa: float | None, people: float | None, flips: float | None
) -> tuple[str, ...]:
    """Say what keeps a judge from counting."""
    wanted = _LEAST_KAPPA if people is None else min(_LEAST_KAPPA, people - _BELOW_PEOPLE)
    told = []
    if texts < LEAST_LABELS:
        told.append(f"{texts} labelled texts with an opinion, {LEAST_LABELS} are needed")
    if kappa is None or kappa < wanted:
        shown = "undefined" if kappa is None else f"{kappa:.2f}"
        told.append(f"kappa is {shown}, {wanted:.2f} is needed")
    if flips is None:
        told.append("it was asked once a text; ask again to see whether it keeps to its opinion")
    elif flips > _MOST_FLIPS:
        told.append(f"{flips:.0%} of repeated opinions differ, {_MOST_FLIPS:.0%} may")
    return tuple(told)


def _modal_points(label: Label) -> float | None:
    """Return the points of the opinion that the judge gave most often; None if it has none."""
    counts = Counter(level for level in label.judged if level in POINTS)
    ranked = counts.most_common(2)
    tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return POINTS[ranked[0][0]] if ranked and not tied else None


def _people(label: Label) -> float:
    return fmean(_points(label))


def _points(label: Label) -> list[float]:
    return [POINTS[level] for level in label.labels.values() if level in POINTS]


def _raters(label: Label, labels: Sequence[Label]) -> list[float | None]:
    names = sorted({name for other in labels for name in other.labels})
    return [POINTS.get(label.labels[name]) if name in label.labels else None for name in names]


def _between_people(labels: Sequence[Label]) -> float | None:
    """Return the mean agreement of each two people who labelled the same texts."""
    rows: Rows = [_raters(label, labels) for label in labels]
    found = []
    for one, other in combinations(range(len(rows[0])), 2):
        both = [(r[one], r[other]) for r in rows]
        known = [(a, b) for a, b in both if a is not None and b is not None]
        kappa = weighted_kappa([a for a, _ in known], [b for _, b in known])
        found += [kappa] if kappa is not None else []
    return fmean(found) if found else None


def _confusion(told: Sequence[tuple[Label, float]]) -> dict[str, dict[str, int]]:
    named = {points: level for level, points in POINTS.items()}
    table = {row: dict.fromkeys(POINTS, 0) for row in POINTS}
    for label, points in told:
        middle = min(POINTS.values(), key=lambda p: abs(p - median(_points(label))))
        table[named[middle]][named[points]] += 1
    return {str(row): {str(c): n for c, n in cells.items()} for row, cells in table.items()}


def _length(told: Sequence[tuple[Label, float]]) -> float | None:
    if len(told) < 2:
        return None
    lengths = np.asarray([float(len(label.text)) for label, _ in told])
    points = np.asarray([points for _, points in told])
    return rank_correlation({"length": ranks(lengths)}, points).get("length")

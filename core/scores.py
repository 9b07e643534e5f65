"""Scores that carry their reason, and the one function that adds them up."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from math import fsum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from core.values import Frozen, digest, unsaid

Score01 = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
"""A finite number from 0 to 1; text, booleans and 0-10 scales are refused."""

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
"""A finite share in a sum, in no unit."""

Verdict = Literal["pass", "fail", "inconclusive"]


class Status(StrEnum):
    """How a metric ended; only a scored one has a number."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"
    TIMEOUT = "timeout"
    SKIPPED_BUDGET = "skipped_budget"


class Evaluator(Frozen):
    """Who measured."""

    id: str
    """The distribution that the evaluator comes with, or the model that judged."""
    version: str
    kind: Literal["deterministic", "model", "human"] = "deterministic"


class Score(Frozen):
    """One metric with its reason."""

    key: str
    """The criterion it answers."""
    status: Status = Status.SCORED
    score: Score01 | None = None
    """1 is best; None unless the status is scored."""
    rationale: str
    """Why, in a sentence a reviewer can check."""
    fix_hint: str = ""
    """What would raise it; fed back to the author."""
    quotes: tuple[str, ...] = ()
    """Passages of the scored text that the reason rests on."""
    breaks: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """Ids of what the text breaks, or adds although nobody asked for it.

    A revision may not add to them, whatever it scores.
    """
    by: Evaluator | None = Field(default=None, exclude_if=unsaid)
    """Who measured, where that is known."""

    @property
    def failed(self) -> bool:
        """Whether the evaluator failed; that says nothing of the text."""
        return self.status not in (Status.SCORED, Status.NOT_APPLICABLE)

    @model_validator(mode="after")
    def _number_only_when_scored(self) -> "Score":
        if (self.score is None) == (self.status is Status.SCORED):
            raise ValueError(f"score {self.score!r} does not fit status {self.status.value!r}")
        return self


class Criterion(Frozen):
    """One line of a rubric."""

    key: str = Field(pattern=r"^[A-Za-z][\w-]{0,62}$")
    weight: Weight = 1.0
    """Its share in the overall number."""
    required: bool = False
    """Not applicable is a blocker; without a score nothing passes."""
    floor: Score01 | None = None
    """Below it the verdict is fail, whatever the mean; without a score nothing passes."""
    report_only: bool = False
    """Shown, never counted."""
    timeout_s: float | None = Field(
        default=None, gt=0, le=3600, allow_inf_nan=False, strict=True, exclude_if=unsaid
    )
    """Seconds that its evaluator may take; None leaves it to the evaluators."""


class Rubric(Frozen):
    """What is scored and how much each part counts."""

    id: str
    title: str = ""
    criteria: tuple[Criterion, ...]

    @model_validator(mode="after")
    def _adds_up(self) -> "Rubric":
        keys = [c.key for c in self.criteria]
        if len(set(keys)) != len(keys):
            raise ValueError(f"rubric {self.id!r} names a criterion twice")
        if not any(c.weight > 0 and not c.report_only for c in self.criteria):
            raise ValueError(f"rubric {self.id!r} has no weight to share out")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of the rubric's canonical JSON."""
        return _digest(self)

    def reweighted(self, weights: Mapping[str, float]) -> "Rubric":
        """Return the rubric with the named criteria's weights replaced."""
        lines = self.model_dump(exclude_none=True)["criteria"]
        changed = [{**line, "weight": weights.get(line["key"], line["weight"])} for line in lines]
        return Rubric.model_validate({"id": self.id, "title": self.title, "criteria": changed})


@lru_cache(maxsize=64)
def _digest(rubric: Rubric) -> str:
    """Reckon a rubric's digest once: each card that is made under it names it."""
    return digest(rubric.model_dump(mode="json"))


class Scorecard(Frozen):
    """All scores of one text, and what they add up to."""

    rubric_id: str
    rubric_digest: str
    scores: tuple[Score, ...]
    low: float
    """The overall if every unmeasured criterion were 0."""
    overall: float | None
    """The weighted mean of what was measured; None if nothing was."""
    high: float
    """The overall if every unmeasured criterion were 1."""
    coverage: float
    """The share of the weight that was measured."""
    threshold: Score01
    verdict: Verdict
    blockers: tuple[str, ...] = ()
    """Each floor broken or required criterion that does not apply, as a sentence."""
    report_only: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """The criteria that are shown and not counted."""

    def by_key(self) -> dict[str, Score]:
        """Scores by their criterion."""
        return {s.key: s for s in self.scores}


def aggregate(rubric: Rubric, scores: Iterable[Score], threshold: float) -> Scorecard:
    """Add *scores* up under *rubric*: missing never becomes 0, 1 or left out.

    Not applicable leaves the denominator; a failed evaluator keeps its weight and widens
    [low, high]. A text passes if it would whatever the failed evaluators had said, and fails if
    it would whatever they had said; else the verdict is inconclusive.
    """
    pairs = _filed(rubric, scores)
    counted = [(c, s) for c, s in pairs if not c.report_only]
    total = _sum((c, 1.0) for c, s in counted if s.status is not Status.NOT_APPLICABLE)
    weight = _sum((c, 1.0) for c, s in counted if s.score is not None)
    earned = _sum((c, s.score) for c, s in counted if s.score is not None)
    ends = (earned / total, (earned + total - weight) / total) if total else (0.0, 1.0)
    low, high = (round(end, _DIGITS) for end in ends)
    blockers = tuple(b for c, s in counted if (b := _blocker(c, s)))
    sure = not any(s.failed and _critical(c) for c, s in counted)
    return Scorecard(
        rubric_id=rubric.id,
        rubric_digest=rubric.digest,
        scores=tuple(s for _, s in pairs),
        low=low,
        overall=round(earned / weight, _DIGITS) if weight else None,
        high=high,
        coverage=round(weight / total, _DIGITS) if total else 0.0,
        threshold=threshold,
        verdict=_verdict(low, high, threshold, blockers, sure=sure),
        blockers=blockers,
        report_only=tuple(c.key for c in rubric.criteria if c.report_only),
    )


_DIGITS = 6
"""To which a card's numbers are rounded."""


def _filed(rubric: Rubric, scores: Iterable[Score]) -> list[tuple[Criterion, Score]]:
    """Put to each criterion its score, or that it has none or more than one."""
    found: dict[str, Score] = {}
    for score in scores:
        key = score.key
        found[key] = _error(key, "two evaluators answered it") if key in found else score
    nobody = "no evaluator answered this criterion"
    return [(c, found.get(c.key) or _error(c.key, nobody)) for c in rubric.criteria]


def _sum(parts: Iterable[tuple[Criterion, float]]) -> float:
    """Add weighted numbers up, rounded once at the end, so that their order cannot show."""
    return fsum(c.weight * value for c, value in parts)


def _error(key: str, why: str) -> Score:
    return Score(key=key, status=Status.ERROR, rationale=why)


def _critical(criterion: Criterion) -> bool:
    return criterion.required or criterion.floor is not None


def _blocker(criterion: Criterion, score: Score) -> str:
    if criterion.required and score.status is Status.NOT_APPLICABLE:
        return f"{criterion.key}: {score.rationale}"
    floor, value = criterion.floor, score.score
    if floor is None or value is None or value >= floor:
        return ""
    return f"{criterion.key} {value:.2f} is below its floor {floor:.2f}"


def _verdict(
    low: float, high: float, threshold: float, blockers: tuple[str, ...], *, sure: bool
) -> Verdict:
    if blockers or high < threshold:
        return "fail"
    return "pass" if sure and low >= threshold else "inconclusive"

"""Scores that carry their reason, and the one function that adds them up."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from core.values import Frozen, digest

Score01 = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
"""A finite number from 0 to 1; text, booleans and 0-10 scales are refused."""

Verdict = Literal["pass", "fail", "inconclusive"]


class Status(StrEnum):
    """How a metric ended; only a scored one has a number."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"
    TIMEOUT = "timeout"
    SKIPPED_BUDGET = "skipped_budget"


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

    @model_validator(mode="after")
    def _number_only_when_scored(self) -> "Score":
        if (self.score is None) == (self.status is Status.SCORED):
            raise ValueError(f"score {self.score!r} does not fit status {self.status.value!r}")
        return self


class Criterion(Frozen):
    """One line of a rubric."""

    key: str
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    """Its share in the overall number."""
    required: bool = False
    """Unmeasured or not applicable is a blocker."""
    floor: Score01 | None = None
    """Below it the verdict is fail, whatever the mean."""
    report_only: bool = False
    """Shown, never counted."""


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
        return digest(self.model_dump(mode="json"))

    def reweighted(self, weights: Mapping[str, float]) -> "Rubric":
        """Return the rubric with the named criteria's weights replaced."""
        changed = (
            c.model_copy(update={"weight": weights.get(c.key, c.weight)}) for c in self.criteria
        )
        return Rubric(id=self.id, title=self.title, criteria=tuple(changed))


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
    threshold: float
    verdict: Verdict
    blockers: tuple[str, ...] = ()
    """Each floor broken or required criterion unmeasured, as a sentence."""

    def by_key(self) -> dict[str, Score]:
        """Scores by their criterion."""
        return {s.key: s for s in self.scores}


def aggregate(rubric: Rubric, scores: Iterable[Score], threshold: float) -> Scorecard:
    """Add *scores* up under *rubric*: missing never becomes 0, 1 or left out.

    Not applicable leaves the denominator; an error keeps its weight and widens [low, high].
    """
    found = {s.key: s for s in scores}
    complete = tuple(found.get(c.key, _missing(c.key)) for c in rubric.criteria)
    pairs = list(zip(rubric.criteria, complete, strict=True))
    counted = [(c, s) for c, s in pairs if not c.report_only and _applies(s)]
    total = sum(c.weight for c, _ in counted)
    measured = [(c.weight, s.score) for c, s in counted if s.score is not None]
    weight = sum(w for w, _ in measured)
    earned = sum(w * score for w, score in measured)
    low, high = (earned / total, (earned + total - weight) / total) if total else (0.0, 1.0)
    blockers = tuple(b for c, s in pairs if (b := _blocker(c, s)))
    return Scorecard(
        rubric_id=rubric.id,
        rubric_digest=rubric.digest,
        scores=complete,
        low=_tidy(low),
        overall=_tidy(earned / weight) if weight else None,
        high=_tidy(high),
        coverage=_tidy(weight / total) if total else 0.0,
        threshold=threshold,
        verdict=_verdict(low, high, threshold, blockers),
        blockers=blockers,
    )


def _applies(score: Score) -> bool:
    return score.status is not Status.NOT_APPLICABLE


def _missing(key: str) -> Score:
    return Score(key=key, status=Status.ERROR, rationale="no evaluator answered this criterion")


def _blocker(criterion: Criterion, score: Score) -> str:
    if criterion.report_only:
        return ""
    if score.score is None:
        return f"{criterion.key}: {score.rationale}" if criterion.required else ""
    if criterion.floor is not None and score.score < criterion.floor:
        return f"{criterion.key} {score.score:.2f} is below its floor {criterion.floor:.2f}"
    return ""


def _verdict(low: float, high: float, threshold: float, blockers: tuple[str, ...]) -> Verdict:
    if blockers or high < threshold:
        return "fail"
    return "pass" if low >= threshold else "inconclusive"


def _tidy(value: float) -> float:
    """Round to 6 digits, so that a sum's order of addition cannot show."""
    return round(value, 6)

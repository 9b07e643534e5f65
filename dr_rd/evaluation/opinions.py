"""A judge's opinions beside what code measured, counting only where they were calibrated."""

from collections.abc import Iterable

from core.scores import Criterion, Rubric, Scorecard, aggregate
from dr_rd.evaluation.calibration import Calibration
from dr_rd.evaluation.judge import Judge, JudgedCriterion


async def with_opinions(
    card: Scorecard,
    rubric: Rubric,
    text: str,
    judge: Judge,
    criteria: Iterable[JudgedCriterion],
    calibration: Calibration | None = None,
) -> Scorecard:
    """Return *card* with the judge's scores of *text* added.

    Each is shown and not counted unless the *calibration* is of this very judge and question.
    """
    asked = tuple(criteria)
    added = tuple(
        Criterion(key=c.key, report_only=not (calibration and calibration.allows(judge, c)))
        for c in asked
    )
    scores = [(await judge.judge(text, c)).score for c in asked]
    widened = Rubric(id=rubric.id, title=rubric.title, criteria=(*rubric.criteria, *added))
    return aggregate(widened, [*card.scores, *scores], card.threshold)

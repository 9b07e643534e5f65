"""The arithmetic of scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.scores import Criterion, Rubric, Score, Status, aggregate

KEYS = "abcde"
SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=5)


def rubric(weights: list[float], **more: object) -> Rubric:
    pairs = zip(KEYS, weights, strict=False)
    return Rubric(id="r", criteria=tuple(Criterion(key=k, weight=w, **more) for k, w in pairs))


def scored(values: list[float]) -> list[Score]:
    return [Score(key=k, score=v, rationale="") for k, v in zip(KEYS, values, strict=False)]


@given(SCORES)
def test_the_overall_lies_within_its_scores(values: list[float]) -> None:
    card = aggregate(rubric([1.0] * len(values)), scored(values), 0.5)
    assert card.overall is not None
    assert min(values) - 1e-6 <= card.overall <= max(values) + 1e-6
    assert card.low == card.overall == card.high
    assert card.coverage == 1


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_the_scores_does_not_matter(values: list[float], chance: object) -> None:
    mixed = scored(values)
    chance.shuffle(mixed)
    given_rubric = rubric([1.0] * len(values))
    assert aggregate(given_rubric, mixed, 0.5) == aggregate(given_rubric, scored(values), 0.5)


@given(SCORES, st.integers(0, 4))
def test_a_missing_score_widens_and_never_shifts(values: list[float], missing: int) -> None:
    given_rubric = rubric([1.0] * len(values))
    whole = aggregate(given_rubric, scored(values), 0.5)
    some = [s for s in scored(values) if s.key != KEYS[missing]]
    part = aggregate(given_rubric, some, 0.5)
    assert part.low <= whole.low
    assert whole.high <= part.high


@given(SCORES, st.integers(0, 4), st.floats(0, 1))
def test_a_higher_score_never_lowers_the_overall(
    values: list[float], index: int, more: float
) -> None:
    index %= len(values)
    better = [*values]
    better[index] = max(values[index], more)
    given_rubric = rubric([1.0] * len(values))
    low, high = (aggregate(given_rubric, scored(v), 0.5).low for v in (values, better))
    assert low <= high


def test_a_floor_fails_whatever_the_mean() -> None:
    card = aggregate(rubric([1, 9], floor=0.2), scored([0.1, 1.0]), 0.5)
    assert (card.verdict, card.blockers) == ("fail", ("a 0.10 is below its floor 0.20",))


def test_what_does_not_apply_leaves_the_sum() -> None:
    absent = Score(key="a", status=Status.NOT_APPLICABLE, rationale="no data")
    card = aggregate(rubric([9, 1]), [absent, *scored([0, 0.8])[1:]], 0.5)
    assert (card.overall, card.verdict) == (0.8, "pass")


def test_nothing_measured_is_neither_good_nor_bad() -> None:
    card = aggregate(rubric([1, 1]), [], 0.5)
    assert (card.low, card.overall, card.high, card.verdict) == (0, None, 1, "inconclusive")


def test_a_required_criterion_that_nobody_measured_blocks() -> None:
    card = aggregate(rubric([1], required=True), [], 0.0)
    assert card.verdict == "fail"


@pytest.mark.parametrize("score", [True, "0.5", 7, -0.1, float("nan")])
def test_what_is_no_score_is_refused(score: object) -> None:
    with pytest.raises(ValidationError):
        Score(key="a", score=score, rationale="")


def test_a_rubric_adds_up() -> None:
    with pytest.raises(ValidationError, match="no weight"):
        rubric([0, 0])
    with pytest.raises(ValidationError, match="twice"):
        Rubric(id="r", criteria=(Criterion(key="a"), Criterion(key="a")))
    assert rubric([1, 1]).reweighted({"a": 3}).criteria[0].weight == 3
    assert rubric([1, 1]).digest != rubric([1, 2]).digest

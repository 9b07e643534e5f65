"""The arithmetic of scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.scores import Criterion, Rubric, Score, Scorecard, Status, aggregate

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


FAILED = (Status.ERROR, Status.TIMEOUT, Status.SKIPPED_BUDGET)
LINE = st.tuples(
    st.floats(0, 10, allow_subnormal=True),  # weight
    st.booleans(),  # required
    st.none() | st.floats(0, 1),  # floor
    st.booleans(),  # report only
    st.floats(0, 1) | st.sampled_from([*FAILED, Status.NOT_APPLICABLE]),  # score or status
)
CASES = st.lists(LINE, min_size=1, max_size=5).filter(lambda c: any(x[0] and not x[3] for x in c))


def said(key: str, found: float | Status) -> Score:
    if isinstance(found, Status):
        return Score(key=key, status=found, rationale="so it is")
    return Score(key=key, score=found, rationale="so it is")


def summed(case: list[tuple], threshold: float, *, failed: float | None = None) -> Scorecard:
    """Add a case up, with *failed* in the place of what evaluators failed to say."""
    criteria, scores = [], []
    for key, (weight, required, floor, report_only, found) in zip(KEYS, case, strict=False):
        criteria.append(
            Criterion(
                key=key, weight=weight, required=required, floor=floor, report_only=report_only
            )
        )
        replaced = failed if failed is not None and found in FAILED else found
        scores.append(said(key, replaced))
    return aggregate(Rubric(id="r", criteria=tuple(criteria)), scores, threshold)


@given(CASES, st.floats(0, 1))
def test_the_bounds_hold_and_are_what_the_missing_could_make_of_them(case, threshold) -> None:
    card = summed(case, threshold)
    assert 0 <= card.low <= card.high <= 1
    assert card.overall is None or card.low <= card.overall <= card.high
    if card.overall is not None:
        assert card.low == summed(case, threshold, failed=0.0).low
        assert card.high == summed(case, threshold, failed=1.0).high


@given(CASES, st.floats(0, 1), st.floats(0, 1))
def test_a_verdict_is_given_only_if_no_missing_score_could_change_it(
    case, threshold, missing
) -> None:
    verdict = summed(case, threshold).verdict
    then = summed(case, threshold, failed=missing).verdict
    assert verdict in (then, "inconclusive")


@given(CASES, st.floats(0, 1), st.integers(0, 4), st.sampled_from(FAILED))
def test_a_score_that_goes_missing_raises_nothing(case, threshold, index, status) -> None:
    index %= len(case)
    worse = [*case]
    if worse[index][4] is not Status.NOT_APPLICABLE:
        worse[index] = (*worse[index][:4], status)
    before, after = summed(case, threshold), summed(worse, threshold)
    assert after.low <= before.low
    assert after.coverage <= before.coverage
    assert not (after.verdict == "pass" and before.verdict != "pass")


@given(CASES, st.floats(0, 1))
def test_below_a_floor_nothing_passes(case, threshold) -> None:
    card = summed(case, threshold)
    for _, _, floor, report_only, found in case:
        measured = not isinstance(found, Status)
        if floor is not None and not report_only and measured and found < floor:
            assert card.verdict == "fail"


@given(CASES, st.floats(0, 1), st.randoms(use_true_random=False))
def test_the_order_of_the_criteria_does_not_matter(case, threshold, chance) -> None:
    mixed = [*case]
    chance.shuffle(mixed)
    one, other = summed(case, threshold), summed(mixed, threshold)
    numbers = ("low", "overall", "high", "coverage", "verdict")
    assert [getattr(one, n) for n in numbers] == [getattr(other, n) for n in numbers]


@given(CASES, st.floats(0, 1), st.floats(0, 1))
def test_what_is_only_reported_changes_nothing(case, threshold, other) -> None:
    changed = [(*x[:4], other) if x[3] else x for x in case]
    one, two = summed(case, threshold), summed(changed, threshold)
    assert one.model_dump(exclude={"scores"}) == two.model_dump(exclude={"scores"})


def test_a_required_criterion_that_does_not_apply_blocks() -> None:
    absent = Score(key="a", status=Status.NOT_APPLICABLE, rationale="there is no table")
    card = aggregate(rubric([1], required=True), [absent], 0.0)
    assert (card.verdict, card.blockers) == ("fail", ("a: there is no table",))


@pytest.mark.parametrize("more", [{"required": True}, {"floor": 0.1}])
def test_without_a_critical_score_nothing_passes_and_nothing_fails(more) -> None:
    one = Criterion(key="a", weight=0.1, **more)
    whole = Rubric(id="r", criteria=(one, Criterion(key="b", weight=9)))
    card = aggregate(whole, [Score(key="b", score=1.0, rationale="")], 0.5)
    assert (card.verdict, card.blockers) == ("inconclusive", ())


def test_two_scores_for_one_criterion_are_none() -> None:
    twice = [Score(key="a", score=s, rationale="") for s in (0.2, 0.9)]
    card = aggregate(rubric([1]), twice, 0.5)
    assert (card.scores[0].status, card.overall) == (Status.ERROR, None)
    assert card.scores[0].rationale == "two evaluators answered it"


def test_a_score_for_another_criterion_is_not_counted() -> None:
    card = aggregate(rubric([1]), [Score(key="z", score=1.0, rationale="")], 0.5)
    assert (card.scores[0].key, card.scores[0].status) == ("a", Status.ERROR)


@pytest.mark.parametrize("score", [True, "0.5", 7, 10, -0.1, float("nan"), float("inf"), None])
def test_what_is_no_score_is_refused(score: object) -> None:
    with pytest.raises(ValidationError):
        Score(key="a", score=score, rationale="")


def test_zero_is_a_score() -> None:
    card = aggregate(rubric([1]), scored([0.0]), 0.0)
    assert (card.overall, card.coverage, card.verdict) == (0.0, 1.0, "pass")


@pytest.mark.parametrize("number", [True, "1", -1, float("nan"), float("inf")])
@pytest.mark.parametrize("field", ["weight", "floor", "timeout_s"])
def test_what_is_no_number_of_a_criterion_is_refused(field: str, number: object) -> None:
    with pytest.raises(ValidationError):
        Criterion(key="a", **{field: number})


@pytest.mark.parametrize("threshold", [True, "0.6", -1, 7, float("nan"), float("inf")])
def test_what_is_no_threshold_is_refused(threshold: object) -> None:
    with pytest.raises((ValidationError, TypeError)):
        aggregate(rubric([1]), scored([0.5]), threshold)


def test_a_rubric_adds_up() -> None:
    with pytest.raises(ValidationError, match="no weight"):
        rubric([0, 0])
    with pytest.raises(ValidationError, match="no weight"):
        rubric([1, 1]).reweighted({"a": 0, "b": 0})
    with pytest.raises(ValidationError, match="twice"):
        Rubric(id="r", criteria=(Criterion(key="a"), Criterion(key="a")))
    changed = rubric([1, 1], floor=0.2, timeout_s=3.0).reweighted({"a": 3})
    assert changed.criteria[0] == Criterion(key="a", weight=3, floor=0.2, timeout_s=3.0)
    assert rubric([1, 1]).digest != rubric([1, 2]).digest

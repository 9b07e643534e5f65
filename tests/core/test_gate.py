"""Accept, try again, or let the best stand."""

from hypothesis import given
from hypothesis import strategies as st

from core.graph import gate
from core.graph.state import Answer, Attempt
from core.scores import Criterion, Rubric, Score, Scorecard, Status, aggregate
from core.testing import fake_card

RUBRIC = Rubric(
    id="r",
    criteria=tuple(Criterion(key=k, weight=7, floor=0.1 if k == "d" else None) for k in "abcd"),
)


def attempt(number: int, card: Scorecard | None, content: str = "") -> Attempt:
    text = content or f"text {number}"
    return Attempt(number=number, answer=Answer(task_id="T1", content=text, evaluation=card))


def tries(*scores: float | None) -> list[Attempt]:
    return [attempt(n, fake_card(score)) for n, score in enumerate(scores, 1)]


def holding(number: int, score: float, *breaks: str) -> Attempt:
    """Return an attempt at a text that breaks what is named."""
    line = Score(key="a", score=score, rationale="It says so.", breaks=breaks)
    rubric = Rubric(id="r", criteria=(Criterion(key="a"),))
    return attempt(number, aggregate(rubric, [line], 0.6))


def accepted(attempts: list[Attempt], retries: int = 2) -> Answer:
    ruling = gate.decide(attempts, retries)
    assert isinstance(ruling, gate.Accept)
    return ruling.answer


def test_a_pass_is_accepted_as_it_is() -> None:
    answer = accepted(tries(0.2, 0.9))
    assert (answer.content, answer.status, answer.attempts) == ("text 2", "done", 2)


def test_a_fail_goes_back_with_what_to_mend_and_no_number() -> None:
    scores = {"a": 0.5, "b": 0.3, "c": 0.2, "d": 0.0}
    card = aggregate(
        RUBRIC,
        [
            Score(key=k, score=s, rationale=f"{k} lacks.", fix_hint="Add.")
            for k, s in scores.items()
        ],
        0.6,
    )
    ruling = gate.decide([attempt(1, card)], 2)
    assert ruling == gate.Retry(("d: d lacks. Add.", "c: c lacks. Add.", "b: b lacks. Add."))
    assert not any(c.isdigit() for line in gate.feedback(card) for c in line)


def test_the_best_stands_when_the_retries_are_used_up() -> None:
    answer = accepted(tries(0.4, 0.5, 0.1))
    assert (answer.content, answer.status) == ("text 2", "below_gate")
    assert answer.attempts == 3
    assert answer.reason == "the best of 3 attempts scores 0.50, below 0.60; weakest: clarity 0.50"


def test_of_equal_attempts_the_first_stands() -> None:
    assert accepted(tries(0.4, 0.4, 0.4)).content == "text 1"


def test_saying_the_same_again_ends_the_tries() -> None:
    same = [attempt(1, fake_card(0.3), "same"), attempt(2, fake_card(0.3), "same")]
    assert accepted(same, 9).status == "below_gate"


def test_with_nothing_to_tell_the_author_there_is_no_next_try() -> None:
    assert accepted(tries(None), 9).status == "below_gate"


def test_the_story_of_the_attempts_goes_with_the_one_that_is_kept() -> None:
    answer = accepted(tries(0.4, 0.5, 0.1))
    assert (answer.kept, answer.tried) == (2, (0.4, 0.5, 0.1))
    alone = accepted(tries(0.9))
    assert (alone.kept, alone.tried) == (0, ())
    assert not {"kept", "tried"} & alone.model_dump().keys()


def test_attempts_that_are_no_improvement_end_the_tries() -> None:
    assert isinstance(gate.decide(tries(0.5, 0.4), 9), gate.Retry)
    assert isinstance(gate.decide(tries(0.3, 0.4, 0.4), 9), gate.Retry)
    answer = accepted(tries(0.5, 0.4, 0.3), 9)
    assert (answer.kept, answer.status) == (1, "below_gate")


def test_a_failed_evaluator_does_not_send_the_author_back() -> None:
    rubric = Rubric(id="r", criteria=(Criterion(key="a"), Criterion(key="b")))
    weak = Score(key="a", score=0.5, rationale="It is thin.")
    late = Score(key="b", status=Status.TIMEOUT, rationale="It took more than 5 s.")
    answer = accepted([attempt(1, aggregate(rubric, [weak, late], 0.6))], 9)
    assert answer.status == "below_gate"
    assert answer.reason == "it could not be judged in full; b: It took more than 5 s."


def test_a_revision_that_breaks_more_does_not_replace_one_that_kept_to_it() -> None:
    attempts = [holding(1, 0.3), holding(2, 0.5, "C02"), holding(3, 0.4)]
    assert gate.best(attempts[:2]).number == 1
    assert gate.best(attempts).number == 3
    assert gate.best([holding(1, 0.3, "C02"), holding(2, 0.5, "C02")]).number == 2
    assert gate.best([holding(1, 0.3, "C02"), holding(2, 0.5, "C03")]).number == 1


def test_even_a_pass_does_not_replace_what_it_oversteps() -> None:
    attempts = [holding(1, 0.3), holding(2, 0.9, "B01")]
    ruling = gate.decide(attempts, 2)
    assert ruling == gate.Retry(("a: the revision oversteps what was kept before. It says so.",))
    settled = accepted(attempts, 1)
    assert (settled.kept, settled.status, settled.tried) == (1, "below_gate", (0.3, 0.9))


def test_what_is_only_reported_is_not_fed_back() -> None:
    rubric = Rubric(id="r", criteria=(Criterion(key="a"), Criterion(key="b", report_only=True)))
    lines = [Score(key=k, score=0.1, rationale=f"{k} is thin.") for k in "ab"]
    assert gate.feedback(aggregate(rubric, lines, 0.6)) == ("a: a is thin.",)


def test_a_measured_failure_is_preferred_to_an_unmeasured_attempt() -> None:
    assert gate.best(tries(None, 0.3)).number == 2


def test_without_evaluators_every_answer_is_done() -> None:
    answer = accepted([attempt(1, None)])
    assert (answer.status, answer.evaluation) == ("done", None)


def test_a_failed_try_leaves_the_earlier_one_standing() -> None:
    broken = Attempt(
        number=2, answer=Answer(task_id="T1", content="", status="failed", reason="no reply")
    )
    answer = accepted([attempt(1, fake_card(0.3)), broken])
    assert (answer.content, answer.status, answer.attempts) == ("text 1", "below_gate", 2)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=6))
def test_nothing_better_than_the_best_was_tried(scores: list[float | None]) -> None:
    attempts = tries(*scores)
    best = gate.best(attempts).answer.evaluation
    assert best is not None
    known = [s for s in scores if s is not None]
    if known:
        assert best.overall == round(max(known), 6)


@given(
    st.lists(st.floats(0, 0.59), min_size=1, max_size=8, unique=True).map(sorted),
    st.integers(0, 5),
)
def test_no_more_is_tried_than_allowed(scores: list[float], retries: int) -> None:
    ruling = gate.decide(tries(*scores), retries)
    if len(scores) > retries:
        assert isinstance(ruling, gate.Accept)
    elif scores[-1] > scores[0] + 0.001 * len(scores) or len(scores) < 3:
        assert isinstance(ruling, gate.Retry)


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.sets(st.sampled_from("CB"), max_size=2)),
        min_size=1,
        max_size=6,
    )
)
def test_what_is_kept_breaks_nothing_that_the_first_attempt_kept(
    tried: list[tuple[float, set[str]]],
) -> None:
    attempts = [holding(n, score, *sorted(broken)) for n, (score, broken) in enumerate(tried, 1)]
    kept = gate.best(attempts).answer.evaluation
    assert kept
    assert set(kept.scores[0].breaks) <= tried[0][1]
    assert kept.low >= attempts[0].answer.evaluation.low

"""A scorecard is whole and honest whatever an evaluator does."""

from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CallerError
from core.scores import Criterion, Evaluator, Rubric, Score, Status
from dr_rd.cli import main
from dr_rd.evaluation.isolation import filed, measure
from dr_rd.evaluation.scorecard import check_weights, load_rubric, load_template, score
from dr_rd.evaluation.subject import Subject

TEXT = Subject(text="We count\nten plots.")
BY = Evaluator(id="test", version="1")
ONE = Criterion(key="a", timeout_s=0.05)


def raising(subject):
    raise ValueError("no such plot")


def leaving(subject):
    raise SystemExit(1)


@pytest.fixture
def hanging():
    """An evaluator that waits for what comes only after the test, so that no thread stays."""
    after = Event()
    yield lambda subject: after.wait()
    after.set()


def said(answer):
    return lambda subject: answer


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (float("nan"), "it answered nan, which is no number from 0 to 1"),
        (float("inf"), "it answered inf, which is no number from 0 to 1"),
        (None, "it answered None, which is no number from 0 to 1"),
        (10, "it answered 10, which is no number from 0 to 1"),
        ("0.8", "it answered '0.8', which is no number from 0 to 1"),
        (True, "it answered True, which is no number from 0 to 1"),
        (Score(key="b", score=1.0, rationale=""), "it answered for 'b' instead"),
        (
            Score(key="a", score=1.0, rationale="", quotes=("twelve plots",)),
            "it quotes 'twelve plots', which the text does not say",
        ),
    ],
)
def test_what_is_no_score_is_an_error_that_says_why(answer, why):
    found = measure(ONE, said(answer), TEXT, BY)
    assert (found.status, found.score, found.rationale) == (Status.ERROR, None, why)
    assert found.by == BY


@pytest.mark.parametrize(
    ("metric", "status", "why"),
    [
        (raising, Status.ERROR, "it failed (ValueError: no such plot)"),
        (leaving, Status.ERROR, "it failed (SystemExit: 1)"),
    ],
)
def test_what_an_evaluator_does_costs_its_own_score(metric, status, why):
    found = measure(ONE, metric, TEXT, BY)
    assert (found.status, found.rationale) == (status, why)


def test_an_evaluator_that_hangs_costs_its_own_score(hanging):
    found = measure(ONE, hanging, TEXT, BY)
    assert (found.status, found.rationale) == (Status.TIMEOUT, "it took more than 0.05 s")


@pytest.mark.parametrize("answer", [0, 0.0, 1, 0.25])
def test_a_bare_number_is_a_score(answer):
    assert measure(ONE, said(answer), TEXT, BY).score == answer


def test_a_quote_may_break_its_lines_elsewhere():
    quoted = Score(key="a", score=0.5, rationale="", quotes=("We count ten plots.",))
    assert filed(ONE, quoted, TEXT, BY) == quoted.model_copy(update={"by": BY})


def test_an_evaluator_that_failed_is_asked_once_more():
    answers = iter([None, 0.5])
    assert measure(ONE, lambda subject: next(answers), TEXT, BY).score == 0.5
    answers = iter([None, None, 0.5])
    assert measure(ONE, lambda subject: next(answers), TEXT, BY).score is None


@given(
    st.one_of(
        st.floats(),
        st.integers(),
        st.booleans(),
        st.text(max_size=5),
        st.none(),
        st.lists(st.floats(), max_size=2),
    )
)
def test_any_answer_is_a_score_or_an_error(answer):
    found = filed(ONE, answer, TEXT, BY)
    number = isinstance(answer, int | float) and not isinstance(answer, bool)
    good = number and 0 <= answer <= 1
    assert found.status is (Status.SCORED if good else Status.ERROR)


def test_an_evaluator_of_this_package_is_named_with_its_release():
    card = score(Subject(text=""), load_rubric("answer"), threshold=0.6, weights={})
    assert {(s.by.id, s.by.kind) for s in card.scores} == {("dr-rd", "deterministic")}
    assert all(s.by.version for s in card.scores)


def test_another_packages_criterion_is_put_to_others():
    rubric = Rubric(id="r", criteria=(Criterion(key="completeness"), Criterion(key="tone")))

    def others(criterion, subject):
        return Score(key=criterion.key, score=0.5, rationale="It is dry.")

    card = score(TEXT, rubric, threshold=0.4, weights={}, others=others)
    assert (card.scores[1].score, card.verdict) == (0.5, "pass")


# --- what the analyst chooses

RUBRICS = (
    Rubric(id="r", criteria=(Criterion(key="cost"), Criterion(key="tone", report_only=True))),
    Rubric(id="s", criteria=(Criterion(key="support"), Criterion(key="numbers"))),
)


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        (
            {"suport": 1.0},
            "unknown criterion in EVALUATOR_WEIGHTS 'suport'; did you mean 'support'",
        ),
        ({"tone": 1.0}, "'tone' in EVALUATOR_WEIGHTS is only reported and takes no weight"),
        ({"cost": 0.0}, "leaves the rubric 'r' no weight to share out"),
    ],
)
def test_weights_that_no_rubric_can_use_are_the_callers_mistake(weights, why):
    with pytest.raises(CallerError, match=why):
        check_weights(weights, RUBRICS)


def test_weights_of_some_criteria_are_fine():
    check_weights({"cost": 2.0, "support": 0.0}, RUBRICS)


@pytest.mark.parametrize(
    "setting",
    [
        'EVALUATOR_WEIGHTS={"completness": 2}',
        'EVALUATOR_WEIGHTS={"completeness": NaN}',
        'EVALUATOR_WEIGHTS={"completeness": -1}',
        'EVALUATOR_WEIGHTS={"completeness": true}',
        'EVALUATOR_WEIGHTS={"completeness": "2"}',
        "EVALUATOR_MIN_OVERALL=nan",
        "EVALUATOR_MIN_OVERALL=7",
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "run"])
def test_a_wrong_weight_or_threshold_is_one_sentence(command, setting, tmp_path, capsys):
    audits = ["--audits", str(tmp_path)] if command == "run" else []
    assert main([command, "Test some mulch on plots", "--set", setting, *audits]) == 2
    said = capsys.readouterr()
    assert (said.out, len(said.err.splitlines())) == ("", 1)
    assert not list(tmp_path.iterdir())


def test_weights_and_threshold_of_a_text_count(tmp_path, capsys):
    rubric = tmp_path / "mine.yaml"
    rubric.write_text(
        "id: mine\ncriteria:\n- {key: completeness, weight: 1}\n- {key: specificity, weight: 1}\n"
        "template:\n- {title: Aim}\n"
    )
    text = "# Aim\n\nWe weed, and so on, and we look at it again and again, and then we stop.\n"
    shown = []
    for chosen in ([], ["--set", 'EVALUATOR_WEIGHTS={"specificity": 0}']):
        main(["evaluate", text, "--rubric", str(rubric), "--json", *chosen])
        shown.append(capsys.readouterr().out)
    assert shown[0] != shown[1]
    assert '"rubric_id": "mine"' in shown[0]
    assert '"overall": 1.0' in shown[1]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xff", "is not UTF-8 text"),
        (b"a: [", "is not YAML, line"),
        (b"- a", "has no criteria"),
        (b"", "has no criteria"),
        (b"id: x\n", "criteria: Field required"),
        (b"id: x\ncriteria: []\n", "has no weight to share out"),
        (b"id: x\ncriteria: [{key: a, weight: -1}]\n", "criteria 0 weight: "),
        (b"id: x\ncriteria: [{key: a, weight: .nan}]\n", "criteria 0 weight: "),
        (b"id: x\ncriteria: [{key: a, weight: 0}]\n", "has no weight to share out"),
        (b"id: x\ncriteria: [{key: a}, {key: a}]\n", "names a criterion twice"),
        (b"id: x\ncriteria: [{key: a, floor: 2}]\n", "criteria 0 floor: "),
        (b"id: x\ncriteria: [{key: a}]\nwieghts: 1\n", "wieghts: Extra inputs"),
    ],
)
def test_a_wrong_rubric_file_is_one_sentence(content, why, tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    assert main(["evaluate", "Some text", "--rubric", str(path)]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert len(said.splitlines()) == 1


def test_a_rubric_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(CallerError, match="did you mean 'proposal'"):
        load_rubric("propsal")
    with pytest.raises(CallerError, match=r"No such file or directory.*answer, proposal"):
        load_rubric(str(tmp_path / "mine.yaml"))
    (tmp_path / "odd.yaml").write_text("id: x\ncriteria: [{key: a}]\ntemplate: 3\n")
    with pytest.raises(CallerError, match="template is no list"):
        load_template(str(tmp_path / "odd.yaml"))

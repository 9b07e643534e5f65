"""A judge counts only where it was shown to agree with people."""

import json

import pytest

from core.errors import CallerError
from dr_rd.cli import main
from dr_rd.evaluation.calibration import Calibration, Label, calibrate, read_labels
from dr_rd.evaluation.judge import Judge, load_criteria
from dr_rd.models.typed.ask import Model
from tests.fake_llm import FakeLLMThread

KEY = "stop_rules"
CRITERIA = load_criteria()
QUESTION = next(c for c in CRITERIA if c.key == KEY)
LEVELS = ("met", "partly", "not_met")


def labels(count: int = 120, wrong: int = 0, takes: int = 2, flips: int = 0) -> list[Label]:
    """People and judge agree, but for the first *wrong*; the last *flips* change their mind."""
    held = []
    for n in range(count):
        level = LEVELS[n % 3]
        said = "met" if n < wrong else level
        other = LEVELS[(n + 1) % 3] if n >= count - flips else said
        judged = (said,) * (takes - 1) + (other,) if takes > 1 else (said,)
        people = {"anna": level, "ben": level}
        held.append(
            Label(text=f"Plan {n}." * (n % 7 + 1), criterion=KEY, labels=people, judged=judged)
        )
    return held


def measured(held: list[Label]):
    return calibrate(held, CRITERIA, ["m"]).criteria[0]


def test_a_judge_that_agrees_counts():
    found = measured(labels())
    assert found.counts and found.because == ()
    assert (found.kappa, found.alpha, found.people, found.false_pass, found.flips) == (
        1,
        1,
        1,
        0,
        0,
    )
    assert found.confusion["partly"] == {"met": 0, "partly": 40, "not_met": 0}
    assert found.met == pytest.approx(1 / 3)


def test_too_few_labels_keep_it_out():
    found = measured(labels(99))
    assert found.because == ("99 labelled texts with an opinion, 100 are needed",)


def test_low_agreement_keeps_it_out_and_the_false_passes_are_counted():
    found = measured(labels(wrong=60))
    assert found.because == (f"kappa is {found.kappa:.2f}, 0.60 is needed",)
    assert found.false_pass == pytest.approx(0.5)  # 40 of the 80 texts that people do not pass
    low, high = found.false_pass_interval
    assert low < 0.5 < high
    assert found.kappa_interval[0] < found.kappa < found.kappa_interval[1]


def test_where_people_agree_less_less_is_asked():
    held = [
        label.model_copy(
            update={"labels": {"anna": label.labels["anna"], "ben": LEVELS[n // 3 % 3]}}
        )
        for n, label in enumerate(labels())
    ]
    found = measured(held)
    assert found.people == pytest.approx(0, abs=0.1)
    assert found.counts


def test_an_opinion_that_changes_keeps_it_out():
    assert measured(labels(flips=6)).counts
    assert measured(labels(flips=7)).because == ("6% of repeated opinions differ, 5% may",)


def test_an_opinion_asked_once_is_not_known_to_be_kept():
    assert measured(labels(takes=1)).because == (
        "it was asked once a text; ask again to see whether it keeps to its opinion",
    )


def test_a_failed_opinion_is_no_opinion():
    held = [*labels(), Label(text="x", criterion=KEY, labels={"a": "met"}, judged=(None, None))]
    found = measured(held)
    assert (found.texts, found.failed, found.kappa) == (121, 1, 1)


def test_a_taste_for_length_shows():
    held = [
        Label(
            text="word " * (n + 1),
            criterion=KEY,
            labels={"a": "met"},
            judged=(LEVELS[2 - n // 40],),
        )
        for n in range(120)
    ]
    assert measured(held).length == pytest.approx(0.94, abs=0.01)


def test_a_calibration_holds_for_its_panel_and_its_wording_only():
    found = calibrate(labels(), CRITERIA, ["m"])
    judge = Judge((Model(None, "http://here", "m"),), seed="")
    other = Judge((Model(None, "http://here", "n"),), seed="")
    reworded = QUESTION.model_copy(update={"question": "Is it good?"})
    assert found.allows(judge, QUESTION)
    assert not found.allows(other, QUESTION)
    assert not found.allows(judge, reworded)
    assert not found.model_copy(update={"prompt_digest": "x"}).allows(judge, QUESTION)
    assert not calibrate(labels(9), CRITERIA, ["m"]).allows(judge, QUESTION)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("text: x", "are no list; write one entry a text: text, criterion, labels"),
        ("- {text: x, criterion: stop_rules}", "label 1: labels: field required"),
        ("- {text: '', criterion: stop_rules, labels: met}", "label 1: text: string should have"),
        (
            "- {text: x, criterion: stop_rules, labels: good}",
            "label 1: labels.label: input should",
        ),
        (
            "- {text: x, criterion: stop_rules, labels: {a: cannot_tell}}",
            "label 1: labels: value error, nobody says met, partly or not_met; leave the text out",
        ),
        (
            "- {text: x, criterion: stop_rule, labels: met}",
            "unknown criterion 'stop_rule'; did you mean 'stop_rules'?",
        ),
        ("- [", "are no YAML or JSON"),
        (f"- {{text: {'9' * 5000}}}", "are no YAML or JSON"),
    ],
)
def test_wrong_labels_are_refused_in_one_sentence(tmp_path, text, said):
    file = tmp_path / "labels.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CallerError) as refused:
        read_labels(file, CRITERIA)
    assert said in str(refused.value)


def written(tmp_path, held: list[Label]):
    file = tmp_path / "labels.json"
    file.write_text(
        json.dumps([label.model_dump(mode="json") for label in held]), encoding="utf-8"
    )
    return file


def test_the_command_measures_recorded_opinions(tmp_path, capsys):
    file = written(tmp_path, labels())
    assert main(["calibrate", str(file), "--judge", "m"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("stop_rules: counts; 120 texts, 33% met, kappa 1.00 [1.00, 1.00]")
    saved = (tmp_path / "labels.calibration.json").read_text(encoding="utf-8")
    found = Calibration.model_validate_json(saved)
    assert found.panel == ("m",) and found.criteria[0].counts


def test_the_command_asks_a_judge_as_often_as_it_is_told(tmp_path, capsys):
    held = [label.model_copy(update={"judged": ()}) for label in labels(3)]

    def reply(request):
        if "response_format" in request and "colour" in str(request["response_format"]):
            return '{"colour": "teal", "amounts": [1]}'
        return '{"reason": "It is there.", "quote": "Plan", "level": "met"}'

    out = tmp_path / "c.json"
    with FakeLLMThread(reply=reply) as fake:
        arguments = ["--endpoint", fake.base_url, "--judge", "m", "--repeats", "2"]
        assert (
            main(["calibrate", str(written(tmp_path, held)), *arguments, "--out", str(out)]) == 0
        )
        assert (
            fake.stats()["requests"] == 2 + 3 * 2
        )  # is it there, how is it held to JSON, then its opinions
    found = Calibration.model_validate_json(out.read_text(encoding="utf-8")).criteria[0]
    assert (found.flips, found.false_pass, found.counts) == (0, 1, False)


def test_without_opinions_and_without_an_endpoint_the_command_says_what_is_missing(
    tmp_path, capsys, monkeypatch
):
    for name in ("DRRD_ENDPOINT", "DRRD_MODEL"):
        monkeypatch.delenv(name, raising=False)
    held = [label.model_copy(update={"judged": ()}) for label in labels(3)]
    assert main(["calibrate", str(written(tmp_path, held))]) == 2
    assert "the labels hold no opinion of a judge; give --endpoint" in capsys.readouterr().err

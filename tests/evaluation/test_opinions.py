"""A model's opinion is shown; it counts only once it was calibrated."""

import json

import anyio
import pytest

from core.scores import Criterion, Rubric, Score, aggregate
from core.testing import FakeCalls
from dr_rd.cli import main
from dr_rd.evaluation.calibration import calibrate
from dr_rd.evaluation.judge import Judge, load_criteria
from dr_rd.evaluation.opinions import with_opinions
from dr_rd.models.typed.ask import Model
from tests.evaluation.test_calibration import KEY, labels
from tests.fake_llm import FakeLLMThread

RUBRIC = Rubric(id="r", criteria=(Criterion(key="budget"),))
CARD = aggregate(RUBRIC, [Score(key="budget", score=1.0, rationale="It adds up.")], 0.6)
CRITERIA = tuple(c for c in load_criteria() if c.key == KEY)
NOT_MET = json.dumps({"reason": "It never ends.", "quote": "", "level": "not_met"})


def opinions(calibration=None):
    judge = Judge((Model(FakeCalls([NOT_MET]), "http://here", "m"),), seed="")

    async def go():
        return await with_opinions(CARD, RUBRIC, "A plan.", judge, CRITERIA, calibration)

    return anyio.run(go)


def test_an_opinion_is_shown_and_changes_nothing():
    card = opinions()
    assert card.by_key()[KEY].score == 0.0
    assert (card.overall, card.verdict) == (CARD.overall, CARD.verdict)


def test_a_calibrated_opinion_counts():
    card = opinions(calibrate(labels(), load_criteria(), ["m"]))
    assert (card.overall, card.verdict) == (0.5, "fail")


@pytest.mark.parametrize("held", [labels(20), labels(wrong=60)])
def test_a_calibration_that_failed_lets_nothing_count(held):
    assert opinions(calibrate(held, load_criteria(), ["m"])).overall == CARD.overall


def reply(request):
    if "colour" in str(request.get("response_format")):
        return '{"colour": "teal", "amounts": [1]}'
    return NOT_MET


def test_the_command_asks_the_judge_each_question_and_warns_of_a_judge_in_its_own_cause(capsys):
    with FakeLLMThread(reply=reply) as fake:
        arguments = ["--endpoint", fake.base_url, "--judge", "m", "--author", "m", "--json"]
        main(["evaluate", "A plan that never ends.", *arguments])
    said = capsys.readouterr()
    scores = {s["key"]: s for s in json.loads(said.out)["scores"]}
    assert {c.key for c in load_criteria()} <= scores.keys()
    assert scores[KEY]["rationale"] == "(1 not met) It never ends."
    assert "'m' wrote the text and judges it" in said.err


def test_a_panel_that_can_be_split_and_a_wrong_calibration_are_refused(capsys, tmp_path):
    two = ["--endpoint", "http://localhost:1/v1", "--judge", "m", "--judge", "n"]
    assert main(["evaluate", "A plan that ends.", *two]) == 2
    assert "an odd number" in capsys.readouterr().err
    broken = tmp_path / "c.json"
    broken.write_text("{}", encoding="utf-8")
    one = ["--endpoint", "http://localhost:1/v1", "--judge", "m", "--calibration", str(broken)]
    assert main(["evaluate", "A plan that ends.", *one]) == 2
    assert "is no calibration; make one with dr-rd calibrate" in capsys.readouterr().err


LABELS = [
    {"text": f"{text} Vantor pays 48,250 EUR.", "criterion": KEY, "labels": {"a": "met"}}
    for text in ("The study ends in May.", "Nobody stops it.", "It goes on.")
]


@pytest.mark.parametrize("command", ["evaluate", "calibrate"])
def test_no_masked_word_reaches_a_judge(command, capsys, tmp_path):
    names, texts = tmp_path / "names.txt", tmp_path / "labels.json"
    names.write_text("Vantor\n48,250\n", encoding="utf-8")
    texts.write_text(json.dumps(LABELS), encoding="utf-8")
    plan = "VANTOR leads a plan that never ends. V a n t o r pays 48.25 thousand EUR."
    with FakeLLMThread(reply=reply, log=99) as fake:
        asked = str(texts) if command == "calibrate" else plan
        held = ["--mask", str(names), "--local-only", "--endpoint", fake.base_url, "--judge", "m"]
        main([command, asked, *held, "--json"])
    seen = json.dumps(list(fake.requests)).lower()
    assert len(fake.requests) > 5
    assert "ends" in seen
    assert not [word for word in ("vantor", "v a n t o r", "48,250", "48.25") if word in seen]
    if command == "evaluate":
        assert "It never ends." in capsys.readouterr().out


@pytest.mark.parametrize("command", ["evaluate", "calibrate"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--local-only"], "only this machine may be asked"),
        (["--mask", "names.txt"], "'names.txt' cannot be read"),
    ],
)
def test_what_may_not_be_asked_or_cannot_be_hidden_is_refused(
    command, given, said, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.json").write_text(json.dumps(LABELS), encoding="utf-8")
    asks = ["--endpoint", "https://api.example.org/v1", "--judge", "m"]
    assert main([command, "labels.json", *asks, *given]) == 2
    assert said in capsys.readouterr().err

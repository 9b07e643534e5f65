"""Evaluators of other packages: found when named, apart from the run, and on its record."""

import asyncio
import json
import logging
import os
import signal
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from core.clock import SystemClock
from core.events import ToolCalled
from core.graph.files import read_answer
from core.graph.state import GraphTask
from core.replay import replay
from core.runs import RunService
from core.scores import Criterion, Evaluator, Rubric, Status
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.trace import read_events, verify
from dr_rd.brief import Brief, GivenTask
from dr_rd.evaluation.plugins import GROUP, Plugins, ask
from dr_rd.evaluation.subject import Subject
from dr_rd.workbench import EVALUATOR, EVIDENCE, run

CODE = """
import os, signal, sys

class Base:
    api_version = 1
    version = "3"
    def evaluate(self, view):
        return self.answer(view)

def says(answer):
    return type("Fixed", (Base,), {"answer": lambda self, view: answer})

class Good(Base):
    def answer(self, view):
        print("noise"); print("noise", file=sys.stderr)
        os.write(1, b"more noise")
        words = view["text"].split()
        return {"score": 0.5, "rationale": f"{len(words)} words for {view['criterion']}.",
                "fix_hint": "Cut.", "quotes": words[:1]}

class Raises(Base):
    def answer(self, view): raise KeyError("plots")

class Verbose(Base):
    def answer(self, view): raise ValueError("two lines\\n  of words")

class Leaves(Base):
    def answer(self, view): sys.exit(3)

class Dies(Base):
    def answer(self, view): os.abort()

class Hangs(Base):
    # waits for a signal that never comes; an alarm ends it where the deadline does not hold, which
    # so fails its test and hangs none
    def answer(self, view):
        signal.alarm(30)
        signal.pause()

class Parts(Base):
    # answers, but leaves one behind that keeps its pipes and that no signal to its group ends
    def answer(self, view):
        if not os.fork():
            os.setsid()
            signal.alarm(30)
            with open(f"{__file__}.{os.getpid()}", "w"): pass
            signal.pause()
        return 1.0

class Killed(Base):
    def answer(self, view): os.kill(os.getpid(), signal.SIGKILL)

class Burns(Base):
    def answer(self, view):
        while True: pass

class Floods(Base):
    def answer(self, view): return {"score": 1.0, "rationale": "x" * 10**7}

class Later(Base):
    api_version = 2

Nan, Nothing, Ten = says(float("nan")), says(None), says(10)
Text, Yes, Zero = says("0.8"), says(True), says(0.0)
Absent = says({"status": "not_applicable", "rationale": "there is no table"})
Odd, Unlike = says({"score": 0.5}), says({"key": "other", "score": 0.5, "rationale": ""})
Half = says({"score": 0.5, "rationale": "half of \\ud83d"})
Invents = says({"score": 1.0, "rationale": "", "quotes": ["never said"]})
Secret = type("Secret", (Base,), {
    "answer": lambda self, view: {"score": 1.0, "rationale": repr(dict(os.environ))}})
"""


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory):
    """A package that is installed as far as Python can tell; two of its evaluators clash."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "acme_style.py").write_text(CODE)
    names = ("Good", "Raises", "Hangs", "Nan", "Nothing")
    offers = [f"{name.lower()} = acme_style:{name}" for name in names]
    for dist, more in (("acme-style", [*offers]), ("acme-twin", [])):
        info = folder / f"{dist.replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1.2\n")
        lines = [f"[{GROUP}]", *more, "twice = acme_style:Good"]
        (info / "entry_points.txt").write_text("\n".join(lines))
    sys.path.append(str(folder))
    yield folder
    sys.path.remove(str(folder))


def found(name, timeout_s=20.0, text="We count ten plots."):
    offer = EntryPoint(name="tone", value=f"acme_style:{name}", group=GROUP)
    plugins = Plugins(lambda key: [offer])
    return plugins.score(ask(Criterion(key="tone", timeout_s=timeout_s), Subject(text=text)))


def test_an_installed_evaluator_is_found_by_its_criterion_and_named():
    score = Plugins().score(ask(Criterion(key="good"), Subject(text="We count ten plots.")))
    assert (score.score, score.rationale, score.quotes) == (0.5, "4 words for good.", ("We",))
    assert score.by == Evaluator(id="acme-style", version="3")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Raises", "KeyError: 'plots'"),
        ("Verbose", "ValueError: two lines"),
        ("Leaves", "ended without an answer (exit code 3)"),
        ("Dies", "ended without an answer (SIGABRT)"),
        ("Killed", "ended without an answer (SIGKILL)"),
        ("Floods", "it answered with 10,000,"),
        ("Later", "it speaks api_version 2; this release, 1"),
        ("Gone", "AttributeError: module 'acme_style' has no attribute 'Gone'"),
        ("Nan", "it answered nan, which is no number from 0 to 1"),
        ("Nothing", "it answered None, which is no number from 0 to 1"),
        ("Ten", "it answered 10, which is no number from 0 to 1"),
        ("Text", "it answered '0.8', which is no number from 0 to 1"),
        ("Yes", "it answered True, which is no number from 0 to 1"),
        ("Odd", "(rationale Field required)"),
        ("Unlike", "it answered for 'other' instead"),
        ("Half", "its answer cannot be read"),
        ("Invents", "it quotes 'never said', which the text does not say"),
    ],
)
def test_an_evaluator_that_misbehaves_costs_its_own_score(name, why):
    score = found(name)
    assert (score.status, score.score) == (Status.ERROR, None)
    assert score.rationale.startswith("acme_style:")
    assert why in score.rationale


@pytest.mark.parametrize("name", ["Hangs", "Burns"])
def test_an_evaluator_that_hangs_or_burns_is_ended(name):
    score = found(name, timeout_s=0.5)
    assert (score.status, score.rationale) == (Status.TIMEOUT, "it took more than 0.5 s")


def test_an_evaluator_that_leaves_a_process_behind_is_not_waited_for(package):
    score = found("Parts", timeout_s=2.0)
    left = [int(file.suffix[1:]) for file in package.glob("acme_style.py.*")]
    for process in left:
        os.kill(process, signal.SIGKILL)  # raises where it was waited for until its alarm
    assert (score.status, score.rationale) == (Status.TIMEOUT, "it took more than 2 s")
    assert left


def test_zero_and_not_applicable_are_answers():
    assert (found("Zero").status, found("Zero").score) == (Status.SCORED, 0.0)
    assert found("Absent").status is Status.NOT_APPLICABLE


def test_an_evaluator_sees_nothing_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    assert "canary" not in found("Secret").rationale


def test_a_criterion_that_nobody_or_more_than_one_offers_is_an_error_with_one_warning(caplog):
    plugins, text = Plugins(), Subject(text="x")
    with caplog.at_level(logging.WARNING):
        scores = [plugins.score(ask(Criterion(key=k), text)) for k in ("twice", "suport") * 2]
    assert [s.rationale for s in scores[:2]] == [
        "acme-style and acme-twin both offer it; uninstall all but one",
        f"no installed package offers it in '{GROUP}'; did you mean 'support'?",
    ]
    assert len(caplog.records) == 2


# --- in a run

BRIEF = Brief(
    id="loaf",
    objective="Find the oven setting that keeps a rye loaf moist for three days.",
    tasks=(GivenTask(id="T1", title="Bake the loaves"),),
)
BAD = ("raises", "hangs", "nan", "nothing", "twice", "nobody")


@pytest.fixture(scope="module")
def judged(workbench, package, tmp_path_factory):
    """A run that evaluators of every bad kind have judged, and its workbench."""
    more = tuple(
        Criterion(key=k, weight=0.1, timeout_s=0.5 if k == "hangs" else 30.0)
        for k in (*BAD, "good")
    )
    rubric = workbench.answer_rubric
    wider = Rubric(id=rubric.id, title=rubric.title, criteria=(*rubric.criteria, *more))
    bench = replace(workbench, answer_rubric=wider, plugins=Plugins())
    service = RunService(RunStore(tmp_path_factory.mktemp("audits")), bench.parts, SystemClock())
    options = RunOptions(flags=Flags(MAX_RETRIES=0))
    run_id = service.start(options, BRIEF.model_dump(mode="json"))
    outcome = service.wait(run_id, 60)
    service.close()
    return outcome, RunFolder(outcome.run_dir), bench


def test_bad_evaluators_leave_the_run_whole_and_its_verdict_honest(judged):
    outcome, folder, _ = judged
    assert outcome.status in ("finished", "failed_gate")
    assert verify(folder.path).ok
    answer = read_answer(folder, "T1")
    scores = answer.evaluation.by_key()
    assert {k: scores[k].status.value for k in BAD} == {
        **dict.fromkeys(BAD, "error"),
        "hangs": "timeout",
    }
    assert (scores["good"].status, scores["good"].score) == (Status.SCORED, 0.5)
    assert answer.evaluation.low < answer.evaluation.high
    assert answer.evaluation.coverage < 1


def test_what_other_packages_said_is_on_record_and_not_asked_again(judged, tmp_path):
    _, folder, bench = judged
    events = [row.event for row in read_events(folder.trace_path)]
    calls = [e for e in events if isinstance(e, ToolCalled) and e.name == EVALUATOR]
    assert [json.loads(folder.artifact(c.output_digest))["key"] for c in calls[:7]] == [
        *BAD,
        "good",
    ]
    alone = replace(bench, plugins=Plugins(lambda key: pytest.fail("asked again")))
    found = replay(folder.path, alone.parts, tmp_path, given=(EVIDENCE,))
    assert found.first_difference == ""


def test_without_evaluators_nothing_is_judged(judged, tmp_path):
    _, _, bench = judged
    service = RunService(RunStore(tmp_path), bench.parts, SystemClock())
    options = RunOptions(flags=Flags(EVALUATORS_ENABLED=False))
    outcome = service.wait(service.start(options, BRIEF.model_dump(mode="json")), 60)
    service.close()
    answer = json.loads((outcome.run_dir / "answers" / "T1.json").read_text())
    assert answer["evaluation"] is None
    assert outcome.status == "finished"


def test_scoring_an_answer_looks_at_its_own_task_however_long_the_plan(
    workbench, judged, monkeypatch
):
    _, folder, _ = judged
    monkeypatch.setattr(run, "read_plan", lambda folder: pytest.fail("read the plan again"))
    bench = workbench.parts(folder)
    steps = bench.steps(bench.kit(folder, lambda event: None, SystemClock()))
    answer = read_answer(folder, "T1")
    task = GraphTask(id="T1", role="analyst", title="Bake the loaves")
    cards = []
    for length in (1, 500):
        others = tuple(task.model_copy(update={"id": f"X{n}"}) for n in range(1, length))
        state = bench.initial_state(folder).model_copy(update={"tasks": (task, *others)})
        cards.append(asyncio.run(steps.evaluate(task, answer, state)))
    assert cards[0] == cards[1]

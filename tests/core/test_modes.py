"""Every way of running a plan: the same answers, the same trace, the same care."""

import asyncio
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from core.driving import Outcome, drive
from core.errors import CallerError, TaskError
from core.events import AttemptJudged, BackedOff, ModeFellBack, Row, TaskFinished
from core.graph import build
from core.graph.files import read_answers
from core.graph.nodes import MAX_CALLS_PER_TASK, Stamp, Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.modes import find_mode, modes
from core.modes.graph import parallel, sequential
from core.scores import Scorecard
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, approve, echo_agent, fake_card, fake_task
from core.tool_router import Tool
from core.trace import read_events, verify

WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "classic": ("classic", {}),
    "sequential graph": ("graph", {"PARALLEL_EXEC_ENABLED": False}),
    "parallel graph": ("graph", {}),
}


def contents(folder: Path) -> dict[str, bytes]:
    """Return a run's files but the note of who drives it."""
    found = (p for p in folder.rglob("*") if p.is_file() and p.name != "lease")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


every_way = pytest.mark.parametrize("way", WAYS)


class Number(BaseModel):
    n: int


DOUBLE = Tool("double", "Doubles a number.", Number, lambda number: number.n * 2)
TRIPLE = Tool("triple", "Trebles a number.", Number, lambda number: number.n * 3)
ASK_DOUBLE = ToolRequest(name="double", args={"n": 4})
PLAN = (
    fake_task("T4", "T2", "T3"),  # the plan need not be in the order of work
    fake_task("T1"),
    fake_task("T2", "T1", tools=(ASK_DOUBLE,)),
    fake_task("T3", "T1"),
)


class Run:
    """One run of a plan, one way."""

    def __init__(self, root: Path, way: str, tasks: tuple[GraphTask, ...] = PLAN, **parts: Any):
        mode, chosen = WAYS[way]
        flags = Flags(**{"BACKOFF_BASE_S": 0, **chosen, **parts.pop("flags", {})})
        options = RunOptions(mode=mode, flags=flags)
        self.clock = FakeClock()
        self.folder = RunStore(root / way).create("run", options, {"idea": "bake"})
        self.bench = FakeParts(tasks, options, tools=(DOUBLE, TRIPLE), **parts)
        self.outcome = self.go()

    def go(self) -> Outcome:
        self.outcome = asyncio.run(drive(self.folder, self.bench, self.clock))
        return self.outcome

    @property
    def rows(self) -> list[Row]:
        return list(read_events(self.folder.trace_path))

    @property
    def answers(self) -> dict[str, Answer]:
        return read_answers(self.folder, self.bench.tasks)

    def outline(self) -> list[tuple[str, str, str]]:
        events = (row.event for row in self.rows)
        return [(e.kind, getattr(e, "node", ""), getattr(e, "task_id", "")) for e in events]

    def of(self, kind: type[Any]) -> list[Any]:
        return [row.event for row in self.rows if isinstance(row.event, kind)]


async def weak_at_first(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
    return fake_card(0.2 if "attempt 1" in answer.content and task.id == "T3" else 0.9)


async def never_enough(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
    return fake_card({"1": 0.3, "2": 0.5}.get(answer.content.split(" ")[2], 0.1))


async def t3_fails(work: Work) -> Answer:
    if work.task.id == "T3":
        raise TaskError("the model did not answer")
    return await echo_agent(work)


def test_every_way_gives_the_same_answers_and_proposal(tmp_path: Path) -> None:
    runs = [Run(tmp_path, way, evaluate=weak_at_first) for way in WAYS]
    first, *others = runs
    assert first.outcome.status == "finished"
    assert first.answers["T2"].content == "T2 attempt 1 on [T1 8]"
    for other in others:
        assert other.answers == first.answers
        assert (
            other.folder.read_text("proposal.md").splitlines()[1:]
            == (first.folder.read_text("proposal.md").splitlines()[1:])
        )


def test_graph_and_classic_leave_the_same_outline(tmp_path: Path) -> None:
    graph = Run(tmp_path, "sequential graph", evaluate=weak_at_first)
    classic = Run(tmp_path, "classic", evaluate=weak_at_first)
    assert graph.outline() == classic.outline()
    nodes = [node for kind, node, _ in graph.outline() if kind == "node_started"]
    assert nodes[:4] == ["plan", "approve", "route", "agent"]
    assert nodes[-1] == "synth"


@every_way
def test_every_node_that_started_has_ended(tmp_path: Path, way: str) -> None:
    outline = Run(tmp_path, way, evaluate=weak_at_first).outline()
    started = sorted(row[1:] for row in outline if row[0] == "node_started")
    assert started == sorted(row[1:] for row in outline if row[0] == "node_ended")


@every_way
def test_a_finished_run_is_proved_by_its_files(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way, evaluate=weak_at_first)
    assert verify(run.folder.path).problems == ()
    assert run.rows[-1].event.kind == "run_ended"
    view = run.folder.read_json("graph_trace.json")
    assert view["built_from"] == run.rows[-1].hash
    assert view["tool_trace"][0]["id"] == "T2-1"
    project = run.folder.path.parent / "graph_trace.json"
    assert project.read_bytes() == (run.folder.path / "graph_trace.json").read_bytes()


@every_way
def test_any_changed_byte_is_found(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way)
    for name in ("trace.jsonl", "plan.json", "answers/T1.json", "proposal.md", "brief.json"):
        path = run.folder.path / name
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b"T1", b"T9") if b"T1" in whole else whole + b" ")
        assert not verify(run.folder.path).ok, name
        path.write_bytes(whole)
    artifact = next((run.folder.path / "artifacts").iterdir())
    artifact.unlink()
    assert any(artifact.name in problem for problem in verify(run.folder.path).problems)


@every_way
def test_a_failed_task_leaves_a_hole_and_the_rest_is_done(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way, agent=t3_fails)
    assert (run.outcome.status, run.outcome.exit_code) == ("holes", 3)
    assert {t: a.status for t, a in run.answers.items()} == {
        "T1": "done",
        "T2": "done",
        "T3": "failed",
        "T4": "not_run",
    }
    assert run.answers["T3"].reason == "the model did not answer"
    assert run.answers["T4"].reason == "needs T3"
    assert "T4" not in {task_id for task_id, _ in run.bench.worked}


@every_way
def test_what_depends_on_nothing_that_ran_is_not_run_either(tmp_path: Path, way: str) -> None:
    chain = (fake_task("T3"), fake_task("T5", "T4"), fake_task("T4", "T3"))
    run = Run(tmp_path, way, chain, agent=t3_fails)
    assert [run.answers[t].reason for t in ("T4", "T5")] == ["needs T3", "needs T4"]


@every_way
def test_the_best_attempt_is_kept_not_the_last(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way, (fake_task("T1"),), evaluate=never_enough)
    answer = run.answers["T1"]
    assert (run.outcome.status, run.outcome.exit_code) == ("failed_gate", 3)
    assert (answer.content, answer.status) == ("T1 attempt 2 on []", "below_gate")
    judged = run.of(AttemptJudged)
    assert [(j.attempt, j.score, j.retry) for j in judged] == [
        (1, 0.3, True),
        (2, 0.5, True),
        (3, 0.1, False),
    ]
    assert all(j.rationale == "clarity: It rambles. Cut it." for j in judged)
    kept = [run.folder.kept(j.answer_digest)["content"] for j in judged]
    assert kept == [f"T1 attempt {n} on []" for n in (1, 2, 3)]


@every_way
def test_a_retry_is_told_what_to_mend_after_a_seeded_wait(tmp_path: Path, way: str) -> None:
    told: list[tuple[str, ...]] = []

    async def agent(work: Work) -> Answer:
        told.append(work.feedback)
        return await echo_agent(work)

    flags = {"BACKOFF_BASE_S": 4, "MAX_RETRIES": 2}
    run = Run(tmp_path, way, (fake_task("T1"),), agent=agent, evaluate=never_enough, flags=flags)
    assert told == [(), ("clarity: It rambles. Cut it.",), ("clarity: It rambles. Cut it.",)]
    waits = [event.wait_ms / 1000 for event in run.of(BackedOff)]
    assert waits == pytest.approx(run.clock.slept, abs=0.001)
    assert len(waits) == 2
    assert 0 < waits[0] <= 4
    assert 0 < waits[1] <= 8


@every_way
def test_no_evaluators_is_no_judgement_and_no_retry(tmp_path: Path, way: str) -> None:
    flags = {"EVALUATORS_ENABLED": False}
    run = Run(tmp_path, way, evaluate=never_enough, flags=flags)
    assert run.outcome.status == "finished"
    assert all(answer.evaluation is None for answer in run.answers.values())
    assert {j.verdict for j in run.of(AttemptJudged)} == {"not_judged"}


@every_way
def test_an_evaluator_that_fails_is_not_a_zero(tmp_path: Path, way: str) -> None:
    async def no_judge(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
        raise TaskError("the judge is away")

    run = Run(tmp_path, way, (fake_task("T1"),), evaluate=no_judge)
    answer = run.answers["T1"]
    assert (answer.status, answer.evaluation) == ("below_gate", None)
    assert answer.reason == "it could not be judged: the judge is away"


@every_way
def test_an_evaluator_that_failed_is_asked_again_and_the_agent_is_not(
    tmp_path: Path, way: str
) -> None:
    looks: list[str] = []

    async def flaky(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
        looks.append(task.id)
        if len(looks) == 1:
            raise TaskError("the judge is away")
        return fake_card(0.9)

    run = Run(tmp_path, way, (fake_task("T1"),), evaluate=flaky)
    assert (looks, run.bench.worked) == (["T1", "T1"], [("T1", 1)])
    assert run.answers["T1"].status == "done"


@every_way
def test_every_attempt_is_on_record_with_what_its_author_was_told(
    tmp_path: Path, way: str
) -> None:
    run = Run(tmp_path, way, (fake_task("T1"),), evaluate=never_enough)
    told = "clarity: It rambles. Cut it."
    assert [j.feedback for j in run.of(AttemptJudged)] == [(), (told,), (told,)]
    answer = run.answers["T1"]
    assert (answer.attempts, answer.kept, answer.tried) == (3, 2, (0.3, 0.5, 0.1))


@every_way
def test_an_agent_gets_only_tools_its_task_was_planned_with(tmp_path: Path, way: str) -> None:
    async def agent(work: Work) -> Answer | tuple[ToolRequest, ...]:
        if len(work.tool_result) == 1:
            return (ToolRequest(name="triple", args={"n": 1}), ToolRequest(name="double"))
        return await echo_agent(work)

    run = Run(tmp_path, way, (fake_task("T1", tools=(ASK_DOUBLE,)),), agent=agent)
    planned, refused, wrong = run.answers["T1"].tool_result
    assert (planned.id, planned.output) == ("T1-1", 8)
    assert refused.error == "tool 'triple' is not planned for this task; choose from: double"
    assert "n: Field required" in wrong.error


@every_way
@pytest.mark.parametrize("asks", [(), (ASK_DOUBLE,)])
def test_an_agent_that_never_answers_fails_its_task(
    tmp_path: Path, way: str, asks: tuple[ToolRequest, ...]
) -> None:
    async def agent(work: Work) -> tuple[ToolRequest, ...]:
        return asks

    run = Run(tmp_path, way, (fake_task("T1", tools=(ASK_DOUBLE,)),), agent=agent)
    assert run.answers["T1"].status == "failed"
    assert len(run.answers["T1"].tool_result) <= MAX_CALLS_PER_TASK


@every_way
def test_an_agent_sees_what_its_task_builds_on_and_nothing_else(tmp_path: Path, way: str) -> None:
    seen: dict[str, tuple[list[str], list[str]]] = {}

    async def agent(work: Work) -> Answer:
        seen[work.task.id] = (list(work.upstream), list(work.state.answers))
        return await echo_agent(work)

    plan = (fake_task("T1"), fake_task("T0"), fake_task("T2", "T1"), fake_task("T3", "T2"))
    Run(tmp_path, way, plan, agent=agent)
    assert seen["T3"] == (["T2"], ["T1", "T2"])
    assert seen["T0"] == ([], [])


@every_way
def test_the_proposal_is_composed_from_the_whole_record(tmp_path: Path, way: str) -> None:
    async def synthesize(state: GraphState, stamp: Stamp) -> str:
        calls = [row["id"] for row in state.tool_trace]
        return f"{stamp.started} {stamp.run_id} {stamp.approved_by} {calls} {bool(state.trace)}"

    run = Run(tmp_path, way, synthesize=synthesize)
    expected = "2026-01-01T00:00:00.000Z run settings ['T2-1'] True"
    assert run.folder.read_text("proposal.md") == expected


@every_way
def test_an_edited_plan_is_the_one_that_runs(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way, flags={"APPROVAL_REQUIRED": True})
    assert (run.outcome.status, run.outcome.exit_code) == ("waiting", 4)
    assert run.go().status == "waiting"  # asking again changes nothing
    assert run.bench.worked == []
    approve(run.folder, by="ann", at="noon", tasks=(fake_task("T7"),))
    run.bench.tasks = (fake_task("T7"),)
    assert run.go().status == "finished"
    assert list(run.answers) == ["T7"]
    [approved] = [row.event for row in run.rows if row.event.kind == "plan_approved"]
    assert (approved.by, approved.at, approved.edited) == ("ann", "noon", True)
    [proposed] = [row.event for row in run.rows if row.event.kind == "plan_proposed"]
    assert (proposed.tasks, proposed.plan_digest) != (1, approved.plan_digest)
    assert verify(run.folder.path).problems == ()


@every_way
def test_a_plan_changed_while_it_waits_is_not_approved_unseen(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way, flags={"APPROVAL_REQUIRED": True})
    path = run.folder.path / "plan.json"
    path.write_text(path.read_text().replace("Do T1", "Undo T1"))
    approve(run.folder, by="ann", at="noon")
    with pytest.raises(CallerError, match=r"plan.json is not the plan on record"):
        run.go()
    assert run.bench.worked == []


@every_way
@pytest.mark.parametrize("kept", [0, 3], ids=["emptied", "cut"])
def test_a_run_whose_trace_is_lost_is_not_made_up_anew(
    tmp_path: Path, way: str, kept: int
) -> None:
    run = Run(tmp_path, way)
    lines = run.folder.trace_path.read_bytes().splitlines(keepends=True)
    run.folder.trace_path.write_bytes(b"".join(lines[:kept]))
    before = contents(run.folder.path)
    with pytest.raises(CallerError, match="has lost what was recorded"):
        run.go()
    assert contents(run.folder.path) == before


@every_way
def test_a_run_goes_on_only_where_it_belongs(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way, flags={"APPROVAL_REQUIRED": True})
    approve(run.folder, by="ann", at="noon")
    home = run.folder.path
    for place in (home.parent.parent / "elsewhere" / home.name, home.with_name("renamed")):
        place.parent.mkdir(exist_ok=True)
        shutil.copytree(home, place)
        with pytest.raises(CallerError, match=f"move it back to {home.parent.name}/{home.name}"):
            asyncio.run(drive(RunFolder(place), run.bench, FakeClock()))
    assert run.go().status == "finished"


@every_way
def test_a_copy_under_another_name_is_as_sound(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way)
    copied = shutil.copytree(run.folder.path, tmp_path / "copied")
    assert verify(copied).problems == ()


@every_way
def test_an_ended_run_stays_as_it_is(tmp_path: Path, way: str) -> None:
    run = Run(tmp_path, way)
    before = run.folder.trace_path.read_bytes()
    worked = list(run.bench.worked)
    assert run.go().status == "finished"
    assert (run.folder.trace_path.read_bytes(), run.bench.worked) == (before, worked)


def test_going_on_with_an_ended_run_does_not_bless_a_change(tmp_path: Path) -> None:
    run = Run(tmp_path, "classic")
    run.folder.write_json("brief.json", {"idea": "fry"})
    run.go()
    assert verify(run.folder.path).problems == ("brief.json was changed after the run ended",)


@every_way
def test_a_plan_that_is_no_plan_is_the_callers_business(tmp_path: Path, way: str) -> None:
    with pytest.raises(CallerError, match="ring"):
        Run(tmp_path, way, (fake_task("T1", "T2"), fake_task("T2", "T1")))


@every_way
def test_a_planner_that_fails_pauses_the_run(tmp_path: Path, way: str) -> None:
    async def planner(state: GraphState) -> tuple[GraphTask, ...]:
        raise TaskError("no model")

    run = Run(tmp_path, way, planner=planner)
    assert (run.outcome.status, run.outcome.reason) == ("paused", "no model")
    run.bench.planner = None
    assert run.go().status == "finished"


def test_no_more_agents_than_allowed_work_at_once(tmp_path: Path) -> None:
    most = working = 0

    async def agent(work: Work) -> Answer:
        nonlocal most, working
        working += 1
        most = max(most, working)
        for _ in range(5):
            await asyncio.sleep(0)
        working -= 1
        return await echo_agent(work)

    tasks = tuple(fake_task(f"T{k}") for k in range(8))
    Run(tmp_path, "parallel graph", tasks, agent=agent, flags={"MAX_CONCURRENCY": 3})
    assert most == 3


def test_without_the_graph_the_run_is_classic_and_says_so(tmp_path: Path) -> None:
    run = Run(tmp_path, "parallel graph", flags={"GRAPH_ENABLED": False})
    assert run.outcome.status == "finished"
    assert run.of(ModeFellBack) == [
        ModeFellBack(mode="classic", reason="GRAPH_ENABLED is false"),
    ]
    assert not run.folder.has("checkpoint.sqlite")


def test_without_the_graph_library_the_run_is_classic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "core.graph.build")
    monkeypatch.setitem(sys.modules, "langgraph.graph", None)
    run = Run(tmp_path, "parallel graph")
    assert run.outcome.status == "finished"
    reason = "the graph library is missing (langgraph.graph)"
    assert run.of(ModeFellBack) == [ModeFellBack(mode="classic", reason=reason)]


def test_an_unknown_mode_is_refused_with_the_choices() -> None:
    with pytest.raises(
        CallerError, match=r"did you mean 'classic'.*Choose from: autogen, classic, "
    ):
        find_mode("clasic")
    assert [mode.label for mode in modes().values()][:2] == ["Plan and fan-out", "Classic"]


def test_a_checkpoint_of_another_graph_is_refused(tmp_path: Path) -> None:
    run = Run(tmp_path, "sequential graph", flags={"APPROVAL_REQUIRED": True})
    flags = run.bench.options.flags.model_copy(update={"PARALLEL_EXEC_ENABLED": True})
    run.bench.options = run.bench.options.model_copy(update={"flags": flags})
    approve(run.folder, by="ann", at="noon")
    with pytest.raises(CallerError, match="started on another graph"):
        run.go()
    assert run.bench.worked == []


def test_checkpoints_do_not_grow_with_the_answers(tmp_path: Path) -> None:
    async def long_winded(work: Work) -> Answer:
        return Answer(task_id=work.task.id, content="word " * 20_000)

    tasks = tuple(fake_task(f"T{k}") for k in range(6))
    run = Run(tmp_path, "sequential graph", tasks, agent=long_winded)
    with sqlite3.connect(run.folder.checkpoint_path) as database:
        [(largest,)] = database.execute("select max(length(checkpoint)) from checkpoints")
    database.close()
    assert largest < 4000


def test_a_long_plan_does_not_run_into_the_step_limit(tmp_path: Path) -> None:
    tasks = tuple(fake_task(f"T{k}", tools=(ASK_DOUBLE,)) for k in range(30))
    run = Run(tmp_path, "sequential graph", tasks)
    assert len(run.of(TaskFinished)) == 30


@pytest.mark.parametrize("form", [sequential(), parallel()])
def test_the_graph_can_be_drawn(form: Any) -> None:
    text = build.draw_mermaid(form)
    assert all(name in text for name in form.nodes)
    assert text.startswith("---")

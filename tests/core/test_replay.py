"""Recorded runs are done again to the byte, without tools, models or network; or say where not."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import CallerError
from core.graph.files import read_answer
from core.graph.nodes import Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.replay import replay
from core.requests import Request
from core.scores import Scorecard
from core.store import RunFolder, RunStore, owner_of
from core.trace import read_events, row_hash
from core.values import canonical
from tests.record import RECORDED, record
from tests.recorded import bench
from tests.recorded.bench import PLAN, RecordedParts

KEPT = sorted(path.parent for path in RECORDED.glob("*/*/run"))
UNENDED = ("cut",)
NEWEST = KEPT[-1].parent


def again(run: Path, root: Path, kind: Callable[[RunFolder], RecordedParts] = RecordedParts):
    return replay(run, kind, root / "again")


def copied(name: str, root: Path) -> Path:
    run = root / "recorded" / name / "run"
    shutil.copytree(NEWEST / name / "run", run)
    return run


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def rechained(path: Path, edit: Callable[[dict], None]) -> None:
    """Edit every line of a trace and link them anew, as if it had been written so."""
    head, lines = "0" * 64, []
    for line in path.read_text().splitlines():
        row = json.loads(line) | {"prev": head}
        edit(row)
        head = row["hash"] = row_hash(row)
        lines.append(canonical(row) + "\n")
    path.write_text("".join(lines))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run that this release has recorded, of a server with users."""
    return record(RunStore(tmp_path_factory.mktemp("audits"), owner="ann"), "new")


@pytest.fixture(autouse=True)
def no_tool_and_no_model_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def send(request: Request) -> None:
        raise AssertionError("a replay called a model")

    def run(params: object) -> None:
        raise AssertionError("a replay ran a tool")

    monkeypatch.setattr(bench, "send", send)
    monkeypatch.setattr(bench, "TOOLS", tuple(replace(tool, run=run) for tool in bench.TOOLS))


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_recorded_run_is_done_again_to_the_byte(kept: Path, tmp_path: Path) -> None:
    found = again(kept / "run", tmp_path)
    assert found.first_difference == ""
    assert found.identical
    assert found.ended == (kept.name not in UNENDED)
    lines = (kept / "run" / "trace.jsonl").read_bytes()
    assert found.folder.trace_path.read_bytes().startswith(lines)
    assert found.events == len(lines.splitlines())


def test_a_run_of_this_release_tells_of_its_attempts_and_is_done_again(
    fresh: RunFolder, tmp_path: Path
) -> None:
    assert owner_of(fresh.path) == "ann"
    answer = read_answer(fresh, "T3")
    assert answer
    assert (answer.attempts, answer.kept, answer.tried) == (2, 2, (0.425, 0.85))
    found = again(fresh.path, tmp_path)
    assert found.first_difference == ""
    lines = fresh.trace_path.read_text("utf-8")
    assert '"feedback":["clarity: It rambles. Cut it."' in lines
    assert found.folder.trace_path.read_text("utf-8") == lines


def test_a_replay_only_reads_the_recorded_folder(tmp_path: Path) -> None:
    run = copied("parallel", tmp_path)
    before = {p: (p.stat().st_mtime_ns, p.is_file() and p.read_bytes()) for p in run.rglob("*")}
    for path in [run, *before]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert again(run, tmp_path).identical
    after = {p: (p.stat().st_mtime_ns, p.is_file() and p.read_bytes()) for p in run.rglob("*")}
    assert after == before
    for path in [run, *before]:
        path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("name", ["answers/T3.json", "proposal.md", "plan.json", "SHA256SUMS"])
def test_a_changed_byte_in_a_file_is_named_with_its_line(name: str, tmp_path: Path) -> None:
    run = copied("parallel", tmp_path)
    change(run / name, "T3", "T8")
    found = again(run, tmp_path)
    assert found.first_difference.startswith(f"{name}, line ")
    assert "T8" in found.first_difference.partition(" and is ")[0]
    assert "T3" in found.first_difference.partition(" and is ")[2]


def test_a_changed_artifact_is_named(tmp_path: Path) -> None:
    run = copied("classic", tmp_path)
    name = digest_of("attempt_judged", "answer_digest", run)
    change(run / "artifacts" / name, '"attempts":1', '"attempts":4')
    assert again(run, tmp_path).first_difference.startswith(f"artifacts/{name}, line 1 was “")


def test_a_changed_event_is_named(tmp_path: Path) -> None:
    run = copied("parallel", tmp_path)
    change(run / "trace.jsonl", '"score":0.85', '"score":0.86')
    found = again(run, tmp_path).first_difference
    assert found.startswith("event ")
    assert found.endswith("attempt_judged of T1: score was 0.86 and is 0.85")


def test_a_changed_time_is_named_though_it_is_not_made_again(tmp_path: Path) -> None:
    run = copied("sequential", tmp_path)
    line = (run / "trace.jsonl").read_text().splitlines()[3]
    ts = json.loads(line)["ts"]
    change(run / "trace.jsonl", line, line.replace(ts, "2020" + ts[4:]))
    found = again(run, tmp_path).first_difference
    assert found == "event 3, plan_proposed: its line was changed after it was written"


def test_a_missing_file_and_one_too_many_are_named(tmp_path: Path) -> None:
    run = copied("classic", tmp_path)
    (run / "answers" / "T9.json").write_text("{}")
    found = again(run, tmp_path / "1").first_difference
    assert found == "answers/T9.json is recorded, but the replay has not made it"
    (run / "answers" / "T9.json").unlink()
    (run / "answers" / "T2.json").unlink()
    found = again(run, tmp_path / "2").first_difference
    assert found == "answers/T2.json was made by the replay, but is not recorded"


def test_bytes_after_the_end_are_found(tmp_path: Path) -> None:
    run = copied("classic", tmp_path)
    with (run / "trace.jsonl").open("a") as file:
        file.write("more")
    assert again(run, tmp_path).first_difference == "the last 4 bytes of trace.jsonl are no event"


def test_a_changed_brief_or_setting_is_found(tmp_path: Path) -> None:
    run = copied("classic", tmp_path)
    change(run / "brief.json", "bake bread", "make bread")
    found = again(run, tmp_path / "1").first_difference
    assert found.startswith("event 1, run_started: brief_digest was ")
    change(run / "brief.json", "make bread", "bake bread")
    change(run / "settings.json", '"seed": 0', '"seed": 7')
    found = again(run, tmp_path / "2").first_difference
    assert found == "event 1, run_started: settings.seed was 0 and is 7"


@pytest.mark.parametrize(
    ("kind", "field"), [("tool_called", "output_digest"), ("call_ended", "reply_digest")]
)
def test_what_came_from_outside_must_be_whole(kind: str, field: str, tmp_path: Path) -> None:
    run = copied("parallel", tmp_path)
    name = digest_of(kind, field, run)
    path = run / "artifacts" / name
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(CallerError, match=f"{name} was changed"):
        again(run, tmp_path)
    path.unlink()
    with pytest.raises(CallerError, match=f"has lost .*{name}"):
        again(run, tmp_path)


def test_folders_that_hold_no_run_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p" / "r").mkdir(parents=True)
    with pytest.raises(CallerError, match=r"has no trace\.jsonl"):
        again(tmp_path / "p" / "r", tmp_path)
    (tmp_path / "p" / "r" / "trace.jsonl").touch()
    with pytest.raises(CallerError, match="nothing to replay"):
        again(tmp_path / "p" / "r", tmp_path)


def test_a_call_that_failed_again_after_its_failure_was_judged_is_no_difference(
    tmp_path: Path,
) -> None:
    run = copied("parallel", tmp_path)
    rows = [json.loads(line) for line in (run / "trace.jsonl").read_text().splitlines()]
    kinds = [(row["event"]["kind"], row["event"].get("task_id")) for row in rows]
    asked, judged = kinds.index(("call_ended", "T6")), kinds.index(("attempt_judged", "T6"))
    # another process boots and asks what failed before
    cut = json.loads(json.dumps([rows[0], rows[asked]]).replace("T6-call-1", "T6-call-2"))
    rows[judged + 1 :] = [*cut, *rows[judged + 1 :]]
    for seq, row in enumerate(rows):
        row["seq"] = seq
    stamp = next(n for n, row in enumerate(rows) if row["event"]["kind"] == "proposal_stamped")
    (run / "trace.jsonl").write_text("".join(canonical(row) + "\n" for row in rows[:stamp]))
    rechained(run / "trace.jsonl", lambda row: None)
    for late in ("proposal.md", "scorecard.json", "SHA256SUMS"):
        (run / late).unlink()
    assert again(run, tmp_path).first_difference == ""


# --- another engine, another bench


class Severe(RecordedParts):
    async def _evaluate(self, task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
        card = await super()._evaluate(task, answer, state)
        return card.model_copy(update={"overall": 0.74}) if task.id == "T2" else card


class Wordy(RecordedParts):
    async def _work(self, work: Work) -> Answer:
        answer = await super()._work(work)
        words = {"content": answer.content + "!"} if work.task.id == "T3" else {}
        return answer.model_copy(update=words)


class Curious(RecordedParts):
    async def _plan(self, state: GraphState) -> tuple[GraphTask, ...]:
        return tuple(t if t.id != "T2" else asking_for(t, 10) for t in PLAN)


class Agentic(RecordedParts):
    """Works on a plan as it is, but asks the tool for something else."""

    async def _work(self, work: Work) -> Answer | tuple[ToolRequest, ...]:
        if work.task.id == "T2" and not work.tool_result[1:]:
            return (ToolRequest(name="halve", args={"n": 10}),)
        return await super()._work(work)


class Chatty(RecordedParts):
    async def _asked(self, work: Work) -> str:
        body = {"messages": [{"role": "user", "content": f"Please do {work.task.id}"}]}
        request = Request("answer", work.task.id, "m", "http://model", body, work.attempt)
        return (await self.calls.call(request)).text


class Backwards(RecordedParts):
    """Its plan is the same, but it names another release."""

    version = "dr-rd 9.9.9"

    def __init__(self, folder: RunFolder) -> None:
        super().__init__(folder)
        self.version = "dr-rd 9.9.9"


def asking_for(task: GraphTask, n: int) -> GraphTask:
    request = ToolRequest(name="halve", args={"n": n})
    return task.model_copy(update={"tool_request": (request,)})


def digest_of(kind: str, field: str, run: Path) -> str:
    events = (row.event for row in read_events(run / "trace.jsonl"))
    return next(getattr(event, field) for event in events if event.kind == kind)


def difference(name: str, kind: type[RecordedParts], root: Path) -> str:
    found = again(NEWEST / name / "run", root, kind)
    assert not found.identical
    assert found.first_difference.startswith("event ")
    return found.first_difference.partition(", ")[2]


@pytest.mark.parametrize("name", ["parallel", "sequential", "classic", "killed"])
def test_another_score_is_the_first_difference(name: str, tmp_path: Path) -> None:
    found = difference(name, Severe, tmp_path)
    assert found == "attempt_judged of T2: score was 0.85 and is 0.74"


@pytest.mark.parametrize("name", ["parallel", "sequential", "classic", "edited"])
def test_of_another_answer_the_first_other_words_are_shown(name: str, tmp_path: Path) -> None:
    found = difference(name, Wordy, tmp_path)
    assert found.startswith("attempt_judged of T3: answer.content was “")
    assert found.endswith("!”")


@pytest.mark.parametrize("name", ["parallel", "sequential", "classic", "killed"])
def test_a_call_that_is_not_on_record_is_reported_and_not_made(name: str, tmp_path: Path) -> None:
    assert difference(name, Agentic, tmp_path).endswith("of T2 in its place")


def test_other_arguments_of_a_planned_call_show_in_the_plan(tmp_path: Path) -> None:
    found = difference("classic", Curious, tmp_path)
    assert found == "plan_proposed: plan.1.tool_request.0.args.n was 8 and is 10"


@pytest.mark.parametrize("name", ["parallel", "killed"])
def test_another_question_to_a_model_is_shown(name: str, tmp_path: Path) -> None:
    found = difference(name, Chatty, tmp_path)
    assert found == (
        "call_ended of T1: request.body.messages.0.content was “Do T1” and is “Please do T1”"
    )


def test_the_releases_are_named_beside_a_difference(tmp_path: Path) -> None:
    run = copied("classic", tmp_path)
    assert again(run, tmp_path / "1", Backwards).identical
    change(run / "answers" / "T1.json", "T1", "T7")
    found = again(run, tmp_path / "2", Backwards).first_difference
    recorded = RecordedParts(RunFolder(run)).version
    assert found.endswith(f"(recorded by {recorded}; replayed by dr-rd 9.9.9)")


def test_what_a_later_release_adds_to_an_event_is_no_difference(tmp_path: Path) -> None:
    run = copied("cut", tmp_path)

    def older(row: dict) -> None:
        row["event"].pop("version", None)
        if row["event"]["kind"] == "run_started":
            del row["event"]["settings"]["flags"]["MAX_ATTEMPTS"]

    rechained(run / "trace.jsonl", older)
    assert again(run, tmp_path).first_difference == ""


def test_a_run_that_has_not_ended_is_compared_as_far_as_it_goes(tmp_path: Path) -> None:
    found = again(copied("cut", tmp_path), tmp_path, Severe)
    assert found.identical
    assert not found.ended
    found = replay(NEWEST / "cut" / "run", Wary, tmp_path / "wary")
    assert found.first_difference.endswith(
        "attempt_judged of T4: rationale was “nobody knows” and is “no”"
    )


class Wary(RecordedParts):
    async def _work(self, work: Work) -> Answer:
        answer = await super()._work(work) if work.task.id != "T4" else None
        return answer or Answer(task_id="T4", content="", status="failed", reason="no")


@pytest.mark.parametrize("name", ["passages_retrieved", "run_ended"])
def test_a_run_cut_off_in_the_middle_of_something_is_no_difference(
    name: str, tmp_path: Path
) -> None:
    run = copied("sequential", tmp_path)
    lines = (run / "trace.jsonl").read_text().splitlines(keepends=True)
    last = next(n for n, line in enumerate(lines) if f'"kind":"{name}"' in line)
    (run / "trace.jsonl").write_text("".join(lines[: last + 1]))
    for late in ("SHA256SUMS", "graph_trace.json"):
        (run / late).unlink()
    if name == "passages_retrieved":
        for folder in ("answers", "artifacts"):
            shutil.rmtree(run / folder)
        for late in ("proposal.md", "scorecard.json"):
            (run / late).unlink()
    assert again(run, tmp_path).first_difference == ""

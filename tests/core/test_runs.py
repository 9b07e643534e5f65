"""Driving a run: stopped, resumed, watched, and never by two at once."""

import asyncio
import errno
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.driving import Stop, drive, run_here
from core.errors import CallerError
from core.graph.files import read_answers, read_scorecard
from core.graph.nodes import Work
from core.graph.state import Answer, GraphState
from core.modes import find_mode
from core.modes.graph import PlanAndFanOut
from core.questions import Question
from core.runs import RunService
from core.scores import Scorecard
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, approve, echo_agent, fake_card, fake_task
from core.trace import read_events, verify

PLAN = (fake_task("T1"), fake_task("T2", "T1"))
WAYS = {
    "classic": RunOptions(mode="classic"),
    "sequential graph": RunOptions(flags=Flags(PARALLEL_EXEC_ENABLED=False)),
    "parallel graph": RunOptions(),
}
every_way = pytest.mark.parametrize("way", WAYS)
PATIENCE_S = 20


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "audits")


def made(store: RunStore, options: RunOptions) -> RunFolder:
    return store.create("run", options, {"idea": "bake"})


async def rest() -> None:
    """Wait for what never comes: an agent that is stopped here has not heard of it before."""
    await asyncio.wait_for(asyncio.Event().wait(), PATIENCE_S)


def last_kind(folder: RunFolder) -> str:
    return list(read_events(folder.trace_path))[-1].event.kind


@every_way
def test_a_stopped_run_pauses_and_goes_on_where_it_was(store: RunStore, way: str) -> None:
    folder, stop = made(store, WAYS[way]), Stop()

    async def agent(work: Work) -> Answer:
        if work.task.id == "T2" and not stop.reason:
            stop.request("stopped by ann")
            await rest()
        return await echo_agent(work)

    bench = FakeParts(PLAN, WAYS[way], agent=agent)
    outcome = asyncio.run(drive(folder, bench, FakeClock(), stop=stop))
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("paused", "stopped by ann", 4)
    assert last_kind(folder) == "run_paused"
    assert list(read_answers(folder, PLAN)) == ["T1"]
    assert folder.has("graph_trace.json")
    assert asyncio.run(drive(folder, bench, FakeClock())).status == "finished"
    assert [task_id for task_id, _ in bench.worked] == ["T1", "T2", "T2"]
    assert verify(folder.path).ok


@every_way
@pytest.mark.parametrize(("score", "status"), [(0.2, "failed_gate"), (0.9, "finished")])
def test_the_proposal_itself_must_pass_the_gate(
    store: RunStore, way: str, score: float, status: str
) -> None:
    folder = made(store, WAYS[way])

    async def review(proposal: str, state: GraphState) -> Scorecard:
        assert proposal and state.answers
        return fake_card(score)

    outcome = asyncio.run(drive(folder, FakeParts(PLAN, WAYS[way], review=review), FakeClock()))
    assert outcome.status == status
    assert read_scorecard(folder) == fake_card(score)
    assert verify(folder.path).ok


@every_way
def test_a_stop_before_the_start_is_heeded(store: RunStore, way: str) -> None:
    stop = Stop()
    stop.request("too late")
    bench = FakeParts(PLAN, WAYS[way])
    outcome = asyncio.run(drive(made(store, WAYS[way]), bench, FakeClock(), stop=stop))
    assert (outcome.status, bench.worked) == ("paused", [])


@every_way
def test_a_cancelled_driver_leaves_a_paused_run(store: RunStore, way: str) -> None:
    folder = made(store, WAYS[way])

    async def agent(work: Work) -> Answer:
        await rest()
        return await echo_agent(work)

    async def cancelled() -> None:
        bench = FakeParts(PLAN, WAYS[way], agent=agent)
        task = asyncio.create_task(drive(folder, bench, FakeClock()))
        while not bench.worked:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert last_kind(folder) == "run_paused"
    assert not folder.is_driven()


@pytest.fixture
def signals() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
def test_a_signal_pauses_the_run_and_a_second_one_adds_nothing(store: RunStore) -> None:
    folder = made(store, RunOptions())

    async def agent(work: Work) -> Answer:
        signal.raise_signal(signal.SIGTERM)
        await rest()
        return await echo_agent(work)

    outcome = run_here(folder, FakeParts(PLAN, agent=agent), FakeClock())
    signal.raise_signal(signal.SIGTERM)
    assert (outcome.status, outcome.reason) == ("paused", "stopped by SIGTERM")
    assert run_here(folder, FakeParts(PLAN), FakeClock()).status == "finished"


def test_a_second_driver_is_refused(store: RunStore) -> None:
    folder = made(store, RunOptions())

    async def agent(work: Work) -> Answer:
        with pytest.raises(CallerError, match="being driven by another process"):
            await drive(RunFolder(folder.path), FakeParts(PLAN), FakeClock())
        return await echo_agent(work)

    outcome = asyncio.run(drive(folder, FakeParts(PLAN, agent=agent), FakeClock()))
    assert outcome.status == "finished"
    assert verify(folder.path).ok


@every_way
def test_a_bug_is_not_hidden_and_loses_nothing(store: RunStore, way: str) -> None:
    folder = made(store, WAYS[way])

    async def agent(work: Work) -> Answer:
        if work.task.id == "T2":
            raise ZeroDivisionError
        return await echo_agent(work)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(drive(folder, FakeParts(PLAN, WAYS[way], agent=agent), FakeClock()))
    again = FakeParts(PLAN, WAYS[way])
    assert asyncio.run(drive(folder, again, FakeClock())).status == "finished"
    assert again.worked == [("T2", 1)]


@every_way
def test_a_full_disk_pauses_the_run(store: RunStore, way: str) -> None:
    full = threading.Event()

    def crossing(where: str) -> None:
        if full.is_set():
            raise OSError(errno.ENOSPC, "No space left on device")

    async def agent(work: Work) -> Answer:
        if work.task.id == "T2":
            full.set()
        return await echo_agent(work)

    folder = RunFolder(made(store, WAYS[way]).path, crossing)
    bench = FakeParts(PLAN, WAYS[way], agent=agent)
    outcome = asyncio.run(drive(folder, bench, FakeClock()))
    assert outcome.status == "paused"
    assert "disk is full" in outcome.reason
    full.clear()
    bench.agent = echo_agent
    assert asyncio.run(drive(folder, bench, FakeClock())).status == "finished"
    assert bench.worked == [("T1", 1), ("T2", 1), ("T2", 1)]


def test_classic_never_meets_the_graph_library() -> None:
    program = """if True:
        import sys

        class Hidden:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in ("langgraph", "langchain_core"):
                    raise AssertionError(name)

        sys.meta_path.insert(0, Hidden())
        import core.modes, core.runs, core.testing
        core.modes.find_mode("classic")
        core.modes.find_mode("graph")
    """
    subprocess.run([sys.executable, "-c", program], check=True)


# The service: many runs, one thread.


class Desk:
    """A service whose agents wait until they are let go."""

    def __init__(self, store: RunStore) -> None:
        self.go, self.broken = threading.Event(), False
        self.made: dict[str, FakeParts] = {}
        self.service = RunService(store, self.parts_for, FakeClock())

    def parts_for(self, folder: RunFolder) -> FakeParts:
        async def agent(work: Work) -> Answer:
            while not self.go.is_set():
                await asyncio.sleep(0.001)
            if self.broken:
                raise ZeroDivisionError("a bug")
            return await echo_agent(work)

        bench = FakeParts(PLAN, folder.options(), agent=agent)
        self.made[folder.run_id] = bench
        return bench

    def start(self, **flags: Any) -> str:
        return self.service.start(RunOptions(flags=Flags(**flags)), {"idea": "bake"})


@pytest.fixture
def desk(store: RunStore) -> Iterator[Desk]:
    desk = Desk(store)
    yield desk
    desk.service.close()


def until(true: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < limit, "waited in vain"
        threading.Event().wait(0.005)


def test_the_service_brings_a_run_to_its_end(desk: Desk) -> None:
    run_id = desk.start()
    until(lambda: bool(desk.made[run_id].worked))
    running = desk.service.snapshot(run_id)
    assert (running.status, running.view.answers, [t.id for t in running.view.tasks]) == (
        "running",
        {},
        ["T1", "T2"],
    )
    desk.go.set()
    assert desk.service.wait(run_id, PATIENCE_S).status == "finished"
    ended = desk.service.snapshot(run_id, since=running.count)
    assert (ended.status, list(ended.view.answers), ended.reason) == ("finished", ["T1", "T2"], "")
    assert ended.events[0].seq == running.count
    assert ended.count == ended.events[-1].seq + 1


def test_a_double_start_is_one_run(desk: Desk, store: RunStore) -> None:
    run_id = desk.service.new_id()
    ids = [desk.service.start(RunOptions(), {"idea": "bake"}, run_id) for _ in range(3)]
    assert ids == [run_id] * 3
    assert len(store.list()) == 1


def test_many_runs_go_on_side_by_side(desk: Desk) -> None:
    ids = [desk.start() for _ in range(4)]
    until(lambda: all(desk.made[run_id].worked for run_id in ids))
    desk.go.set()
    assert {desk.service.wait(run_id, PATIENCE_S).status for run_id in ids} == {"finished"}


def test_a_question_waits_for_a_person_and_one_answer_stands(desk: Desk) -> None:
    desk.go.set()
    run_id = desk.start(APPROVAL_REQUIRED=True)
    assert desk.service.wait(run_id, PATIENCE_S).status == "waiting"
    asked = desk.service.snapshot(run_id)
    assert (asked.status, [q.question.text for q in asked.questions]) == (
        "waiting",
        ["Approve the plan?"],
    )
    edited = [task.model_dump(mode="json") for task in PLAN[:1]]
    desk.service.answer(run_id, "approve-plan", {"verdict": "approve", "tasks": edited}, by="ann")
    with pytest.raises(CallerError, match="already answered by 'ann'"):
        desk.service.answer(run_id, "approve-plan", "approve", by="bob")
    assert desk.service.wait(run_id, PATIENCE_S).status == "finished"
    assert [t.id for t in desk.service.snapshot(run_id).view.tasks] == ["T1"]


def test_an_answer_given_elsewhere_lets_the_run_go_on(desk: Desk, store: RunStore) -> None:
    desk.go.set()
    run_id = desk.start(APPROVAL_REQUIRED=True)
    desk.service.wait(run_id, PATIENCE_S)
    with pytest.raises(CallerError, match="is waiting; only"):
        desk.service.resume(run_id)
    approve(store.find(run_id), by="ann", at="noon")
    assert desk.service.snapshot(run_id).questions == ()
    desk.service.resume(run_id)
    assert desk.service.wait(run_id, PATIENCE_S).status == "finished"


def test_closing_twice_is_once(desk: Desk) -> None:
    desk.service.close()
    desk.service.close()


def test_nobody_answers_what_was_not_asked(desk: Desk) -> None:
    run_id = desk.start()
    with pytest.raises(CallerError, match="waits for no answer"):
        desk.service.answer(run_id, "approve-plan", "approve", by="ann")


def test_a_paused_run_can_be_resumed(desk: Desk) -> None:
    run_id = desk.start()
    until(lambda: bool(desk.made[run_id].worked))
    with pytest.raises(CallerError, match="is running; only"):
        desk.service.resume(run_id)
    desk.service.pause(run_id, "cancelled by ann")
    assert desk.service.wait(run_id, PATIENCE_S).status == "paused"
    paused = desk.service.snapshot(run_id)
    assert (paused.status, paused.reason) == ("paused", "cancelled by ann")
    with pytest.raises(CallerError, match="nothing to pause"):
        desk.service.pause(run_id)
    desk.go.set()
    desk.service.resume(run_id)
    assert desk.service.wait(run_id, PATIENCE_S).status == "finished"
    with pytest.raises(CallerError, match="is finished; only"):
        desk.service.resume(run_id)


def test_an_end_that_was_cut_off_before_the_checksums_can_be_resumed(desk: Desk) -> None:
    run_id = desk.start()
    desk.go.set()
    desk.service.wait(run_id, PATIENCE_S)
    sums = desk.service.store.find(run_id).path / "SHA256SUMS"
    listed = sums.read_bytes()
    sums.unlink()
    desk.service.resume(run_id)
    assert desk.service.wait(run_id, PATIENCE_S).status == "finished"
    assert sums.read_bytes() == listed


def test_a_closed_service_leaves_runs_that_another_resumes(desk: Desk, store: RunStore) -> None:
    run_id = desk.start()
    until(lambda: bool(desk.made[run_id].worked))
    desk.service.close()
    desk.service = RunService(store, desk.parts_for, FakeClock())
    left = desk.service.snapshot(run_id)
    assert (left.status, left.reason) == ("paused", "the server is closing")
    desk.go.set()
    desk.service.resume(run_id)
    assert desk.service.wait(run_id, PATIENCE_S).status == "finished"


def test_what_went_wrong_is_in_the_snapshot_and_the_log(
    desk: Desk, store: RunStore, caplog: pytest.LogCaptureFixture
) -> None:
    run_id = desk.start()
    until(lambda: bool(desk.made[run_id].worked))
    other = RunService(store, desk.parts_for, FakeClock())
    assert other.snapshot(run_id).status == "running"
    with pytest.raises(CallerError):
        other.resume(run_id)
    other.close()
    desk.broken = True
    desk.go.set()
    until(lambda: desk.service.snapshot(run_id).status == "interrupted")
    assert desk.service.snapshot(run_id).reason == "a bug"
    until(lambda: "ZeroDivisionError" in caplog.text)
    desk.broken = False
    desk.service.resume(run_id)
    assert desk.service.wait(run_id, PATIENCE_S).status == "finished"


def test_an_unknown_run_or_mode_is_refused(desk: Desk, store: RunStore) -> None:
    with pytest.raises(CallerError, match="no run 'nope'"):
        desk.service.snapshot("nope")
    with pytest.raises(CallerError, match="unknown mode"):
        desk.service.start(RunOptions(mode="grpah"), {})
    assert store.list() == []


def test_a_trace_that_is_a_folder_is_named(store: RunStore) -> None:
    folder = made(store, WAYS["classic"])
    folder.trace_path.mkdir()
    with pytest.raises(CallerError, match=r"trace.jsonl is a folder"):
        asyncio.run(drive(folder, FakeParts(PLAN, WAYS["classic"]), FakeClock()))


def test_a_run_where_nothing_can_be_written_is_refused(store: RunStore) -> None:
    folder = made(store, WAYS["classic"])
    (folder.path / "lease").symlink_to("/dev/null")  # whoever runs this, it cannot be opened
    with pytest.raises(CallerError, match=r"cannot be driven in .*make that folder writable"):
        asyncio.run(drive(folder, FakeParts(PLAN, WAYS["classic"]), FakeClock()))


def test_a_question_with_a_deadline_is_answered_by_itself(store: RunStore) -> None:
    """The clock of the fakes passes each wait at once, so that the deadline comes at once."""
    timed = replace(
        find_mode("graph").spec(Flags()),
        asks={"approve": lambda state, deps: [_TIMED]},
    )

    class Timed(PlanAndFanOut):
        def spec(self, flags: Flags) -> Any:
            return timed

    class Parts(FakeParts):
        mode = Timed()

    parts = Parts(PLAN, RunOptions())
    service = RunService(store, lambda folder: parts, FakeClock())
    run_id = service.start(RunOptions(), {"idea": "bake"})
    until(lambda: service.snapshot(run_id).status == "finished")
    service.close()
    decision = store.find(run_id).decision(_TIMED.id)
    assert decision
    assert (decision.by, decision.answer) == ("deadline", "B")


_TIMED = Question(
    id="vote-1",
    kind="vote",
    text="Which one goes?",
    answer_schema={"enum": ["A", "B"]},
    within_s=60.0,
    otherwise="B",
)

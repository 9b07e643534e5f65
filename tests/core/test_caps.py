"""A run stops at what it may spend, keeps what it has, and goes on once it may spend more."""

import asyncio
from pathlib import Path

import pytest

from core.budget import Budget
from core.driving import Outcome, drive
from core.errors import TaskError
from core.events import AttemptJudged, CapReached, Row, SettingsChanged, TaskFinished
from core.graph.files import read_answers
from core.graph.nodes import Work
from core.graph.state import Answer
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, echo_agent, fake_card, fake_task
from core.trace import read_events, verify

WAYS = {
    "classic": RunOptions(mode="classic"),
    "sequential graph": RunOptions(flags=Flags(PARALLEL_EXEC_ENABLED=False)),
    "parallel graph": RunOptions(flags=Flags(MAX_CONCURRENCY=2)),
}
PLAN = tuple(fake_task(f"T{n}") for n in range(1, 7))


def options_of(way: str, **caps: float) -> RunOptions:
    options = WAYS[way]
    return options.model_copy(update={"flags": options.flags.model_copy(update=caps)})


def started(root: Path, options: RunOptions) -> RunFolder:
    return RunStore(root).create("run", options, {"idea": "bake"})


def driven(folder: RunFolder, bench: FakeParts, clock: FakeClock | None = None) -> Outcome:
    return asyncio.run(drive(folder, bench, clock or FakeClock()))


def raised(folder: RunFolder, **caps: float) -> FakeParts:
    """Raise the caps as `resume --set` does."""
    folder.change_flags(folder.options().flags.model_copy(update=caps))
    return FakeParts(PLAN, folder.options())


@pytest.mark.parametrize("way", WAYS)
def test_a_cap_stops_the_run_and_a_higher_one_lets_it_end(tmp_path: Path, way: str) -> None:
    options = options_of(way, MAX_ATTEMPTS=4)
    folder = started(tmp_path, options)
    first = FakeParts(PLAN, options)
    outcome = driven(folder, first)
    assert outcome.exit_code == 4
    assert len(first.worked) == 4
    kept = read_answers(folder, PLAN)
    assert len(kept) == 4
    assert "MAX_ATTEMPTS" in outcome.reason
    assert "4 of 6 tasks answered; not done: T5, T6" in outcome.reason
    assert f"dr-rd resume {folder.path} --set MAX_ATTEMPTS=8" in outcome.reason
    second = raised(folder, MAX_ATTEMPTS=8)
    assert driven(folder, second).status == "finished"
    assert {task_id for task_id, _ in second.worked} == {"T5", "T6"}
    assert {k: v for k, v in read_answers(folder, PLAN).items() if k in kept} == kept
    assert verify(folder.path).ok


@pytest.mark.parametrize("way", WAYS)
def test_a_run_stopped_at_a_cap_says_which_tasks_failed(tmp_path: Path, way: str) -> None:
    """Of a failed task there is a file too: it is no answer."""

    async def broken(work: Work) -> Answer:
        if work.task.id == "T1":
            raise TaskError("the oven is cold")
        return await echo_agent(work)

    plan = (fake_task("T1"), fake_task("T2", "T1"), fake_task("T3"), fake_task("T4", "T3"))
    options = options_of(way, MAX_ATTEMPTS=2, MAX_RETRIES=0)
    outcome = driven(started(tmp_path, options), FakeParts(plan, options, agent=broken))
    assert outcome.exit_code == 4
    assert "1 of 4 tasks answered; failed: T1; not run" in outcome.reason
    assert "not done: T4" in outcome.reason


@pytest.mark.parametrize("way", WAYS)
def test_the_trace_says_which_cap_and_that_it_was_raised(tmp_path: Path, way: str) -> None:
    options = options_of(way, MAX_ATTEMPTS=2)
    folder = started(tmp_path, options)
    driven(folder, FakeParts(PLAN, options))
    driven(folder, raised(folder, MAX_ATTEMPTS=50))
    events = [row.event for row in read_events(folder.trace_path)]
    caps = [e for e in events if isinstance(e, CapReached)]
    assert caps == [CapReached(cap="MAX_ATTEMPTS", limit=2, spent=2)]
    changes = [e.flags.MAX_ATTEMPTS for e in events if isinstance(e, SettingsChanged)]
    assert changes == [50]


@pytest.mark.parametrize("way", WAYS)
def test_a_run_resumed_under_the_same_cap_stops_again_at_once(tmp_path: Path, way: str) -> None:
    options = options_of(way, MAX_ATTEMPTS=3)
    folder = started(tmp_path, options)
    driven(folder, FakeParts(PLAN, options))
    again = FakeParts(PLAN, options)
    assert driven(folder, again).exit_code == 4
    assert again.worked == []


@pytest.mark.parametrize("way", WAYS)
def test_retries_count_as_attempts(tmp_path: Path, way: str) -> None:
    async def weak(*_: object) -> object:
        return fake_card(0.1)

    async def ever_new(work: Work) -> Answer:
        return Answer(task_id=work.task.id, content=f"try {work.attempt}")

    options = options_of(way, MAX_ATTEMPTS=5, MAX_RETRIES=2, BACKOFF_BASE_S=0)
    folder = started(tmp_path, options)
    bench = FakeParts(PLAN, options, agent=ever_new, evaluate=weak)
    assert driven(folder, bench).exit_code == 4
    judged = [r for r in read_events(folder.trace_path) if isinstance(r.event, AttemptJudged)]
    assert len(bench.worked) == len(judged) == 5


@pytest.mark.parametrize("way", WAYS)
def test_time_at_work_is_capped_and_pauses_do_not_count(tmp_path: Path, way: str) -> None:
    clock = FakeClock()

    async def slow(work: Work) -> Answer:
        await clock.sleep(40)
        return await echo_agent(work)

    options = options_of(way, MAX_WALL_S=100)
    folder = started(tmp_path, options)
    outcome = driven(folder, FakeParts(PLAN, options, agent=slow), clock)
    assert outcome.exit_code == 4
    assert "MAX_WALL_S" in outcome.reason
    clock.slept.append(100_000)  # a night between two sittings
    bench = raised(folder, MAX_WALL_S=1000)
    bench.agent = slow
    assert driven(folder, bench, clock).status == "finished"


@pytest.mark.parametrize("way", WAYS)
def test_no_wait_between_attempts_outlasts_the_time_of_the_run(tmp_path: Path, way: str) -> None:
    async def weak(*_: object) -> object:
        return fake_card(0.1)

    async def ever_new(work: Work) -> Answer:
        return Answer(task_id=work.task.id, content=f"try {work.attempt}")

    waits = {"BACKOFF_BASE_S": 600, "BACKOFF_MAX_S": 3600, "MAX_CONCURRENCY": 1}
    options = options_of(way, MAX_WALL_S=60, MAX_RETRIES=9, **waits)
    folder, clock = started(tmp_path, options), FakeClock()
    bench = FakeParts(PLAN[:1], options, agent=ever_new, evaluate=weak)
    outcome = driven(folder, bench, clock)
    assert (outcome.exit_code, sum(clock.slept)) == (4, pytest.approx(60))
    assert "reached MAX_WALL_S: 60 of 60 seconds are spent" in outcome.reason


def test_tasks_under_way_at_a_cap_are_let_end(tmp_path: Path) -> None:
    """What has been paid for is not thrown away."""
    others_stopped = asyncio.Event()

    async def slow_first(work: Work) -> Answer:
        if work.task.id == "T1":
            await others_stopped.wait()
        return await echo_agent(work)

    def told(row: Row) -> None:
        # T3 has been refused by the time that T2 is through and nothing else can happen
        if isinstance(row.event, TaskFinished) and row.event.task_id == "T2":
            asyncio.get_running_loop().call_later(0, others_stopped.set)

    options = options_of("parallel graph", MAX_ATTEMPTS=2)
    folder = started(tmp_path, options)
    bench = FakeParts(PLAN, options, agent=slow_first)
    asyncio.run(drive(folder, bench, FakeClock(), watch=told))
    assert set(read_answers(folder, PLAN)) == {"T1", "T2"}


def test_a_failed_attempt_is_an_attempt(tmp_path: Path) -> None:
    async def fails(work: Work) -> Answer:
        raise TaskError("no flour")

    options = options_of("classic", MAX_ATTEMPTS=2)
    folder = started(tmp_path, options)
    driven(folder, FakeParts(PLAN, options, agent=fails))
    spent = Budget(options.flags, FakeClock(), read_events(folder.trace_path)).spent
    assert spent.attempts == 2

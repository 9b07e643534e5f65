"""Storage that fails: locked, full. The run pauses, nothing runs meanwhile, and it goes on later."""

import asyncio
import errno
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from core.driving import Outcome, drive
from core.files import write_whole
from core.graph import build
from core.graph.files import read_answers
from core.graph.nodes import Work
from core.graph.state import Answer
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, echo_agent, fake_task
from core.trace import status_of, verify
from tests.core.test_crashes import CHAIN, WAYS, Life, Way
from tests.faults.forks import MEMORY, SCHEDULES, Crossings, fatal_points, watched

SHORT = {name: Way(way.options, CHAIN[:1]) for name, way in WAYS.items()}
PLAN = tuple(fake_task(f"T{k}", *([f"T{k - 1}"] if k > 1 else ())) for k in range(1, 7))


class Full:
    """A disk that is full from one write on: every write of that moment and later fails."""

    def __init__(self, at: int) -> None:
        self.at, self.seen = at, 0

    def __call__(self, where: str) -> None:
        if where.startswith("after"):
            return
        self.seen += 1
        if self.seen > self.at:
            raise _refusal(where)


def _refusal(where: str) -> Exception:
    if "aput" in where:  # what SQLite makes of it
        return sqlite3.OperationalError("database or disk is full")
    return OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder that answers fast; a disk that is full is full wherever it is."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        yield Path(root)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("way", ["classic", "parallel graph"])
def test_a_disk_full_at_any_write_pauses_the_run_and_loses_nothing(
    way: str, schedule: str, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_saver", watched(build._saver))
    whole, counting = Life.begun(SHORT[way], memory / "whole"), Crossings()
    whole.driven(counting)
    writes = [where for where in counting.seen if where.startswith("before")]
    assert len(writes) > 20
    for at in fatal_points(writes, schedule):
        where = writes[at]
        life = Life.begun(SHORT[way], memory / str(at))
        told = life.driven(Full(at))
        assert told.status == "paused", (at, where)
        assert "disk is full" in told.reason, (at, where)
        complete = at > writes.index("before run_ended")  # then only views of it are missing
        said = status_of(life.trace, driven=False)
        assert said == ("finished" if complete else "interrupted"), (at, where)
        done, worked = read_answers(life.folder, CHAIN[:1]), len(life.worked())
        assert life.driven(Crossings()).status == "finished", (at, where)
        assert life.result() == whole.result(), (at, where)
        assert not (done and life.worked()[worked:]), (at, where)
        assert verify(life.path).problems == (), (at, where)


def test_a_disk_that_fills_up_under_a_file_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_whole(path, b"old")
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new", Full(0))
    assert path.read_bytes() == b"old"


class Lock:
    """Another process's hold on a run's checkpoints."""

    def __init__(self, folder: RunFolder) -> None:
        self._database = sqlite3.connect(folder.checkpoint_path, timeout=0)

    def take(self) -> None:
        self._database.execute("BEGIN EXCLUSIVE")

    def leave(self) -> None:
        self._database.rollback()

    def close(self) -> None:
        self._database.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let SQLite wait for a lock as short a time as it can."""
    monkeypatch.setattr(aiosqlite, "connect", partial(aiosqlite.connect, timeout=0.01))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("way", ["sequential graph", "parallel graph"])
@pytest.mark.parametrize("at", ["", "T1", "T3", "T6"])
def test_locked_checkpoints_pause_the_run_and_no_task_starts_meanwhile(
    way: str, at: str, tmp_path: Path
) -> None:
    options = WAYS[way].options
    flags = options.flags.model_copy(update={"APPROVAL_REQUIRED": False})
    options = options.model_copy(update={"flags": flags})
    folder = RunStore(tmp_path).create("run", options, {"idea": "bake"})
    with closing(Lock(folder)) as lock:
        bench = FakeParts(PLAN, options, agent=_taking(lock, at))
        if not at:
            lock.take()
        outcome = driven(folder, bench)
        assert outcome.status == "paused"
        assert "locked" in outcome.reason
        assert status_of(folder.trace_path, driven=False) == "paused"
        worked = [task_id for task_id, _ in bench.worked]
        if way == "sequential graph":  # a step ends with a checkpoint; no other starts without
            assert worked == [f"T{k}" for k in range(1, int(at[1:] or 0) + 1)]
        lock.leave()
    bench.agent = echo_agent
    done = set(read_answers(folder, PLAN))
    assert driven(folder, bench).status == "finished"
    again = {task_id for task_id, _ in bench.worked[len(worked) :]}
    assert not done & again
    assert len(read_answers(folder, PLAN)) == 6
    assert verify(folder.path).problems == ()


def _taking(lock: Lock, at: str) -> Callable[[Work], Awaitable[Answer]]:
    async def agent(work: Work) -> Answer:
        if work.task.id == at:
            lock.take()
        return await echo_agent(work)

    return agent


def driven(folder: RunFolder, bench: Any) -> Outcome:
    return asyncio.run(drive(folder, bench, FakeClock()))

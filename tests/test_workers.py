"""Runs on the workers of a real cluster: one scheduler and two workers, all on loopback."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import dask
import psutil
import pytest
from distributed import Future, LocalCluster
from pydantic import BaseModel

import core.workers
from core.clock import SystemClock
from core.compute import Compute, in_thread
from core.driving import Outcome, Stop, drive
from core.errors import CallerError
from core.events import Row
from core.graph.files import read_answer, read_answers
from core.graph.nodes import Work
from core.graph.state import Answer, ToolRequest
from core.modes.spec import RunParts, RunPartsFor
from core.records import open_records
from core.runs import RunService
from core.settings import RunOptions, read_services
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, echo_agent, fake_task
from core.tool_router import Tool
from core.trace import read_events, verify
from core.workers import Job, Workers, freed, open_workers, there, versions
from dr_rd import workbench
from dr_rd.cli import main
from dr_rd.report.proposal import FOOTER
from tests import postgres
from tests.conftest import ROOT, SAMPLES, Finished

PATIENCE_S = 120
PLAN = (fake_task("T1"), fake_task("T2", "T1"), fake_task("T3", "T2"))


def marks(folder: RunFolder) -> Path:
    """Return where the agents of a run leave marks, whichever worker they are on."""
    return Path(folder.read_json("brief.json")["marks"])


async def hold(work: Work, folder: RunFolder) -> None:
    """Stay in the task that the brief names: its first attempt is let go by a file only."""
    mark, go = marks(folder) / "held", marks(folder) / "go"
    if folder.read_json("brief.json")["hold"] == work.task.id and not mark.exists():
        mark.touch()
        while not go.exists():
            await asyncio.sleep(0.01)


def parts_on(compute: Compute) -> RunPartsFor:
    """Make parts whose agents note where they worked."""

    def parts_for(folder: RunFolder) -> RunParts:
        async def agent(work: Work) -> Answer:
            with (marks(folder) / "worked").open("a") as file:
                file.write(f"{work.task.id} {os.getpid()}\n")
            await hold(work, folder)
            return await echo_agent(work)

        return FakeParts(PLAN, folder.options(), agent=agent)

    del compute
    return parts_for


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)  # the workers must find this very module
        with open_workers("local", parts_on, SystemClock()) as opened:
            yield opened


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "audits")


def made(store: RunStore, run_id: str = "run", hold: str = "", **chosen: Any) -> RunFolder:
    place = store.root.parent / f"{run_id}-marks"
    place.mkdir()
    brief = {"idea": "bake", "hold": hold, "marks": str(place)}
    return store.create(run_id, RunOptions(**chosen), brief)


def driven(
    workers: Workers,
    folder: RunFolder,
    watch: Callable[[Row], None] | None = None,
    stop: Stop | None = None,
) -> Outcome:
    work = workers(folder, stop=stop or Stop(), watch=watch)
    return asyncio.run(asyncio.wait_for(work, PATIENCE_S))


def worked(folder: RunFolder) -> list[tuple[str, int]]:
    """Return each task worked on, and by which process."""
    lines = (marks(folder) / "worked").read_text().splitlines()
    return [(task, int(pid)) for task, pid in map(str.split, lines)]


def kill_driver(folder: RunFolder) -> None:
    os.kill(worked(folder)[-1][1], signal.SIGKILL)


def once_held(folder: RunFolder, act: Callable[[], object]) -> Callable[[Row], None]:
    """Watch a run and *act* when its second task is at work."""

    def watch(row: Row) -> None:
        if row.event.kind == "task_finished" and not acted:
            until((marks(folder) / "held").exists)
            acted.append(act())

    acted: list[object] = []
    return watch


def until(true: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < limit, "waited in vain"
        threading.Event().wait(0.01)


def test_a_run_on_a_worker_equals_a_run_here(workers: Workers, store: RunStore) -> None:
    here, there, seen = made(store, "here"), made(store, "there"), list[Row]()
    asyncio.run(drive(here, parts_on(in_thread)(here), SystemClock()))
    outcome = driven(workers, there, seen.append)
    assert (outcome.status, outcome.run_dir) == ("finished", there.path)
    assert there.read_text("proposal.md") == here.read_text("proposal.md")
    assert read_answers(there, PLAN) == read_answers(here, PLAN)
    assert verify(there.path).ok
    assert seen == list(read_events(there.trace_path))
    assert os.getpid() not in {pid for _, pid in worked(there)}


def test_a_brief_worked_on_a_worker_gives_the_same_bytes(
    workers: Workers, finish: Callable[..., Finished], tmp_path: Path
) -> None:
    here = finish(SAMPLES[0], run_id="r1", seed=7).folder
    brief = here.read_json("brief.json")
    there = RunStore(tmp_path).create("r1", here.options(), brief)
    assert driven(replace(workers, parts_on=workbench.parts_on), there).status == "finished"
    assert body(there) == body(here)
    kept = {path.name for path in (here.path / "artifacts").iterdir()}
    assert {path.name for path in (there.path / "artifacts").iterdir()} == kept
    assert verify(there.path).ok


def test_calculations_find_a_worker_however_many_runs_there_are(
    workers: Workers, store: RunStore
) -> None:
    many = replace(workers, parts_on=calculating)
    folders = [made(store, f"run{n}") for n in range(len(workers.client.nthreads()) + 1)]

    async def all_at_once() -> list[Outcome]:
        runs = asyncio.gather(*(many(folder, stop=Stop()) for folder in folders))
        return await asyncio.wait_for(runs, PATIENCE_S)

    assert {outcome.status for outcome in asyncio.run(all_at_once())} == {"finished"}
    for folder in folders:
        answer = read_answer(folder, "T1")
        assert answer
        assert answer.content == "T1 attempt 1 on [49]"


def body(folder: RunFolder) -> str:
    """Return the proposal without its footer, which says when it was made."""
    return folder.read_text("proposal.md").partition(FOOTER)[0]


class Number(BaseModel):
    n: int


def square(number: Number) -> int:
    return number.n**2


def calculating(compute: Compute) -> RunPartsFor:
    """Make parts whose only task needs a heavy tool."""
    task = fake_task("T1", tools=(ToolRequest(name="square", args={"n": 7}),))
    tool = Tool("square", "Squares.", Number, square, heavy=True)
    return lambda folder: FakeParts((task,), folder.options(), tools=(tool,), compute=compute)


def test_the_run_service_hands_its_runs_to_workers(workers: Workers, store: RunStore) -> None:
    marked = made(store, "brief")
    service = RunService(store, parts_on(in_thread), SystemClock(), workers)
    try:
        run_id = service.start(RunOptions(), marked.read_json("brief.json"))
        assert service.wait(run_id, PATIENCE_S).status == "finished"
        look = service.snapshot(run_id)
    finally:
        service.close()
    assert (look.status, list(look.view.answers)) == ("finished", ["T1", "T2", "T3"])
    assert look.events == tuple(read_events(store.find(run_id).trace_path))
    assert os.getpid() not in {pid for _, pid in worked(marked)}


def test_a_killed_worker_loses_nothing_and_another_goes_on(
    workers: Workers, store: RunStore
) -> None:
    folder = made(store, hold="T2")
    first: dict[str, bytes] = {}

    def kill() -> None:
        first.update({p.name: p.read_bytes() for p in (folder.path / "answers").iterdir()})
        kill_driver(folder)

    seen: list[Row] = []
    act = once_held(folder, kill)
    outcome = driven(workers, folder, lambda row: (seen.append(row), act(row)))
    assert outcome.status == "finished"
    assert list(first) == ["T1.json"]
    assert (folder.path / "answers/T1.json").read_bytes() == first["T1.json"]
    tasks, pids = zip(*worked(folder), strict=True)
    assert tasks == ("T1", "T2", "T2", "T3")
    assert pids[1] != pids[2]
    assert verify(folder.path).ok
    assert seen == list(read_events(folder.trace_path))


def test_a_run_that_kills_its_workers_is_given_up_and_can_be_resumed(
    workers: Workers, store: RunStore
) -> None:
    folder, scheduler = made(store, hold="T2"), workers.client.cluster.scheduler
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduler, "allowed_failures", 0)
        outcome = driven(workers, folder, once_held(folder, lambda: kill_driver(folder)))
    assert (outcome.status, outcome.exit_code) == ("paused", 4)
    assert outcome.reason == "1 worker died while driving the run"
    assert driven(workers, folder).status == "finished"
    assert verify(folder.path).ok


def test_a_stop_here_pauses_the_run_there(workers: Workers, store: RunStore) -> None:
    folder, stop = made(store, hold="T2"), Stop()
    watch = once_held(folder, lambda: stop.request("stopped by SIGTERM"))
    outcome = driven(workers, folder, watch, stop)
    assert (outcome.status, outcome.reason) == ("paused", "stopped by SIGTERM")
    assert list(read_events(folder.trace_path))[-1].event.kind == "run_paused"
    assert not folder.is_driven()
    assert driven(workers, folder).status == "finished"
    assert [task for task, _ in worked(folder)] == ["T1", "T2", "T2", "T3"]
    assert verify(folder.path).ok


def test_a_second_submission_is_told_who_drives_the_run(workers: Workers, store: RunStore) -> None:
    folder = made(store, hold="T2")

    async def twice() -> Outcome:
        first = asyncio.create_task(workers(folder, stop=Stop()))
        while not (marks(folder) / "held").exists():
            await asyncio.sleep(0.01)
        with pytest.raises(CallerError, match=f'"pid":{worked(folder)[0][1]}'):
            await workers(folder, stop=Stop())
        (marks(folder) / "go").touch()
        return await asyncio.wait_for(first, PATIENCE_S)

    assert asyncio.run(twice()).status == "finished"


def test_a_lost_scheduler_leaves_the_run_to_its_worker(workers: Workers, store: RunStore) -> None:
    folder, client = made(store, hold="T2"), workers.client
    lose = once_held(folder, lambda: client.cancel([Future(k, client) for k in client.futures]))
    outcome = driven(workers, folder, lose)
    assert outcome.status == "paused"
    assert "is gone; a worker may still drive the run" in outcome.reason
    (marks(folder) / "go").touch()
    until(lambda: not folder.is_driven())
    assert driven(workers, folder).status == "finished"
    assert [task for task, _ in worked(folder)] == ["T1", "T2", "T3"]


def test_a_worker_waits_while_one_given_up_for_dead_still_drives(store: RunStore) -> None:
    folder, looked = made(store), list[bool]()
    with ExitStack() as held:
        held.enter_context(folder.lease(FakeClock()))

        class Later(FakeClock):
            async def sleep(self, seconds: float) -> None:
                looked.append(folder.is_driven())
                if len(looked) == 3:
                    held.close()

        asyncio.run(freed(folder, Later()))
    assert looked == [True, True, True]


def test_what_the_worker_is_told_wrong_comes_back_as_a_sentence(
    workers: Workers, store: RunStore
) -> None:
    folder = made(store, mode="unheard-of")
    with pytest.raises(CallerError, match="unknown mode 'unheard-of'"):
        driven(workers, folder)


def test_every_worker_reads_checkpoints_as_plain_data(workers: Workers) -> None:
    assert set(workers.client.run(is_strict).values()) == {True}


def is_strict() -> bool:
    return import_module("langgraph.checkpoint.serde._msgpack").STRICT_MSGPACK_ENABLED


# On machines that share no disk, with the records in a database.


@pytest.fixture
def server() -> Iterator[postgres.Server]:
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running() as server:
        yield server


def test_workers_without_a_common_disk_go_on_from_the_records(
    server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, url, seen = SystemClock(), server.database(), list[Row]()
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("DRRD_DATABASE_URL", url)
    services = read_services({"DRRD_DATABASE_URL": url})
    with (
        open_records(services, clock) as records,
        open_workers("local", parts_on, clock) as recorded,
    ):
        folder = made(RunStore(tmp_path / "audits", records=records), hold="T2")
        act = once_held(folder, lambda: kill_driver(folder))
        outcome = driven(recorded, folder, lambda row: (seen.append(row), act(row)))
    assert (outcome.status, outcome.run_dir) == ("finished", folder.path)
    tasks, pids = zip(*worked(folder), strict=True)
    assert tasks == ("T1", "T2", "T2", "T3")
    assert pids[1] != pids[2]
    assert verify(folder.path).ok
    assert seen == list(read_events(folder.trace_path))


def test_a_worker_that_cannot_find_the_run_says_what_it_needs(
    workers: Workers, store: RunStore, tmp_path: Path
) -> None:
    hidden = Job(tmp_path / "elsewhere", False, "name", versions())
    with pytest.raises(CallerError, match="give it the same disk, or both sides the same DRRD_"):
        workers.client.submit(there, hidden, parts_on).result()
    recorded = Job(tmp_path / "elsewhere", True, "name", versions())
    with pytest.raises(CallerError, match="start it with the same DRRD_DATABASE_URL"):
        workers.client.submit(there, recorded, parts_on).result()


# Before a run is submitted.


def opened(address: str) -> None:
    with open_workers(address, parts_on, SystemClock(), patience_s=0.3):
        raise AssertionError("these workers cannot be used")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "carrier://pigeon:1"])
def test_an_address_where_nobody_answers_is_one_sentence(address: str) -> None:
    with pytest.raises(CallerError, match=r"no Dask scheduler answers at .*--workers local"):
        opened(address)


def test_a_scheduler_without_workers_is_one_sentence() -> None:
    told = pytest.raises(CallerError, match="has no workers; start one with `dask worker tcp:")
    alone = LocalCluster(
        n_workers=0,
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
    )
    with alone, told:
        opened(alone.scheduler_address)


def test_a_worker_with_another_version_is_refused(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core.workers, "MUST_MATCH", ("pytest",))
    told = pytest.raises(CallerError, match=r"worker tls:.* has pytest none, but .* with 9")
    ours = workers.client.security
    tls = "distributed.comm.tls"
    settings = {
        f"{tls}.ca-file": ours.tls_ca_file,
        f"{tls}.client.cert": ours.tls_client_cert,
        f"{tls}.client.key": ours.tls_client_key,
    }
    with dask.config.set(settings), told:
        opened(workers.client.scheduler.address)


def test_nobody_else_is_let_into_a_cluster_of_this_machine(workers: Workers) -> None:
    address = workers.client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    with pytest.raises(CallerError, match="asks for a certificate"):
        opened(address)
    with pytest.raises(CallerError, match="no Dask scheduler answers"):
        opened(address.replace("tls", "tcp"))
    ours = psutil.Process()
    family = [ours, *ours.children(recursive=True)]
    heard = {c.laddr.ip for p in family for c in p.net_connections() if c.status == "LISTEN"}
    assert heard == {"127.0.0.1"}


# The command line.


def test_an_unreachable_address_leaves_no_run_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audits = tmp_path / "audits"
    given = ["run", "Bake bread.", "--audits", str(audits), "--workers", "nowhere"]
    assert main(given) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "no Dask scheduler answers at 'nowhere'" in told.err
    assert not audits.exists()


def test_the_engine_is_imported_only_for_workers_and_its_absence_is_one_sentence() -> None:
    program = """if True:
        import sys
        from importlib import import_module

        class Hidden:
            def find_spec(self, name, path=None, target=None):
                if name == "distributed":
                    raise ModuleNotFoundError(name=name)

        sys.meta_path.insert(0, Hidden())
        import_module("dr_rd.commands.run")
        from dr_rd.cli import main
        sys.exit(main(["run", "Bake bread.", "--workers", "local"]))
    """
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr == (
        "dr-rd: --workers needs the package distributed; install it with: "
        "pip install -e '.[workers]'\n"
    )

"""The record in PostgreSQL, against a real server that is stopped, started and lied to."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import SystemClock
from core.driving import Outcome, Stop, drive
from core.errors import CallerError, Stopped
from core.files import write_whole
from core.graph.nodes import Work
from core.graph.state import Answer
from core.postgres import Patience, PostgresRecords, open_records
from core.records import Recorded
from core.records import open_records as records_of
from core.settings import Flags, RunOptions, environment, prepare_process, read_services
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, approve, echo_agent, fake_task
from core.trace import verify
from tests.conftest import SAMPLES
from tests.postgres import PASSWORD, Server
from tests.warm import python

SHORT = Patience(total_s=1, first_s=0.2)


@dataclass
class Healer(FakeClock):
    """Time that starts the server again at the first wait."""

    server: Server | None = None
    healed: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        if self.server:
            self.server.start()
            self.server = None


@pytest.fixture
def records(url: str) -> Iterator[PostgresRecords]:
    with open_records(url, FakeClock(), SHORT) as records:
        yield records


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return made(tmp_path / "a")


def made(root: Path) -> RunFolder:
    return RunStore(root).create("run", RunOptions(project_id="p"), {"idea": "bake"})


def line(seq: int, word: str = "x") -> tuple[int, bytes]:
    return seq, json.dumps({"seq": seq, "word": word}).encode() + b"\n"


def append(folder: RunFolder, *lines: tuple[int, bytes]) -> None:
    with folder.trace_path.open("ab") as file:
        file.writelines(text for _, text in lines)


def content(folder: RunFolder | Path) -> dict[str, bytes]:
    path = folder.path if isinstance(folder, RunFolder) else folder
    files = (p for p in path.rglob("*") if p.is_file())
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in files}


@contextmanager
def stopped(server: Server) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


# What another machine finds.


def test_another_machine_gets_every_file_and_line(records, folder, tmp_path) -> None:
    odd = {"notes/naïve.md": "ü".encode(), "artifacts/00": bytes(range(256)), "empty": b""}
    with records.lease(folder, "ann") as held:
        held.send()
        for name, data in odd.items():
            write_whole(folder.path / name, data)
        append(folder, line(0), line(1))
        held.save(odd, [line(0), line(1)])
    there = records.fetch("run", tmp_path / "b")
    assert there == tmp_path / "b/p/run"
    assert content(there) == content(folder)
    assert records.fetch("run", tmp_path / "b") == there
    assert records.list() == (Recorded(run_id="run", project_id="p", events=2, driver=""),)


def test_sending_sends_what_is_missing_and_only_that(records, folder, url) -> None:
    with records.lease(folder, "ann") as held:
        held.send()
        with psycopg.connect(url) as connection:
            before = connection.execute("SELECT name, at FROM drrd_files ORDER BY 1").fetchall()
        write_whole(folder.path / "plan.json", b"{}")
        append(folder, line(0))
        held.send()
        held.send()
        with psycopg.connect(url) as connection:
            after = connection.execute("SELECT name, at FROM drrd_files ORDER BY 1").fetchall()
    assert [row for row in after if row[0] != "plan.json"] == before
    assert len(after) == len(before) + 1


def test_the_lease_and_the_checkpoints_stay_here(records, folder, url) -> None:
    folder.checkpoint_path.write_bytes(b"sqlite")
    with folder.lease(SystemClock()), records.lease(folder, "ann") as held:
        held.send()
    with psycopg.connect(url) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM drrd_files")}
    assert names == {"brief.json", "settings.json"}


def test_a_folder_that_knows_more_keeps_it_and_sends_it(records, folder, tmp_path) -> None:
    with records.lease(folder, "ann") as held:
        held.send()
        held.save({}, [line(0)])
        append(folder, line(0), line(1))
        folder.write_text("plan.json", "newer")
        folder.write_text("answers/T1.json", "{}")
        before = content(folder)
        held.receive()
        assert content(folder) == before
        held.send()
    assert content(records.fetch("run", tmp_path / "b")) == before


def test_a_folder_that_knows_less_is_brought_up(records, folder, tmp_path) -> None:
    other = RunFolder(_sent(records, folder, tmp_path))
    with records.lease(other, "bob") as held:
        append(other, line(1))
        other.write_text("plan.json", "theirs")
        held.send()
    folder.write_text("plan.json", "old")
    with folder.trace_path.open("ab") as file:
        file.write(b'{"torn')
    with records.lease(folder, "ann") as held:
        held.receive()
    assert content(folder) == content(other)


def _sent(records: PostgresRecords, folder: RunFolder, tmp_path: Path) -> Path:
    append(folder, line(0))
    with records.lease(folder, "ann") as held:
        held.send()
    return records.fetch("run", tmp_path / "b")


def test_two_histories_are_not_mixed(records, folder, tmp_path) -> None:
    other = RunFolder(_sent(records, folder, tmp_path))
    with records.lease(other, "bob") as held:
        append(other, line(1, "theirs"))
        held.send()
    append(folder, line(1, "mine"), line(2))
    before = content(folder)
    with records.lease(folder, "ann") as held:
        with pytest.raises(CallerError, match=r"went another way .* by event 1; move that folder"):
            held.receive()
        with pytest.raises(CallerError, match="differ by event 1"):
            held.save({}, [line(1, "mine")])
    assert content(folder) == before


def test_what_is_written_once_is_not_replaced(records, folder) -> None:
    folder.write_text("answers/T1.json", "{}")
    with records.lease(folder, "ann") as held:
        held.send()
        folder.write_text("answers/T1.json", "{ }")
        with pytest.raises(CallerError, match=r"answers/T1\.json is not the one in the database"):
            held.receive()


def test_a_name_that_leads_out_of_the_folder_is_refused(records, folder, tmp_path) -> None:
    with records.lease(folder, "ann") as held:
        held.save({"../../../../evil": b"x"}, ())
    with pytest.raises(CallerError, match="outside of run 'run'"):
        records.fetch("run", tmp_path / "b/c/d")
    assert not list(tmp_path.rglob("evil"))


def test_the_first_decision_stands(records, folder) -> None:
    assert records.claim(folder, "decision.json", b"ann's") == b"ann's"
    assert records.claim(folder, "decision.json", b"bob's") == b"ann's"
    folder.write_text("decision.json", "bob's")
    with records.lease(folder, "ann") as held:
        held.receive()
    assert folder.read_text("decision.json") == "ann's"


def test_an_unknown_run_is_refused(records, tmp_path) -> None:
    with pytest.raises(CallerError, match="no run 'other' in the database at 127"):
        records.fetch("other", tmp_path)


@settings(max_examples=12)
@given(cuts=st.lists(st.integers(0, 9), min_size=2, max_size=6))
def test_saving_again_changes_nothing(server: Server, cuts: list[int]) -> None:
    """A commit whose reply was lost is sent again, with or without what came after it."""
    with open_records(server.url(), FakeClock(), SHORT) as records:
        folder = _Named(Path("/nowhere"), f"run-{abs(hash(tuple(cuts)))}", "p")
        with records.lease(folder, "ann") as held:
            for cut in cuts:
                held.save({"n": b"same"}, [line(n) for n in range(cut)])
        found = {run.run_id: run.events for run in records.list()}
    assert found[folder.run_id] == max(cuts)


@dataclass(frozen=True)
class _Named:
    path: Path
    run_id: str
    project_id: str


# One driver.


def test_a_second_driver_is_told_who_drives(records, folder, url) -> None:
    with records.lease(folder, "process 7 on a"), open_records(url, FakeClock()) as others:
        assert others.list()[0].driver == "process 7 on a"
        with (
            pytest.raises(CallerError, match=r"driven by another process \(process 7 on a\)"),
            others.lease(folder, "process 8 on b"),
        ):
            pass
    with records.lease(folder, "process 8 on b"):
        assert records.list()[0].driver == "process 8 on b"


def test_a_run_is_free_at_once_when_its_driver_dies(records, folder, url) -> None:
    program = """if True:
        import sys
        from pathlib import Path
        from core.clock import SystemClock
        from core.postgres import open_records
        from core.store import RunFolder
        with open_records(sys.argv[1], SystemClock()) as records:
            with records.lease(RunFolder(Path(sys.argv[2])), "process 7 on a"):
                print("held", flush=True)
                sys.stdin.read()
    """
    command = [sys.executable, "-c", program, url, str(folder.path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as driver:
        assert driver.stdout.readline() == b"held\n"
        with pytest.raises(CallerError, match="process 7 on a"), records.lease(folder, "b"):
            pass
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    with records.lease(folder, "b"):
        pass


def test_a_run_of_another_project_is_refused(records, folder, tmp_path) -> None:
    with records.lease(folder, "ann"):
        pass
    other = RunStore(tmp_path / "b").create("run", RunOptions(project_id="q"), {})
    with (
        pytest.raises(CallerError, match=r"belongs to project 'p' .* not to 'q'"),
        records.lease(other, "ann"),
    ):
        pass


# The server goes away.


def test_a_commit_waits_for_the_server(server, url, folder) -> None:
    clock = Healer()
    with open_records(url, clock) as records, records.lease(folder, "ann") as held:
        held.save({}, [line(0)])
        server.stop()
        clock.server = server
        held.save({"a": b"1"}, [line(1)])
        assert clock.slept
        assert records.list()[0].events == 2
        assert records.list()[0].driver == "ann"


def test_a_server_that_stays_away_pauses_the_run(server, url, folder) -> None:
    clock = FakeClock()
    with open_records(url, clock) as records, records.lease(folder, "ann") as held:
        with stopped(server), pytest.raises(Stopped) as pause:
            held.save({}, [line(0)])
        said = str(pause.value)
        assert f"the database at 127.0.0.1:{server.port}/postgres" in said
        assert "the run is paused, resume it when the database is back" in said
        assert PASSWORD not in said
        assert 30 <= sum(clock.slept) < 33
        with stopped(server), pytest.raises(Stopped):
            held.save({}, [line(0)])
        assert sum(clock.slept) < 33  # whoever was told so does not wait once more
        held.save({}, [line(0)])


def test_whoever_was_away_does_not_write_into_another_s_run(server, url, folder) -> None:
    """The lock dies with the server; a second driver may have come and gone since."""
    with open_records(url, FakeClock()) as records, records.lease(folder, "ann") as held:
        held.save({}, [line(0)])
        with stopped(server):
            pass
        with records.lease(folder, "bob") as second:
            second.save({}, [line(1)])
            with pytest.raises(Stopped, match=r"driven by another process \(bob\)"):
                held.save({}, [line(1, "late")])
        with pytest.raises(Stopped, match="another process drove run 'run' while"):
            held.save({}, [line(1, "late")])


def test_a_commit_is_all_or_nothing(records, folder) -> None:
    with records.lease(folder, "ann") as held:
        held.save({}, [line(0)])
        with pytest.raises(CallerError):
            held.save({"a": b"1"}, [line(1), line(0, "other")])
        held.receive()
    assert records.list()[0].events == 1
    assert not folder.has("a")


# What cannot be used.


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda u: u.replace(PASSWORD, "wrong-9"), "password authentication failed"),
        (lambda u: u.replace("/postgres?", "/nothing?"), '"nothing" does not exist'),
        (lambda u: u.replace("127.0.0.1:", "127.0.0.1:1"), "invalid port number"),
        (lambda u: u.replace("postgresql:", "mysql:"), "DRRD_DATABASE_URL is no PostgreSQL"),
        (lambda u: u + "&nonsense=1", "DRRD_DATABASE_URL is no PostgreSQL"),
    ],
)
def test_a_wrong_address_is_one_sentence_without_the_password(url, change, said) -> None:
    wrong = change(url)
    with pytest.raises(CallerError, match=said) as mistake, open_records(wrong, FakeClock()):
        pass
    sentence = str(mistake.value)
    assert "\n" not in sentence
    assert PASSWORD not in sentence
    assert "wrong-9" not in sentence


def test_a_server_that_is_not_there_is_one_sentence(server, url) -> None:
    with (
        stopped(server),
        pytest.raises(CallerError, match=r"cannot be used .*start the database"),
        open_records(url, FakeClock()),
    ):
        pass


def test_tables_of_a_newer_version_are_refused(records, url) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO drrd_schema VALUES (99)")
    with pytest.raises(CallerError, match="install a newer dr-rd"), open_records(url, FakeClock()):
        pass


def test_nothing_shows_the_password(records, url, folder, server, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    services = read_services({"DRRD_DATABASE_URL": url})
    with records.lease(folder, "ann") as held:
        texts = [repr(services), str(services), repr(held), repr(records), records.place]
        texts += [repr(records._database), services.model_dump_json()]
    assert PASSWORD in services.database_url.get_secret_value()
    assert all(PASSWORD not in text for text in (*texts, caplog.text))


def test_no_address_means_no_records() -> None:
    with records_of(read_services({}), FakeClock()) as records:
        assert records is None


def test_the_packages_are_named_where_they_are_missing() -> None:
    program = """if True:
        import sys
        sys.modules["psycopg"] = None
        from core.clock import SystemClock
        from core.errors import CallerError
        from core.records import open_records
        from core.settings import read_services
        assert "core.postgres" not in sys.modules
        try:
            open_records(read_services({"DRRD_DATABASE_URL": "postgresql://a/b"}), SystemClock())
        except CallerError as mistake:
            print(mistake)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == (
        "DRRD_DATABASE_URL is set but the package 'psycopg' is not installed; "
        "install it with pip install -e '.[postgres]' or unset it"
    )


# A whole run on the record.

TASKS = tuple(fake_task(f"T{n}", *([f"T{n - 8}"] if n >= 8 else [])) for n in range(24))
WAYS = {
    "classic": RunOptions(mode="classic", project_id="p"),
    "sequential graph": RunOptions(project_id="p", flags=Flags(PARALLEL_EXEC_ENABLED=False)),
    "parallel graph": RunOptions(project_id="p", flags=Flags(MAX_CONCURRENCY=4)),
}
every_way = pytest.mark.parametrize("way", WAYS)


def started(root: Path, way: str, records: PostgresRecords) -> RunFolder:
    store = RunStore(root, records=records)
    return store.create("run", WAYS[way], {"idea": "bake"})


def driven(folder: RunFolder, bench: FakeParts, stop: Stop | None = None) -> Outcome:
    return asyncio.run(drive(folder, bench, FakeClock(), stop=stop))


def plain_proposal(root: Path, way: str) -> str:
    folder = RunStore(root).create("run", WAYS[way], {"idea": "bake"})
    assert driven(folder, FakeParts(TASKS, WAYS[way])).status == "finished"
    return folder.read_text("proposal.md")


@pytest.mark.sampled(3)
@every_way
def test_a_run_ends_with_all_it_has_on_the_record(records, tmp_path, way) -> None:
    folder = started(tmp_path / "a", way, records)
    assert driven(folder, FakeParts(TASKS, WAYS[way])).status == "finished"
    there = records.fetch("run", tmp_path / "b")
    assert verify(there).ok
    mine = {n: d for n, d in content(folder).items() if n != "lease"}
    assert content(there) == mine  # no checkpoint.sqlite on either side


@pytest.mark.sampled(3, 1)
@every_way
def test_a_restart_of_the_server_in_the_middle_loses_and_repeats_nothing(
    server, url, tmp_path, way
) -> None:
    clock = Healer()
    started_while_away: list[str] = []

    async def agent(work: Work) -> Answer:
        if clock.server:
            started_while_away.append(work.task.id)
        answer = await echo_agent(work)
        if work.task.id == "T9" and not clock.slept:
            server.stop()
            clock.server = server
        return answer

    bench = FakeParts(TASKS, WAYS[way], agent=agent)
    with open_records(url, clock) as records:
        folder = started(tmp_path / "a", way, records)
        outcome = driven(folder, bench)
        if not outcome.ended:  # the checkpoint's own session was cut in the middle of a step
            outcome = driven(folder, bench)
    assert outcome.status == "finished"
    assert clock.slept
    assert sorted(bench.worked) == sorted((t.id, 1) for t in TASKS)
    # those that ran beside T9 had their slots before
    assert len(started_while_away) < WAYS[way].flags.MAX_CONCURRENCY
    assert verify(folder.path).ok
    assert folder.read_text("proposal.md") == plain_proposal(tmp_path / "plain", way)


@pytest.mark.sampled(3, 2)
@every_way
def test_a_server_that_stays_away_pauses_a_run_that_goes_on_later(
    server, url, tmp_path, way
) -> None:
    away = []

    async def agent(work: Work) -> Answer:
        if work.task.id == "T9" and not away:
            away.append(len(bench.worked))
            server.stop()
        return await echo_agent(work)

    bench = FakeParts(TASKS, WAYS[way], agent=agent)
    with open_records(url, FakeClock(), SHORT) as records:
        folder = started(tmp_path / "a", way, records)
        try:
            outcome = driven(folder, bench)
        finally:
            server.start()
        assert (outcome.status, outcome.exit_code) == ("paused", 4)
        assert "does not answer" in outcome.reason
        assert len(bench.worked) < away[0] + WAYS[way].flags.MAX_CONCURRENCY
        assert driven(folder, bench).status == "finished"
    assert {task for task, _ in bench.worked} == {t.id for t in TASKS}
    assert verify(records.fetch("run", tmp_path / "b")).ok


def test_a_driver_elsewhere_is_refused_and_told_who_drives(records, tmp_path) -> None:
    folder = started(tmp_path / "a", "parallel graph", records)

    async def agent(work: Work) -> Answer:
        if work.task.id == "T0":
            there = RunStore(tmp_path / "b", records=records).find("run")
            with pytest.raises(CallerError, match=r"driven by another process \(process \d+ on"):
                await drive(there, FakeParts(TASKS), FakeClock())
        return await echo_agent(work)

    assert driven(folder, FakeParts(TASKS, agent=agent)).status == "finished"


@pytest.mark.sampled(3, 2)
@every_way
def test_a_run_killed_on_one_machine_goes_on_on_another(url, records, tmp_path, way) -> None:
    started(tmp_path / "a", way, records)
    killed = python("-m", "tests.core.test_postgres", url, tmp_path / "a/p/run", way)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    safe = {n.removesuffix(".json") for n in _answers(records.fetch("run", tmp_path / "look"))}
    assert len(safe) >= 5
    bench = FakeParts(TASKS, WAYS[way])
    there = RunStore(tmp_path / "b", records=records).find("run")
    assert driven(there, bench).status == "finished"
    assert not safe & {task for task, _ in bench.worked}
    assert there.read_text("proposal.md") == plain_proposal(tmp_path / "plain", way)
    assert verify(there.path).ok


def _answers(path: Path) -> list[str]:
    return [p.name for p in (path / "answers").iterdir()]


def test_an_answer_given_elsewhere_stands(records, tmp_path) -> None:
    options = RunOptions(project_id="p", flags=Flags(APPROVAL_REQUIRED=True))
    here = RunStore(tmp_path / "a", records=records).create("run", options, {"idea": "bake"})
    assert driven(here, FakeParts(TASKS, options)).status == "waiting"
    there = RunStore(tmp_path / "b", records=records).find("run")
    approve(there, by="bob", at="noon")
    with pytest.raises(CallerError, match="already answered by 'bob' at noon"):
        approve(here, by="ann", at="later")
    assert driven(there, FakeParts(TASKS, options)).status == "finished"
    assert there.decision("approve-plan").by == here.decision("approve-plan").by == "bob"


def test_the_command_line_goes_on_where_another_machine_stopped(url, records, tmp_path) -> None:
    """Run on one audits folder, resumed in another, which has nothing but the database."""
    brief, world = str(SAMPLES[0]), environment() | {"DRRD_DATABASE_URL": url}
    asks = ("--audits", tmp_path / "a", "--set", "APPROVAL_REQUIRED=true")
    first = python("-m", "dr_rd", "run", brief, *asks, env=world)
    assert first.returncode == 4, first.stderr
    (run,) = records.list()
    there = tmp_path / "b" / run.project_id / run.run_id
    second = python("-m", "dr_rd", "resume", there, "--approve", env=world)
    assert second.returncode in (0, 3), second.stderr
    assert verify(there).ok
    assert PASSWORD not in "".join(p.read_text() for p in there.rglob("*.json*"))


def test_new_caps_are_set_on_what_the_record_knows(records, tmp_path) -> None:
    options = RunOptions(project_id="p", flags=Flags(APPROVAL_REQUIRED=True))
    here = RunStore(tmp_path / "a", records=records).create("run", options, {"idea": "bake"})
    assert driven(here, FakeParts(TASKS, options)).status == "waiting"
    elsewhere = RunStore(tmp_path / "b", records=records)
    assert driven(elsewhere.find("run"), FakeParts(TASKS, options)).status == "waiting"
    latest = RunStore(tmp_path / "a", records=records).latest(here.path)
    latest.change_flags(latest.options().flags.model_copy(update={"MAX_CALLS": 7}))
    driven(latest, FakeParts(TASKS, latest.options()))
    assert elsewhere.latest(elsewhere.root / "p/run").options().flags.MAX_CALLS == 7


def _killed_in_the_middle(url: str, path: Path, way: str) -> None:
    """Drive a run in this process until its tenth task, and die there."""
    prepare_process()

    async def agent(work: Work) -> Answer:
        if work.task.id == "T9":
            os.kill(os.getpid(), signal.SIGKILL)
        return await echo_agent(work)

    with open_records(url, SystemClock()) as records:
        folder = RunStore(path.parent.parent, records=records).open(path)
        driven(folder, FakeParts(TASKS, WAYS[way], agent=agent))


if __name__ == "__main__":
    _killed_in_the_middle(sys.argv[1], Path(sys.argv[2]), sys.argv[3])

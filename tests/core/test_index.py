"""The index of runs: what it spares, what it notices, and what becomes of it."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import CallerError
from core.events import ApprovalAsked, Booted, Event, RunEnded, RunFinished, RunPaused, RunStarted
from core.files import lasting
from core.index import INDEX, RunIndex, RunInfo
from core.lease import is_driven
from core.settings import RunOptions
from core.store import RunFolder, RunStore, Summarizer, read_run
from core.testing import FakeClock
from core.trace import Trace, verify

STARTED = RunStarted(project_id="p", brief_digest="", settings=RunOptions())
ENDED = (RunFinished(status="holes", proposal_digest=""), RunEnded(count=3))
SUMMARIZER = Summarizer(
    kinds=("booted",),
    title=lambda brief: brief["idea"],
    facts=lambda rows: {"boots": len(rows), "pids": [row.event.pid for row in rows]},
)


class Reader:
    """Reads runs and remembers which."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def __call__(self, run_dir: Path) -> RunInfo:
        self.ids.append(run_dir.name)
        return read_run(run_dir, SUMMARIZER)

    def taken(self) -> list[str]:
        """Return the runs read since the last question, sorted."""
        ids, self.ids = sorted(self.ids), []
        return ids


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "audits"


@pytest.fixture
def read() -> Reader:
    return Reader()


@pytest.fixture
def index(root: Path, read: Reader) -> RunIndex:
    """An index of three runs: one has ended, one is paused, one waits."""
    for run_id, last in (("a", ENDED), ("b", (RunPaused(reason=""),)), ("c", (asked(),))):
        record(make(root, run_id), STARTED, *last)
    return RunIndex(root, read)


def asked() -> Event:
    return ApprovalAsked(plan_digest="")


def make(root: Path, run_id: str, project: str = "p") -> RunFolder:
    options = RunOptions(project_id=project, mode="classic")
    return RunStore(root).create(run_id, options, {"idea": f"bake {run_id}"})


def record(folder: RunFolder, *events: Event) -> None:
    with Trace(folder.trace_path, folder.run_id, FakeClock()) as trace:
        for event in events:
            trace.record(event)


def folder(root: Path, run_id: str) -> RunFolder:
    return RunStore(root).find(run_id)


def statuses(index: RunIndex) -> dict[str, str]:
    return {info.run_id: str(info.status) for info in index.list()}


def test_a_run_is_listed_with_what_its_files_tell(root, index):
    record(folder(root, "b"), Booted(pid=7, python=""))
    c, b, a = index.list()
    time = "2026-01-01T00:00:00.000Z"
    assert a == RunInfo(
        run_id="a", project_id="p", run_dir=root / "p" / "a", mode="classic", status="holes",
        started=time, ended=time, title="bake a", facts={"boots": 0, "pids": []},
    )  # fmt: skip
    assert (b.status, b.ended, b.facts) == ("interrupted", "", {"boots": 1, "pids": [7]})
    assert (c.status, c.started) == ("waiting", time)
    assert index.list() == [c, b, a]


def test_a_run_is_read_once_until_its_files_change(root, index, read):
    index.list()
    assert read.taken() == ["a", "b", "c"]
    index.list()
    assert read.taken() == []
    record(folder(root, "b"), RunPaused(reason="again"))
    make(root, "d")
    assert list(statuses(index)) == ["d", "c", "b", "a"]
    assert read.taken() == ["b", "d"]


@pytest.mark.parametrize("name", ["trace.jsonl", "settings.json", "brief.json"])
def test_a_run_is_read_again_after_each_file_that_its_line_is_read_from(root, index, read, name):
    index.list(), read.taken()
    path = root / "p" / "a" / name
    changed = path.with_name("changed")
    changed.write_bytes(path.read_bytes().replace(b"bake", b"cook"))  # of the same size
    os.utime(changed, ns=(path.stat().st_mtime_ns,) * 2)
    changed.replace(path)
    index.list()
    assert read.taken() == ["a"]


def test_another_version_reads_every_run_again(root, index, read):
    index.list(), read.taken()
    later = RunIndex(root, read, "2")
    for reads in (["a", "b", "c"], []):
        later.list()
        assert read.taken() == reads


def test_a_run_is_running_as_long_as_somebody_drives_it(root, index, read):
    with folder(root, "b").lease(FakeClock()), folder(root, "a").lease(FakeClock()):
        for _ in range(2):
            assert statuses(index) == {"c": "waiting", "b": "running", "a": "holes"}
    assert read.taken() == ["a", "b", "c"]
    assert statuses(index) == {"c": "waiting", "b": "paused", "a": "holes"}
    assert read.taken() == []  # what its trace says was known while it was driven


def test_a_run_that_ends_while_it_is_looked_at_is_seen_to_have_ended(root, read):
    run = make(root, "a")
    record(run, STARTED)
    index = RunIndex(root, read)

    class Driven(RunIndex):
        def _entry(self, *given):
            record(run, *ENDED)  # the lease was looked at before, and was held
            lease.__exit__(None, None, None)
            return super()._entry(*given)

    lease = run.lease(FakeClock())
    lease.__enter__()
    assert statuses(index) == {"a": "running"}
    assert statuses(Driven(root, read)) == {"a": "holes"}


def test_a_run_that_is_gone_is_forgotten(root, index):
    index.list()
    shutil.rmtree(root / "p" / "b")
    assert list(statuses(index)) == ["c", "a"]
    with sqlite3.connect(root / INDEX) as rows:
        assert {run_id for (run_id,) in rows.execute("SELECT run_id FROM runs")} == {"a", "c"}


def test_the_same_id_in_two_projects_is_two_runs(root, index, read):
    make(root, "a", "q")
    assert {i.project_id: i.status for i in index.list() if i.run_id == "a"} == {
        "p": "holes",
        "q": "interrupted",
    }
    read.taken()
    index.list()
    assert read.taken() == []


def test_a_broken_run_is_listed_with_its_problem_until_it_is_mended(root, index):
    path = root / "p" / "a" / "settings.json"
    whole = path.read_bytes()
    index.list()
    path.write_text("{")
    (root / "p" / "Not An Id").mkdir()
    for _ in range(2):
        infos = {i.run_id: i for i in index.list()}
        assert "settings.json cannot be read" in infos["a"].problem
        assert (infos["a"].status, infos["a"].facts) == (None, {})
        assert "cannot be used" in infos["Not An Id"].problem
    path.write_bytes(whole)
    assert statuses(index)["a"] == "holes"


def test_a_link_to_itself_hides_no_run(root, index):
    for place in (root / "0", root / "z", root / "p" / "0", root / "p" / "z"):
        place.symlink_to(place.name)
    assert [run.run_id for run in index.list()] == ["c", "b", "a"]


def test_a_lease_that_cannot_be_looked_at_is_the_runs_problem(root, index):
    (root / "p" / "b" / "lease").symlink_to("/etc/hostname")
    infos = {i.run_id: i for i in index.list()}
    assert "lease" in infos["b"].problem
    assert infos["c"].status == "waiting"


@pytest.mark.parametrize("brief", ["{", "[]", '{"idea": "\\ud800"}'])
def test_a_brief_that_cannot_be_read_costs_the_title_alone(root, index, read, brief):
    (root / "p" / "a" / "brief.json").write_text(brief)
    quiet = Summarizer(title=lambda brief: brief["idea"] if isinstance(brief, dict) else "")
    listing = RunIndex(root, lambda path: read_run(path, quiet))
    first, again = listing.list()[-1], listing.list()[-1]
    assert first == again
    assert (first.status, first.title) == ("holes", "?" if "ud800" in brief else "")


def damage_all(path: Path) -> None:
    path.write_bytes(b"no database at all " * 99)


def damage_some(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)


def lose(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def change_schema(path: Path) -> None:
    with sqlite3.connect(path) as rows:
        rows.executescript("DROP TABLE runs; CREATE TABLE runs (id); PRAGMA user_version = 99")


def change_facts(path: Path) -> None:
    with sqlite3.connect(path) as rows:
        rows.execute("UPDATE runs SET facts = '{'")


def change_text(path: Path) -> None:
    with sqlite3.connect(path) as rows:
        rows.execute("UPDATE runs SET title = CAST(x'ff' AS TEXT)")


@pytest.mark.parametrize(
    "harm",
    [damage_all, damage_some, lose, empty, change_schema, change_facts, change_text],
)
def test_a_lost_or_damaged_index_is_rebuilt(root, index, read, harm: Callable[[Path], None]):
    infos = index.list()
    read.taken()
    harm(root / INDEX)
    assert index.list() == infos
    assert read.taken() == ["a", "b", "c"]
    assert index.list() == infos
    assert read.taken() == []


def test_a_folder_that_keeps_no_index_is_listed_by_reading(root, index, read):
    (root / INDEX).mkdir()  # nobody can open it: root, too, which may write anywhere
    for _ in range(2):
        assert statuses(index) == {"c": "waiting", "b": "paused", "a": "holes"}
        assert read.taken() == ["a", "b", "c"]
    assert (root / INDEX).is_dir()


def test_an_index_in_use_is_not_waited_for_forever(root, index, read, monkeypatch):
    monkeypatch.setattr("core.index._WAIT_S", 0.01)
    infos = index.list()
    record(folder(root, "b"), RunPaused(reason="again"))
    other = sqlite3.connect(root / INDEX, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    read.taken()
    for _ in range(2):
        assert index.list() == infos
        assert read.taken() == ["b"]
    other.close()
    index.list(), index.list()
    assert read.taken() == ["b"]


def test_a_link_in_place_of_the_index_is_not_followed(root, index, tmp_path):
    theirs = tmp_path / "theirs.sqlite"
    with sqlite3.connect(theirs) as rows:
        rows.execute("CREATE TABLE runs (theirs)")
    before = theirs.read_bytes()
    (root / INDEX).symlink_to(theirs)
    assert len(index.list()) == len(index.list()) == 3
    assert theirs.read_bytes() == before


def test_what_is_no_audits_folder_is_left_as_it_is(tmp_path, read):
    (tmp_path / "src" / "Module One").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    assert [i.status for i in RunIndex(tmp_path, read).list()] == [None]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "src"]
    assert RunIndex(tmp_path / "file", read).list() == []
    assert RunIndex(tmp_path / "nowhere", read).list() == []
    assert not (tmp_path / "nowhere").exists()


def test_the_index_is_the_owners_and_no_part_of_a_run(root, index):
    index.list()
    assert (root / INDEX).stat().st_mode & 0o777 == 0o600
    run = folder(root, "a")
    assert not [n for n in lasting(run.path) if "index" in n]
    assert not [p for p in verify(run.path).problems if "index" in p]
    with pytest.raises(CallerError):
        folder(root, INDEX)


def test_many_may_list_at_once(root, read):
    runs = [make(root, f"r{number}") for number in range(20)]
    expected = {run.run_id: "paused" for run in runs}
    for run in runs:
        record(run, STARTED, RunPaused(reason=""))
    found: list[dict[str, str]] = []

    def work() -> None:
        for _ in range(5):
            found.append(statuses(RunIndex(root, lambda path: read_run(path, SUMMARIZER))))
            (root / INDEX).unlink(missing_ok=True)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 20


def test_a_look_at_the_lease_takes_nothing_from_its_holder(root):
    run = make(root, "a")
    assert not is_driven(run.path)
    with run.lease(FakeClock()):
        assert is_driven(run.path)
        assert run.is_driven()
    assert not is_driven(run.path)
    with run.lease(FakeClock()):
        pass


def test_a_pipe_in_place_of_the_lease_is_not_waited_for(root):
    run = make(root, "a")
    os.mkfifo(run.path / "lease")
    assert not is_driven(run.path)

"""Group commits: what is safe, when, and at how few syncs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.commit import GroupCommit
from core.errors import Stopped
from core.files import REDO


class Memory:
    """A mirror that notes each save, and is away for the first few."""

    def __init__(self, away: int = 0) -> None:
        self.away = away
        self.saves: list[tuple[dict[str, bytes], list[int]]] = []

    def save(self, files: Mapping[str, bytes], lines: Sequence[tuple[int, bytes]]) -> None:
        if self.away:
            self.away -= 1
            raise Stopped("the mirror is away")
        self.saves.append((dict(files), [number for number, _ in lines]))

    @property
    def names(self) -> list[str]:
        return [name for files, _ in self.saves for name in files]

    @property
    def numbers(self) -> list[int]:
        return [number for _, numbers in self.saves for number in numbers]


def written(commits: GroupCommit, root: Path, number: int) -> None:
    path, trace = root / f"{number}.json", root / "trace.jsonl"
    path.write_bytes(b"x")
    commits.wrote(path.name, b"x")
    with trace.open("ab") as file:
        file.write(b"line\n")
    commits.appended(trace, number, b"line\n")


def test_many_tasks_share_a_sync_and_each_returns_only_once_it_is_safe(tmp_path: Path) -> None:
    mirror = Memory()
    commits = GroupCommit(tmp_path, mirror)

    async def task(number: int) -> None:
        written(commits, tmp_path, number)
        await commits.commit()
        assert number in mirror.numbers

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(task, number)

    anyio.run(all_at_once)
    assert sorted(mirror.numbers) == list(range(100))
    assert sorted(mirror.names) == sorted(f"{n}.json" for n in range(100))
    assert len(mirror.saves) <= 3


def test_nothing_new_is_no_sync(tmp_path: Path) -> None:
    mirror = Memory()
    commits = GroupCommit(tmp_path, mirror)
    written(commits, tmp_path, 0)
    anyio.run(commits.commit)
    anyio.run(commits.commit)
    commits.sync()
    assert len(mirror.saves) == 1


def test_files_are_made_safe_for_a_line_to_name_them_without_syncing_lines(tmp_path: Path) -> None:
    commits = GroupCommit(tmp_path)
    trace = tmp_path / "trace.jsonl"
    commits.wrote("a.json", b"bread")
    commits.wrote("b.json", b"cake", derived=True)
    commits.appended(trace, 0, b"line\n")  # not there: syncing it would fail
    anyio.run(commits.commit_files)
    assert b"bread" in (tmp_path / REDO).read_bytes()
    assert b"cake" not in (tmp_path / REDO).read_bytes()
    trace.touch()
    commits.sync()
    assert b"cake" in (tmp_path / REDO).read_bytes()


def test_what_could_not_be_saved_is_saved_with_the_next(tmp_path: Path) -> None:
    mirror = Memory(away=1)
    commits = GroupCommit(tmp_path, mirror)
    written(commits, tmp_path, 0)
    with pytest.raises(Stopped):
        anyio.run(commits.commit)
    written(commits, tmp_path, 1)
    anyio.run(commits.commit)
    assert mirror.saves == [({"0.json": b"x", "1.json": b"x"}, [0, 1])]


CUTS = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:2]),
}


@pytest.mark.parametrize("cut", CUTS)
def test_what_a_power_cut_takes_after_a_commit_is_written_anew(tmp_path: Path, cut: str) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(b"bread")
    commits = GroupCommit(tmp_path)
    commits.wrote(path.name, b"bread")
    anyio.run(commits.commit)
    CUTS[cut](path)
    GroupCommit(tmp_path).recover()
    assert path.read_bytes() == b"bread"
    assert not (tmp_path / REDO).exists()


def test_what_somebody_changed_is_left_for_a_person_to_judge(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(b"bread")
    commits = GroupCommit(tmp_path)
    commits.wrote(path.name, b"bread")
    commits.sync()
    path.write_bytes(b"cake!")
    GroupCommit(tmp_path).recover()
    assert path.read_bytes() == b"cake!"


@given(st.integers(0, 400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_log_cut_anywhere_gives_whole_files_or_none(tmp_path: Path, keep: int) -> None:
    files = {f"{n}.json": b"x\n" * n for n in range(1, 9)}
    commits = GroupCommit(tmp_path)
    for name, data in files.items():
        commits.wrote(name, data)
    commits.sync()
    log = tmp_path / REDO
    log.write_bytes(log.read_bytes()[:keep])
    GroupCommit(tmp_path).recover()
    found = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    assert found.items() <= files.items()
    for path in tmp_path.glob("*.json"):
        path.unlink()


def test_a_settled_run_needs_no_log(tmp_path: Path) -> None:
    commits = GroupCommit(tmp_path)
    written(commits, tmp_path, 0)
    commits.sync()
    assert (tmp_path / REDO).exists()
    commits.settle()
    assert not (tmp_path / REDO).exists()
    commits.settle()


def test_a_log_leads_nowhere_outside_the_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    commits = GroupCommit(run)
    commits.wrote("../stolen", b"bread")
    commits.sync()
    GroupCommit(run).recover()
    assert not (tmp_path / "stolen").exists()


def test_a_file_that_is_synced_already_goes_to_the_mirror_only(tmp_path: Path) -> None:
    mirror = Memory()
    commits = GroupCommit(tmp_path, mirror)
    commits.wrote("plan.json", b"bread", synced=True)
    anyio.run(commits.commit)
    assert mirror.names == ["plan.json"]
    assert not (tmp_path / REDO).exists()

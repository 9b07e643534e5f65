"""Group commits: what is safe, when, and at how few syncs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import pytest

from core.commit import GroupCommit
from core.errors import Stopped


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


def test_what_could_not_be_saved_is_saved_with_the_next(tmp_path: Path) -> None:
    mirror = Memory(away=1)
    commits = GroupCommit(tmp_path, mirror)
    written(commits, tmp_path, 0)
    with pytest.raises(Stopped):
        anyio.run(commits.commit)
    written(commits, tmp_path, 1)
    anyio.run(commits.commit)
    assert mirror.saves == [({"0.json": b"x", "1.json": b"x"}, [0, 1])]


def test_a_file_that_is_gone_before_it_is_safe_is_not_passed_over(tmp_path: Path) -> None:
    commits = GroupCommit(tmp_path)
    written(commits, tmp_path, 0)
    (tmp_path / "0.json").unlink()
    with pytest.raises(FileNotFoundError):
        commits.sync()

"""The list of all runs under one audits root, from an index that is rebuilt from disk if lost.

Listing looks at each run's files from outside: a run is read again only if one of them changed
since it was read, and of a run that has not ended it is asked whether somebody drives it. The
index is a cache and no part of any run: a folder that cannot keep one is listed all the same.

What reads a run is passed in. Nothing here imports it, so that a list comes at once.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.lease import is_driven

if TYPE_CHECKING:
    from pydantic import JsonValue

    from core.trace import Status

INDEX = ".index.sqlite"
"""The index's name in the audits folder."""

_SCHEMA = 1
"""The version of the table; an index of another one is made anew."""

_TABLE = """
CREATE TABLE runs (
    project_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    mode TEXT NOT NULL,
    status TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    title TEXT NOT NULL,
    facts TEXT NOT NULL, -- a JSON object
    PRIMARY KEY (project_id, run_id)
)
"""
_SELECT = """
SELECT project_id, run_id, fingerprint, mode, status, started, ended, title, facts FROM runs
"""
_INSERT = "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM runs WHERE project_id = ? AND run_id = ?"

_READ = ("trace.jsonl", "settings.json", "brief.json")
"""The files from which a run's line is read."""

_WAIT_S = 1.0
"""How long another process that writes the index is waited for."""

_UNAVAILABLE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
"""What SQLite says of an index that may be whole; any other error is taken for damage."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One line of a list of runs."""

    run_id: str
    project_id: str
    run_dir: Path
    mode: str = ""
    status: "Status | None" = None
    """None if the run is broken."""
    problem: str = ""
    """What is wrong with a broken run."""
    started: str = ""
    """When work began, in UTC; "" if it has not."""
    ended: str = ""
    """When it came to its end, in UTC; "" if it has not."""
    title: str = ""
    """What was asked, on one line; "" where nobody can tell."""
    facts: Mapping[str, "JsonValue"] = field(default_factory=dict)
    """What whoever lists the runs wants to know of each."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the index holds of a run."""

    fingerprint: str
    """Of the files as they were before they were read."""
    info: RunInfo
    """With the status of a run that nobody drives."""


class RunIndex:
    """The runs under one audits root; any number of threads and processes may list them.

    Args:
        root: The audits folder.
        read: Reads a run, with the status that it has while nobody drives it. It raises nothing:
            of a broken run it returns the problem.
        version: Another one for each change in what *read* returns of the same files.

    """

    def __init__(self, root: Path, read: Callable[[Path], RunInfo], version: str = "") -> None:
        self.root = root.resolve()
        self._read, self._version = read, version
        self._path = self.root / INDEX

    def list(self) -> list[RunInfo]:
        """Return every run, newest first; of a broken one, what is wrong with it."""
        known = self._load()
        runs: list[RunInfo] = []
        fresh: list[_Entry] = []
        for project_id, run_id in sorted(_run_dirs(self.root), key=itemgetter(1), reverse=True):
            run_dir = self.root / project_id / run_id
            kept = known.pop((project_id, run_id), None)
            ended = bool(kept and kept.info.ended)
            try:
                # the lease before the files: a run that ends in between is seen to have ended
                driven = not ended and is_driven(run_dir)
            except OSError as error:
                runs.append(RunInfo(run_id, project_id, run_dir, problem=str(error)))
                continue
            entry = self._entry(run_dir, kept)
            if entry is not kept and not entry.info.problem:
                fresh.append(entry)
            runs.append(_now(entry.info, driven=driven))
        if fresh or known:
            self._save(fresh, gone=known)
        return runs

    def _entry(self, run_dir: Path, kept: _Entry | None) -> _Entry:
        """Return what was *kept* of a run if its files are unchanged, else read it."""
        fingerprint = _fingerprint(run_dir, self._version)
        if kept and kept.fingerprint == fingerprint:
            return kept
        return _Entry(fingerprint, self._read(run_dir))

    def _load(self) -> dict[tuple[str, str], _Entry]:
        """Return what the index holds by project and run; nothing if it cannot be used."""
        if os.path.islink(self._path) or not os.path.isfile(self._path):
            return {}
        try:
            with closing(self._connect()) as index:
                rows = index.execute(_SELECT).fetchall() if _schema_of(index) == _SCHEMA else []
            return {(row[0], row[1]): self._from_row(*row) for row in rows}
        except (sqlite3.Error, ValueError) as error:
            self._remove_if_damaged(error)
            return {}

    def _from_row(self, project_id: str, run_id: str, fingerprint: str, *told: Any) -> _Entry:  # noqa: ANN401 - columns
        mode, status, started, ended, title, facts = told
        run_dir = self.root / project_id / run_id
        info = RunInfo(
            run_id, project_id, run_dir, mode, status, "", started, ended, title, json.loads(facts)
        )
        return _Entry(fingerprint, info)

    def _save(self, fresh: Iterable[_Entry], gone: Iterable[tuple[str, str]]) -> None:
        """Keep what was read, if the folder allows; a list never fails for the index."""
        if os.path.islink(self._path):  # it may lead to somebody's database
            return
        try:
            with suppress(FileExistsError):
                os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with closing(self._connect()) as index:
                index.execute("PRAGMA journal_mode = WAL")
                index.execute("BEGIN IMMEDIATE")
                if _schema_of(index) != _SCHEMA:
                    index.execute("DROP TABLE IF EXISTS runs")
                    index.execute(_TABLE)
                    index.execute(f"PRAGMA user_version = {_SCHEMA}")
                index.executemany(_DELETE, gone)
                index.executemany(_INSERT, map(_row, fresh))
                index.execute("COMMIT")
        except OSError:
            return
        except sqlite3.Error as error:
            self._remove_if_damaged(error)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_WAIT_S, isolation_level=None)

    def _remove_if_damaged(self, error: Exception) -> None:
        """Let the next list rebuild an index that cannot be read."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        if code & 0xFF in _UNAVAILABLE:  # the rest of a code says more of the same
            return
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(INDEX + end).unlink()


def _run_dirs(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the project and the id of each run's folder; what cannot be looked into has none."""
    for project in _folders(root):
        yield from ((project.name, run.name) for run in _folders(project) if not run.is_symlink())


def _folders(parent: "os.PathLike[str]") -> Iterator["os.DirEntry[str]"]:
    """Yield the folders in *parent* that are not hidden, links to folders included."""
    with suppress(OSError), os.scandir(parent) as entries:
        yield from (e for e in entries if not e.name.startswith(".") and _is_folder(e))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _fingerprint(run_dir: Path, version: str) -> str:
    """Return what changes whenever one of the files does from which a run's line is read."""
    return " ".join([version, *(_file_mark(f"{run_dir}/{name}") for name in _READ)])


def _file_mark(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return "-"
    return f"{found.st_size}.{found.st_mtime_ns}.{found.st_ino}"


def _now(info: RunInfo, *, driven: bool) -> RunInfo:
    """Return a run as it is while somebody drives it, or nobody does."""
    return info if not driven or info.ended or info.problem else replace(info, status="running")


def _schema_of(index: sqlite3.Connection) -> int:
    (version,) = index.execute("PRAGMA user_version").fetchone()
    return int(version)


def _row(entry: _Entry) -> tuple[str, ...]:
    i = entry.info
    place = i.project_id, i.run_id, entry.fingerprint
    return (*place, i.mode, str(i.status), i.started, i.ended, i.title, json.dumps(i.facts))

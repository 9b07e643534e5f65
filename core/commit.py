"""Group commit: what many tasks wrote reaches the disk, and a database, in one sync.

A file or line is written at once, which is all that a killed process needs. A power cut needs a
sync as well, and a machine that is gone needs a copy elsewhere; both are slow, so tasks that
finish together share them (P. Helland and others, "Group Commit Timers", 1987).
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Protocol

import anyio
from anyio import to_thread

from core.files import sync_folder

_FEW = 4
"""Beyond so many new files one sync of everything is faster than one each: 64 files took 12 ms
against 250 ms, since each file alone has the disk flush its cache."""


class Mirror(Protocol):
    """A second home for a run's record, such as a database."""

    def save(self, files: Mapping[str, bytes], lines: Sequence[tuple[int, bytes]]) -> None:
        """Keep both or neither; raises Stopped if the mirror stays away.

        Args:
            files: Bytes by name within the run's folder.
            lines: Trace lines by number.

        """
        ...


class GroupCommit:
    """Everything one run has written and not yet made sure of.

    Args:
        root: The run's folder.
        mirror: Where to keep a copy too, if anywhere.

    """

    def __init__(self, root: Path, mirror: Mirror | None = None) -> None:
        self._root, self.mirror = root, mirror
        self._files: dict[str, bytes] = {}
        self._lines: list[tuple[int, bytes]] = []
        self._trace: Path | None = None
        self._unsent: tuple[dict[str, bytes], list[tuple[int, bytes]]] = ({}, [])
        self._noted = self._safe = self._sent = 0
        self._turn = anyio.Lock()
        self._swap = Lock()  # a sync in a worker thread takes what the loop adds to
        self._syncing = Lock()

    def wrote(self, name: str, data: bytes) -> None:
        """Take note of a file that was written, by its name within the run's folder."""
        with self._swap:
            self._files[name] = data
            self._noted += 1
            if self.mirror:
                self._unsent[0][name] = data

    def appended(self, path: Path, number: int, line: bytes) -> None:
        """Take note of a line that was added to the trace at *path*."""
        with self._swap:
            self._trace = path
            self._lines.append((number, line))
            self._noted += 1
            if self.mirror:
                self._unsent[1].append((number, line))

    async def commit(self) -> None:
        """Return once all that was noted before this call is safe; waiters share a sync.

        Raises Stopped if the mirror stays away.
        """
        mine = self._noted
        while self._due(mine):
            async with self._turn:
                if self._due(mine):
                    await to_thread.run_sync(self._keep)

    def sync(self) -> None:
        """Make all that was noted before this call safe on this disk, now; files before lines."""
        with self._syncing:
            self._sync()

    def _due(self, mine: int) -> bool:
        return self._safe < mine or (self.mirror is not None and self._sent < mine)

    def _keep(self) -> None:
        """Make it safe here, then in the mirror; what that did not take is sent again."""
        with self._swap:
            noted, (files, lines) = self._noted, self._unsent
            self._unsent = ({}, [])
        try:
            self.sync()
            if self.mirror and (files or lines):
                self.mirror.save(files, lines)
        except BaseException:
            with self._swap:
                self._unsent = ({**files, **self._unsent[0]}, lines + self._unsent[1])
            raise
        self._sent = noted

    def _sync(self) -> None:
        with self._swap:
            noted, files, lines = self._noted, self._files, self._lines
            self._files, self._lines = {}, []
        try:
            self._save(files, lines)
        except BaseException:
            with self._swap:
                self._files, self._lines = {**files, **self._files}, lines + self._lines
            raise
        self._safe = max(self._safe, noted)

    def _save(self, files: Mapping[str, bytes], lines: Sequence[tuple[int, bytes]]) -> None:
        _sync_files([self._root / name for name in files])
        if lines and self._trace:
            _sync_file(self._trace)


def _sync_files(paths: Sequence[Path]) -> None:
    if len(paths) > _FEW:
        for path in paths:
            path.stat()  # one that is gone must not pass for safe
        os.sync()
        return
    for path in paths:
        _sync_file(path)
    for folder in {path.parent for path in paths}:
        sync_folder(folder)


def _sync_file(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

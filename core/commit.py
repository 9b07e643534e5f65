"""Group commit: what many tasks wrote reaches the disk, and a database, in one sync.

A file or line is written at once, which is all that a killed process needs. A power cut needs a
sync as well, and a machine that is gone needs a copy elsewhere; both are slow, so tasks that
finish together share them (P. Helland and others, "Group Commit Timers", 1987). Many small files
are made safe by one log of their bytes, which writes anew what a power cut takes.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol

import anyio
from anyio import to_thread

from core.files import REDO, sha256, sync, write_soon

_HEAD = re.compile(rb"([0-9a-f]{64}) (\d{1,12}) ((?:answers/|artifacts/)?\w[\w.-]*)\n")
"""The line before a file's bytes in the redo log: SHA-256, size, and a name within the run."""


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
        self._derived: dict[str, bytes] = {}
        self._lines = 0
        self._trace: Path | None = None
        self._unsent: tuple[dict[str, bytes], list[tuple[int, bytes]]] = ({}, [])
        self._noted = self._safe = self._sent = 0
        self._files_noted = self._files_safe = 0
        self._syncs: anyio.Event | None = None  # set once the sync under way is over
        self._swap = Lock()  # a sync in a worker thread takes what the loop adds to
        self._syncing = Lock()

    def wrote(
        self, name: str, data: bytes, *, synced: bool = False, derived: bool = False
    ) -> None:
        """Take note of a file that was written, by its name within the run's folder.

        One that is *synced* is safe on this disk already, and only the mirror lacks it. One that
        is *derived* can be made anew from others; it waits for the next `sync`.
        """
        with self._swap:
            if derived:
                self._derived[name] = data
            elif not synced:
                self._files[name] = data
                self._files_noted += 1
            self._noted += 1
            if self.mirror:
                self._unsent[0][name] = data

    def appended(self, path: Path, number: int, line: bytes) -> None:
        """Take note of a line that was added to the trace at *path*."""
        with self._swap:
            self._trace = path
            self._lines += 1
            self._noted += 1
            if self.mirror:
                self._unsent[1].append((number, line))

    async def commit(self) -> None:
        """Return once all that was noted before this call is safe; waiters share a sync.

        Raises Stopped if the mirror stays away.
        """
        mine = self._noted
        await self._shared(self._keep, lambda: self._due(mine))

    async def commit_files(self) -> None:
        """Return once the files noted before this call are safe, so that a line may name them.

        Raises Stopped if the mirror stays away.
        """
        if self.mirror:
            await self.commit()
            return
        mine = self._files_noted
        await self._shared(partial(self._sync, lines=False), lambda: self._files_safe < mine)

    async def _shared(self, work: Callable[[], None], due: Callable[[], bool]) -> None:
        """Have *work* done in a thread until nothing is *due*: by whoever is first, for all."""
        while due():
            if self._syncs:
                await self._syncs.wait()
                continue
            over = self._syncs = anyio.Event()
            try:
                await to_thread.run_sync(work)
            finally:
                self._syncs = None
                over.set()

    def sync(self) -> None:
        """Make all that was noted before this call safe on this disk, now; files before lines."""
        with self._swap:
            self._files |= self._derived
            self._derived = {}
        self._sync()

    def _due(self, mine: int) -> bool:
        return self._safe < mine or (self.mirror is not None and self._sent < mine)

    def _keep(self) -> None:
        """Make it safe here, then in the mirror; what that did not take is sent again."""
        with self._swap:
            noted, (files, lines) = self._noted, self._unsent
            self._unsent = ({}, [])
        try:
            self._sync()
            if self.mirror and (files or lines):
                self.mirror.save(files, lines)
        except BaseException:
            with self._swap:
                self._unsent = ({**files, **self._unsent[0]}, lines + self._unsent[1])
            raise
        self._sent = noted

    def _sync(self, *, lines: bool = True) -> None:
        """Make files safe, then the lines that name them; what fails is due again."""
        with self._syncing:
            with self._swap:
                noted, files_noted = self._noted, self._files_noted
                files, appended = self._files, self._lines if lines else 0
                self._files, self._lines = {}, self._lines - appended
            try:
                if files:
                    self._log(files)
                if appended and self._trace:
                    sync(self._trace)
            except BaseException:
                with self._swap:
                    self._files, self._lines = {**files, **self._files}, self._lines + appended
                raise
            self._files_safe = files_noted
            self._safe = noted if lines else self._safe

    def _log(self, files: Mapping[str, bytes]) -> None:
        """Add files to the redo log: one sync of it costs what one sync of each of them would."""
        new = not (self._root / REDO).exists()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        with open(os.open(self._root / REDO, flags, 0o600), "ab") as log:
            log.write(b"".join(_entry(name, data) for name, data in files.items()))
            log.flush()
            os.fsync(log.fileno())
        if new:
            sync(self._root)

    def recover(self) -> None:
        """Write anew what a power cut took of the files in the redo log.

        That is what is missing, cut short or full of zeros; a file that says something else was changed by
        somebody, and is left as it is.
        """
        for name, data in _entries(self._root / REDO):
            path = self._root / name
            found = path.read_bytes() if path.exists() else b""
            named = path.name == sha256(data)  # an artifact can be nothing else
            if found != data and (named or data.startswith(found.rstrip(b"\0"))):
                path.parent.mkdir(exist_ok=True)
                write_soon(str(path), data)
        self.settle()

    def settle(self) -> None:
        """Sync every file itself; the redo log has done its work then."""
        self.sync()
        if (self._root / REDO).exists():
            os.sync()  # one for all: 64 files took 12 ms so, and 250 ms one by one
            (self._root / REDO).unlink()


def _entry(name: str, data: bytes) -> bytes:
    return f"{sha256(data)} {len(data)} {name}\n".encode() + data


def _entries(log: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files in a redo log, up to an entry that was cut off."""
    if not log.exists():
        return
    with log.open("rb") as file:
        while head := file.readline():
            entry = _HEAD.fullmatch(head)
            data = file.read(int(entry[2])) if entry else b""
            if not entry or sha256(data).encode() != entry[1]:
                return
            yield entry[3].decode(), data

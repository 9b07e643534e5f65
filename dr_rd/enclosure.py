"""Read inside one folder and nowhere else: no link, no odd file and no race leads out of it.

Every folder on the way is opened by its descriptor and none of them may be a link, so what is
read lies below the root even while somebody renames and replaces folders.
"""

import errno
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from core.errors import TaskError
from core.values import Frozen
from dr_rd.files import read_yaml

MAX_ENTRIES = 20_000
"""Files and folders of one walk: a large product; the Linux kernel has four times as many."""
MAX_DEPTH = 24
"""Folders inside folders: twice what real source trees have."""
MAX_PATH = 1_000
"""Characters of a path."""

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# without O_NONBLOCK, opening a pipe waits for its writer


@dataclass(frozen=True, slots=True)
class Found:
    """A plain file, as it looked when the walk came by."""

    path: str
    """Relative to the root, with forward slashes."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A path that is not read, and why, in plain words."""

    path: str
    reason: str


class Denied(Frozen):
    """Patterns of names in lower case, by the reason that is given."""

    names: Mapping[str, tuple[str, ...]]


def load_denied() -> Mapping[str, tuple[str, ...]]:
    """Read which names are never read, by reason."""
    return Denied.model_validate({"names": read_yaml("reading", "denied.yaml")}).names


@dataclass(frozen=True)
class Enclosure:
    """A folder that may be looked into."""

    root: Path
    """Absolute, and chosen by the analyst; it is trusted, what lies in it is not."""
    denied: Mapping[str, Sequence[str]]
    """By reason: patterns of names in lower case that are not read, wherever they stand."""

    def read(self, path: str, most: int) -> bytes:
        """Return the bytes of the plain file at *path*, if it has at most *most* of them.

        Raises:
            TaskError: It is not there, not open to anybody, too large, or being written to.

        """
        return self._bytes(path, self.steps(path), most)

    def record(self, path: str, most: int) -> bytes:
        """Read a file that tools cannot ask for, such as ".git/HEAD"; otherwise as `read`."""
        return self._bytes(path, _parts(path), most)

    def _bytes(self, path: str, steps: Sequence[str], most: int) -> bytes:
        *folders, name = steps or ["."]
        with self._opened(path, folders) as folder, _failing(path):
            descriptor = os.open(name, _FILE, dir_fd=folder)
            try:
                return _steady(path, descriptor, most)
            finally:
                os.close(descriptor)

    def walk(
        self,
        under: str,
        going_on: Callable[[], bool],
        aside: Callable[[str], str] = lambda _: "",
    ) -> Iterator[Found | Refusal]:
        """Yield every file below the folder *under*, in the order of names.

        Args:
            under: Where it begins.
            going_on: Asked before each entry; once it says no, the rest is one refusal.
            aside: Gives the reason why a file or folder is left aside; "" if it is not.

        """
        steps = self.steps(under)
        with self._opened(under, steps) as folder:
            yield from _Walk(self, going_on, aside).below(folder, "/".join(steps), 0)

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """Open a folder that tools cannot ask for, such as ".git"."""
        with self._opened(path, _parts(path)) as descriptor:
            yield descriptor

    def steps(self, path: str) -> list[str]:
        """Split *path* into the names it consists of; raises TaskError if it may not be used."""
        parts = _parts(path)
        for part in parts:
            _require(path, self.reason(part))
        return parts

    def reason(self, name: str) -> str:
        """Say why a file or folder of that name is not read; "" if it is."""
        plain = _plain(name)
        for reason, patterns in self.denied.items():
            if any(fnmatchcase(plain, pattern) for pattern in patterns):
                return reason
        return ""

    @contextmanager
    def _opened(self, path: str, steps: Sequence[str]) -> Iterator[int]:
        if os.open not in os.supports_dir_fd:
            raise TaskError("this system cannot open files by their folder; use Linux or macOS")
        with _failing(self.root.name):
            current = os.open(self.root, _FOLDER)
        try:
            for step in steps:
                with _failing(path):
                    inner = os.open(step, _FOLDER, dir_fd=current)
                os.close(current)
                current = inner
            yield current
        finally:
            os.close(current)


class _Walk:
    """One walk, and how many entries it has seen."""

    def __init__(
        self, enclosure: Enclosure, going_on: Callable[[], bool], aside: Callable[[str], str]
    ) -> None:
        self._enclosure, self._going_on, self._aside = enclosure, going_on, aside
        self._seen = 0
        self._over = False

    def below(self, folder: int, path: str, depth: int) -> Iterator[Found | Refusal]:
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in islice(entries, MAX_ENTRIES + 1 - self._seen))
        for name in names:
            if self._over:
                return
            here = f"{path}/{name}" if path else name
            yield from self._entry(folder, name, here, depth)

    def _entry(self, folder: int, name: str, path: str, depth: int) -> Iterator[Found | Refusal]:
        self._seen += 1
        if reason := self._stopped():
            self._over = True
            yield Refusal(printable_path(path), reason)
            return
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            yield Refusal(printable_path(path), _error_reason(error))
            return
        if stat.S_ISDIR(status.st_mode):
            yield from self._folder(folder, name, path, depth)
        elif reason := self._closed(name, path) or _unread(status):
            yield Refusal(printable_path(path), reason)
        else:
            yield Found(path, status.st_size)

    def _folder(self, folder: int, name: str, path: str, depth: int) -> Iterator[Found | Refusal]:
        reason = self._closed(name, path)
        if not reason and depth >= MAX_DEPTH:
            reason = f"lies more than {MAX_DEPTH} folders deep"
        if not reason:
            try:
                inner = os.open(name, _FOLDER, dir_fd=folder)
            except OSError as error:
                reason = _error_reason(error)
        if reason:
            yield Refusal(printable_path(path), reason)
            return
        try:
            yield from self.below(inner, path, depth + 1)
        finally:
            os.close(inner)

    def _closed(self, name: str, path: str) -> str:
        return _strange(name) or self._enclosure.reason(name) or self._aside(path)

    def _stopped(self) -> str:
        if self._seen > MAX_ENTRIES:
            return f"and what follows come after the first {MAX_ENTRIES:,} files and folders"
        return "" if self._going_on() else "and what follows are left out: the time is up"


def printable_path(path: str) -> str:
    """Write a path so that it is text and stays on its line, whatever bytes its names have."""
    text = path.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _parts(path: str) -> list[str]:
    if len(path) > MAX_PATH:
        raise TaskError(
            f"the path {printable_path(path[:40])!r}… is longer than {MAX_PATH:,} characters"
        )
    parts = [] if path in ("", ".") else path.removesuffix("/").split("/")
    for part in parts:
        _require(path, _outside(part) or _strange(part))
    return parts


def _outside(part: str) -> str:
    if part in ("", ".", ".."):
        return "is no plain path below the folder; write names with '/' between them"
    return "holds a backslash; write '/' between names" if "\\" in part else ""


def _strange(name: str) -> str:
    return "" if printable_path(name) == name else "has a name that is not printable text"


def _plain(name: str) -> str:
    """Write a name as file systems that ignore case, marks and trailing dots compare it."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in folded if unicodedata.category(c) != "Cf").rstrip(". ")


def _unread(status: os.stat_result, most: int | None = None) -> str:
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        return "is a link, which may lead out of the folder"
    if stat.S_ISDIR(mode):
        return "is a folder, not a file"
    if not stat.S_ISREG(mode):
        return "is a pipe, socket or device, not a file"
    if status.st_nlink > 1:
        return "has a second name, which may be outside the folder"
    if most is not None and status.st_size > most:
        return f"has {status.st_size:,} bytes; files of up to {most:,} are read"
    return ""


def _steady(path: str, descriptor: int, most: int) -> bytes:
    before = os.fstat(descriptor)
    _require(path, _unread(before, most))
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        data = file.read(most + 1)
    _require(path, _unsteady(before, os.fstat(descriptor), len(data)))
    return data


def _unsteady(before: os.stat_result, after: os.stat_result, length: int) -> str:
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    return "" if same and length == before.st_size else "changes while it is read"


def _require(path: str, fault: str) -> None:
    if fault:
        raise TaskError(f"{printable_path(path)!r} {fault}")


@contextmanager
def _failing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TaskError(f"{printable_path(path)!r} {_error_reason(error)}") from error


def _error_reason(error: OSError) -> str:
    known = {
        errno.ENOENT: "does not exist",
        errno.ELOOP: "is a link, or goes through one",
        errno.ENOTDIR: "is no folder, or goes through a link or a file",
        errno.EISDIR: "is a folder, not a file",
        errno.ENXIO: "is a pipe, socket or device, not a file",
    }
    return known.get(error.errno or 0, f"cannot be opened ({error.strerror})")

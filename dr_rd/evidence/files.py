"""Which files of a folder are read, and reading them without being tricked."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import CallerError
from dr_rd.evidence.corpus import Refused
from dr_rd.evidence.extract import ENDINGS
from dr_rd.images import ENDINGS as PICTURES
from dr_rd.images import NO_DOCUMENT

MAX_BYTES = 20_000_000
"""Bytes of one file: a thick PDF with pictures; more is a book of scans or a data set."""
MAX_FILES = 1_000
"""Files of one run: what a team's shared folder holds; more would bury the question."""
MAX_DEPTH = 8
"""Folders inside folders: deeper is a software tree, not a folder of documents."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that looks like a document."""

    folder: Path
    path: str
    """Relative to the folder, with forward slashes."""

    @property
    def suffix(self) -> str:
        """Its ending, in lower case."""
        return Path(self.path).suffix.lower()


def find(folders: Sequence[Path]) -> Iterator[Found | Refused]:
    """Walk *folders* in the order of names; refuse what is no document."""
    count = 0
    for folder in folders:
        for item in _roots(Path(folder)):
            count += isinstance(item, Found)
            if count > MAX_FILES:
                yield Refused(path=item.path, reason=f"comes after the first {MAX_FILES:,} files")
                return
            yield item


def _roots(folder: Path) -> Iterator[Found | Refused]:
    if folder.is_dir():
        yield from _walk(folder, "", 0)
    elif folder.is_file():
        yield from _entry(folder.parent, folder.name, 0)
    else:
        raise CallerError(
            f"documents folder {str(folder)!r} does not exist; give a folder or a file that does"
        )


def _walk(folder: Path, inside: str, depth: int) -> Iterator[Found | Refused]:
    try:
        names = sorted(os.listdir(folder / inside))
    except OSError as error:
        yield Refused(path=inside, reason=f"cannot be opened ({error.strerror})")
        return
    for name in names:
        yield from _entry(folder, f"{inside}/{name}" if inside else name, depth)


def _entry(folder: Path, path: str, depth: int) -> Iterator[Found | Refused]:
    try:
        mode = os.lstat(folder / path).st_mode
    except OSError as error:
        yield Refused(path=path, reason=f"cannot be opened ({error.strerror})")
        return
    if reason := _not_read(path, mode):
        yield Refused(path=_printable(path), reason=reason)
    elif not stat.S_ISDIR(mode):
        yield Found(folder, path)
    elif depth >= MAX_DEPTH:
        yield Refused(path=path, reason=f"lies more than {MAX_DEPTH} folders deep")
    else:
        yield from _walk(folder, path, depth + 1)


def _not_read(path: str, mode: int) -> str:
    if _printable(path) != path:
        return "has a name that is not valid text"
    if Path(path).name.startswith((".", "~$")):
        return "is hidden or a lock file"
    if stat.S_ISLNK(mode):
        return "is a link, not a file; put the file itself into the folder"
    if stat.S_ISDIR(mode):
        return ""
    if not stat.S_ISREG(mode):
        return "is a pipe, socket or device, not a file"
    suffix = Path(path).suffix.lower()
    if suffix in PICTURES:
        return NO_DOCUMENT
    if suffix not in ENDINGS:
        return f"is a {suffix or 'nameless'} file; read are {', '.join(ENDINGS)}"
    return ""


def _printable(path: str) -> str:
    """Replace what a file name may hold but text may not."""
    return path.encode("utf-8", "replace").decode("utf-8")


def read_found(found: Found) -> bytes | Refused:
    """Return the bytes of a file, if it is still a plain file of a size that is read."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(found.folder / found.path, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return Refused(path=found.path, reason="is not a plain file any more")
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return Refused(path=found.path, reason=f"cannot be opened ({error.strerror})")
    if len(data) > MAX_BYTES:
        limit = f"{MAX_BYTES // 1_000_000} MB"
        return Refused(path=found.path, reason=f"is larger than the limit of {limit}")
    return data

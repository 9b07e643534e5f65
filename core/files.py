"""Files that a crash leaves whole: written aside, synced, then moved into place."""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import get_ident

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
"""What a full disk, or a full share of one, says."""

Crossing = Callable[[str], None]
"""Told just before and just after each durable write, so that a test can crash there."""


def nothing(_: str) -> None:
    """Let a crossing pass."""


def sha256(data: bytes) -> str:
    """SHA-256 of *data*, as hex."""
    return hashlib.sha256(data).hexdigest()


def write_whole(path: Path, data: bytes, crossing: Crossing = nothing) -> None:
    """Write a file so that a reader, or a crash, finds the old bytes or the new, never a mix."""
    crossing(f"before {path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    _write_synced(part, data)
    part.replace(path)
    sync(path.parent)
    crossing(f"after {path.name}")


def write_soon(path: str, data: bytes, crossing: Crossing = nothing) -> None:
    """Write a file so that a killed process leaves the old bytes or the new.

    A power cut may still undo it: a group commit makes it safe.
    """
    name = os.path.basename(path)
    crossing(f"before {name}")
    part = f"{path}.{os.getpid()}.part"
    handle = os.open(
        part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666
    )  # open() takes a fifth longer
    try:
        if os.write(handle, data) != len(data):
            raise OSError(errno.ENOSPC, "the disk is full")
    finally:
        os.close(handle)
    os.replace(part, path)
    crossing(f"after {name}")


def write_once(path: Path, data: bytes, crossing: Crossing = nothing) -> None:
    """Write a file that nobody has written yet; raises FileExistsError if somebody has."""
    crossing(f"before {path.name}")
    # no ".part": a driver that sweeps its folder must not take it from a person's hands
    draft = path.with_name(f"{path.name}.{os.getpid()}-{get_ident()}.draft")
    _write_synced(draft, data)
    try:
        os.link(draft, path)
    finally:
        draft.unlink()
    sync(path.parent)
    crossing(f"after {path.name}")


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Make what is in a file, or the names in a folder, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_inside(folder: Path, path: Path) -> bool:
    """Whether *path*, its links followed, is within *folder*, which has none."""
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # a ring of links; no path at all
        return False


SUMS, LEASE, CHECKPOINTS, REDO = "SHA256SUMS", "lease", "checkpoint.sqlite", "redo.log"
"""Files of a run that its checksums leave out: they list, or change after the end."""


_RESERVED = {
    SUMS,
    LEASE,
    REDO,
    *(f"{CHECKPOINTS}{end}" for end in ("", "-wal", "-shm", "-journal")),
}

_LISTED = ("answers/", "artifacts/")
"""Folders whose files events name one by one."""


def is_reserved(name: str) -> bool:
    """Whether the engine keeps a file by that name that does not last as it is."""
    return name in _RESERVED


def lasting(folder: Path) -> list[str]:
    """Return the names of a run's lasting files, sorted; links are not followed."""
    names = (n for n in _below(str(folder), "") if not n.endswith((".part", ".draft")))
    return sorted(n for n in names if n not in _RESERVED)


def file_digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of a run's lasting files by name, the trace and its view left out.

    Of a folder whose files events name one by one it is that of their checksums.
    """
    names = [n for n in lasting(folder) if n not in ("trace.jsonl", "graph_trace.json")]
    alone = [n for n in names if not n.startswith(_LISTED)]
    found = {n: sha256((folder / n).read_bytes()) for n in alone}
    for kind in _LISTED:
        held = [n for n in names if n.startswith(kind)]
        # an artifact's name is its checksum
        sums = held if kind == "artifacts/" else [sha256((folder / n).read_bytes()) for n in held]
        if held:
            found[kind] = sha256(
                "\n".join(f"{s}  {n}" for s, n in zip(sums, held, strict=True)).encode()
            )
    return found


def _below(folder: str, place: str) -> Iterator[str]:
    """Yield the names of the files in a folder and in those below it, from *place* on."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry.path, f"{place}{entry.name}/")
            elif entry.is_file(follow_symlinks=False):
                yield place + entry.name

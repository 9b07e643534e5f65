"""Files that a crash leaves whole: written aside, synced, then moved into place."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

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
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)
    crossing(f"after {path.name}")


def sync_folder(folder: Path) -> None:
    """Make the names in *folder* survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

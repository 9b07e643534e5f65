"""Whether some process drives a run: its driver holds a lock that is free at once when it dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.files import LEASE


def is_driven(run_dir: Path) -> bool:
    """Whether some process drives the run in *run_dir* now; nothing is written there.

    Raises OSError if the lease cannot be looked at.
    """
    try:
        # without waiting, in case somebody put a pipe there
        lease = os.open(run_dir / LEASE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        with looking(run_dir):
            try:
                fcntl.flock(lease, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            fcntl.flock(lease, fcntl.LOCK_UN)
    finally:
        os.close(lease)
    return False


@contextmanager
def looking(run_dir: Path) -> Iterator[None]:
    """Keep a look at the lease, which takes it for a moment, from refusing a driver."""
    gate = os.open(run_dir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield
    finally:
        os.close(gate)

"""Killing a run at a chosen write: a fork dies there, its parent takes the run up again.

Only a process without threads may be forked, so the tests that use this run as programs.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from bench.forks import ended, forked
from core.graph import build
from core.trace import read_events

ROOT = Path(__file__).parents[2]
MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None  # noqa: S108
"""Where runs are killed: a kill cannot tell a disk from memory, which is faster."""


class Crossings:
    """Counts the crossings of a run, before and after each durable write, and kills at one."""

    def __init__(self, fatal: int = -1) -> None:
        self.fatal = fatal
        self.seen: list[str] = []

    def __call__(self, where: str) -> None:
        if len(self.seen) == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self.seen.append(where)


def states_on_disk(seen: Sequence[str]) -> list[int]:
    """Return the crossings that a kill can tell apart.

    Nothing is written between the end of one write and the beginning of the next, so a kill before
    a write that follows another leaves the same files as the kill after that other one.
    """
    return [
        at
        for at, where in enumerate(seen)
        if not (at and where.startswith("before ") and seen[at - 1].startswith("after "))
    ]


def killed(work: Callable[[], object]) -> bool:
    """Do *work* in a fork of this process; tell whether it was killed on the way."""
    return ended(forked(work))


def watch_checkpoints() -> None:
    """Make the graph library's own writes crossings too, for the rest of this process."""
    build._saver = watched(build._saver)


def watched(made: Callable[..., AbstractAsyncContextManager[Any]]) -> Any:
    """Return *made*, which opens a run's saver, with crossings around what the saver writes."""

    @asynccontextmanager
    async def saver_of(folder: Any, *rest: Any) -> AsyncIterator[Any]:
        async with made(folder, *rest) as saver:
            for name in ("aput", "aput_writes"):
                setattr(saver, name, _crossed(getattr(saver, name), name, folder.crossing))
            yield saver

    return saver_of


def _crossed(
    write: Callable[..., Awaitable[Any]], name: str, crossing: Callable[[str], None]
) -> Callable[..., Awaitable[Any]]:
    async def crossed(*args: Any, **named: Any) -> Any:
        crossing(f"before {name}")
        result = await write(*args, **named)
        crossing(f"after {name}")
        return result

    return crossed


def unexplained(trace: Path) -> set[tuple[str, str]]:
    """Return the nodes that started and neither ended nor were cut off by a later boot."""
    opened: set[tuple[str, str]] = set()
    for row in read_events(trace):
        event = row.event
        if event.kind == "booted":
            opened.clear()
        elif event.kind == "node_started":
            opened.add((event.node, event.task_id))
        elif event.kind == "node_ended":
            opened.discard((event.node, event.task_id))
    return opened


def said_twice(trace: Path) -> bool:
    """Whether a fact that can be true only once is in the trace more than once."""
    facts = [row.event.model_dump_json() for row in read_events(trace) if row.event.once]
    return len(facts) != len(set(facts))


def reports(module: str, cases: Iterable[str]) -> dict[str, Any]:
    """Run a module as a program once for each case, side by side; return what each printed."""
    programs = {
        case: subprocess.Popen(
            [sys.executable, "-m", module, case],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        for case in cases
    }
    return {case: _report(program) for case, program in programs.items()}


def _report(program: subprocess.Popen[bytes]) -> Any:
    out, errors = program.communicate()
    assert not program.returncode, errors.decode()
    return json.loads(out)

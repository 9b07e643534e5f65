"""Killing a run at a chosen write: a fork dies there, its parent takes the run up again.

Only a process without threads may be forked, so the tests that use this run as programs.
"""

import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.forks import ended, forked
from core.graph import build
from core.settings import prepare_process
from core.store import Crossing, RunFolder
from core.trace import read_events
from tests.warm import python

MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None  # noqa: S108
"""Where runs are killed: a kill cannot tell a disk from memory, which is faster."""
SCHEDULES = ("one of each kind", pytest.param("every", marks=pytest.mark.exhaustive))
"""At which crossings of a run it is killed, a run for each."""


class Crossings:
    """Counts the crossings of a run, before and after each durable write, and kills at one."""

    def __init__(self, fatal: int = -1) -> None:
        self.fatal = fatal
        self.seen: list[str] = []

    def __call__(self, where: str) -> None:
        if len(self.seen) == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self.seen.append(where)


def fatal_points(seen: Sequence[str], schedule: str) -> list[int]:
    """Return the crossings of *schedule*: every one, or the last and one before each kind of write.

    Of the writes of a kind the middle one is taken: something was written before it, and something
    is left to do. A kill after a write finds on the disk what a kill before the next one does.
    """
    if schedule == "every":
        return list(range(len(seen)))
    kinds: dict[str, list[int]] = {}
    for n, where in enumerate(seen):
        if where.startswith("before "):
            kinds.setdefault(re.sub(r"[0-9a-f]{64}|\d+", "0", where), []).append(n)
    return sorted({*(places[len(places) // 2] for places in kinds.values()), len(seen) - 1})


def crashes(
    schedule: str,
    begun: Callable[[Path], RunFolder],
    live: Callable[[RunFolder], object],
    faults: Callable[[RunFolder, RunFolder], list[str]],
    upto: str = "",
    within: str = "",
) -> dict[str, Any]:
    """Kill a run at each crossing of *schedule*; return where, how often, and what went wrong.

    *begun* makes a run in a folder, *live* brings it to its end, and *faults* takes a killed run up
    again and says what differs from the second one, which was never killed. Nothing is killed after
    the first crossing of the name *upto*, nor at one without *within* in its name.
    """

    def lived(path: Path, crossing: Crossing) -> None:
        live(RunFolder(path, crossing))

    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        counting, whole = Crossings(), begun(Path(root, "whole"))
        lived(whole.path, counting)
        seen = counting.seen[: counting.seen.index(upto) + 1] if upto else counting.seen
        fatal = [n for n in fatal_points(seen, schedule) if within in seen[n]]
        kills, wrong = 0, list[str]()
        for n in fatal:
            run = begun(Path(root, str(n)))
            kills += killed(lambda: lived(run.path, Crossings(n)))  # noqa: B023 - done at once
            wrong += [f"{n}, {seen[n]}: {fault}" for fault in faults(run, whole)]
    return {"points": [seen[n] for n in fatal], "kills": kills, "faults": wrong}


def print_report(report: Callable[..., object]) -> None:
    """Print, as a program does, what *report* gives for the program's arguments."""
    prepare_process()
    watch_checkpoints()
    sys.stdout.write(json.dumps(report(*sys.argv[1:])))


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
    write: Callable[..., Awaitable[Any]], name: str, crossing: Crossing
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


def report(module: str, *arguments: str) -> Any:
    """Run a module as a program; return what it printed."""
    program = python("-m", module, *arguments)
    assert not program.returncode, program.stderr
    return json.loads(program.stdout)

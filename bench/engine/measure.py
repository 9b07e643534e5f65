"""Measures one contender in a process of its own: `python -m bench.engine.measure JSON`."""

import asyncio
import cProfile
import gc
import json
import os
import pstats
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.engine.clients import Setting
from bench.engine.contenders import CONTENDERS, EMPTY, LAYERED, Contender
from bench.engine.machine import cpu_s, family, folder_bytes, peak_mb
from bench.engine.server import Server
from bench.engine.work import REPLY_BYTES, Task, bound_s, independent, layered
from core.settings import prepare_process

ABSENT = 3
"""The exit code where a package that the contender needs is not installed."""
WARM_UP, HOTTEST = 8, 25


@dataclass(frozen=True, slots=True)
class Cell:
    """One size of work."""

    kind: str
    """"independent", "layered" or "empty"."""
    count: int
    slots: int
    latency_ms: float
    """Of each task; the mean where tasks are layered."""
    seed: int = 0
    profiled: bool = False
    """Whether to say where the time goes, which costs time itself."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What is to be done."""
        if self.kind == "layered":
            return layered(self.seed, self.count, self.latency_ms)
        return independent(self.count, self.latency_ms)

    @property
    def contenders(self) -> Mapping[str, Contender]:
        """Who can be given it."""
        return {
            "independent": CONTENDERS,
            "layered": LAYERED,
            "empty": {"ours": EMPTY},
        }[self.kind]


async def measured(name: str, cell: Cell, server: Server, folder: Path) -> dict[str, Any]:
    """Open the contender, warm it up, and measure it on one cell."""
    folder.mkdir(parents=True)
    tasks = cell.tasks
    opener = cell.contenders[name].open()
    async with opener(Setting(server.url, cell.slots, folder)) as solve:
        await solve(independent(WARM_UP, 0))
        gc.collect()
        server.reset()
        bytes_before, cpu_before, served_before = _now(folder, server)
        profile = cProfile.Profile(time.thread_time) if cell.profiled else None
        started = time.perf_counter()
        with profile or nullcontext():
            answers = await solve(tasks)
        wall_s = time.perf_counter() - started
        bytes_after, cpu_after, served_after = _now(folder, server)
        peak = sum(map(peak_mb, family(os.getpid())))
    _check(answers, tasks, cell, server)
    return {
        "contender": name,
        **asdict(cell),
        "wall_s": wall_s,
        "bound_s": bound_s(tasks, cell.slots),
        "cpu_ms": (cpu_after - cpu_before) * 1000 / len(tasks),
        "server_share": (served_after - served_before) / wall_s,
        "bytes": (bytes_after - bytes_before) / len(tasks),
        "peak_mb": peak,
        "profile": _hot(profile, len(tasks)) if profile else [],
    }


def _hot(profile: cProfile.Profile, tasks: int) -> list[tuple[str, float, float, float]]:
    """Functions by the time spent in themselves: name, calls, own and whole ms, for each task."""
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    rows = [
        (_name(place), calls / tasks, own * 1000 / tasks, whole * 1000 / tasks)
        for place, (_, calls, own, whole, _) in found.items()
    ]
    return sorted(rows, key=lambda row: -row[2])[:HOTTEST]


def _name(place: tuple[str, int, str]) -> str:
    file, line, function = place
    if file == "~":
        return function.strip("<>")
    return f"{'/'.join(Path(file).parts[-2:])}:{line} {function}"


def _now(folder: Path, server: Server) -> tuple[int, float, float]:
    others = sum(cpu_s(pid) for pid in family(os.getpid())[1:])
    return folder_bytes(folder), time.process_time() + others, cpu_s(server.pid)


def _check(answers: Sequence[str], tasks: Sequence[Task], cell: Cell, server: Server) -> None:
    """A contender that lost an answer, asked twice or broke the limit has no place in a table."""
    if [len(answer) for answer in answers] != [REPLY_BYTES] * len(tasks):
        raise AssertionError(f"{len(answers)} answers, not {len(tasks)} of {REPLY_BYTES} bytes")
    stats = server.stats()
    asked = 0 if cell.kind == "empty" else len(tasks)
    if stats["requests"] != asked or stats["max_inflight"] > cell.slots:
        raise AssertionError(f"the server saw {stats} for {asked} tasks in {cell.slots} slots")


async def main(arguments: Mapping[str, Any]) -> None:
    """Measure each cell and write a line of JSON for each.

    One event loop for all of them: the stock client keeps its connections for the next one who
    makes such a client, and those are of use on the loop that opened them only.
    """
    server = Server(arguments["url"], arguments["pid"])
    for number, values in enumerate(arguments["cells"]):
        folder = Path(arguments["folder"]) / str(number)
        row = await measured(arguments["contender"], Cell(**values), server, folder)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    try:
        prepare_process()
        asyncio.run(main(json.loads(sys.argv[1])))
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        sys.exit(ABSENT)

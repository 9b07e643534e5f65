"""Runs every contender on every cell in rounds, and writes bench/RESULTS.md."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from bench.engine import report
from bench.engine.contenders import CONTENDERS, LAYERED
from bench.engine.measure import ABSENT, Cell
from bench.engine.server import ROOT, Server, served

PEERS = ROOT / ".venv-bench"
BUILD = ROOT / "build"
ROWS = BUILD / "bench-engine.jsonl"
ROUNDS = 3
LARGE = Cell("independent", 1000, 64, 100)
SIZES = (
    Cell("independent", 32, 8, 100),
    Cell("independent", 32, 64, 100),
    Cell("independent", 200, 8, 100),
    Cell("independent", 200, 64, 100),
    LARGE,
)
LONG = Cell("independent", 1000, 8, 100)
"""Takes 12 s whoever does it: measured in the first round alone."""
GROWTH = tuple(Cell(kind, n, 64, 100) for kind in ("independent", "empty") for n in (100, 1000))
DAGS = tuple(Cell("layered", 200, slots, 400, seed=1) for slots in (8, 16))
PROFILES = tuple(Cell(kind, 1000, 64, 100, profiled=True) for kind in ("empty", "independent"))


@dataclass(frozen=True, slots=True)
class Errand:
    """One contender in one process, on some cells."""

    contender: str
    cells: tuple[Cell, ...]
    round: int

    @property
    def limit_s(self) -> float:
        """When it is ended: a start, and many times the least time that the work takes."""
        return 90 + 12 * sum(len(cell.tasks) / cell.slots * 0.1 for cell in self.cells)


def errands(rounds: int, only: Sequence[str]) -> Iterator[Errand]:
    """Return all that is to be measured, the contenders of each round in another order."""
    for number in range(rounds):
        found = [*_independent(number), *_layered(number)]
        found.append(Errand("ours", GROWTH, number))
        random.Random(number).shuffle(found)  # noqa: S311 - reproducible on purpose
        yield from (e for e in found if not only or e.contender in only)
    if not only or "ours" in only:
        yield from (Errand("ours", (cell,), 0) for cell in PROFILES)


def _independent(number: int) -> Iterator[Errand]:
    for name, contender in CONTENDERS.items():
        cells = (LARGE,) if contender.large_only else (*SIZES, *([LONG] if number == 0 else []))
        yield Errand(name, cells, number)


def _layered(number: int) -> Iterator[Errand]:
    return (Errand(name, DAGS, number) for name in LAYERED)


def run(errand: Errand, server: Server, folder: Path) -> list[dict[str, Any]]:
    """Do one errand; one that fails, is absent or takes too long leaves a row that says so."""
    arguments = {
        "contender": errand.contender,
        "url": server.url,
        "pid": server.pid,
        "folder": str(folder),
        "cells": [asdict(cell) for cell in errand.cells],
    }
    command = [_python(), "-m", "bench.engine.measure", json.dumps(arguments)]
    code, out, problem = _bounded(command, errand.limit_s)
    rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if code:
        status = "absent" if code == ABSENT else "failed"
        missed = errand.cells[len(rows)]
        rows.append(
            {"contender": errand.contender, **asdict(missed), "status": status, "why": problem}
        )
    return [{**row, "round": errand.round} for row in rows]


def _python() -> str:
    """The Python that has the peers, or this one: then they are absent."""
    ready = (PEERS / ".ready").exists()
    return str(PEERS / "bin/python") if ready else sys.executable


def _bounded(command: Sequence[str], limit_s: float) -> tuple[int, str, str]:
    """Run a command that is ended, with all that it started, after *limit_s* seconds."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        late = Timer(limit_s, os.killpg, (process.pid, signal.SIGKILL))
        late.start()
        try:
            out, err = process.communicate()
        finally:
            late.cancel()
            if process.poll() is None:  # whoever ran us wants to stop
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode == -signal.SIGKILL:
        err += f"\nended after {limit_s:.0f} s"
    lines = err.strip().splitlines()
    return process.returncode, out, lines[-1] if lines else ""


def trace_cost(folder: Path) -> list[list[float]]:
    """Measure the trace in a process of its own."""
    command = [sys.executable, "-m", "bench.engine.trace_cost", str(folder)]
    code, out, problem = _bounded(command, 180)
    if code:
        raise RuntimeError(f"the trace could not be measured: {problem}")
    return list(json.loads(out))


def main(rounds: int = ROUNDS, only: Sequence[str] = ()) -> None:
    """Measure everything and write the tables."""
    started = time.perf_counter()
    BUILD.mkdir(exist_ok=True)
    # emptied only at the end: where files were just deleted, new ones cost many times as much
    with tempfile.TemporaryDirectory(dir=BUILD, prefix="bench-") as folder, served() as server:
        rows = list(_all(errands(rounds, only), server, Path(folder)))
        costs = trace_cost(Path(folder) / "trace")
    ROWS.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    text = report.results(rows, costs, time.perf_counter() - started, _versions())
    if not only:
        report.RESULTS.write_text(text, "utf-8")
    print(text)


def _all(todo: Iterable[Errand], server: Server, folder: Path) -> Iterator[Mapping[str, Any]]:
    for number, errand in enumerate(todo):
        for row in run(errand, server, folder / str(number)):
            print(_line(row), file=sys.stderr, flush=True)
            yield row


def _line(row: Mapping[str, Any]) -> str:
    place = f"round {row['round']}: {row['contender']}, {row['kind']} {row['count']}"
    place += f" in {row['slots']}"
    if "status" in row:
        return f"{place}: {row['status']} ({row['why']})"
    ratio = row["wall_s"] / row["bound_s"]
    return f"{place}: {row['wall_s']:.2f} s, {ratio:.2f} of the bound, {row['cpu_ms']:.2f} ms CPU"


def _versions() -> dict[str, str]:
    """The packages' versions in the Python that measures."""
    code, out, problem = _bounded([_python(), "-m", "bench.engine.machine"], 60)
    if code:
        raise RuntimeError(f"the versions could not be read: {problem}")
    return dict(json.loads(out))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="bench.engine", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    chosen = parser.parse_args()
    main(chosen.rounds, chosen.only)

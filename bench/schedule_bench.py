"""What simulating a schedule costs: ours, a plain Python loop, and published tools.

`python bench/schedule_bench.py` prints the report; `--write` saves it as results/schedule.md.
`--peer NAME=PYTHON` names the interpreter of an environment that has a peer (mcerp, mcprojsim);
one without is reported as absent.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import median
from typing import Any

from dr_rd.tools.schedule_risk import ScheduleRisk, schedule_risk

HERE = Path(__file__).parent
TASKS, ITERATIONS, REPEATS = 200, 10_000, 5
Network = Mapping[str, Any]
Found = Mapping[str, Any]


def network(tasks: int = TASKS, iterations: int = ITERATIONS, seed: int = 1) -> Network:
    """Return a layered network: each task waits for up to three of the twenty before it."""
    chance = random.Random(seed)  # noqa: S311
    activities = {}
    for n in range(tasks):
        near = range(max(0, n - 20), n)
        needs = [f"T{m}" for m in chance.sample(near, min(n, chance.randint(0, 3)))]
        activities[f"T{n}"] = {"needs": needs, "days": _points(chance), "cost": _points(chance)}
    return {"activities": activities, "iterations": iterations}


def _points(chance: random.Random) -> list[float]:
    low = chance.uniform(1, 10)
    mode = low * chance.uniform(1, 2)
    return [low, mode, mode * chance.uniform(1.1, 3)]


def ours(given: Network) -> Found:
    keys = ("low", "mode", "high")
    activities = [
        {
            "id": key,
            "depends_on": a["needs"],
            "days": dict(zip(keys, a["days"], strict=True)),
            "cost": dict(zip(keys, a["cost"], strict=True)),
        }
        for key, a in given["activities"].items()
    ]
    params = ScheduleRisk(activities=activities, iterations=given["iterations"], seed=1)
    found: Any = schedule_risk(params)
    return {"days": found["days"]["P80"], "cost": found["cost"]["P80"]}


def loop(given: Network) -> Found:
    """Draw, pass forward and backward, one iteration and one task after another."""
    chance, activities = random.Random(1), given["activities"]  # noqa: S311
    order = tuple(TopologicalSorter({k: a["needs"] for k, a in activities.items()}).static_order())
    critical = dict.fromkeys(order, 0)
    ends, costs = [], []
    for _ in range(given["iterations"]):
        days = {k: _pert(activities[k]["days"], chance) for k in order}
        costs.append(sum(_pert(activities[k]["cost"], chance) for k in order))
        finish: dict[str, float] = {}
        for key in order:
            start = max((finish[b] for b in activities[key]["needs"]), default=0.0)
            finish[key] = start + days[key]
        end = max(finish.values())
        latest = dict.fromkeys(order, end)
        for key in reversed(order):
            for before in activities[key]["needs"]:
                latest[before] = min(latest[before], latest[key] - days[key])
            critical[key] += latest[key] - finish[key] < 1e-9
        ends.append(end)
    return {"days": _p80(ends), "cost": _p80(costs)}


def _pert(points: list[float], chance: random.Random) -> float:
    low, mode, high = points
    span = high - low
    a, b = 1 + 4 * (mode - low) / span, 1 + 4 * (high - mode) / span
    return low + span * chance.betavariate(a, b)


def _p80(values: list[float]) -> float:
    return sorted(values)[int(0.8 * len(values))]


def timed(solve: Callable[[Network], Found], repeats: int) -> Found:
    """Return the median of *repeats*, after one of a hundred iterations."""
    solve(network(iterations=100))
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        found = solve(network())
        seconds.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {**found, "seconds": median(seconds), "mb": peak}


def alone(name: str) -> Found:
    """Measure in a process of its own, so that each has its own peak."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.schedule_bench", "--only", name],
        capture_output=True, text=True, check=True, cwd=HERE.parent,
    )  # fmt: skip
    return json.loads(done.stdout)


def peer(name: str, python: str) -> Found:
    done = subprocess.run(
        [python, str(HERE / "schedule_peers.py"), name],
        input=json.dumps(network()), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return {"absent": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout)


WHAT = {
    "ours": "percentiles, criticality, float, tornado of both, merge bias",
    "loop": "percentiles and criticality, in plain Python",
    "mcerp": "percentiles only",
    "mcprojsim": "percentiles of duration and criticality; no cost of a task",
}


def report(peers: Mapping[str, str]) -> str:
    found = {name: alone(name) for name in ("ours", "loop")}
    for name in ("mcerp", "mcprojsim"):
        found[name] = peer(name, peers[name]) if name in peers else {"absent": "not installed"}
    return "\n".join(
        [
            "# Simulating a schedule",
            "",
            f"{TASKS} tasks with up to three predecessors each, {ITERATIONS:,} iterations of "
            "PERT-beta days and costs, pinned to one core of a busy two-core machine; median of "
            f"{REPEATS} for ours, one run of the others. Memory is the peak of the process.",
            "",
            "| tool | computes | seconds | times ours | peak MB | P80 days | P80 cost |",
            "|---|---|---|---|---|---|---|",
            *(_row(name, row, found["ours"]) for name, row in found.items()),
            "",
            f"Bounds: under 1 s ({_kept(found['ours']['seconds'] < 1)}) and under 500 MB "
            f"({_kept(found['ours']['mb'] < 500)}).",
            "",
            "mcerp 1.1.1 (BSD-3-Clause) installs from PyPI with numpy and scipy; the network is laid over "
            "its draws by hand. mcprojsim 0.15.2 (MIT) asks for Python 3.13 and was installed on "
            "3.11 with --ignore-requires-python --no-deps; its default is triangular draws, so its "
            "P80 is not comparable to the digit.",
            "",
        ]
    )


def _row(name: str, row: Found, base: Found) -> str:
    if "absent" in row:
        return f"| {name} | {WHAT[name]} | absent: {row['absent']} | | | | |"
    cost = "–" if row["cost"] is None else f"{row['cost']:,.0f}"
    return (
        f"| {name} | {WHAT[name]} | {row['seconds']:.2f} | {row['seconds'] / base['seconds']:.1f} "
        f"| {row['mb']:.0f} | {row['days']:.0f} | {cost} |"
    )


def _kept(kept: bool) -> str:  # noqa: FBT001 - a word for a yes or no
    return "kept" if kept else "**missed**"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", choices=("ours", "loop"))
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    chosen = parser.parse_args(arguments)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if chosen.only:
        solve, repeats = {"ours": (ours, REPEATS), "loop": (loop, 1)}[chosen.only]
        json.dump(timed(solve, repeats), sys.stdout)
        return
    text = report(dict(p.split("=", 1) for p in chosen.peer))
    print(text)
    if chosen.write:  # with the peers: their figures are not to be overwritten by their absence
        (HERE / "results" / "schedule.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

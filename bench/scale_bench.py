"""What 10,000 runs cost a process that serves them, and how long it makes people wait meanwhile.

Run `python -m bench.scale_bench` to print the report; `--write` saves it as results/scale.md.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Event

import yaml
from pydantic import JsonValue

from bench.list_bench import make_run
from core.clock import SystemClock
from core.runs import RunService
from core.settings import RunOptions, prepare_process
from core.store import RunStore
from dr_rd.listing import run_index
from dr_rd.workbench import ResearchRun, load_workbench

HERE = Path(__file__).parent
BRIEF = HERE.parent / "dr_rd/data/briefs/classroom-air.yaml"
MANY, FEW, AT_ONCE, ROUNDS = 10_000, 10, 8, 5
BAR_S = 0.3
"""What people wait for at most while eight runs are worked on, of twenty times nineteen."""


def filled(audits: Path, count: int) -> RunStore:
    """Return a store with that many runs of one project, all of them copies of one.

    Of its trace they have the beginning and the end alone: a list reads no more.
    """
    store = RunStore(audits)
    first = make_run(store, 0).path
    project = audits / "default"
    project.mkdir()
    lines = (first / "trace.jsonl").read_bytes().splitlines(keepends=True)
    data = {
        "trace.jsonl": b"".join([*lines[:2], *lines[-2:]]),
        "settings.json": (first / "settings.json").read_bytes(),
    }
    for number in range(count):
        run_dir = project / f"20260101-{number:06}-000-copied"
        run_dir.mkdir()
        (run_dir / "brief.json").write_text(f'{{"objective": "Case {number}."}}', "utf-8")
        for name, text in data.items():
            (run_dir / name).write_bytes(text)
    return store


def seconds(work: Callable[[], object]) -> float:
    """Return how long *work* takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def steps(store: RunStore, brief: Mapping[str, JsonValue]) -> tuple[float, float]:
    """Return the medians of making a run's folder and of finding a run by its id."""
    names = [f"20270101-00000{number}-000-made" for number in range(ROUNDS)]
    made = [seconds(lambda name=name: store.create(name, RunOptions(), brief)) for name in names]
    return median(made), median(seconds(lambda name=name: store.find(name)) for name in names)


def waits(store: RunStore, brief: Mapping[str, JsonValue]) -> list[float]:
    """Return how long looks at a run take in the process that works on eight runs at once."""
    workbench = load_workbench()
    service = RunService(store, lambda folder: ResearchRun(workbench, folder), SystemClock())
    found: list[float] = []
    try:
        names = [service.start(RunOptions(), brief) for _ in range(AT_ONCE)]
        while any(service.snapshot(name).status == "running" for name in names):
            for name in names:
                found.append(seconds(lambda name=name: service.snapshot(name)))
            Event().wait(0.05)
    finally:
        service.close()
    return found


def report() -> str:
    """Make the runs, measure, and return the tables."""
    brief = yaml.safe_load(BRIEF.read_text("utf-8"))
    with TemporaryDirectory() as place:
        small, large = (filled(Path(place) / str(count), count) for count in (FEW, MANY))
        few, many = steps(small, brief), steps(large, brief)
        index = run_index(large.root)
        cold = seconds(index.list)
        warm = median(seconds(index.list) for _ in range(ROUNDS))
        ids = [run.run_id for run in index.list()]
        if ids != sorted(ids, reverse=True):
            raise AssertionError("the newest run is not first")
        found = waits(large, brief)
    p95 = quantiles(found, n=20)[-1]
    met = "met" if p95 < BAR_S else "missed"
    return f"""# What {MANY:,} runs cost

Wall times in milliseconds, medians of {ROUNDS}, on {os.cpu_count()} cores with a load average of \
{os.getloadavg()[0]:.1f}.

| step | {FEW} runs in the project | {MANY:,} |
|---|---|---|
| make a run's folder | {few[0] * 1000:.1f} | {many[0] * 1000:.1f} |
| find a run by its id | {few[1] * 1000:.2f} | {many[1] * 1000:.2f} |

The list of {len(ids):,} runs, newest first: {cold:.2f} s the first time, {warm:.2f} s when nothing has changed.

{AT_ONCE} runs of the sample brief at once in the process that serves them, among {MANY:,} others: \
{len(found):,} looks at a run took {median(found) * 1000:.1f} ms (median), {p95 * 1000:.0f} ms \
(95th percentile), {max(found) * 1000:.0f} ms (worst). Bar: {BAR_S * 1000:.0f} ms at the 95th, {met}.
"""


if __name__ == "__main__":
    prepare_process()
    text = report()
    print(text)
    if "--write" in sys.argv:
        (HERE / "results" / "scale.md").write_text(text, "utf-8")

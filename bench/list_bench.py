"""What listing costs: CPU seconds of `dr-rd list` over 2,000 runs, by what the index knows of them.

Run `python -m bench.list_bench` to print the report; `--write` saves it as results/list.md.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from core.events import (
    ApprovalAsked,
    Booted,
    CallEnded,
    CallTried,
    Event,
    NodeEnded,
    NodeStarted,
    RunEnded,
    RunFinished,
    RunPaused,
    RunStarted,
    TaskFinished,
)
from core.files import sha256
from core.index import INDEX
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock
from core.trace import Trace
from dr_rd.listing import run_index

HERE = Path(__file__).parent
RUNS = 2_000
TASKS = 14
"""Of the sample brief; a run with models has two calls for each."""
DRIVEN = 5
ROUNDS = 5
BAR = 1.0
"""CPU seconds that a list may cost."""
DAY = datetime(2026, 1, 1, tzinfo=UTC)
ENDS = ("finished",) * 15 + ("waiting", "waiting", "paused", "interrupted", "interrupted")
"""What every twenty runs come to."""


def events(number: int) -> Iterator[Event]:
    """Yield what happens in a run, up to where it is left."""
    name = sha256(str(number).encode())
    yield Booted(pid=number, python="3.11.7", version="dr-rd 0.1.0")
    yield RunStarted(project_id="bench", brief_digest=name, settings=RunOptions())
    for task in range(TASKS):
        yield from task_events(f"T{task:02}", name)
    match ENDS[number % len(ENDS)]:
        case "finished":
            yield RunFinished(status="finished", proposal_digest=name)
            yield RunEnded(count=4 + TASKS * 9)
        case "waiting":
            yield ApprovalAsked(plan_digest=name)
        case "paused":
            yield RunPaused(reason="stopped by a signal")


def task_events(task: str, name: str) -> Iterator[Event]:
    """Yield what happens in a task."""
    place = {"task_id": task, "purpose": "work", "endpoint": "https://models.example.org"}
    yield NodeStarted(node="route", task_id=task)
    yield NodeEnded(node="route", task_id=task, duration_ms=3)
    yield NodeStarted(node="agent", task_id=task)
    for call in (f"{task}-1", f"{task}-2"):
        yield CallTried(
            call_id=call, attempt=1, outcome="answered", elapsed_ms=900, chars=8_000, **place
        )
        yield CallEnded(
            call_id=call, model="some-model", request_digest=name, reply_digest=name, ok=True,
            tries=1, prompt_tokens=2_000, completion_tokens=600, cost_usd=0.01, **place,
        )  # fmt: skip
    yield NodeEnded(node="agent", task_id=task, duration_ms=1_900)
    yield TaskFinished(task_id=task, answer_digest=name, status="done")


def make_run(store: RunStore, number: int) -> RunFolder:
    """Make a run and return its folder; somebody drove it, and let go of it."""
    clock = FakeClock(start=DAY + timedelta(minutes=number))
    run_id = f"{clock.now():%Y%m%d-%H%M%S}-000-bench{number:04}"
    options = RunOptions(project_id=f"project-{number % 40}")
    folder = store.create(run_id, options, {"objective": f"Find out what helps in case {number}."})
    with folder.lease(clock), Trace(folder.trace_path, run_id, clock) as trace:
        for event in events(number):
            trace.record(event)
    return folder


def cpu_s(work: Callable[[], object], whose: int) -> float:
    """Return the CPU seconds, user and system, that *work* takes."""
    before = resource.getrusage(whose)
    work()
    after = resource.getrusage(whose)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def command(audits: Path) -> float:
    """Return the CPU seconds of one `dr-rd list`, Python's start and end included."""
    words = [sys.executable, "-m", "dr_rd", "list", "--audits", str(audits), "--json"]
    return cpu_s(
        lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=True),
        resource.RUSAGE_CHILDREN,
    )


def lists(audits: Path, folders: list[RunFolder]) -> Mapping[str, Callable[[], object]]:
    """Return what is done before each list, by what the index then knows."""
    turn = iter(range(ROUNDS * 4))
    open_runs = [f for k, f in enumerate(folders) if ENDS[k % len(ENDS)] != "finished"]

    def change() -> None:
        """Let one run in a hundred go on by an event."""
        size = RUNS // 100
        start = next(turn) * size
        for folder in (open_runs * 9)[start : start + size]:
            with Trace(folder.trace_path, folder.run_id, FakeClock()) as trace:
                trace.record(Booted(pid=start, python="3.11.7"))

    def forget() -> None:
        for path in audits.glob(f"{INDEX}*"):
            path.unlink()

    return {
        "nothing changed": lambda: None,
        "1 % of the runs changed": change,
        "no index yet": forget,
    }


def measured(
    before: Mapping[str, Callable[[], object]], one: Callable[[], float]
) -> dict[str, float]:
    """Return the median CPU seconds of a list after each preparation."""
    one()
    found: dict[str, list[float]] = {name: [] for name in before}
    for name, prepare in before.items():
        for _ in range(ROUNDS):
            prepare()
            found[name].append(one())
    return {name: median(times) for name, times in found.items()}


def report() -> str:
    """Make the runs, list them, and return the table."""
    with TemporaryDirectory() as place, ExitStack() as driven:
        audits = Path(place) / "audits"
        store = RunStore(audits)
        started = time.perf_counter()
        folders = [make_run(store, number) for number in range(RUNS)]
        for folder in folders[-DRIVEN:]:
            driven.enter_context(folder.lease(FakeClock()))
        print(f"made {RUNS} runs in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        before = lists(audits, folders)
        whole = measured(before, lambda: command(audits))
        index = run_index(audits)
        inside = measured(before, lambda: cpu_s(index.list, resource.RUSAGE_SELF))
        none = Path(place) / "none"
        none.mkdir()  # a folder that is not there is the user's mistake, and read no further
        empty = median(command(none) for _ in range(ROUNDS))
        size_kb = (audits / INDEX).stat().st_size / 1000
        trace_kb = folders[0].trace_path.stat().st_size / 1000
    within = all(whole[name] < BAR for name in list(whole)[:2])
    return "\n".join(
        [
            "# What listing runs costs",
            "",
            f"CPU seconds, user and system, medians of {ROUNDS}, on two cores with a load average "
            f"of {os.getloadavg()[0]:.1f}, which makes them dearer. {RUNS:,} made-up runs, each "
            f"with a trace of {trace_kb:.0f} kB and {2 * TASKS} calls to models; a quarter has not "
            f"ended, and {DRIVEN} are driven. Their index takes {size_kb:,.0f} kB.",
            "",
            "| the index knows | `dr-rd list --json`, the whole process | the list alone |",
            "|---|---|---|",
            *(f"| {name} | {whole[name]:.2f} | {inside[name]:.3f} |" for name in before),
            "",
            f"A process that finds no run at all: {empty:.2f}. "
            f"Bar with an index: {BAR:g} s a process, {'met' if within else 'missed'}.",
            "",
        ]
    )


def main() -> None:
    """Print the report, and write it if asked."""
    text = report()
    print(text)
    if "--write" in sys.argv:
        (HERE / "results" / "list.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""What an event costs when there are many before it, and what verifying them costs."""

import json
import sys
import time
from pathlib import Path
from typing import NamedTuple

from core.clock import SystemClock
from core.events import NodeStarted
from core.trace import Trace, verify

SIZES = (100, 10_000, 100_000)
_SAMPLE = 500


class TraceCost(NamedTuple):
    """Costs at one length of the trace."""

    events: int
    append_us: float
    """CPU time of one append, without a sync."""
    verify_s: float
    bytes: int
    """Of the trace, per event."""


def measure(folder: Path) -> list[TraceCost]:
    """Write one trace up to each size in turn."""
    run = folder / "project" / "run-0"
    run.mkdir(parents=True)
    path = run / "trace.jsonl"
    event = NodeStarted(node="agent", task_id="T0001")
    costs: list[TraceCost] = []
    with Trace(path, run.name, SystemClock()) as trace:
        for size in SIZES:
            while trace.count < size:
                trace.record(event)
            started = time.process_time()
            for _ in range(_SAMPLE):
                trace.record(event)
            spent = (time.process_time() - started) / _SAMPLE
            started = time.perf_counter()
            found = verify(run)
            seconds = time.perf_counter() - started
            if found.events != trace.count:
                raise AssertionError(f"{found.events} events can be read, {trace.count} written")
            per_event = path.stat().st_size // trace.count
            costs.append(TraceCost(size, spent * 1e6, seconds, per_event))
    return costs


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))

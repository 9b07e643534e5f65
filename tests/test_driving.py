"""What a run is said to have cost."""

from pathlib import Path

import pytest

from core.events import CallEnded
from core.settings import RunOptions
from core.store import RunStore
from core.testing import FakeClock
from core.trace import Trace
from dr_rd.commands.driving import cost_usd


def call(number: int, cost: float | None, tries: int = 1) -> CallEnded:
    return CallEnded(
        call_id=f"T1-call-{number}",
        task_id="T1",
        purpose="answer",
        endpoint="http://localhost",
        model="m",
        request_digest="",
        ok=True,
        tries=tries,
        cost_usd=cost,
    )


@pytest.mark.parametrize(
    ("costs", "total"),
    [([], 0.0), ([0.25, 0.5], 0.75), ([0.25, None], None)],
    ids=["no call costs nothing", "costs add up", "an unknown price makes the sum unknown"],
)
def test_the_cost_is_what_the_calls_cost(
    tmp_path: Path, costs: list[float | None], total: float | None
) -> None:
    folder = RunStore(tmp_path).create("run", RunOptions(), {"idea": "bake"})
    with Trace(folder.trace_path, "run", FakeClock()) as trace:
        for number, cost in enumerate(costs):
            trace.record(call(number, cost))
        trace.record(call(99, None, tries=0))  # refused before anything was sent
    assert cost_usd(folder) == total

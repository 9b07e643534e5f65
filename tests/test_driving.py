"""What a run is said to have cost."""

from pathlib import Path

import pytest

from core.settings import RunOptions
from core.store import RunStore
from core.testing import FakeClock, fake_call
from core.trace import Trace
from dr_rd.commands.driving import cost_usd


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
            trace.record(fake_call(call_id=f"T1-call-{number}", cost_usd=cost))
        trace.record(fake_call(tries=0))  # refused before anything was sent
    assert cost_usd(folder) == total

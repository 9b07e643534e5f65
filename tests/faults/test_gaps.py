"""One of six agents always fails, another is never good enough: the rest is done, once."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from core.driving import drive
from core.errors import TaskError
from core.events import AttemptJudged
from core.graph.files import read_answers
from core.graph.nodes import Work
from core.graph.state import Answer, GraphState, GraphTask
from core.scores import Scorecard
from core.settings import Flags, RunOptions
from core.store import RunStore
from core.testing import FakeClock, FakeParts, echo_agent, fake_card, fake_task
from core.trace import read_events, verify

PLAN = tuple(fake_task(f"T{k}") for k in range(1, 7))
WAYS = {
    "classic": ("classic", True),
    "sequential graph": ("graph", False),
    "parallel graph": ("graph", True),
}


async def t3_fails(work: Work) -> Answer:
    if work.task.id == "T3":
        raise TaskError("the model is away")
    return await echo_agent(work)


async def t5_is_weak(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
    return fake_card(0.1 if task.id == "T5" else 0.9)


@pytest.mark.parametrize("way", WAYS)
def test_five_of_six_are_done_the_gap_is_named_and_no_judge_goes_on_for_ever(
    way: str, tmp_path: Path
) -> None:
    mode, parallel = WAYS[way]
    flags = Flags(PARALLEL_EXEC_ENABLED=parallel, MAX_RETRIES=2, BACKOFF_BASE_S=0)
    options = RunOptions(mode=mode, flags=flags)
    folder = RunStore(tmp_path).create("run", options, {"idea": "bake"})
    bench = FakeParts(PLAN, options, agent=t3_fails, evaluate=t5_is_weak)
    outcome = asyncio.run(drive(folder, bench, FakeClock()))
    assert (outcome.status, outcome.exit_code) == ("holes", 3)
    assert "T3" in outcome.reason
    statuses = {task_id: answer.status for task_id, answer in read_answers(folder, PLAN).items()}
    assert statuses == dict.fromkeys(["T1", "T2", "T4", "T6"], "done") | {
        "T3": "failed",
        "T5": "below_gate",
    }
    assert "- T3: failed the model is away" in folder.read_text("proposal.md")
    judged = (r.event for r in read_events(folder.trace_path))
    attempts = Counter(e.task_id for e in judged if isinstance(e, AttemptJudged))
    assert attempts == {**dict.fromkeys(["T1", "T2", "T3", "T4", "T6"], 1), "T5": 3}
    assert [task_id for task_id, _ in bench.worked].count("T5") == 3
    assert verify(folder.path).problems == ()

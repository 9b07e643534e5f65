"""Every place where a run can die: kill it there, take it up again, compare with a whole run.

The places are all n crossings: before and after every event, every file, every write of a
checkpoint by the graph library, and with the events every boundary of a node.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from core.driving import Outcome, drive
from core.events import Recovered, RunEnded
from core.graph.files import read_answers
from core.graph.nodes import Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.scores import Scorecard
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, approve, echo_agent, fake_card, fake_task
from core.tool_router import Tool
from core.trace import read_events, verify
from tests.faults.forks import (
    SCHEDULES,
    Crossings,
    crashes,
    print_report,
    report,
    said_twice,
    unexplained,
)

WIDTH = 4
"""How many tasks are worked on at once, and so may be worked on again after a kill."""


class Number(BaseModel):
    n: int


DOUBLE = Tool("double", "Doubles a number.", Number, lambda number: number.n * 2)
FOUR = ToolRequest(name="double", args={"n": 4})
CHAIN = (fake_task("T1", tools=(FOUR,)), fake_task("T2", "T1"))
ALONE = (fake_task("T2", tools=(FOUR,)),)
WIDE = (
    CHAIN[0],
    *(fake_task(f"T{k}", "T1") for k in (2, 3, 4, 5)),
    fake_task("T6", "T2", "T3", "T4", "T5"),
)


@dataclass(frozen=True)
class Way:
    """A plan, and one way of running it."""

    options: RunOptions
    plan: tuple[GraphTask, ...]


def options(mode: str = "graph", **flags: bool) -> RunOptions:
    return RunOptions(
        mode=mode, flags=Flags(APPROVAL_REQUIRED=True, MAX_CONCURRENCY=WIDTH, **flags)
    )


WAYS = {
    "classic": Way(options("classic"), CHAIN),
    "sequential graph": Way(options(PARALLEL_EXEC_ENABLED=False), ALONE),
    "parallel graph": Way(options(), WIDE),
}


async def asks_twice(work: Work) -> Answer | tuple[ToolRequest, ...]:
    if len(work.tool_result) == 1:
        return (ToolRequest(name="double", args={"n": work.tool_result[0].output}),)
    return await echo_agent(work)


async def weak_at_first(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
    return fake_card(0.2 if "T2 attempt 1" in answer.content else 0.9)


@dataclass(frozen=True)
class Life:
    """One run of a plan one way, lived by as many processes as it takes."""

    way: Way
    path: Path

    @classmethod
    def begun(cls, way: Way, root: Path, *, decided: bool = True) -> "Life":
        folder = RunStore(root).create("run", way.options, {"idea": "bake"})
        if decided:
            approve(folder, by="ann", at="noon", tasks=way.plan)
        return cls(way, folder.path)

    def parts(self) -> FakeParts:
        """Plan one task too many, so that the analyst's edit shows; log each task outside."""

        async def agent(work: Work) -> Answer | tuple[ToolRequest, ...]:
            with self.log.open("a") as log:
                log.write(f"{work.task.id}\n")
            return await asks_twice(work)

        proposed = (*self.way.plan, fake_task("T9"))
        evaluate = weak_at_first
        return FakeParts(
            proposed, self.way.options, agent=agent, evaluate=evaluate, tools=(DOUBLE,)
        )

    def driven(self, crossing: Callable[[str], None]) -> Outcome:
        return asyncio.run(drive(RunFolder(self.path, crossing), self.parts(), FakeClock()))

    @property
    def folder(self) -> RunFolder:
        return RunFolder(self.path)

    @property
    def trace(self) -> Path:
        return self.folder.trace_path

    @property
    def log(self) -> Path:
        """Which tasks were worked on, in all processes; kept out of the run's folder."""
        return self.path.parent / "worked"

    def worked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def result(self) -> tuple[dict[str, Answer], str]:
        return read_answers(self.folder, self.way.plan), self.folder.read_text("proposal.md")

    def torn(self) -> int:
        """Leave what a crash in the midst of a write leaves; return the bytes of half a line."""
        rows = [r.event for r in read_events(self.trace)] if self.trace.exists() else []
        if not rows or isinstance(rows[-1], RunEnded):  # after its end nothing is written
            return 0
        half = b'{"event":{"kind":"node_st'
        with self.trace.open("ab") as trace:
            trace.write(half)
        (self.path / "proposal.md.1.part").write_text("# Half a prop")
        return len(half)

    def faults(self, expected: object) -> list[str]:
        """Take the killed run up again and say what differs from one that was never killed."""
        safe, before = set(read_answers(self.folder, self.way.plan)), self.worked()
        torn = self.torn()
        outcome = self.driven(Crossings())
        after = set(self.worked()[len(before) :])
        trace, proof = self.trace, verify(self.path)
        cuts = [r.event.bytes_cut for r in read_events(trace) if isinstance(r.event, Recovered)]
        checks = {
            f"status {outcome.status}": outcome.status == "finished",
            "other answers": self.result() == expected,
            f"made again: {safe & after}": not safe & after,
            f"worked on again: {set(before) & after}": len(set(before) & after) <= WIDTH,
            f"verify: {proof.problems}": proof.ok,
            "said twice": not said_twice(trace),
            f"unexplained: {unexplained(trace)}": not unexplained(trace),
            f"cuts: {cuts}": cuts == ([torn] if torn else []),
            "left behind": not list(self.path.rglob("*.part")),
        }
        return [fault for fault, fine in checks.items() if not fine]


def crashes_of(way: str, schedule: str) -> dict[str, Any]:
    def begun(root: Path) -> RunFolder:
        return Life.begun(WAYS[way], root).folder

    def live(folder: RunFolder) -> None:
        Life(WAYS[way], folder.path).driven(folder.crossing)

    def faults(folder: RunFolder, whole: RunFolder) -> list[str]:
        return Life(WAYS[way], folder.path).faults(Life(WAYS[way], whole.path).result())

    return crashes(schedule, begun, live, faults)


@pytest.mark.sampled(3, 2)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("way", WAYS)
def test_a_run_killed_anywhere_goes_on_to_the_same_end(way: str, schedule: str) -> None:
    found = report("tests.core.test_crashes", way, schedule)
    points = found["points"]
    sides = [point.partition(" ")[0] for point in points]
    assert sides.count("before") == sides.count("after") or schedule != "every"
    assert sides.count("before") > (60 if schedule == "every" else 20)
    assert found["kills"] == len(points)
    assert found["faults"] == []
    assert ("before aput_writes" in points) == ("graph" in way)


if __name__ == "__main__":
    print_report(crashes_of)

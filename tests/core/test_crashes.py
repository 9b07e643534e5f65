"""Every place where a run can die: kill it there, take it up again, compare with a whole run.

Run as a program, this file does all that for one way of running and prints what went wrong;
a fresh process is needed because only one without threads may be forked.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from pydantic import BaseModel

from core.graph.nodes import Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.runs import Outcome, drive
from core.scores import Scorecard
from core.settings import Flags, RunOptions, prepare_process
from core.store import Decision, RunFolder, RunStore
from core.testing import FakeBench, FakeClock, echo_agent, fake_card, fake_task
from core.tool_router import Tool
from core.trace import read_events, verify

APPROVED = Flags(APPROVAL_REQUIRED=True)
WAYS = {
    "classic": RunOptions(mode="classic", flags=APPROVED),
    "sequential graph": RunOptions(
        flags=Flags(APPROVAL_REQUIRED=True, PARALLEL_EXEC_ENABLED=False)
    ),
    "parallel graph": RunOptions(flags=APPROVED),
}
MEMORY = Path("/dev/shm")  # noqa: S108 - a kill cannot tell a disk from memory, which is faster


class Number(BaseModel):
    n: int


DOUBLE = Tool("double", "Doubles a number.", Number, lambda number: number.n * 2)
PLAN = (
    fake_task("T1", tools=(ToolRequest(name="double", args={"n": 4}),)),
    fake_task("T2", "T1"),
)


async def asks_twice(work: Work) -> Answer | tuple[ToolRequest, ...]:
    if len(work.tool_result) == 1:
        return (ToolRequest(name="double", args={"n": work.tool_result[0].output}),)
    return await echo_agent(work)


async def weak_at_first(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
    return fake_card(0.2 if "T2 attempt 1" in answer.content else 0.9)


def bench(options: RunOptions) -> FakeBench:
    return FakeBench(
        (*PLAN, fake_task("T9")),
        options,
        agent=asks_twice,
        evaluate=weak_at_first,
        tools=(DOUBLE,),
    )


class Crossings:
    """Counts the durable writes, and kills the process at one of them.

    From just after one write to just before the next nothing lasts, except that the graph
    library keeps its place between two nodes; so these are all the places that differ.
    """

    def __init__(self, fatal: int = -1) -> None:
        self.count, self.fatal = 0, fatal

    def __call__(self, where: str) -> None:
        if where.startswith("after") and where != "after node_ended":
            return
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1


def folder(root: Path, options: RunOptions, crossings: Crossings) -> RunFolder:
    made = RunStore(root).create("run", options, {"idea": "bake"})
    made.decide(Decision(by="ann", at="noon", tasks=PLAN))
    return RunFolder(made.path, crossings)


def driven(run: RunFolder, work: FakeBench) -> Outcome:
    return asyncio.run(drive(run, work, FakeClock()))


def result(run: RunFolder) -> tuple[dict[str, Answer], str]:
    return run.answers(PLAN), run.read_text("proposal.md")


def killed(run: RunFolder, options: RunOptions) -> None:
    """Drive the run in a fork of this process until its fatal crossing kills it."""
    child = os.fork()
    if not child:
        driven(run, bench(options))
        os._exit(0)
    os.waitpid(child, 0)


def faults_of(run: RunFolder, options: RunOptions, expected: object) -> list[str]:
    """Take a killed run up again and say what differs from one that was never killed."""
    safe = set(run.answers(PLAN))
    again = bench(options)
    outcome = driven(RunFolder(run.path), again)
    remade = safe & {task_id for task_id, _ in again.worked}
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        "other answers": result(run) == expected,
        f"made again: {remade}": not remade,
        f"verify: {verify(run.path).problems}": verify(run.path).ok,
        "said twice": not _said_twice(run),
        "left behind": not list(run.path.rglob("*.part")),
    }
    return [fault for fault, fine in checks.items() if not fine]


def _said_twice(run: RunFolder) -> bool:
    kinds = [r.event for r in read_events(run.trace_path) if r.event.once]
    return len(kinds) != len({event.model_dump_json() for event in kinds})


def every_crash(options: RunOptions) -> dict[str, object]:
    base = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=base) as root:
        counting = Crossings()
        whole = folder(Path(root, "whole"), options, counting)
        driven(whole, bench(options))
        expected, faults = result(whole), []
        for fatal in range(counting.count):
            run = folder(Path(root, str(fatal)), options, Crossings(fatal))
            killed(run, options)
            faults += [f"{fatal}: {f}" for f in faults_of(run, options, expected)]
    return {"points": counting.count, "faults": faults}


def test_a_run_killed_anywhere_goes_on_to_the_same_end() -> None:
    programs = {
        way: subprocess.Popen(
            [sys.executable, __file__, way], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for way in WAYS
    }
    for way, program in programs.items():
        out, errors = program.communicate()
        assert not program.returncode, errors.decode()
        report = json.loads(out)
        assert report["points"] > 40, way
        assert report["faults"] == [], way


if __name__ == "__main__":
    prepare_process()
    sys.stdout.write(json.dumps(every_crash(WAYS[sys.argv[1]])))

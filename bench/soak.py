"""`python -m bench.soak` kills runs at random moments, hundreds of times, and counts what is lost.

Each run is a process that is killed with SIGKILL, again and again, and taken up by another until
one comes to the end; then the run is compared with one that nobody killed. Most runs follow a
script in all forms there are; some work real briefs through the command line. Linux only.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from pydantic import BaseModel

from bench.forks import ended, forked
from core.clock import SystemClock
from core.driving import drive
from core.graph.files import read_answers, read_plan
from core.graph.nodes import Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.scores import Scorecard
from core.settings import Flags, RunOptions, prepare_process
from core.store import RunFolder, RunStore
from core.testing import FakeParts, approve, echo_agent, fake_card, fake_task
from core.tool_router import Tool
from core.trace import read_events, verify
from dr_rd.commands.codes import MISTAKE

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "bench/results/soak.md"
FORMS = {
    "classic": ("classic", {}),
    "sequential graph": ("graph", {"PARALLEL_EXEC_ENABLED": False}),
    "parallel graph": ("graph", {}),
}
MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None  # noqa: S108
"""Where the scripted runs are: a kill cannot tell a disk from memory, which is faster."""
KILLS_PER_RUN = 6
"""After so many kills a run is left to end: few runs die more often in one piece of work."""


class Number(BaseModel):
    """The argument of the one tool."""

    n: int


DOUBLE = Tool("double", "Doubles a number.", Number, lambda number: number.n * 2)
PLAN = (
    fake_task("T1", tools=(ToolRequest(name="double", args={"n": 4}),)),
    *(fake_task(f"T{k}", "T1") for k in range(2, 8)),
    fake_task("T8", *(f"T{k}" for k in range(2, 8))),
)


@dataclass
class Tally:
    """What was done to the runs, and what it did to them."""

    runs: int = 0
    kills: int = 0
    answers_lost: int = 0
    answers_duplicated: int = 0
    wrong_ends: int = 0
    made_again: int = 0
    asked_again: int = 0
    not_verified: int = 0
    worked: int = 0
    """Attempts at scripted tasks that were begun, in all lives."""
    needed: int = 0
    """Attempts that as many runs without kills need."""

    def __add__(self, other: "Tally") -> "Tally":
        """Return both together."""
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def faults(self) -> int:
        """How often something was wrong."""
        return (
            self.answers_lost
            + self.answers_duplicated
            + self.wrong_ends
            + self.made_again
            + self.asked_again
            + self.not_verified
        )


# --- what every killed run must keep


def told(folder: RunFolder, kind: str) -> list[str]:
    """Return the events of one kind, as JSON."""
    if not folder.trace_path.exists():
        return []
    events = (row.event for row in read_events(folder.trace_path))
    return [event.model_dump_json() for event in events if event.kind == kind]


def judged(folder: RunFolder, expected: "End", found: "End") -> Tally:
    """Compare a run that has ended with the *expected* end."""
    finished = [json.loads(event)["task_id"] for event in told(folder, "task_finished")]
    lost = [t for t, text in expected.answers.items() if found.answers.get(t) != text]
    return Tally(
        answers_lost=len(lost),
        answers_duplicated=len(finished) - len(set(finished)),
        wrong_ends=(found.status, found.proposal) != (expected.status, expected.proposal),
        not_verified=not verify(folder.path).ok,
    )


@dataclass(frozen=True)
class End:
    """Where a run came to."""

    status: str
    answers: dict[str, str]
    proposal: str


def safe_answers(folder: RunFolder) -> dict[str, str]:
    """Return the answers on the disk, by task."""
    plan = read_plan(folder)
    found = read_answers(folder, plan.tasks) if plan else {}
    return {task_id: answer.model_dump_json() for task_id, answer in found.items()}


def end_of(folder: RunFolder, status: str) -> End:
    """Read what a run left; of the proposal all but the footer, which names the run."""
    proposal = folder.read_text("proposal.md") if folder.has("proposal.md") else ""
    return End(status, safe_answers(folder), proposal.split("<!-- run footer")[0])


def killed_in(pid: int, seconds: float) -> bool:
    """Kill a child of this process after that time, unless it ended before."""
    handle = os.pidfd_open(pid)
    try:
        if select.select([handle], [], [], seconds)[0]:
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        return True
    finally:
        os.close(handle)


# --- runs by script


@dataclass(frozen=True)
class Scripted:
    """One run of the script, lived by many processes."""

    path: Path
    options: RunOptions

    @classmethod
    def begun(cls, root: Path, form: str) -> "Scripted":
        """Make the run's folder."""
        mode, flags = FORMS[form]
        chosen = Flags(APPROVAL_REQUIRED=True, BACKOFF_BASE_S=0, **flags)
        options = RunOptions(mode=mode, flags=chosen)
        return cls(RunStore(root).create("run", options, {"idea": "bake"}).path, options)

    @property
    def folder(self) -> RunFolder:
        """The run, as a new process sees it."""
        return RunFolder(self.path)

    @property
    def log(self) -> Path:
        """Each attempt at a task, in all lives; beside the run, not in it."""
        return self.path.parent / "worked"

    def attempts(self) -> list[str]:
        """Return the tasks of all attempts so far."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def parts(self) -> FakeParts:
        """Return what the run is made of: short waits, one tool, one weak answer."""

        async def agent(work: Work) -> Answer | tuple[ToolRequest, ...]:
            with self.log.open("a") as log:
                log.write(f"{work.task.id}\n")
            await asyncio.sleep(0.002)
            return await echo_agent(work)

        async def evaluate(_: GraphTask, answer: Answer, __: GraphState) -> Scorecard:
            return fake_card(0.2 if "T8 attempt 1" in answer.content else 0.9)

        return FakeParts(PLAN, self.options, agent=agent, evaluate=evaluate, tools=(DOUBLE,))

    def live(self) -> str:
        """Drive the run to its end in this process, answering what it asks."""
        outcome = asyncio.run(drive(self.folder, self.parts(), SystemClock()))
        if outcome.status == "waiting":
            approve(self.folder, by="ann", at="noon")
            outcome = asyncio.run(drive(self.folder, self.parts(), SystemClock()))
        return outcome.status


def scripted(form: str, chance: random.Random, expected: End, span: float, kills: int) -> Tally:
    """Kill one scripted run up to *kills* times within *span* seconds each, and judge its end."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        run, tally = Scripted.begun(Path(root), form), Tally(runs=1)
        died = True
        while died and tally.kills < kills:
            died, tally = _one_life(run, chance.uniform(0, span), tally)
        if died:
            _, tally = _one_life(run, None, tally)
        found = end_of(run.folder, "finished" if told(run.folder, "run_ended") else "open")
        counted = Tally(worked=len(run.attempts()), needed=len(PLAN) + 1)
        return tally + judged(run.folder, expected, found) + counted


def _one_life(run: Scripted, seconds: float | None, tally: Tally) -> tuple[bool, Tally]:
    safe, before = set(safe_answers(run.folder)), len(run.attempts())
    decided, asked = run.folder.decision("approve-plan"), len(told(run.folder, "run_waiting"))
    died = _forked(run.live, seconds)
    again = safe & set(run.attempts()[before:])
    asked_again = bool(decided) and len(told(run.folder, "run_waiting")) > asked
    return died, tally + Tally(kills=died, made_again=len(again), asked_again=asked_again)


def _forked(work: Callable[[], object], seconds: float | None) -> bool:
    """Do *work* in a fork, which is killed after that time; tell whether it was."""
    child = forked(work)
    if seconds is not None:
        killed_in(child, seconds)
    return ended(child)


def script_soak(kills: int, seed: int) -> Iterator[tuple[str, Tally]]:
    """Kill scripted runs *kills* times in all, a third in each form."""
    for form in FORMS:
        chance, total = random.Random(f"{seed}/{form}"), Tally()  # noqa: S311 - repeatable
        expected, span = _unharmed(form)
        while total.kills < kills / len(FORMS):
            left = round(kills / len(FORMS)) - total.kills
            most = max(1, min(KILLS_PER_RUN, left))
            total += scripted(form, chance, expected, span, most)
        yield form, total


def _unharmed(form: str) -> tuple[End, float]:
    """Return where an unharmed run ends, and how long one takes in a fork, in seconds."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        spans = []
        for number in range(3):
            run = Scripted.begun(Path(root, str(number)), form)
            started = time.monotonic()
            _forked(run.live, None)
            spans.append(time.monotonic() - started)
        return end_of(run.folder, "finished"), statistics.median(spans)


# --- real briefs, by the command line


def brief_soak(kills: int, seed: int) -> Iterator[tuple[str, Tally]]:
    """Kill runs of the sample briefs *kills* times in all."""
    briefs = sorted((ROOT / "dr_rd/data/briefs").iterdir())
    for brief in briefs:
        chance, total = random.Random(f"{seed}/{brief.name}"), Tally()  # noqa: S311 - repeatable
        with tempfile.TemporaryDirectory() as root:
            _by_command(Path(root, "first"), brief)  # the disk is slower the first time
            started = time.monotonic()
            expected = end_of(*_by_command(Path(root, "second"), brief))
            span = time.monotonic() - started
        while total.kills < kills / len(briefs):
            total += _killed_brief(brief, chance, expected, span)
        yield brief.name, total


def _killed_brief(brief: Path, chance: random.Random, expected: End, span: float) -> Tally:
    with tempfile.TemporaryDirectory() as root:
        tally = Tally(runs=1)
        for _ in range(KILLS_PER_RUN // 2):
            command, folder = _command(Path(root), brief)
            safe, tried = _judged_tasks(folder)
            program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            # the first third of a life only imports what it needs
            died = killed_in(program.pid, chance.uniform(span / 3, span))
            _no_traceback(program.communicate()[1])
            again = safe & set(_judged_tasks(folder)[1][len(tried) :])
            tally += Tally(kills=died, made_again=len(again))
            if not died:
                break
        folder, status = _by_command(Path(root), brief)
        return tally + judged(folder, expected, end_of(folder, status))


def _judged_tasks(folder: RunFolder | None) -> tuple[set[str], list[str]]:
    """Return the tasks whose answers are safe, and those of all judged attempts."""
    if folder is None:
        return set(), []
    attempts = [json.loads(event)["task_id"] for event in told(folder, "attempt_judged")]
    return set(safe_answers(folder)), attempts


def _by_command(root: Path, brief: Path) -> tuple[RunFolder, str]:
    """Let a run come to its end; return it and its status."""
    command, folder = _command(root, brief)
    done = subprocess.run(command, capture_output=True, check=False)
    _no_traceback(done.stderr)
    if folder and done.returncode == MISTAKE and told(folder, "run_ended"):
        return folder, "finished"  # the kill came too late, and a finished run is not resumed
    report = json.loads(done.stdout)
    return RunFolder(Path(report["run_dir"])), report["status"]


def _command(root: Path, brief: Path) -> tuple[list[str], RunFolder | None]:
    """Return the command that starts the run, or that takes it up, and the run if there is one."""
    dr_rd = [sys.executable, "-m", "dr_rd"]
    begun = [p.parent for p in root.glob("*/*/settings.json")]
    if not begun:
        audits = ["--audits", str(root), "--set", "BACKOFF_BASE_S=0", "--json"]
        return [*dr_rd, "run", str(brief), *audits], None
    return [*dr_rd, "resume", str(begun[0]), "--json"], RunFolder(begun[0])


def _no_traceback(errors: bytes) -> None:
    if b"Traceback" in errors:
        raise RuntimeError(errors.decode())


# --- the report


def table(rows: list[tuple[str, Tally]]) -> str:
    """Write the tallies as a Markdown table."""
    names = {
        "runs": "runs", "kills": "kills", "answers_lost": "answers lost",
        "answers_duplicated": "answers twice", "wrong_ends": "wrong ends",
        "made_again": "finished work made again", "asked_again": "asked again",
        "not_verified": "not verified",
    }  # fmt: skip
    lines = [f"| | {' | '.join(names.values())} |", "|---" + "|---:" * len(names) + "|"]
    for name, tally in rows:
        lines.append(f"| {name} | {' | '.join(str(getattr(tally, key)) for key in names)} |")
    return "\n".join(lines)


def report(rows: list[tuple[str, Tally]], command: str, seconds: float) -> str:
    """Write the whole report."""
    total = sum((tally for _, tally in rows), Tally())
    again = 100 * (total.worked / max(1, total.needed) - 1)
    return "\n".join(
        (
            "# Random kills",
            "",
            f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, {seconds / 60:.0f} minutes on "
            f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, "
            f"Python {platform.python_version()}.",
            "",
            f"{total.kills} SIGKILLs in {total.runs} runs: {total.faults} faults.",
            "",
            table([*rows, ("together", total)]),
            "",
            f"Work in hand at a kill is begun anew: {total.worked} attempts at tasks were begun "
            f"in the scripted runs, {again:.0f} % more than without kills.",
            "",
        )
    )


def main() -> int:
    """Soak, print, and write the report; the exit code is 1 if anything was wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=1000, help="of scripted runs")
    options.add_argument("--brief-kills", type=int, default=60, help="of real briefs")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--out", type=Path, default=RESULT)
    chosen = options.parse_args()
    prepare_process()
    import_module("core.graph.build")  # here once, rather than in each fork
    started = time.monotonic()
    rows = [*script_soak(chosen.kills, chosen.seed)]
    if chosen.brief_kills:
        rows += brief_soak(chosen.brief_kills, chosen.seed)
    command = " ".join(("python -m bench.soak", *sys.argv[1:]))
    text = report(rows, command, time.monotonic() - started)
    chosen.out.write_text(text)
    print(text)
    return any(tally.faults for _, tally in rows)


if __name__ == "__main__":
    sys.exit(main())

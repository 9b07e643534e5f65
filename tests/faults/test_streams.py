"""Ends of a process while a reply comes: killed or stopped at any piece, and what is left of it."""

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from core.clock import Clock, SystemClock
from core.driving import Outcome, drive, run_here
from core.events import CallEnded, CallTried, Event
from core.graph.nodes import Work
from core.graph.state import Answer
from core.kit import Kit
from core.live import LiveCalls
from core.redaction import MARK
from core.replay import replay
from core.requests import Calls, Reply, Request, Send
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, fake_task
from core.trace import read_events, verify
from tests.faults.callers import caller_in
from tests.faults.forks import crashes, print_report, report

PLAN = (fake_task("T1"), fake_task("T2", "T1"))
SECRET = ("sk-", "Zq3xW9vT1mB7", "nK5cR2yH8jL4pD6gF0aS")
PIECES = {"first": "Rye held ", "second": f"water. {SECRET[0]}{SECRET[1]}", "third": SECRET[2],
          "fourth": " is no ", "fifth": "answer."}  # fmt: skip
"""Two of them have a secret between them."""


class Streaming(FakeParts):
    """A bench whose agent asks a model, which replies in pieces."""

    live = LiveCalls()
    send: Send

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        self.calls = calls or caller_in(
            folder,
            self.options,
            self.send,
            record,
            clock,
            commit=folder.commits.commit_files,
            watched=partial(self.live.watched, folder.run_id, clock),
        )
        self.agent = self.ask
        return super().kit(folder, record, clock, self.calls)

    async def ask(self, work: Work) -> Answer:
        task_id = work.task.id
        body = {"messages": [{"role": "user", "content": f"Do {task_id}."}]}
        reply = await self.calls.call(Request("answer", task_id, "m", "http://127.0.0.1:1", body))
        return Answer(task_id=task_id, content=reply.text)


def begun(root: Path) -> RunFolder:
    options = RunOptions(mode="classic", flags=Flags())
    return RunStore(root).create("run", options, {"idea": "bake"})


def bench(folder: RunFolder, at_piece: Callable[[str], object] = lambda _: None) -> Streaming:
    """Return a bench that tells *at_piece* of each; after one for which that is true none comes."""

    async def send(request: Request) -> Reply:
        for name, piece in PIECES.items():
            stops = at_piece(f"before {name} piece")
            assert request.partial
            request.partial.add(piece)
            await (anyio.sleep_forever() if stops else checkpoint())
        text = "".join(PIECES.values())
        return Reply(text=text, finish="stop", prompt_tokens=4, completion_tokens=9)

    made = Streaming(PLAN, folder.options())
    made.send = send
    return made


def driven(folder: RunFolder, at_piece: Callable[[str], object] = lambda _: None) -> Outcome:
    return asyncio.run(drive(folder, bench(folder, at_piece), FakeClock()))


def leaks(folder: RunFolder) -> list[str]:
    """Return the files in which a part of the secret stands."""
    files = [p for p in folder.path.rglob("*") if p.is_file()]
    return [p.name for p in files for part in SECRET[1:] if part.encode() in p.read_bytes()]


def replays(folder: RunFolder, into: Path) -> str:
    return replay(folder.path, bench, into).first_difference


def crashes_at_pieces() -> dict[str, Any]:
    def faults(run: RunFolder, whole: RunFolder) -> list[str]:
        leaked, outcome = leaks(run), driven(run)
        with tempfile.TemporaryDirectory() as into:
            differs = replays(run, Path(into))
            checks = {
                f"leaked into {leaked}": leaked == leaks(run) == [],
                f"status {outcome.status}": outcome.status == "finished",
                "another result": run.read_text("proposal.md") == whole.read_text("proposal.md"),
                f"verify: {verify(run.path).problems}": verify(run.path).ok,
                f"replay: {differs}": not differs,
            }
        return [fault for fault, fine in checks.items() if not fine]

    def live(folder: RunFolder) -> None:
        driven(folder, folder.crossing)

    return crashes("every", begun, live, faults, upto="before fifth piece", within="piece")


def test_a_kill_at_any_piece_of_a_reply_loses_and_leaks_nothing() -> None:
    found = report("tests.faults.test_streams")
    assert found["points"] == [f"before {name} piece" for name in PIECES]
    assert found["kills"] == len(PIECES)
    assert found["faults"] == []


KEPT = ("Rye held ", "Rye held water. ", "Rye held water. ", f"Rye held water. {MARK} is no ")


@pytest.mark.parametrize("number", range(len(KEPT)))
def test_ctrl_c_at_any_piece_keeps_what_came_and_the_call_is_made_again(
    number: int, tmp_path: Path
) -> None:
    def interrupted(where: str) -> bool:
        stops = where == f"before {list(PIECES)[number]} piece"
        if stops:
            os.kill(os.getpid(), signal.SIGINT)
        return stops

    whole, run = begun(tmp_path / "whole"), begun(tmp_path / "run")
    driven(whole)
    outcome = run_here(run, bench(run, interrupted), SystemClock())  # no more pieces come
    assert (outcome.status, outcome.reason) == ("paused", "stopped by SIGINT")
    events = [row.event for row in read_events(run.trace_path)]
    (tried,) = (event for event in events if isinstance(event, CallTried))
    assert not [event for event in events if isinstance(event, CallEnded)]
    assert (tried.outcome, run.kept(tried.partial_digest)) == ("cancelled", KEPT[number])
    assert tried.tokens > number
    assert Streaming.live.of("run") == ()
    assert leaks(run) == []
    assert driven(run).status == "finished"
    assert run.read_text("proposal.md") == whole.read_text("proposal.md")
    assert verify(run.path).ok
    assert replays(run, tmp_path / "again") == ""


if __name__ == "__main__":
    print_report(crashes_at_pieces)
    sys.stdout.flush()

"""Whole runs whose model's server fails, over real HTTP: what is asked, and what the run then says.

Task T1 meets the fault, T2 does not, T3 builds on T1. Waits cost no time; deadlines are real.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel

from core.breakers import Breakers
from core.calls import Caller, Policy
from core.clock import Clock, SystemClock
from core.driving import Outcome, drive
from core.errors import TaskError
from core.events import BreakerMoved, CallEnded, CallTried, Event, RunPaused, ToolCalled
from core.graph.files import read_answers, read_plan
from core.graph.nodes import Work
from core.graph.state import Answer, ToolRequest
from core.kit import Kit
from core.requests import Calls, Fault, Reply, Request, Send
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, fake_task
from core.tool_router import Tool
from core.trace import read_events, status_of, verify
from dr_rd.models.address import endpoint_of
from dr_rd.models.chat.send import chat_send
from tests.fake_llm import FakeLLM
from tests.faults.callers import caller_in

KEY = "local-key-000-for-tests"
ATTEMPTS = 3
PATIENCE_S = 30
PLAN = (fake_task("T1"), fake_task("T2"), fake_task("T3", "T1"))


class Number(BaseModel):
    n: int


@dataclass
class TalkingBench(FakeParts):
    """A bench whose agent asks a model's server once, and once more if a tool call was flawed."""

    send: Send | None = None
    endpoint: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    """What the server does to the calls of a task, in the fake server's words."""
    stream: bool = False
    policy: Policy = field(default_factory=lambda: Policy(attempts=ATTEMPTS))
    breakers: Breakers = field(default_factory=Breakers)
    caller: Caller | None = None

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        assert self.send
        self.caller = caller_in(
            folder,
            self.options,
            self.send,
            record,
            clock,
            breakers=self.breakers,
            policy=self.policy,
        )
        self.agent = self.ask
        return super().kit(folder, record, clock, calls)

    async def ask(self, work: Work) -> Answer | tuple[ToolRequest, ...]:
        task_id = work.task.id
        if work.tool_result:
            return Answer(task_id=task_id, content=f"It is {work.tool_result[0].output}.")
        fault = self.faults.get(task_id, "")
        wish = f"[[fake fault={fault}]] " if fault else ""
        reply = await self.say(f"{wish}Do {task_id}.", work)
        if flaws := self.flaws(reply):
            reply = await self.say(f"{flaws} [[fake fault={fault.partition(',')[2]}]]", work)
            if again := self.flaws(reply):
                raise TaskError(f"the model asks for tools that cannot be called: {again}")
        if reply.tool_calls:
            return tuple(ToolRequest(name=c.name, args=c.args or {}) for c in reply.tool_calls)
        return Answer(task_id=task_id, content=reply.text)

    def flaws(self, reply: Reply) -> str:
        known = {tool.name for tool in self.tools}
        return "; ".join(
            c.problem or f"no tool {c.name!r}"
            for c in reply.tool_calls
            if c.problem or c.name not in known
        )

    async def say(self, text: str, work: Work) -> Reply:
        function = {"name": "double", "parameters": Number.model_json_schema()}
        body = {
            "messages": [{"role": "user", "content": text}],
            "stream": self.stream,
            **({"tools": [{"type": "function", "function": function}]} if self.tools else {}),
        }
        assert self.caller
        request = Request("answer", work.task.id, "m", self.endpoint, body, work.attempt)
        return await self.caller.call(request)


@dataclass
class Told:
    """One sitting of a run, and what the server saw of it."""

    outcome: Outcome
    folder: RunFolder
    requests: int
    clock: Clock

    def of(self, kind: type) -> list:
        return [r.event for r in read_events(self.folder.trace_path) if isinstance(r.event, kind)]

    def statuses(self) -> dict[str, str]:
        plan = read_plan(self.folder)
        return {
            t: a.status for t, a in read_answers(self.folder, plan.tasks if plan else ()).items()
        }


def sitting(
    root: Path, *, fake: Mapping | None = None, clock: Clock | None = None, **parts
) -> Told:
    """Begin or go on with the run under *root*, and check what must hold whatever happens."""
    flags = Flags(MAX_CONCURRENCY=4, MAX_RETRIES=1, BACKOFF_BASE_S=0)
    options, clock = RunOptions(flags=flags), clock or FakeClock()
    store = RunStore(root)
    folder = store.find("run") if store.has("run") else store.create("run", options, {"idea": "x"})
    read_s, direct = parts.pop("read_s", 10.0), parts.pop("direct", False)

    async def go() -> Told:
        server = FakeLLM(hang_s=PATIENCE_S, drip_gap_s=0.05, **(fake or {}))
        async with (
            server,
            chat_send(
                server.base_url,
                KEY,
                clock=clock,
                read_s=read_s,
                max_bytes=200_000,
                direct=direct,
            ) as send,
        ):
            bench = TalkingBench(parts.pop("plan", PLAN), options, send=send, **parts)
            bench.endpoint = endpoint_of(server.base_url)
            with anyio.fail_after(PATIENCE_S):
                outcome = await drive(folder, bench, clock)
            return Told(outcome, folder, server.counts["requests"], clock)

    before = len(_tries(folder))
    told = asyncio.run(go())
    _holds(told, _tries(folder)[before:])
    return told


def _tries(folder: RunFolder) -> list[CallTried]:
    if not folder.trace_path.exists():
        return []
    return [r.event for r in read_events(folder.trace_path) if isinstance(r.event, CallTried)]


def _holds(told: Told, tries: list[CallTried]) -> None:
    calls = told.of(CallEnded)
    # on a busy machine the deadline may come before the request has reached the server
    cut = sum("gave no whole reply within" in tried.error for tried in tries)
    assert len(tries) - cut <= told.requests <= len(tries), "a request that is not on record"
    assert all(call.tries <= ATTEMPTS for call in calls)
    assert told.requests <= ATTEMPTS * max(len(calls), len({t.call_id for t in tries}))
    assert told.outcome.exit_code == {"finished": 0, "holes": 3, "paused": 4}[told.outcome.status]
    whole = set(told.statuses().values()) == {"done"}
    assert (told.outcome.status == "finished") <= whole, "called complete, and is not"
    said = status_of(told.folder.trace_path, driven=False)
    assert said == told.outcome.status
    assert not told.outcome.ended or verify(told.folder.path).ok
    for name in told.folder.files():
        text = (told.folder.path / name).read_text("utf-8")
        assert "Traceback" not in text and 'File "' not in text, name
        assert KEY not in text, name


def goes_well_later(told: Told, root: Path) -> None:
    """Resume a paused run on a sound server: it ends, and asks only for what it lacks."""
    done = len([call for call in told.of(CallEnded) if call.ok])
    assert told.of(RunPaused)[-1].reason == told.outcome.reason
    later = sitting(root)
    assert later.outcome.status == "finished"
    assert later.requests == len(PLAN) - done


HOLE = {"T1": "failed", "T2": "done", "T3": "not_run"}
UNCLEAR = ("html", "cut_json", "no_body", "no_choices", "error_200")
DOWN = ("500", "503", "html_503", "408", "reset", "truncate")


def test_a_wait_that_a_server_asks_for_is_kept(tmp_path: Path) -> None:
    clock = FakeClock()
    told = sitting(tmp_path, faults={"T1": "429:2,ok"}, clock=clock)
    assert (told.outcome.status, told.requests) == ("finished", 4)
    assert [wait >= 2 for wait in clock.slept if wait] == [True]


def test_a_wait_that_is_too_long_pauses_the_run_and_says_until_when(tmp_path: Path) -> None:
    told = sitting(tmp_path, faults={"T1": "429:3600"})
    assert told.outcome.status == "paused"
    assert "takes no calls until 2026-01-01 01:00 UTC, resume then" in told.outcome.reason
    assert told.of(CallTried)[0].outcome == "transient"
    assert [call.tries for call in told.of(CallEnded) if call.task_id == "T1"] == [1]
    goes_well_later(told, tmp_path)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        ("quota", "quota at .* is spent; add to it or set another key"),
        ("401", "refuses the key; set the right one"),
        ("403", "set another"),
        ("404", "has no model 'm' there; check model and address"),
        ("307", "redirects to .* not followed; set the server's own address"),
    ],
)
@pytest.mark.parametrize("direct", [False, True])
def test_what_no_retry_mends_is_asked_once_and_the_run_waits_for_a_person(
    tmp_path: Path, fault: str, remedy: str, direct: bool
) -> None:
    told = sitting(tmp_path, faults={"T1": fault}, direct=direct)
    assert told.outcome.status == "paused"
    assert re.search(remedy, told.outcome.reason)
    assert [call.tries for call in told.of(CallEnded) if call.task_id == "T1"] == [1]
    goes_well_later(told, tmp_path)


@pytest.mark.sampled
@pytest.mark.parametrize("fault", [*DOWN, *UNCLEAR])
@pytest.mark.parametrize("way", [{}, {"stream": True}, {"direct": True}], ids=str)
def test_what_may_be_gone_is_tried_again(
    tmp_path: Path, fault: str, way: Mapping[str, bool]
) -> None:
    told = sitting(tmp_path, faults={"T1": f"{fault},{fault},ok"}, **way)
    assert (told.outcome.status, told.requests) == ("finished", 5)


@pytest.mark.parametrize("fault", [*DOWN, *UNCLEAR, "no_finish"])
def test_what_stays_pauses_the_run_and_nothing_is_marked_failed(
    tmp_path: Path, fault: str
) -> None:
    told = sitting(tmp_path, faults={"T1": fault})
    assert told.outcome.exit_code == 4
    assert re.search(r"does not answer: .*after 3 tries\); resume when", told.outcome.reason)
    assert "failed" not in told.statuses().values()
    goes_well_later(told, tmp_path)


def test_what_only_one_task_meets_again_and_again_leaves_a_hole_in_the_end(tmp_path: Path) -> None:
    wide = (*PLAN, *(fake_task(f"T{n}", f"T{n - 1}" if n > 4 else "T2") for n in range(4, 9)))
    sick = {"faults": {"T1": "500"}, "plan": wide, "fake": {"latency": "20"}}
    assert sitting(tmp_path, **sick).outcome.status == "paused"
    told = sitting(tmp_path, **sick)
    assert told.outcome.status == "holes"
    assert told.statuses() == {**{t.id: "done" for t in wide}, **HOLE}
    assert "while others are answered" in read_answers(told.folder, PLAN)["T1"].reason


@dataclass
class Outage:
    """A server that gives no answer from one call on, for so many seconds of the run's clock."""

    clock: FakeClock
    first: int
    lasts_s: float
    wait_s: float | None = None
    asked: int = 0
    until: float = 0.0
    lost: set[str] = field(default_factory=set)

    async def __call__(self, request: Request) -> Reply:
        self.asked += 1
        if self.asked == self.first:
            self.until = self.clock.monotonic() + self.lasts_s
        await anyio.lowlevel.checkpoint()
        if self.clock.monotonic() < self.until:
            self.lost.add(request.task_id)
            raise Fault("transient", "the server answers 503", retry_after_s=self.wait_s)
        return Reply(text=f"{request.task_id} is done", finish="stop")


SLID = (fake_task("T1"), fake_task("T2"), fake_task("T3", "T1"), fake_task("T4", "T2", "T3"))


def outlasted(root: Path, outage: Outage, options: RunOptions) -> tuple[str, list[str]]:
    """Drive a run, resumed as often as it pauses, to its end: its proposal, and its sittings."""
    folder = RunStore(root).create("run", options, {"idea": "x"})
    told: list[str] = []
    while not told or told[-1] == "paused":
        bench = TalkingBench(SLID, options, send=outage, endpoint="http://127.0.0.1:1")
        outcome = asyncio.run(drive(folder, bench, outage.clock))
        told.append(outcome.status)
        assert outcome.status == "finished" or outcome.exit_code == 4
        answers = read_answers(folder, SLID)
        assert {answer.status for answer in answers.values()} <= {"done"}, "marked failed"
        outage.clock.slept.append(outage.lasts_s / 4)  # somebody notices, and resumes
    assert len(told) < 6
    assert verify(folder.path).ok
    return folder.read_text("proposal.md"), told


@pytest.mark.parametrize(
    ("lasts_s", "wait_s", "wide"),
    [(20, None, True), (20, None, False), (20, 2.0, True), (200, None, True)],
)
def test_an_outage_at_any_call_of_a_run_costs_nothing_but_time(
    tmp_path: Path, lasts_s: float, wait_s: float | None, wide: bool
) -> None:
    flags = Flags(BACKOFF_BASE_S=0, PARALLEL_EXEC_ENABLED=wide)
    options = RunOptions(flags=flags, mode="graph" if wide else "classic")
    whole, _ = outlasted(tmp_path / "whole", Outage(FakeClock(), 0, 0), options)
    for first in range(1, len(SLID) + 1):
        outage = Outage(FakeClock(), first, lasts_s, wait_s)
        found, sittings = outlasted(tmp_path / str(first), outage, options)
        assert found == whole
        assert outage.lost
        if wait_s:
            assert sittings == ["finished"], "a wait that is asked for and kept is no try"


def test_a_server_that_comes_back_is_waited_for_and_the_trace_shows_it(tmp_path: Path) -> None:
    plan = tuple(fake_task(f"T{k}") for k in range(1, 9))
    told = sitting(tmp_path, plan=plan, fake={"first": ["500"] * 5})
    assert told.outcome.status == "finished"
    assert told.requests == len(plan) + 5
    assert [moved.state for moved in told.of(BreakerMoved)] == ["open", "probing", "closed"]


@pytest.mark.sampled
@pytest.mark.parametrize("fault", ["hang", "drip", "keepalive", "stall"])
@pytest.mark.parametrize("stream", [False, True])
def test_silence_ends_at_the_deadline_of_each_try_and_leaves_room_for_another(
    tmp_path: Path, fault: str, stream: bool
) -> None:
    """The server would go on for longer than the test waits: without a deadline it fails."""
    told = sitting(
        tmp_path,
        plan=(fake_task("T1"), fake_task("T3", "T1")),
        faults={"T1": f"{fault},ok"},
        stream=stream,
        clock=SystemClock(),
        policy=Policy(attempts=ATTEMPTS, try_s=0.3, base_s=0.01),
        fake={"reply_bytes": 4000},
    )
    assert told.outcome.status == "finished"
    cut = [tried for tried in told.of(CallTried) if tried.outcome == "transient"]
    assert cut
    assert all("gave no whole reply within 0.3 s" in tried.error for tried in cut)


def test_a_cut_stream_is_no_answer_and_what_had_come_is_kept(tmp_path: Path) -> None:
    told = sitting(tmp_path, faults={"T1": "no_finish,ok"}, stream=True)
    assert (told.outcome.status, told.requests) == ("finished", 4)
    [cut] = [tried for tried in told.of(CallTried) if tried.partial_digest]
    assert "Fake answer" in told.folder.kept(cut.partial_digest)


@pytest.mark.sampled
@pytest.mark.parametrize("fault", ["length", "content_filter", "null", "empty"])
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_not_whole_is_never_an_answer(tmp_path: Path, fault: str, stream: bool) -> None:
    told = sitting(tmp_path, faults={"T1": fault}, stream=stream)
    assert (told.outcome.status, told.requests) == ("holes", 2)
    assert told.statuses() == HOLE
    assert read_answers(told.folder, PLAN)["T1"].content == ""


@pytest.mark.parametrize("fault", ["context", "filtered", "400", "huge"])
def test_what_this_call_cannot_have_is_asked_once(tmp_path: Path, fault: str) -> None:
    told = sitting(tmp_path, faults={"T1": fault})
    assert (told.outcome.status, told.requests) == ("holes", 2)
    assert told.statuses() == HOLE


DOUBLE = Tool("double", "Doubles a number.", Number, lambda number: number.n * 2)
USES = (fake_task("T1", tools=(ToolRequest(name="double"),)),)


@pytest.mark.parametrize("fault", ["bad_tool_json", "unknown_tool", "duplicate_tool"])
def test_a_model_that_asks_wrongly_for_a_tool_is_told_once(tmp_path: Path, fault: str) -> None:
    told = sitting(tmp_path / "mends", plan=USES, tools=(DOUBLE,), faults={"T1": f"{fault},ok"})
    assert (told.outcome.status, told.requests) == ("finished", 2)
    never = sitting(
        tmp_path / "never", plan=USES, tools=(DOUBLE,), faults={"T1": f"{fault},{fault}"}
    )
    assert (never.outcome.status, never.requests) == ("holes", 2)
    assert "cannot be called" in read_answers(never.folder, USES)["T1"].reason
    assert never.of(ToolCalled) == told.of(ToolCalled) == []

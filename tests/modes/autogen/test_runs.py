"""Whole runs in which an AutoGen assistant answers, over real HTTP."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from core.autogen.run import MOST_MESSAGES, MOST_ROUNDS, converse
from core.events import CallEnded, ToolCalled
from core.graph.files import read_answer
from core.graph.nodes import MAX_CALLS_PER_TASK
from core.replay import replay
from core.requests import Reply, Request, Slot
from core.store import RunFolder
from core.trace import verify
from dr_rd.workbench import EVIDENCE, Workbench
from tests.fake_llm import FakeLLMThread
from tests.modes.autogen.script import (
    CALL,
    GOOD,
    KNOWN,
    STEP,
    Json,
    Ran,
    answer,
    begun,
    conversing,
    driven,
    options,
    results,
)

Model = Callable[[Json], Any]


@dataclass
class Lab:
    """Runs with a model, in a folder of their own."""

    root: Path
    workbench: Workbench
    asked: list[Json] = field(default_factory=list)
    """Every request to the server."""

    @contextmanager
    def served(self, model: Model, run_id: str = "run", **flags: Any) -> Iterator[RunFolder]:
        """Make a run of the mode while its server answers."""
        with FakeLLMThread(reply=model, log=999) as fake:
            chosen = options(fake.base_url, self.root / "docs", **flags)
            yield begun(self.root / "audits", chosen, run_id)
            self.asked = list(fake.requests)

    def run(self, model: Model, **flags: Any) -> Ran:
        with self.served(model, **flags) as folder:
            return driven(folder, self.workbench)


@pytest.fixture
def lab(tmp_path: Path, workbench: Workbench) -> Lab:
    return Lab(tmp_path, workbench)


def works(ran: Ran) -> list[CallEnded]:
    """The calls to the model that works the task, but those that paused the run."""
    return [e for e in ran.of(CallEnded) if e.purpose == "work" and not e.paused]


def calls_made(ran: Ran) -> list[str]:
    """What the task's calls in the conversation searched for."""
    made = (c for c in ran.of(ToolCalled) if c.task_id == "T1" and c.name == CALL["name"])
    return [ran.folder.kept(c.args_digest)["query"] for c in made][1:]


def test_a_brief_becomes_a_proposal_by_way_of_a_tool_and_replays(lab: Lab) -> None:
    ran = lab.run(GOOD, alone=False)
    assert ran.outcome.status == "finished", ran.outcome.reason
    assert verify(ran.folder.path).problems == ()
    assert calls_made(ran) == [CALL["arguments"]["query"]]
    assert [call.ok for call in works(ran)] == [True, True]
    found = read_answer(ran.folder, "T1")
    assert found and CALL["arguments"] in [dict(r.args) for r in found.tool_result]
    assert {"quoted"} <= {claim.kind for claim in found.claims if KNOWN[:40] in claim.text}
    proposal = ran.folder.read_text("proposal.md")
    assert KNOWN[:-1] in proposal
    assert STEP[:-1] in proposal
    again = replay(ran.folder.path, lab.workbench.parts, lab.root / "again", given=(EVIDENCE,))
    assert again.identical, again.first_difference


def test_only_the_tasks_planned_tools_are_offered_and_no_other_is_called(lab: Lab) -> None:
    def strays(body: Json) -> Any:
        wish = {"name": "read_repo", "arguments": {"action": "list"}}
        return answer(body) if results(body) else {"tool_calls": [wish]}

    ran = lab.run(conversing(strays))
    offered = {t["function"]["name"] for body in lab.asked for t in body.get("tools", ())}
    assert offered == {CALL["name"]}
    assert "read_repo" not in {call.name for call in ran.of(ToolCalled)}
    assert ran.outcome.status == "finished"


def test_a_call_made_before_or_with_wrong_arguments_is_told_so_and_not_made(lab: Lab) -> None:
    seen: list[str] = []
    wishes = [CALL, CALL, {"name": CALL["name"], "arguments": {"queri": "x"}}]

    def stubborn(body: Json) -> Any:
        seen[:] = results(body)
        return {"tool_calls": [wishes[len(seen)]]} if len(seen) < len(wishes) else answer(body)

    ran = lab.run(conversing(stubborn))
    assert "was made already" in seen[1]
    assert "do not fit" in seen[2]
    assert calls_made(ran) == [CALL["arguments"]["query"]]


def test_an_answer_that_does_not_stand_goes_back_with_the_reason(lab: Lab) -> None:
    def learns(body: Json) -> str:
        return answer(body) if "cannot be used" in str(body["messages"][-1]) else "I would say so."

    ran = lab.run(conversing(learns))
    assert ran.outcome.status == "finished"
    assert len(works(ran)) == 2


def test_a_conversation_ends_at_its_bound_of_messages(lab: Lab) -> None:
    ran = lab.run(conversing(lambda body: "I would say so."))
    assert ran.outcome.status == "holes"
    found = read_answer(ran.folder, "T1")
    assert found and "no usable work in a conversation of 7 messages" in found.reason
    assert len(works(ran)) == (MOST_MESSAGES - 1) // 2


def test_a_model_that_always_asks_for_one_more_tool_comes_to_an_end(lab: Lab) -> None:
    def insatiable(body: Json) -> Json:
        query = f"store number {len(body['messages'])}"
        return {"tool_calls": [{"name": CALL["name"], "arguments": {"query": query}}]}

    ran = lab.run(conversing(insatiable))
    assert ran.outcome.status == "holes"
    assert len(works(ran)) == MOST_ROUNDS * (MOST_MESSAGES - 1) // 2
    assert len(calls_made(ran)) <= MAX_CALLS_PER_TASK


def test_at_a_cap_the_run_pauses_within_the_conversation_and_goes_on_above_it(lab: Lab) -> None:
    with lab.served(GOOD, MAX_CALLS=1) as folder:
        paused = driven(folder, lab.workbench)
        assert paused.outcome.status == "paused"
        assert "MAX_CALLS" in paused.outcome.reason
        assert (len(works(paused)), len(calls_made(paused))) == (1, 1)
        options = folder.options()
        more = options.flags.model_copy(update={"MAX_CALLS": 99})
        folder.write_json("settings.json", options.model_copy(update={"flags": more}))
        ran = driven(folder, lab.workbench)
    assert ran.outcome.status == "finished", ran.outcome.reason
    assert (len(works(ran)), len(calls_made(ran))) == (2, 1)  # nothing is asked or called twice


def test_what_is_masked_reaches_no_server_in_a_conversation(lab: Lab, tmp_path: Path) -> None:
    mask = tmp_path / "names.txt"
    mask.write_text("dryer\n", encoding="utf-8")
    ran = lab.run(GOOD, mask=mask)
    assert len(lab.asked) > 2
    assert "rye straw" in str(lab.asked)
    assert "dryer" not in str(lab.asked)
    assert KNOWN[:-1] in ran.folder.read_text("proposal.md")


class Killed(Exception):
    """The process dies."""


@pytest.mark.parametrize(
    ("side_by_side", "events"),
    [
        (True, ("passages_retrieved", "tool_called", "call_tried", "call_ended")),
        (False, ("call_ended",)),
    ],
)
def test_a_run_that_is_killed_in_a_conversation_goes_on_to_the_same_end(
    side_by_side: bool, events: tuple[str, ...], lab: Lab
) -> None:
    seen: list[str] = []
    with lab.served(GOOD, PARALLEL_EXEC_ENABLED=side_by_side) as folder:
        whole = driven(folder, lab.workbench, seen.append)
        expected = read_answer(folder, "T1")
    for where in (f"before {event}" for event in events):
        fatal = len(seen) - 1 - seen[::-1].index(where)  # the last, which is in the conversation
        run_id = f"killed-{fatal}"
        with lab.served(GOOD, run_id, PARALLEL_EXEC_ENABLED=side_by_side) as folder:
            with pytest.raises(Killed):
                driven(folder, lab.workbench, dying(fatal))
            ran = driven(folder, lab.workbench)
        assert ran.outcome.status == whole.outcome.status, where
        assert read_answer(folder, "T1") == expected, where
        assert calls_made(ran) == calls_made(whole), where
        assert len(works(ran)) == len(works(whole)), where
        assert verify(folder.path).problems == ()


def dying(fatal: int) -> Callable[[str], None]:
    """Return a crossing at whose number *fatal* the process dies, and all after it."""
    count = iter(range(10**6))

    def crossing(where: str) -> None:
        if next(count) >= fatal:
            raise Killed(where)

    return crossing


def test_a_run_that_is_stopped_leaves_no_call_behind(lab: Lab) -> None:
    calls, cancelled = Hanging(), []

    async def stopped() -> None:
        with anyio.move_on_after(0.2):
            await converse(calls, REQUEST, (), lambda text: "")
        cancelled.extend(asyncio.all_tasks() - {asyncio.current_task()})

    asyncio.run(stopped())
    assert calls.ended
    assert cancelled == []


@dataclass
class Hanging:
    """Calls of which none comes back."""

    ended: bool = False

    async def call(self, request: Request, slot: Slot | None = None) -> Reply:
        try:
            await anyio.sleep_forever()
        finally:
            self.ended = True
        raise AssertionError("unreachable")


REQUEST = Request(
    purpose="work",
    task_id="T1",
    model="m",
    endpoint="http://localhost",
    body={
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "temperature": 0.0,
    },
)

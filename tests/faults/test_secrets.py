"""Canaries: secrets that enter a run by every way must be in none of its files."""

import asyncio

import pytest
import yaml
from pydantic import BaseModel

from core.breakers import Breakers
from core.budget import Budget
from core.calls import Caller
from core.clock import seeded
from core.driving import drive
from core.errors import TaskError
from core.events import CallEnded, ToolCalled
from core.graph.nodes import Work
from core.graph.state import Answer, ToolRequest
from core.live import Partial
from core.redaction import MARK, Redactor
from core.requests import Request
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, fake_task
from core.tool_router import Tool
from core.trace import read_events, verify
from dr_rd.models.address import endpoint_of
from dr_rd.models.chat.send import chat_send
from dr_rd.report.bundle import exported
from tests.conftest import ROOT
from tests.fake_llm import FakeLLM

KEY = "the-very-key-in-use-0815"
_LISTED = yaml.safe_load((ROOT / "tests/core/secrets.yaml").read_text("utf-8"))["found"]
CANARIES = {name: (before + "".join(parts) + after, "".join(parts))
            for name, before, parts, after in _LISTED}  # fmt: skip
"""A text with a secret in it, and the secret."""
FIRST = dict(list(CANARIES.items())[:19])
ALL = " | ".join(text for text, _ in FIRST.values())


class Nothing(BaseModel):
    pass


def leaks(text: str) -> str:
    raise TaskError(f"the library said: {text}")


class Leaky(FakeParts):
    """Secrets come with the key, the prompt, the model's reply, a file's text, a tool's error."""

    def kit(self, folder, record, clock, calls=None):
        self.caller = Caller(
            self.send,
            record=record,
            keep=folder.keep,
            clock=clock,
            random=seeded(0),
            budget=Budget(self.options.flags, clock),
            breakers=Breakers(),
            redactor=Redactor([KEY]),
        )
        self.agent = self.ask
        return super().kit(folder, record, clock, calls)

    async def ask(self, work: Work) -> Answer:
        said = "; ".join(str(r.output or r.error) for r in work.tool_result)
        body = {"messages": [{"role": "user", "content": f"{ALL} {KEY} {said}"}]}
        request = Request("answer", work.task.id, "m", self.endpoint, body)
        return Answer(task_id=work.task.id, content=(await self.caller.call(request)).text)


@pytest.fixture(scope="module", params=["classic", "graph"])
def leaky(request, tmp_path_factory) -> RunFolder:
    options = RunOptions(mode=request.param, flags=Flags(PARALLEL_EXEC_ENABLED=False))
    folder = RunStore(tmp_path_factory.mktemp("audits")).create("run", options, {"idea": "x"})
    tools = (
        Tool("read", "Reads a file.", Nothing, lambda _: {"text": ALL}),
        Tool("fail", "Fails.", Nothing, lambda _: leaks(ALL)),
    )
    asks = (ToolRequest(name="read", args={"": ""}), ToolRequest(name="fail", args={"": ""}))
    bench = Leaky((fake_task("T1", tools=asks),), options, tools=tools)

    async def go() -> None:
        fake = FakeLLM(reply=lambda asked: f"You gave me {ALL} and {KEY}.")
        async with fake, chat_send(fake.base_url, KEY, clock=FakeClock()) as send:
            bench.send, bench.endpoint = send, endpoint_of(fake.base_url)
            assert (await drive(folder, bench, FakeClock())).status == "finished"

    asyncio.run(go())
    return folder


def test_a_run_full_of_secrets_made_its_calls(leaky: RunFolder) -> None:
    events = [row.event for row in read_events(leaky.trace_path)]
    assert [e.ok for e in events if isinstance(e, ToolCalled)] == [True, False]
    assert [e.ok for e in events if isinstance(e, CallEnded)] == [True]
    assert MARK in leaky.read_text("proposal.md")
    assert verify(leaky.path).problems == ()


@pytest.mark.parametrize("name", FIRST)
def test_a_canary_is_in_no_file_of_the_run(leaky: RunFolder, name: str) -> None:
    assert _files_with(leaky, FIRST[name][1]) == []


def test_the_key_is_in_no_file_of_the_run(leaky: RunFolder) -> None:
    assert _files_with(leaky, KEY) == []


def _files_with(folder: RunFolder, secret: str) -> list[str]:
    files = {p.name: p.read_bytes() for p in folder.path.rglob("*") if p.is_file()}
    files["md export"] = exported(folder, FakeParts((), folder.options()), "md")
    assert len(files) > 8
    return [name for name, data in files.items() if secret.encode() in data]


def test_of_all_canaries_in_pieces_none_is_ever_seen() -> None:
    seen, reply = set[str](), Partial(Redactor([KEY]).beginning)
    text = f"{ALL} and {KEY} is all."
    for at in range(0, len(text), 5):
        reply.add(text[at : at + 5])
        seen.add(reply.text())
    shown = "\n".join(seen)
    assert MARK in shown
    assert "is" in reply.text()
    assert [name for name, (_, secret) in FIRST.items() if secret[-8:] in shown] == []
    assert [name for name, (_, secret) in FIRST.items() if secret[:8] in shown] == []
    assert KEY[:4] not in shown

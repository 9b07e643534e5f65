"""A run's page while models write: their words as text, and a pause that is told at once."""

import re
from contextlib import contextmanager

import anyio
import pytest

from core.clock import SystemClock
from core.events import CallTried
from core.graph.nodes import Work
from core.graph.state import Answer
from core.testing import FakeClock, echo_agent, fake_call
from core.trace import Trace
from dr_rd.ui import live, tables
from dr_rd.ui.following import Following
from dr_rd.ui.session import Key
from tests.core.test_calls import rows

HOSTILE = "![x](http://evil.example/x.png) <b>now</b> :red[now] [go](http://evil.example) $x$"


@contextmanager
def writing(context, run_id: str, text: str):
    calls, clock = context.service.workbench.live, SystemClock()
    with calls.watched(run_id, clock, "T01-call-1", "T01", "work", "the-model") as call:
        call.begin_try(str).add(text)
        yield


def captions(app) -> list[str]:
    return [caption.value.replace("\\", "") for caption in app.caption]


@pytest.fixture
def working(page, context, start, shift):
    """The id of a run whose first task is in hand."""
    run_id = start(page())
    shift.open = False
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    assert shift.begun.wait(60)
    return run_id


def test_what_a_model_writes_is_shown_as_text_with_its_tokens_and_seconds(page, context, working):
    with writing(context, working, HOSTILE):
        app = page(run=working)
    assert not app.exception
    assert [t.value for t in app.text] == [HOSTILE]
    (line,) = (c for c in captions(app) if "T01 work: about" in c)
    assert re.fullmatch(f"T01 work: about {len(HOSTILE) // 4} tokens, [0-9]+ s · the-model", line)
    assert not [m.value for m in app.markdown if "evil.example" in m.value]
    assert page(run=working).text.len == 0


def test_of_a_long_reply_its_end_is_shown(page, context, working):
    with writing(context, working, "rye " * 2000 + "the end"):
        (shown,) = (t.value for t in page(run=working).text)
    assert shown.startswith("… ")
    assert shown.endswith("rye the end")
    assert len(shown) < 1300


def test_a_pause_is_told_at_once_and_asked_for_once(page, context, start, shift, monkeypatch):
    release = anyio.Event()

    async def deaf(self, work: Work) -> Answer:
        self.begun.set()
        with anyio.CancelScope(shield=True):
            await release.wait()
        return await echo_agent(work)

    run_id = start(page())
    monkeypatch.setattr(type(shift), "__call__", deaf)
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    assert shift.begun.wait(60)
    app = page(run=run_id)
    assert not app.button(key=Key.PAUSE).disabled
    app.button(key=Key.PAUSE).click().run()
    look = context.service.runs.snapshot(run_id)
    assert (look.status, look.stopping) == ("running", "paused by a person")
    assert any("Pausing" in m.value for m in app.markdown)
    assert app.button(key=Key.PAUSE).disabled
    context.service.runs._loop.call_soon_threadsafe(release.set)
    context.service.runs.wait(run_id, 60)
    look = context.service.runs.snapshot(run_id)
    assert (look.status, look.stopping) == ("paused", "")


def test_a_question_stands_above_all_else_that_a_run_shows(page, context, start):
    run_id = start(page())
    with writing(context, run_id, "Rye held."):
        app = page(run=run_id)
    kinds = [node.type for node in app.main]
    assert [h.value for h in app.header] == ["Approve the plan?", "What there is so far"]
    assert kinds.index("header") < kinds.index("text")


def cut(call_id: str = "T01-call-1", **said) -> CallTried:
    usual = CallTried(
        call_id=call_id, task_id="T01", purpose="work", endpoint="e", attempt=1,
        outcome="cancelled", elapsed_ms=1, partial_digest="d" * 64, tokens=7,
    )  # fmt: skip
    return usual.model_copy(update=said)


def test_what_was_cut_off_stands_until_the_call_is_made_again():
    first, second = cut(), cut("T02-call-1")
    assert live.cut_off(rows(first, second)) == [first, second]
    assert live.cut_off(rows(first, second, fake_call(call_id="T01-call-1"))) == [second]
    assert live.cut_off(rows(cut(partial_digest=""), cut(outcome="transient"))) == []
    assert tables.spending_text(rows(first)).startswith("1 call, at least 7 tokens")


def test_a_paused_run_shows_what_was_cut_off_and_that_it_is_no_answer(page, context, working):
    context.service.runs.pause(working)
    context.service.runs.wait(working, 60)
    folder = context.service.store.find(working)
    with Trace(folder.trace_path, working, SystemClock()) as trace:
        trace.record(cut(partial_digest=folder.keep("Rye held more")))
    app = page(run=working)
    assert [t.value for t in app.text] == ["Rye held more"]
    assert any("cut off after about 7 tokens. It is no answer" in c for c in captions(app))


def test_a_task_shows_the_attempt_in_hand(page, context, working):
    app = page(run=working)
    (table,) = (m.value for m in app.markdown if m.value.startswith("| Id |"))
    lines = [[cell.strip() for cell in line.split("|")[3:5]] for line in table.splitlines()[2:]]
    assert lines == [[":blue[working]", "1"], ["waiting", ""], ["waiting", ""]]


def test_many_who_follow_a_run_have_it_looked_at_once(page, context, working):
    following, clock, looked = Following(), FakeClock(), []

    def look():
        looked.append(working)
        return context.service.runs.snapshot(working)

    first = following.recent(look, working, clock)
    assert following.recent(look, working, clock) is first
    assert following.refresh(look, working, clock) is not first
    anyio.run(clock.sleep, 1.0)
    assert following.recent(look, working, clock).snapshot.run_id == working
    assert len(looked) == 3

"""What people see of a call while it is made, and what is kept of it when a stop cuts it off."""

import asyncio
from functools import partial

import anyio
import pytest

from core.budget import spent
from core.errors import TaskError
from core.events import CallEnded, CallTried
from core.live import LiveCalls, Partial
from core.redaction import MARK
from core.requests import Fault, Request
from core.settings import Flags
from core.testing import FakeClock
from tests.core.test_calls import _KEY, Desk, ask, rows, say

_PIECES = ("Rye ", "held ", "more ", "water.")


def desk_of(send, live: LiveCalls, clock: FakeClock, **parts) -> Desk:
    return Desk(send, clock=clock, watched=partial(live.watched, "run-1", clock), **parts)


def test_what_comes_is_seen_as_it_comes_and_no_longer_once_it_is_there():
    live, clock, seen = LiveCalls(), FakeClock(), []

    async def send(request: Request):
        for piece in _PIECES:
            request.partial.add(piece)
            await clock.sleep(1)
            seen.extend(live.of("run-1"))
        return say("".join(_PIECES))

    desk = desk_of(send, live, clock)
    desk.ask()
    assert [call.text for call in seen] == [
        "Rye ",
        "Rye held ",
        "Rye held more ",
        "Rye held more ",
    ]
    assert [call.tokens for call in seen] == [1, 2, 3, 5]
    assert seen[1].headline() == "T01 answer: about 2 tokens, 2 s"
    assert live.of("run-1") == live.of("run-2") == ()
    assert [event.tokens for event in desk.of(CallTried)] == [0]
    assert desk.budget.spent.tokens == 5


def test_a_reply_in_one_piece_has_its_time_and_its_tries_alone():
    live, clock, seen = LiveCalls(), FakeClock(), []

    async def send(request: Request):
        assert request.partial is None
        await clock.sleep(2)
        seen.extend(call.headline() for call in live.of("run-1"))
        if len(seen) == 1:
            raise Fault("permanent", "in other words", again=True)
        return say()

    desk_of(send, live, clock, stream=False).ask(ask(task_id=""))
    assert seen == ["answer: 2 s", "answer: 4 s, try 2"]


def test_of_a_run_that_hides_no_word_is_seen():
    live, clock, seen = LiveCalls(), FakeClock(), []

    async def send(request: Request):
        request.partial.add("I hold both jokers. ")
        seen.extend(live.of("run-1", words=False))
        return say()

    desk_of(send, live, clock).ask()
    assert [(call.text, call.tokens > 0) for call in seen] == [("", True)]


def stopped(live: LiveCalls, *pieces: str, **parts) -> Desk:
    """Have a call stopped once those pieces of its reply have come."""

    async def send(request: Request):
        for piece in pieces:
            request.partial.add(piece)
        here.set()
        await anyio.sleep_forever()

    async def go():
        call = asyncio.ensure_future(desk.caller.call(ask()))
        await here.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    here, desk = asyncio.Event(), desk_of(send, live, FakeClock(), **parts)
    asyncio.run(go())
    return desk


def test_a_stop_keeps_what_came_counts_it_and_leaves_the_call_to_be_made_again():
    live = LiveCalls()
    desk = stopped(live, *_PIECES[:3])
    (tried,) = desk.of(CallTried)
    assert (tried.outcome, tried.tokens) == ("cancelled", 3)
    assert desk.artifacts[tried.partial_digest] == "Rye held more "
    assert (
        tried.headline() == "T01 answer cut off after about 3 tokens; it is asked again on resume"
    )
    assert desk.of(CallEnded) == []
    assert live.of("run-1") == ()
    assert desk.budget.spent.tokens == spent(desk.rows).tokens == 3


def test_a_stop_before_anything_came_leaves_no_words():
    (tried,) = stopped(LiveCalls()).of(CallTried)
    assert (tried.partial_digest, tried.tokens, tried.headline()) == ("", 0, "")


def test_a_cap_on_tokens_counts_what_was_cut_off():
    desk = stopped(LiveCalls(), *_PIECES, flags=Flags(MAX_TOKENS=5))
    with pytest.raises(Exception, match="MAX_TOKENS"):
        desk.budget.before_call()


def test_a_stop_within_a_secret_keeps_nothing_of_it():
    (tried,) = (desk := stopped(LiveCalls(), "The key is ", _KEY[:9])).of(CallTried)
    assert desk.artifacts[tried.partial_digest] == "The key is "


def test_a_deadline_keeps_what_came_too():
    async def send(request: Request):
        request.partial.add("Rye held ")
        raise TimeoutError

    live, clock = LiveCalls(), FakeClock()
    desk = desk_of(send, live, clock)
    with pytest.raises(Exception, match="gave no whole reply"):
        desk.ask()
    assert {desk.artifacts[t.partial_digest] for t in desk.of(CallTried)} == {"Rye held "}
    assert [t.tokens for t in desk.of(CallTried)] == [2, 2, 2]


def test_of_a_reply_that_came_in_one_piece_after_all_what_the_fault_has_is_kept():
    async def send(request: Request):
        raise Fault("permanent", "it ended without a reason", partial="Rye held more water. ")

    desk = desk_of(send, LiveCalls(), FakeClock())
    with pytest.raises(TaskError):
        desk.ask()
    (tried,) = desk.of(CallTried)
    assert (desk.artifacts[tried.partial_digest], tried.tokens) == ("Rye held more water. ", 0)


def test_a_reply_that_fails_ends_what_is_seen():
    async def send(request: Request):
        raise Fault("permanent", "no")

    live = LiveCalls()
    with pytest.raises(TaskError):
        desk_of(send, live, FakeClock()).ask()
    assert live.of("run-1") == ()


def test_an_earlier_release_s_record_of_a_try_is_read_as_it_was():
    tried = CallTried(
        call_id="c", task_id="", purpose="p", endpoint="e", attempt=1, outcome="cancelled", elapsed_ms=1
    )  # fmt: skip
    assert "tokens" not in tried.row()
    assert spent(rows(tried)).tokens == 0


def test_what_was_hidden_from_the_server_is_put_back_before_anybody_looks():
    partial_reply = Partial(lambda text: text.replace("Acme", MARK))
    partial_reply.restored_by(lambda text: text.replace("NameXY", "Acme"))
    partial_reply.add("At Name")
    assert partial_reply.text() == "At Name"
    partial_reply.add("XY it is dry.")
    assert partial_reply.text() == f"At {MARK} it is dry."

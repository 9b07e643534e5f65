"""Replies piece by piece over real HTTP: seen as they come, the same in the end, or in one piece."""

import asyncio
from functools import partial

import pytest

from core.breakers import Breakers
from core.budget import Budget
from core.calls import Caller, Policy
from core.clock import SystemClock, seeded
from core.events import CallEnded, CallTried
from core.live import LiveCalls
from core.requests import Request
from core.settings import Flags
from core.values import digest
from dr_rd.models.address import endpoint_of
from dr_rd.models.chat.downgrade import Refusals, downgrading
from dr_rd.models.chat.send import chat_send
from dr_rd.models.privacy.masking import masked, typed_mask
from dr_rd.models.typed.words import words_of
from tests.fake_llm import FakeLLM

_SAID = "Rye held more water than mustard did. "


class Talk:
    """A caller of a fake server, with all that a run would see of its calls."""

    def __init__(self, fake: FakeLLM, send, **policy) -> None:
        self.fake, self.live, self.events, self.kept = fake, LiveCalls(), [], {}
        self.clock = SystemClock()
        self.caller = Caller(
            send,
            record=self.events.append,
            keep=self.keep,
            clock=self.clock,
            random=seeded(1),
            budget=Budget(Flags(), self.clock),
            breakers=Breakers(),
            policy=Policy(base_s=0.01, **policy),
            watched=partial(self.live.watched, "run-1", self.clock),
        )

    def keep(self, value) -> str:
        self.kept[digest(value)] = value
        return digest(value)

    async def ask(self, text: str = "hi"):
        messages = [{"role": "user", "content": text}]
        body, endpoint = {"messages": messages}, endpoint_of(self.fake.base_url)
        return await self.caller.call(Request("work", "T1", "m", endpoint, body))

    def tries(self) -> list[CallTried]:
        return [event for event in self.events if isinstance(event, CallTried)]


def talking(work, *, mask=None, read_s=10.0, policy=None, **settings):
    """Do *work* with a `Talk`."""

    async def go():
        fake = FakeLLM(log=9, token_chars=8, **settings)
        async with fake, chat_send(fake.base_url, "", clock=SystemClock(), read_s=read_s) as send:
            asked = downgrading(send, Refusals())
            return await work(Talk(fake, masked(asked, mask) if mask else asked, **(policy or {})))

    return asyncio.run(go())


def test_a_reply_is_asked_for_by_pieces_with_its_counts_and_is_the_same_in_the_end():
    async def both(talk: Talk):
        return await talk.ask(), await talk.ask(), talk

    first, second, talk = talking(both, reply=lambda _: _SAID * 3)
    assert first == second
    assert (first.text, first.finish, first.completion_tokens) == (_SAID * 3, "stop", 29)
    assert [r["stream"] for r in talk.fake.requests] == [True, True]
    assert talk.fake.requests[0]["stream_options"] == {"include_usage": True}
    (ended, _) = (e for e in talk.events if isinstance(e, CallEnded))
    assert "stream" not in talk.kept[ended.request_digest]["body"]
    assert talk.kept[ended.reply_digest] == first.model_dump(mode="json")


def refusing(words: str, *fields: str):
    """A model that refuses those fields of a request in those words."""

    def reply(body):
        if any(body.get(field) for field in fields):
            raise ValueError(words)
        return _SAID

    return reply


@pytest.mark.parametrize(
    ("words", "fields", "then", "said"),
    [
        ("property 'stream_options' is unsupported, did you mean 'stream'?", ["stream_options"],
         [True], "for replies piece by piece without their counts"),
        ("Extra inputs are not permitted: body.stream_options.include_usage", ["stream_options"],
         [True], "for replies piece by piece without their counts"),
        ("streaming is not supported with this model", ["stream"], [False], "for whole replies"),
        ("Unsupported value: 'stream' does not support true", ["stream"], [False], "for whole replies"),
    ],
)  # fmt: skip
def test_what_a_server_refuses_of_a_stream_is_said_once_and_asked_no_more(
    words, fields, then, said
):
    async def twice(talk: Talk):
        return await talk.ask(), await talk.ask("again"), talk

    first, second, talk = talking(twice, reply=refusing(words, *fields))
    assert first.text == second.text == _SAID
    assert (first.asked, second.asked) == ("", "")
    streams = [request.get("stream", False) for request in talk.fake.requests]
    # a stream without counts is the last one: a cap on tokens could not be kept
    assert streams == [True, *then, False]
    refusals = [tried.error for tried in talk.tries() if tried.error]
    assert len(refusals) == 1
    assert f"from here on 'm' is asked {said}" in refusals[0]
    assert [tried.wait_ms for tried in talk.tries()] == [0] * 3


@pytest.mark.parametrize("fault", ["500", "501", "error_200", "no_choices", "no_finish"])
def test_a_server_whose_first_stream_fails_is_asked_for_whole_replies(fault):
    async def twice(talk: Talk):
        return await talk.ask(), await talk.ask(), talk

    _, _, talk = talking(twice, first=[fault])
    assert [request.get("stream", False) for request in talk.fake.requests] == [True, False, False]


@pytest.mark.parametrize("fault", ["503", "408", "reset", "html", "500"])
def test_trouble_that_has_nothing_to_do_with_a_stream_leaves_it(fault):
    before = ["ok"] if fault == "500" else []

    async def twice(talk: Talk):
        return await talk.ask(), await talk.ask(), talk

    _, _, talk = talking(twice, first=[*before, fault])
    assert {request["stream"] for request in talk.fake.requests} == {True}


def test_a_stream_that_counts_nothing_is_the_last_one():
    async def twice(talk: Talk):
        return await talk.ask(), await talk.ask(), talk

    first, second, talk = talking(twice, first=["no_usage"])
    assert (first.tokens, second.tokens is not None) == (None, True)
    assert [request.get("stream", False) for request in talk.fake.requests] == [True, False]


async def seen_while(talk: Talk, until) -> list[str]:
    """Make a call and stop it once *until* holds of what is seen; return all that was seen."""
    call, seen = asyncio.ensure_future(talk.ask()), []
    while not seen or not until(seen[-1]):
        await asyncio.sleep(0)
        seen += [c.text for c in talk.live.of("run-1") if [c.text] != seen[-1:]]
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    return seen


def test_a_stop_ends_a_call_at_once_leaves_the_server_and_keeps_what_came():
    async def stopped(talk: Talk):
        seen = await seen_while(talk, lambda text: len(text) > 20)
        while not talk.fake.counts["client_disconnects"]:
            await asyncio.sleep(0)
        return seen, talk

    # the whole of it would take the server a quarter of a minute
    seen, talk = talking(stopped, reply=lambda _: _SAID * 1000, token_gap_ms=3)
    (tried,) = talk.tries()
    kept = talk.kept[tried.partial_digest]
    assert (_SAID * 9).startswith(kept)
    assert kept.startswith(seen[-1])
    assert tried.outcome == "cancelled"
    assert tried.tokens >= len(kept) // 8
    assert talk.live.of("run-1") == ()


def test_what_is_masked_is_seen_by_its_name_and_never_as_a_half():
    mask = typed_mask("Brennholz Nord\n", seeded(3)("mask"))

    def reply(body):
        code = body["messages"][0]["content"].rsplit(" ", 1)[-1]
        return f"The pellets of {code} crumble soonest of all, and it knows."

    async def stopped(talk: Talk):
        talk.ask = partial(talk.ask, "Name Brennholz Nord")
        return await seen_while(talk, lambda text: "knows" in text or len(text) > 40), talk

    seen, _ = talking(stopped, mask=mask, reply=reply, token_gap_ms=3)
    assert any("Brennholz Nord crumble" in text for text in seen)
    whole = "The pellets of Brennholz Nord crumble soonest of all, and it knows."
    assert [text for text in seen if not whole.startswith(text.rstrip())] == []


@pytest.mark.parametrize("fault", ["stall", "drip", "keepalive"])
def test_a_stream_that_is_too_slow_ends_at_the_deadline_and_what_came_is_counted(fault):
    async def once(talk: Talk):
        reply = await talk.ask(f"[[fake fault={fault},ok]]")
        return reply, talk.tries()

    deadline = {"try_s": 0.4}
    reply, tries = talking(once, policy=deadline, reply=lambda _: _SAID, hang_s=9, drip_gap_s=0.05)
    assert reply.text == _SAID
    assert [tried.outcome for tried in tries] == ["transient", "answered"]
    assert "gave no whole reply within 0.4 s" in tries[0].error
    assert (tries[0].tokens > 0) == (fault == "stall")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("Rye held.", "Rye held."),
        ('{"steps": [{"text": "Sow rye.", "sources": ["E1"]}], "n": 3, "last": "It was d',
         "text: Sow rye.\nsources: E1\nlast: It was d"),
        ('{"text": "a \\"b\\" \\u00e4\\n', 'text: a "b" ä'),
        ('{"text": "cut \\u00', "text: cut"),
        ('{"text": "cut \\', "text: cut"),
        ('{"te', "te"),
        ('```json\n{"text": "x"}\n```', "text: x"),
        ("\x1b[2Jgone \u202eback", "[2Jgone back"),
        ("<b>bold</b> https://evil.example", "<b>bold</b> https://evil.example"),
        ("", ""),
    ],
)  # fmt: skip
def test_of_a_reply_in_json_its_texts_are_read_wherever_it_breaks_off(reply, words):
    assert words_of(reply) == words

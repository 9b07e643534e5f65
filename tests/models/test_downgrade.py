"""A server that refuses how it is asked is asked in another way, once for all."""

import asyncio
import json
from contextlib import suppress

import pytest

from core.clock import SystemClock
from core.events import CallTried
from core.replay import replay
from core.requests import Fault, Reply, Request
from dr_rd.models.chat.downgrade import Refusals, downgrading
from dr_rd.models.chat.send import chat_send
from dr_rd.models.typed.schema import in_words
from dr_rd.workbench import EVIDENCE, SERVERS
from tests import scripted
from tests.fake_llm import FakeLLM
from tests.models.conftest import BRIEF, NOTE

SCHEMA = {
    "type": "object",
    "properties": {
        "format": {"type": "string", "maxLength": 9},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/maxItems"}, "maxItems": 3},
    },
    "$defs": {"maxItems": {"type": "number", "minimum": 0, "description": "How many."}},
}
LOOSE = {
    "type": "object",
    "properties": {
        "format": {"type": "string"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/maxItems"}},
    },
    "$defs": {"maxItems": {"type": "number", "description": "How many."}},
}


def held(schema) -> dict:
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": schema, "strict": True},
    }


def asked(*refusals: str, **body) -> list[dict]:
    """Ask until the server, which refuses about these things in turn, answers; return the bodies."""
    seen, left = [], list(refusals)

    async def send(request: Request) -> Reply:
        seen.append(dict(request.body))
        if left:
            raise Fault("permanent", "no", status=400, about=left.pop(0))
        return Reply(text="yes", finish="stop")

    async def go():
        told = downgrading(send, Refusals())
        messages = [{"role": "system", "content": "Who."}, {"role": "user", "content": "What."}]
        request = Request("work", "T1", "m", "http://here", {"messages": messages, **body})
        while True:
            try:
                return await told(request)
            except Fault as fault:
                assert fault.again

    seen.append(asyncio.run(go()))
    return seen


def test_less_is_asked_for_step_by_step_and_the_reply_says_how():
    form = "response_format"
    *bodies, reply = asked(form, form, form, response_format=held(SCHEMA))
    assert [body.get(form) for body in bodies] == [
        held(SCHEMA),
        held(LOOSE),
        {"type": "json_object"},
        None,
    ]
    words = f"Who.{in_words(SCHEMA)}"
    firsts = [body["messages"][0]["content"] for body in bodies]
    assert firsts == ["Who.", "Who.", words, words]
    assert reply.asked == "without its JSON mode, by words alone"


def test_a_schema_without_bounds_gives_way_to_json_mode_at_once():
    *bodies, reply = asked("response_format", response_format=held(LOOSE))
    assert bodies[1]["response_format"] == {"type": "json_object"}
    assert reply.asked == "by its JSON mode, with the schema in words"


def test_what_else_is_refused_is_left_out_too():
    *bodies, reply = asked(
        "temperature", "response_format", temperature=0.0, response_format=held(SCHEMA)
    )
    assert [body.get("temperature") for body in bodies] == [0.0, None, None]
    assert reply.asked == "by a schema without bounds and at its own temperature"


def test_what_a_server_has_refused_of_a_model_it_is_asked_no_more_by_any_run_of_the_process():
    seen = []

    async def send(request: Request) -> Reply:
        seen.append("temperature" in request.body)
        if seen[-1]:
            raise Fault("permanent", "no", status=400, about="temperature")
        return Reply(text="yes", finish="stop")

    async def go():
        known = Refusals()
        for model in ("m", "m", "other"):
            body = {"messages": [], "temperature": 0.0}
            with suppress(Fault):
                await downgrading(send, known)(Request("work", "", model, "http://here", body))

    asyncio.run(go())
    assert seen == [True, False, True]


@pytest.mark.parametrize(
    ("about", "body"),
    [
        ("", {"response_format": held(SCHEMA)}),
        ("response_format", {}),
        ("temperature", {}),
    ],
)
def test_a_refusal_that_leaves_nothing_less_stays_one(about, body):
    async def send(request: Request) -> Reply:
        raise Fault("permanent", "no", status=400, about=about)

    with pytest.raises(Fault) as refused:
        asyncio.run(
            downgrading(send, Refusals())(
                Request("work", "", "m", "http://here", {"messages": [], **body})
            )
        )
    assert not refused.value.again


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("Invalid schema for response_format 'reply': 'maxLength' is not permitted.", "response_format"),
        ("maxItems: keyword not supported", "response_format"),
        (f"{'x' * 300} failed to parse grammar", "response_format"),
        ("'response_format.type' must be 'text'", "response_format"),
        ("Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
        ("'messages' must not be empty", ""),
    ],
)  # fmt: skip
def test_what_a_refusal_is_about_is_read_from_all_its_words(said, about):
    def refuse(body):
        raise ValueError(said)

    async def go():
        async with (
            FakeLLM(reply=refuse) as fake,
            chat_send(fake.base_url, "", clock=SystemClock()) as send,
        ):
            messages = [{"role": "user", "content": "hi"}]
            await send(Request("work", "", "m", "http://here", {"messages": messages}))

    with pytest.raises(Fault) as refused:
        asyncio.run(go())
    assert refused.value.about == about


def strict(*, bounds=False, schema=False, mode=False, temperature=False):
    """A good model whose server does the probe and refuses what the run then asks."""

    def reply(body):
        form = body.get("response_format", {})
        told = json.dumps(form)
        probes = len(json.dumps(body["messages"])) < 1_000
        if probes and ("colour" in json.dumps(body) or "ready" in json.dumps(body["messages"])):
            return {"colour": "teal", "amounts": [3]} if form else "ready"
        if temperature and "temperature" in body:
            raise ValueError("Unsupported value: 'temperature' does not support 0.0.")
        if bounds and "maxLength" in told:
            raise ValueError("Invalid schema: 'maxLength' is not permitted")
        if schema and form.get("type") == "json_schema":
            raise ValueError("json_schema is not supported")
        if mode and form:
            raise ValueError("response_format must be text")
        return scripted.GOOD(body if "json_schema" in form else _with_form(body))

    return reply


def _with_form(body):
    """Read the schema that is asked for in words, so that the good model can follow it."""
    text = body["messages"][0]["content"]
    schema = json.loads(text[text.rindex('\n{"') :]) if '\n{"' in text else {}
    return body | {"response_format": held(schema)}


@pytest.mark.parametrize(
    ("refused", "times", "told"),
    [
        ({"bounds": True}, 1, "by a schema without bounds"),
        ({"bounds": True, "schema": True}, 2, "by its JSON mode, with the schema in words"),
        ({"bounds": True, "schema": True, "mode": True}, 3, "without its JSON mode, by words alone"),
        ({"temperature": True}, 1, "at its own temperature"),
    ],
)  # fmt: skip
def test_a_run_steps_down_once_says_so_and_replays_alike(
    refused, times, told, run, workbench, tmp_path
):
    model, brief = strict(**refused), BRIEF.model_copy(update={"tasks": ()})
    ran = run(model, NOTE, brief=brief, models={"work": "scripted", "judge": "scripted"})
    assert ran.outcome.ended, ran.outcome.reason
    tries = [e for e in ran.events if isinstance(e, CallTried)]
    refusals = [e.error for e in tries if e.outcome == "permanent"]
    assert 0 < len(refusals) <= 2 * times  # the laboratory's tasks have a model of their own
    assert f"is asked {told}" in refusals[times - 1]
    assert f"`scripted` was asked {told}: its server refuses more." in ran.proposal
    assert "gave no usable" not in ran.proposal
    found = replay(ran.folder.path, workbench.parts, tmp_path / "again", given=(EVIDENCE, SERVERS))
    assert found.identical, found.first_difference

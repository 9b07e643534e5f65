"""Every outcome of a request is a reply or a fault, over real HTTP."""

import asyncio
import json
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from itertools import product

import pytest

from core.breakers import Breakers
from core.budget import Budget
from core.calls import Caller, Policy
from core.clock import SystemClock, seeded
from core.errors import CallerError, Stopped, TaskError
from core.events import CallEnded, CallTried, Event
from core.redaction import MARK
from core.requests import Fault, Reply, Request, Send
from core.settings import Flags
from core.testing import FakeClock
from core.values import digest
from dr_rd.models.address import endpoint_of
from dr_rd.models.chat.http import open_server_query
from dr_rd.models.chat.sanitize import InvalidResponse, capped_stream
from dr_rd.models.chat.send import chat_send, patience_s
from dr_rd.models.typed.ask import TOO_LONG
from tests.fake_llm import FAULTS, FakeLLM

_KEY = "local-key-000-for-tests"
_SHORT_S, _LONG_S = 0.2, 10.0
_SLOW = {"hang", "stall", "drip", "keepalive"}
"""Faults that only a deadline ends; all others are given time, so that no test is in a hurry."""
_NAMES = sorted(
    (FAULTS - {"ok"})
    | {"307", "302", "400", "401", "402", "403", "404", "408", "409"}
    | {"413", "422", "429", "500"}
)


def ask(text: str = "hi", **body) -> Request:
    messages = [{"role": "user", "content": text}]
    return Request("answer", "T01", "m", "http://here", {"messages": messages, **body})


def http(body: str, status: str = "200 OK", kind: str = "json", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{more}"
    return f"{head}Content-Type: application/{kind}\r\n\r\n{body}".encode()


def answered(written: bytes, use=None):
    """What a request comes to whose server writes just that; *use* makes another than a call.

    It comes to the same with the client library and without.
    """

    async def answer(reader, writer):
        asked = await reader.readuntil(b"\r\n\r\n")
        if length := re.search(rb"(?i)content-length: (\d+)", asked):
            await reader.readexactly(int(length[1]))
        writer.write(written)
        writer.close()

    async def called(url):
        async with chat_send(url, _KEY, clock=FakeClock()) as send:
            found = await outcome_of(send, ask())
        async with chat_send(url, _KEY, clock=FakeClock(), direct=True) as send:
            assert said_by(await outcome_of(send, ask())) == said_by(found)
        return found

    async def go():
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await (use or called)(f"http://127.0.0.1:{port}/v1")

    return asyncio.run(go())


@asynccontextmanager
async def sender(read_s: float = _LONG_S, *, direct: bool = False, **settings):
    """Open a client for a fake server of its own."""
    async with FakeLLM(hang_s=1, drip_gap_s=0.03, log=9, token_chars=16, **settings) as fake:
        bounds = {"read_s": read_s, "max_bytes": 400_000, "direct": direct}
        async with chat_send(fake.base_url, _KEY, clock=FakeClock(), **bounds) as send:
            yield fake, send


def said_by(outcome: Reply | Fault) -> object:
    """Everything that an outcome says, for a comparison."""
    return outcome if isinstance(outcome, Reply) else vars(outcome)


async def outcome_of(send: Send, request: Request) -> Reply | Fault:
    try:
        return await send(request)
    except Fault as fault:
        return fault


def once(request: Request, **settings) -> tuple[Reply | Fault, FakeLLM]:
    async def go():
        async with sender(**settings) as (fake, send):
            return await outcome_of(send, request), fake

    outcome, fake = asyncio.run(go())
    assert fake.counts["requests"] == 1
    return outcome, fake


@pytest.fixture(scope="module")
def outcomes() -> dict[tuple[str, bool], tuple[Reply | Fault, int]]:
    """What one try of each fault comes to, and how many requests it took."""
    found = {}

    async def go(names, read_s):
        async with sender(read_s, reply=lambda request: "one two " * 9) as (fake, send):
            for name, stream in product(names, [False, True]):
                fake.reset()
                if (name, stream) in _ENDLESS:
                    continue
                told = await outcome_of(send, ask(f"[[fake fault={name}]]", stream=stream))
                found[name, stream] = told, fake.counts["requests"]

    asyncio.run(go(set(_NAMES) - _SLOW, _LONG_S))
    asyncio.run(go(_SLOW, _SHORT_S))
    return found


def test_without_the_client_library_each_fault_comes_to_the_same(outcomes):
    async def go(names, read_s):
        found = {}
        async with sender(read_s, direct=True, reply=lambda request: "one two " * 9) as (_, send):
            for name in names:
                found[name] = said_by(await outcome_of(send, ask(f"[[fake fault={name}]]")))
        return found

    whole = {name: told for (name, stream), (told, _) in outcomes.items() if not stream}
    found = asyncio.run(go(whole.keys() - _SLOW, _LONG_S))
    found |= asyncio.run(go(whole.keys() & _SLOW, _SHORT_S))
    port = re.compile(r":\d{4,5}")  # each server has its own
    for name, told in whole.items():
        assert port.sub("", str(found[name])) == port.sub("", str(said_by(told))), name


_ENDLESS = {("drip", False), ("keepalive", False)}
"""To the client these go on for ever: only a call's own deadline ends them."""


# -------------------------------------------------------------------------------- replies


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_has_its_text_its_end_and_its_tokens(stream):
    reply, _ = once(ask(stream=stream), reply=lambda request: "Forty-two.")
    assert reply == Reply(
        text="Forty-two.", finish="stop", model="m", prompt_tokens=1, completion_tokens=3
    )


@pytest.mark.parametrize("direct", [False, True])
def test_what_is_asked_arrives_as_it_is(direct):
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    parameters = {"type": "object", "properties": {"a": {"type": "integer"}}}
    body = {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "5"},
            {"role": "user", "content": [{"type": "text", "text": "and?"}]},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": parameters}}],
        "temperature": 0.5,
        "max_tokens": 50,
        "response_format": {"type": "json_object"},
    }
    _, fake = once(Request("answer", "T01", "m", "http://here", body), direct=direct)
    assert fake.requests[0] == {**body, "model": "m", "stream": False}


@pytest.mark.parametrize("stream", [False, True])
def test_tokens_that_the_server_did_not_count_are_unknown(outcomes, stream):
    reply, _ = outcomes["minus_usage", stream]
    assert reply.prompt_tokens is reply.completion_tokens is reply.tokens is None
    reply, _ = outcomes["no_usage", stream]
    assert reply.prompt_tokens is reply.completion_tokens is reply.tokens is None


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("flaw", "names", "problems"),
    [
        ("bad_tool_json", ["search"], ["its arguments are no JSON object"]),
        ("unknown_tool", ["launch_rocket"], [""]),
        ("duplicate_tool", ["search"] * 2, ["", "its id 'call_twice' was used before"]),
    ],
)
def test_flaws_of_tool_calls_are_named_and_nothing_is_guessed(
    outcomes, flaw, names, problems, stream
):
    reply, _ = outcomes[flaw, stream]
    assert [call.name for call in reply.tool_calls] == names
    for call, problem in zip(reply.tool_calls, problems, strict=True):
        assert call.problem.startswith(problem)
        assert bool(call.problem) == bool(problem)
        assert (call.args is None) == (flaw == "bad_tool_json")


@pytest.mark.parametrize("name", ["length", "content_filter"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_says_that_it_was_cut(outcomes, name, stream):
    assert outcomes[name, stream][0].finish == name


# --------------------------------------------------------------------------------- faults


def test_a_try_is_one_request_whatever_comes_of_it(outcomes):
    assert {requests for _, requests in outcomes.values()} == {1}
    assert len(outcomes) > 60


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("html", r"no chat completion|a web page and no reply"),
        ("cut_json", "no chat completion"),
        ("no_body", "no chat completion"),
        ("no_choices", r"no chat completion|cut its reply off"),
        ("error_200", r"no chat completion|failed: the upstream is overloaded"),
        ("no_finish", "cut its reply off"),
        ("truncate", "broke the connection off"),
        ("reset", "broke the connection off"),
        ("hang", f"said nothing for {_SHORT_S} s"),
        ("stall", f"said nothing for {_SHORT_S} s"),
        ("html_503", "answers 503"),
        ("500", "answers 500"),
        ("408", "answers 408"),
        ("409", "answers 409"),
        ("429", "answers 429"),
    ],
)
def test_what_may_be_gone_at_the_next_try_is_transient(outcomes, name, said, stream):
    fault = outcomes[name, stream][0]
    assert fault.kind == "transient"
    assert not fault.everywhere
    fault_matches(fault, said)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("name", "everywhere", "said"),
    [
        ("400", False, r"refuses the request \(400\): injected 400"),
        ("422", False, r"refuses the request \(422\)"),
        ("context", False, "longer than the model can read; give the task less"),
        ("413", False, "longer than the model can read"),
        ("filtered", False, "content filter refuses the request; word the task anew"),
        ("huge", False, "sent a reply of more than 400000 bytes"),
        ("401", True, "refuses the key; set the right one"),
        ("402", True, "quota .* is spent; add to it or set another key"),
        ("403", True, "does not allow this key to use 'm'; set another"),
        ("404", True, "has no model 'm' there; check model and address"),
        ("quota", True, "quota .* is spent; add to it or set another key"),
        ("307", True, "redirects to /v1/chat/completions, which is not followed"),
        ("302", True, "redirects to /v1/chat/completions, which is not followed"),
    ],
)
def test_what_no_try_will_change_is_permanent_and_says_what_to_do(
    outcomes, name, everywhere, said, stream
):
    fault = outcomes[name, stream][0]
    assert fault.kind == "permanent"
    assert fault.everywhere == everywhere
    fault_matches(fault, said)


def fault_matches(fault: Fault, said: str) -> None:
    with pytest.raises(Fault, match=said):
        raise fault
    assert "\n" not in str(fault)
    assert _KEY not in repr(vars(fault))
    assert fault.__cause__ is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "model failed to load\\nat 0x12", "type": "x"}}', ": model failed to load"),
        ('{"error": {"message": "no room", "code": "e", "param": null}}', ": no room"),
        ('{"error": "llama runner has stopped"}', ": llama runner has stopped"),
        ('{"detail": "CUDA out of memory"}', ": CUDA out of memory"),
        ("upstream is down\nat line 3 of proxy.lua", ": upstream is down"),
        (f"key {_KEY} is over its limit", ": key [redacted] is over its limit"),
        ("x" * 900, f": {'x' * 200}..."),
        ("<!DOCTYPE html><title>Bad gateway</title>", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_what_a_server_in_trouble_says_of_it_is_passed_on_in_one_line(body, said):
    kind = "json" if body.startswith("{") else "plain"
    fault = answered(http(body, "503 No", kind))
    told = str(fault).partition("answers 503")[2]
    assert (fault.kind, told.replace(MARK, "[redacted]")) == ("transient", said)


_NO_HTTP = {
    "a long header": b"HTTP/1.1 200 OK\r\nX-Trace: " + b"a" * 9_000 + b"\r\n\r\n",
    "a size that is none": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    "a status that is none": b"HTTP/1.1 99 X\r\n\r\n",
    "a length that is none": b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
    "a length below nothing": b"HTTP/1.1 500 No\r\nContent-Length: -5\r\n\r\n",
    "more than its length": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n{}",
    "no head": b"\0\1garbage\r\n\r\n",
}


@pytest.mark.parametrize("written", _NO_HTTP.values(), ids=_NO_HTTP)
def test_a_reply_that_is_no_http_is_a_transient_fault_that_does_not_show_the_request(written):
    fault = answered(written)
    assert fault.kind == "transient"
    fault_matches(fault, r"^http://127\.0\.0\.1:\d+ sent a reply that is no HTTP$")


@pytest.mark.parametrize("written", _NO_HTTP.values(), ids=_NO_HTTP)
def test_a_server_that_speaks_no_http_says_nothing_of_itself(written):
    async def looked(url):
        async with open_server_query(url, _KEY) as query:
            return await query("models", None)

    assert answered(written, looked) is None


def spoken(**message) -> str:
    """Write a completion with that message, with what JSON allows and UTF-8 does not."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return json.dumps({"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]})


def wish(arguments: str) -> str:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return spoken(content="yes", tool_calls=[call])


def test_a_reply_that_is_nested_without_end_is_no_completion():
    fault = answered(http("[" * 200_000))
    assert fault.kind == "transient"
    fault_matches(fault, "no chat completion")


@pytest.mark.parametrize(
    "arguments",
    ["[" * 50_000, '{"a":' * 300 + "1" + "}" * 300, '{"a":NaN}', '{"a":-Infinity}', '{"a":[1e999]}',
     f'{{"a":{10**400}}}', f'{{"a":{"1" * 6_000}}}'],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_arguments_that_cannot_be_written_down_are_unreadable_and_the_reply_stands(arguments):
    reply = answered(http(wish(arguments)))
    (call,) = reply.tool_calls
    assert (reply.text, call.args) == ("yes", None)
    assert call.problem == "its arguments are no JSON object"


def test_half_of_a_surrogate_pair_becomes_a_sign_wherever_it_is_said():
    said = spoken(content="a\ud800b").replace('"m"', json.dumps("m\udfff"))
    reply = answered(http(said))
    assert (reply.text, reply.model) == ("a\ufffdb", "m\ufffd")
    (call,) = answered(http(wish(json.dumps({"\ud800": ["\udc00 \U0001f600"]})))).tool_calls
    assert call.args == {"\ufffd": ["\ufffd \U0001f600"]}
    fault = answered(http(json.dumps({"error": {"message": "no \ud800"}}), "503 No"))
    assert str(fault).endswith("answers 503: no \ufffd")


@pytest.mark.parametrize("count", [10**400, 10**16, -1])
def test_a_count_of_tokens_that_cannot_be_is_unknown(count):
    usage = {"prompt_tokens": count, "completion_tokens": 1, "total_tokens": 1}
    reply = answered(http(json.dumps({**json.loads(spoken(content="hi")), "usage": usage})))
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, 1)


@pytest.mark.parametrize("name", ["keepalive", "drip"])
def test_a_stream_without_content_is_left_after_a_silence(outcomes, name):
    fault_matches(outcomes[name, True][0], "said nothing")


@pytest.mark.parametrize("name", ["stall", "truncate", "no_finish"])
def test_what_had_arrived_of_a_stream_is_kept(outcomes, name):
    assert outcomes[name, True][0].partial.startswith("one two ")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("2", 2), ("0.5", 0.5), ("90", 90), ("-3", 0), ("soon", None), ("", None), ("inf", None),
     ("nan", None), ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None),
     ("Wed, 21 Oct 2026 07:28:00 +99999999999999999999", None)],
)  # fmt: skip
def test_the_wait_that_a_server_asks_for_is_read(header, seconds):
    fault, _ = once(ask(), first=[f"429:{header}" if header else "429"])
    assert fault.retry_after_s == seconds


def test_the_wait_may_be_a_date():
    for date, seconds in (("Thu, 01 Jan 2026 00:01:30", 90), ("Thu, 01 Jan 2015 00:00:00", 0)):
        for zone in (" GMT", " -0000", ""):
            assert once(ask(), first=[f"503:{date}{zone}"])[0].retry_after_s == seconds


@pytest.mark.parametrize("server", ["bare", "vllm", "llama.cpp"])
def test_every_servers_words_for_a_request_that_is_too_long_are_understood(server):
    fault, _ = once(ask("x" * 80), server=server, context=10)
    assert fault.kind == "permanent"
    fault_matches(fault, f"^{TOO_LONG}; give the task less to read$")


def test_a_huge_reply_is_not_read_to_its_end():
    _, fake = once(ask(), first=["huge"], huge_bytes=50_000_000)
    assert fake.counts["client_disconnects"] == 1


def test_a_server_that_is_not_there_is_a_transient_fault():
    async def go():
        async with sender() as (fake, _):
            gone = fake.base_url
        async with chat_send(gone, _KEY, clock=FakeClock()) as send:
            await send(ask())

    with pytest.raises(Fault, match="cannot be reached") as fault:
        asyncio.run(go())
    assert fault.value.kind == "transient"


def test_a_key_that_the_server_repeats_is_not_said():
    def refuse(request):
        raise ValueError(f"bad key {_KEY} in {request['model']}")

    outcome, _ = once(ask(), reply=refuse)
    assert "bad key [redacted] in m" in str(outcome)


# -------------------------------------------------------------------------------- calls


@pytest.fixture(scope="module")
def calls():
    """What a call comes to when every try meets the same fault, its requests, and its events."""
    found = {}

    async def go(names, deadline_s):
        policy = Policy(attempts=3, try_s=deadline_s, base_s=0.001)
        async with sender() as (fake, send):
            for name, stream in product(names, [False, True]):
                fake.reset()
                events: list[Event] = []
                caller = Caller(
                    send,
                    record=events.append,
                    keep=digest,
                    clock=SystemClock(),
                    random=seeded(1),
                    budget=Budget(Flags(), SystemClock()),
                    breakers=Breakers(),
                    policy=policy,
                )
                try:
                    outcome = await caller.call(ask(f"[[fake fault={name}]]", stream=stream))
                except (TaskError, Stopped) as failure:
                    outcome = failure
                found[name, stream] = outcome, fake.counts["requests"], events

    asyncio.run(go(set(_NAMES) - _SLOW, _LONG_S))
    asyncio.run(go(_SLOW, _SHORT_S))
    return found


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", _NAMES)
def test_no_fault_makes_more_requests_than_attempts_and_each_is_on_record(calls, name, stream):
    outcome, requests, events = calls[name, stream]
    tried = [event for event in events if isinstance(event, CallTried)]
    (ended,) = (event for event in events if isinstance(event, CallEnded))
    assert 1 <= requests == len(tried) == ended.tries <= 3
    assert requests == (1 if tried[0].outcome != "transient" else 3)
    assert ended.ok == isinstance(outcome, Reply)
    answers = {
        "badcontent",
        "no_usage",
        "minus_usage",
        "bad_tool_json",
        "unknown_tool",
        "duplicate_tool",
    }
    assert ended.ok == (name in answers)
    assert ended.paused == isinstance(outcome, Stopped)


def test_one_client_serves_many_calls_over_few_connections():
    async def go():
        async with sender() as (fake, send):
            for number in range(10):
                await send(ask(f"q{number}"))
            return fake.stats()

    stats = asyncio.run(go())
    assert stats["requests"] == 10
    assert stats["connections"] == 1


# ------------------------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("https://api.example.org/v1", "https://api.example.org"),
        ("http://127.0.0.1:8099/v1/", "http://127.0.0.1:8099"),
        ("http://[::1]:80/v1", "http://[::1]:80"),
    ],
)
def test_an_endpoint_is_scheme_host_and_port(url, endpoint):
    assert endpoint_of(url) == endpoint


@pytest.mark.parametrize(
    "url",
    ["", "api.example.org", "file:///etc/passwd", "https://a:b@c.org/v1", "https://c.org?k=1"],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url):
    with pytest.raises(CallerError, match=r"cannot be used|must carry no"):
        endpoint_of(url)


def test_importing_the_module_does_not_import_the_client():
    code = "import sys, dr_rd.models.chat.send; print({'openai', 'langchain_openai'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_server_on_this_machine_may_read_for_longer_before_it_answers():
    assert patience_s("http://127.0.0.1:8080/v1") > 10 * patience_s("https://api.example.org/v1")


def test_a_reply_that_drips_once_it_has_begun_is_given_up_and_blanks_before_it_are_not():
    clock = FakeClock()

    class Dripping:
        headers, status_code = {}, 200

        def __init__(self, blanks: int) -> None:
            self.parts = [b" "] * blanks + [b"{"] * 30
            self.stream = self

        async def __aiter__(self):
            for part in self.parts:
                clock.slept.append(1)
                yield part

    async def read(blanks: int) -> None:
        async for _ in capped_stream(Dripping(blanks), 1000, clock):
            pass

    with pytest.raises(InvalidResponse, match="less than 50 bytes a second"):
        asyncio.run(read(blanks=60))
    assert clock.monotonic() == 60 + 7

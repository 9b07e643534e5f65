"""A loopback server that speaks the chat-completions protocol, with faults on demand.

Real clients talk to it over real HTTP, so that pools, deadlines, retries and the reading of
replies are exercised for real. Everything random is drawn from the seed, the prompt and how
often that prompt was seen: the order in which requests arrive changes nothing. It listens on
loopback only, since it asks nobody who they are unless `key` is set.

In an async test::

    async with FakeLLM(latency="20", first=["500", "429:2"]) as fake:
        ...  # talk to fake.base_url
        assert fake.stats()["requests"] == 3

From a thread of its own: ``with FakeLLMThread(...) as fake``. As a process::

    python -m tests.fake_llm --port 8099 --latency lognormal:100:0.5 --fault 429:1=0.05

Faults, by name:

    503, 401, ...       that status; "429:2" and "503:soon" also set Retry-After
    307, 302            a redirect to `redirect_to`
    quota               429 with code insufficient_quota
    context             400 with code context_length_exceeded
    filtered            400 with code content_filter
    html                200 with a page that is no JSON
    html_503            503 with a page that is no JSON
    cut_json            200 with half a JSON text in a body that is whole
    no_body             200 with nothing in it
    no_choices          200 with choices []
    error_200           200 with an error object
    length, content_filter   a reply that ends for that reason
    null                a reply whose content is null
    empty, badcontent   a reply whose text is "", or not what was asked for
    no_usage            a reply that does not count its tokens
    minus_usage         a reply that counts them below nothing
    bad_tool_json, unknown_tool, duplicate_tool   tool calls with that flaw
    no_finish           a stream (or a reply) without finish_reason
    huge                a reply of `huge_bytes`
    reset               the connection is reset before a byte is sent
    truncate            the connection closes in the middle of the reply
    stall               half the reply, then silence for `hang_s`
    hang                silence for `hang_s`, then the connection drops
    drip                the reply, one byte each `drip_gap_s`
    keepalive           comments (or blanks) each `drip_gap_s`, and no reply
    ok                  no fault

A fault comes from, in this order: the header ``X-Fake-Fault``; the prompt, as in
``[[fake fault=429:2,500,ok]]``; `first`, by the number of the request to the server; the
probabilities `faults`. A list in header or prompt is a script: the nth request with that prompt
gets its nth entry, and the last one repeats. Header and prompt may also set ``latency_ms`` and
``reply_bytes``.

Served, with or without /v1: POST /chat/completions; GET /models, /stats, /requests (the last
`log` bodies); POST /reset, /config.

What it says of itself is said as its `server` says it, which is one of

    bare        nothing: the models have names and no more
    vllm        max_model_len in /models; /tokenize counts
    llama.cpp   n_ctx in /props, what the model was trained for in /models; /tokenize
    ollama      /api/ps, once a model was asked; no prompt is refused
    lmstudio    /api/v0/models, once a model was asked

A prompt of more than `context` tokens is refused in that server's words, and a reply ends at the
request's max_tokens; a token is four characters.
"""

import argparse
import asyncio
import contextlib
import hashlib
import ipaddress
import json
import math
import random
import re
import sys
import threading
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import reduce
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_MAX_BODY = 64_000_000
_STATUS = re.compile(r"([345]\d\d)(?::(.+))?")
_DIRECTIVE = re.compile(r"\[\[fake\s+([^\]]*)\]\]")
_PAGE = b"<!doctype html><title>Gateway</title><p>Please try again later.</p>"
_JSON, _HTML, _EVENTS = "application/json", "text/html; charset=utf-8", "text/event-stream"


# ------------------------------------------------------------------------------- latency


@dataclass(frozen=True)
class Latency:
    """A distribution of milliseconds.

    Written "100" or "fixed:100"; "uniform:50:150"; "exp:100" (its mean); "lognormal:100:0.5"
    (its mean, and the sigma of the underlying normal).
    """

    kind: str = "fixed"
    a: float = 0.0
    b: float = 0.0

    @classmethod
    def parse(cls, text: str | float) -> "Latency":
        kind, colon, rest = str(text).partition(":")
        if not colon:
            kind, rest = "fixed", kind
        try:
            numbers = [float(number) for number in rest.split(":")]
        except ValueError:
            numbers = [-1.0]
        wanted = {"fixed": (1,), "exp": (1,), "uniform": (2,), "lognormal": (1, 2)}
        valid = all(math.isfinite(number) and number >= 0 for number in numbers)
        if not valid or len(numbers) not in wanted.get(kind, ()):
            raise ValueError(f"latency {text!r} cannot be read; write 100 or lognormal:100:0.5")
        if kind == "lognormal" and len(numbers) == 1:
            numbers.append(0.5)
        return cls(kind, *numbers)

    def draw(self, chance: random.Random) -> float:
        if self.kind == "uniform":
            return chance.uniform(self.a, self.b)
        if self.kind == "fixed" or self.a == 0:
            return self.a
        if self.kind == "exp":
            return chance.expovariate(1 / self.a)
        return chance.lognormvariate(math.log(self.a) - self.b**2 / 2, self.b)


# -------------------------------------------------------------------------------- config


@dataclass
class Config:
    """What the server does; POST /config changes any of it."""

    latency: Latency = Latency()
    ttft: Latency | None = None  # streaming: to the first token; None: `latency`
    token_gap_ms: float = 0.0
    token_chars: int = 400  # reading a piece takes its client most of a millisecond
    faults: dict[str, float] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    seed: int = 0
    key: str = ""  # the one bearer token that is let in; "" lets everyone in
    model: str = "fake"
    reply_bytes: int = 0  # 0: a short reply
    huge_bytes: int = 50_000_000
    hang_s: float = 600.0
    drip_gap_s: float = 1.0
    redirect_to: str = "/v1/chat/completions"
    max_inflight: int = 0  # beyond it: 429; 0: no limit
    server: str = "bare"
    context: int = 0  # tokens that a prompt may have; 0: any, and nothing is said of it
    log: int = 0
    rules: list[Json] = field(default_factory=list)  # {"match", "reply"|"json"|"tool_calls"}

    def update(self, changes: Mapping[str, Any]) -> None:
        known = {f.name for f in fields(self)}
        for name, value in changes.items():
            if name not in known:
                raise ValueError(f"no setting {name!r}; choose from: {', '.join(sorted(known))}")
            setattr(self, name, _READ.get(name, _same)(value))


def _same(value: Any) -> Any:
    return value


def _latency(value: Any) -> Latency | None:
    return value if value is None or isinstance(value, Latency) else Latency.parse(value)


def _faults(value: Mapping[str, Any]) -> dict[str, float]:
    chances = {fault_name(name): float(chance) for name, chance in value.items()}
    if sum(chances.values()) > 1 or any(chance < 0 for chance in chances.values()):
        raise ValueError("the chances of faults must be 0 or more, and 1 at most together")
    return chances


_SERVERS = ("bare", "vllm", "llama.cpp", "ollama", "lmstudio")


def _kind(name: str) -> str:
    if name not in _SERVERS:
        raise ValueError(f"no server {name!r}; choose from: {', '.join(_SERVERS)}")
    return name


_READ: Mapping[str, Callable[[Any], Any]] = {
    "server": _kind,
    "latency": _latency,
    "ttft": _latency,
    "faults": _faults,
    "first": lambda names: tuple(fault_name(name) for name in names),
}


# ---------------------------------------------------------------------- the HTTP protocol


@dataclass(frozen=True)
class Request:
    """One HTTP request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


class Refused(Exception):
    """The request is not HTTP that this server speaks; the connection closes."""


def read_request(buffer: bytearray) -> Request | None:
    """Take one request off *buffer*; None if it is not all there."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        if len(buffer) > 65_536:
            raise Refused("the head is too large")
        return None
    first, *lines = buffer[:end].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    found = _body(buffer, end + 4, headers)
    if found is None:
        return None
    body, used = found
    del buffer[:used]
    words = first.split(" ")
    if len(words) != 3:
        raise Refused("the first line is no request")
    keep_alive = words[2] != "HTTP/1.0" and headers.get("connection", "").lower() != "close"
    return Request(words[0], words[1].split("?")[0], headers, body, keep_alive)


def _body(buffer: bytearray, start: int, headers: Mapping[str, str]) -> tuple[bytes, int] | None:
    if "chunked" in headers.get("transfer-encoding", ""):
        return _dechunked(buffer, start)
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > _MAX_BODY:
        raise Refused("the length is none, or too large")
    end = start + int(length)
    return (bytes(buffer[start:end]), end) if len(buffer) >= end else None


def _dechunked(buffer: bytearray, at: int) -> tuple[bytes, int] | None:
    body = bytearray()
    while (line := buffer.find(b"\r\n", at)) >= 0:
        size = int(bytes(buffer[at:line]).split(b";")[0], 16)
        end = line + 2 + size
        if len(buffer) < end + 2:
            return None
        body += buffer[line + 2 : end]
        at = end + 2
        if size == 0:
            return bytes(body), at
    return None


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive: one request at a time, a second one waits."""

    transport: asyncio.Transport

    def __init__(self, server: "FakeLLM") -> None:
        self.server = server
        self.buffer = bytearray()
        self.request: Request | None = None
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections.add(self)
        self.server.counts["connections"] += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.server.connections.discard(self)
        if self.task:
            self.server.counts["client_disconnects"] += 1
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self._next()

    def _next(self) -> None:
        while self.request is None and self.buffer:
            try:
                self.request = read_request(self.buffer)
            except (Refused, ValueError) as refusal:
                self.transport.write(head(400, "text/plain", 0) + str(refusal).encode())
                self.transport.close()
                return
            if self.request is None:
                return
            self.server.dispatch(self, self.request)

    def send(
        self, status: int, body: bytes, kind: str = _JSON, extra: Mapping[str, str] | None = None
    ) -> None:
        self.transport.write(head(status, kind, len(body), extra) + body)
        self.done()

    def send_json(
        self, status: int, value: object, extra: Mapping[str, str] | None = None
    ) -> None:
        self.send(status, json.dumps(value).encode(), extra=extra)

    def done(self) -> None:
        """Turn to the next request: the reply to the one in hand is out."""
        request, self.request, self.task = self.request, None, None
        if request and not request.keep_alive:
            self.transport.close()
        elif not self.transport.is_closing():
            self._next()


def head(
    status: int, kind: str, length: int | None, extra: Mapping[str, str] | None = None
) -> bytes:
    """Write the head of a reply; no *length* means that its body comes in chunks."""
    size = {"transfer-encoding": "chunked"} if length is None else {"content-length": str(length)}
    lines = [f"{k}: {v}" for k, v in {"content-type": kind, **size, **(extra or {})}.items()]
    return "\r\n".join([f"HTTP/1.1 {status} Status", *lines, "", ""]).encode("latin-1")


# -------------------------------------------------------------------------------- replies


@dataclass(frozen=True)
class Plan:
    """What is to be done with one request for a completion."""

    request: Json
    prompt: str
    fingerprint: str
    attempt: int
    chance: random.Random
    latency_ms: float
    fault: str
    reply_bytes: int

    @property
    def streams(self) -> bool:
        return bool(self.request.get("stream"))

    @property
    def name(self) -> str:
        return f"chatcmpl-{self.fingerprint}-{self.attempt}"


def text_of(content: object) -> str:
    """Join the text of a message's content, which may come in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part.get("text", "") for part in parts if isinstance(part, dict))


def padded(text: str, size: int) -> str:
    """Fill *text* up to *size* characters."""
    filler = " The quick brown fox checks its sources before it jumps."
    missing = max(0, size - len(text))
    return text + (filler * (missing // len(filler) + 1))[:missing]


def tool_message(calls: Sequence[Json], prefix: str = "call") -> Json:
    """Write an assistant's message that calls tools: {"name", "arguments", and maybe "id"}."""
    written = [
        {
            "id": call.get("id", f"{prefix}_{number}"),
            "type": "function",
            "function": {"name": call["name"], "arguments": _arguments(call)},
        }
        for number, call in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": written}


def _arguments(call: Json) -> str:
    arguments = call.get("arguments", {})
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _first_tool(plan: Plan) -> str:
    tools = plan.request.get("tools") or [{"function": {"name": "search"}}]
    return str(tools[0]["function"]["name"])


_FLAWED: Mapping[str, Callable[[Plan], Json]] = {
    "bad_tool_json": lambda plan: {"name": _first_tool(plan), "arguments": '{"query": "wat'},
    "unknown_tool": lambda plan: {"name": "launch_rocket", "arguments": {"to": "the moon"}},
    "duplicate_tool": lambda plan: {"name": _first_tool(plan), "id": "call_twice"},
}


def message_for(plan: Plan, content: object) -> Json:
    """Write the assistant's message that says *content*, with the flaw that the plan asks for."""
    if plan.fault in _FLAWED:
        call = _FLAWED[plan.fault](plan)
        return tool_message([call, call] if plan.fault == "duplicate_tool" else [call])
    if isinstance(content, dict) and content.get("role") == "assistant":
        return content
    if isinstance(content, dict) and "tool_calls" in content:
        return tool_message(content["tool_calls"], f"call_{plan.fingerprint}_{plan.attempt}")
    text = content if isinstance(content, str) else json.dumps(content)
    said = {"null": None, "empty": "", "badcontent": "Sorry, here is something else: {oops"}
    return {"role": "assistant", "content": said.get(plan.fault, text), "refusal": None}


def completion(plan: Plan, content: object) -> Json:
    """Write the whole reply."""
    message = message_for(plan, content)
    finish: str | None = "tool_calls" if message.get("tool_calls") else "stop"
    if plan.fault in ("length", "content_filter"):
        finish = plan.fault
    most = 4 * int(plan.request.get("max_tokens") or 0)
    if most and len(message.get("content") or "") > most:
        message, finish = {**message, "content": message["content"][:most]}, "length"
    if plan.fault == "no_finish":
        finish = None
    reply = {
        "id": plan.name,
        "object": "chat.completion",
        "created": 0,
        "model": plan.request.get("model", "fake"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": usage(plan.request, message),
    }
    if plan.fault == "minus_usage":
        reply["usage"] = {name: -count for name, count in reply["usage"].items()}
    if plan.fault == "no_usage":
        del reply["usage"]
    if plan.fault == "no_choices":
        reply["choices"] = []
    return (
        error("the upstream is overloaded", "server_error") if plan.fault == "error_200" else reply
    )


def prompt_tokens(request: Json) -> int:
    """Count the tokens of what is asked."""
    return max(1, sum(len(text_of(m.get("content"))) for m in request.get("messages", [])) // 4)


def usage(request: Json, message: Json) -> dict[str, int]:
    """Count tokens as a quarter of the characters."""
    said = len(message.get("content") or "") + len(json.dumps(message.get("tool_calls") or ""))
    prompt, completed = prompt_tokens(request), max(1, said // 4)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completed,
        "total_tokens": prompt + completed,
    }


def error(message: str, kind: str, code: str | None = None) -> Json:
    """Write the body of a failure."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


# ------------------------------------------------------------------------------- streaming


def chunked(data: bytes) -> bytes:
    """Frame one chunk of a body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(value: object) -> bytes:
    """Write one event of a stream, framed."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return chunked(b"data: " + data + b"\n\n")


def deltas(message: Json, step: int) -> list[Json]:
    """Cut a message into what a stream brings one after the other."""
    text = message.get("content") or ""
    cut: list[Json] = [{"role": "assistant", "content": ""}]
    cut += [{"content": text[i : i + step]} for i in range(0, len(text), step)]
    for index, call in enumerate(message.get("tool_calls") or ()):
        said = call["function"]["arguments"]
        opening = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        cut.append({"tool_calls": [opening]})
        cut += [
            {"tool_calls": [{"index": index, "function": {"arguments": said[i : i + step]}}]}
            for i in range(0, len(said), step)
        ]
    return cut


def stream_of(plan: Plan, reply: Json, step: int) -> list[bytes]:
    """Write a reply as the events of a stream."""
    if "error" in reply:
        return [event(reply)]
    base = {**reply, "object": "chat.completion.chunk"}
    counted = base.pop("usage", None)
    if not reply["choices"]:
        return [event(base), event(b"[DONE]")]
    choice = reply["choices"][0]
    parts = [
        event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        for delta in deltas(choice["message"], step)
    ]
    if choice["finish_reason"]:
        end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        parts.append(event({**base, "choices": [end]}))
    if counted and (plan.request.get("stream_options") or {}).get("include_usage"):
        parts.append(event({**base, "choices": [], "usage": counted}))
    if plan.fault == "cut_json":
        parts[1:] = [event(b'{"id": "chatcmpl-1", "choi')]
    return [*parts, event(b"[DONE]")]


# --------------------------------------------------------------------------------- server


class FakeLLM:
    """The server; its settings are those of `Config`.

    Args:
        host: A loopback address.
        port: 0 picks a free one.
        reply: Takes the decoded request and gives a text, a JSON value, {"tool_calls": [...]} or
            an assistant's message; what it raises as ValueError is answered with 400.
        settings: The fields of `Config`.

    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        reply: Callable[[Json], Any] | None = None,
        **settings: Any,
    ) -> None:
        if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
            raise ValueError(f"host {host!r} is not loopback, and this server asks for no key")
        self.host, self.port, self.reply = host, port, reply
        self.config = Config()
        self.config.update(settings)
        self.connections: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self.reset()

    async def __aenter__(self) -> "FakeLLM":
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self), self.host, self.port, backlog=2048
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server
        self._server.close()
        working = [c.task for c in self.connections if c.task]
        for connection in list(self.connections):
            connection.transport.abort()
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)

    @property
    def base_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"

    def reset(self) -> None:
        """Forget what was counted and logged; settings stay."""
        self.counts: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.injected: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.inflight = self.max_inflight = 0
        self.latency_ms = 0.0
        self.requests: deque[Json] = deque(maxlen=self.config.log)
        self.asked: set[str] = set()

    def stats(self) -> Json:
        """Count what was asked and answered so far."""
        return {
            "requests": self.counts["requests"],
            "distinct_prompts": len(self.seen),
            "connections": self.counts["connections"],
            "client_disconnects": self.counts["client_disconnects"],
            "inflight": self.inflight,
            "max_inflight": self.max_inflight,
            "latency_ms_total": round(self.latency_ms, 3),
            "status": dict(self.statuses),
            "faults": dict(self.injected),
        }

    # -- requests

    def dispatch(self, connection: Connection, request: Request) -> None:
        """Answer one HTTP request, at once or from a task of its own."""
        path = f"{request.method} {request.path.removeprefix('/v1').rstrip('/')}"
        try:
            body = json.loads(request.body) if request.body else {}
            if path == "POST /chat/completions":
                self._chat(connection, request, body)
            elif page := self._PAGES.get(path) or self._OWN_PAGES.get((self.config.server, path)):
                connection.send_json(200, page(self, body))
            else:
                connection.send_json(404, error(f"no {path} here", "invalid_request_error"))
        except ValueError as mistake:
            self._mistaken(connection, mistake)

    def _mistaken(self, connection: Connection, mistake: ValueError) -> None:
        self.statuses["400"] += 1
        connection.send_json(400, error(str(mistake), "invalid_request_error"))

    def _models(self, _: Json) -> Json:
        model = {"id": self.config.model, "object": "model", "created": 0, "owned_by": "fake"}
        more: Json = {
            "vllm": {"max_model_len": self.config.context},
            "llama.cpp": {"meta": {"n_ctx_train": 4 * self.config.context}},
        }.get(self.config.server, {})
        return {"object": "list", "data": [{**model, **more}]}

    def _props(self, _: Json) -> Json:
        return {"default_generation_settings": {"n_ctx": self.config.context}, "total_slots": 1}

    def _tokenize(self, body: Json) -> Json:
        text = body["prompt" if self.config.server == "vllm" else "content"]
        tokens = list(range(len(text) // 4))
        more = {"count": len(tokens), "max_model_len": self.config.context}
        return {"tokens": tokens, **(more if self.config.server == "vllm" else {})}

    def _running(self, _: Json) -> Json:
        models = [
            {"name": name, "model": name, "context_length": self.config.context}
            for name in sorted(self.asked)
        ]
        return {"models": models}

    def _loaded(self, _: Json) -> Json:
        about = {"object": "model", "type": "llm", "max_context_length": 4 * self.config.context}
        loaded = {"state": "loaded", "loaded_context_length": self.config.context}
        data = [{"id": name, **about, **loaded} for name in sorted(self.asked)]
        return {"object": "list", "data": data}

    def _configure(self, body: Json) -> Json:
        self.config.update(body)
        return {"ok": True}

    def _reset(self, _: Json) -> Json:
        self.reset()
        return {"ok": True}

    _PAGES: Mapping[str, Callable[["FakeLLM", Json], Any]] = {
        "GET /models": _models,
        "GET /stats": lambda self, _: self.stats(),
        "GET /requests": lambda self, _: list(self.requests),
        "POST /reset": _reset,
        "POST /config": _configure,
    }
    _OWN_PAGES: Mapping[tuple[str, str], Callable[["FakeLLM", Json], Any]] = {
        ("llama.cpp", "GET /props"): _props,
        ("llama.cpp", "POST /tokenize"): _tokenize,
        ("vllm", "POST /tokenize"): _tokenize,
        ("ollama", "GET /api/ps"): _running,
        ("lmstudio", "GET /api/v0/models"): _loaded,
    }

    def _plan(self, headers: Mapping[str, str], request: Json) -> Plan:
        messages = request["messages"] if isinstance(request, dict) else None
        if not isinstance(messages, list) or not messages:
            raise ValueError("messages must be a list with at least one message")
        users = [m for m in messages if m.get("role") == "user"] or messages
        prompt = text_of(users[-1].get("content"))
        spelled = json.dumps(messages, sort_keys=True).encode()
        fingerprint = hashlib.blake2b(spelled, digest_size=8).hexdigest()
        attempt = self.seen[fingerprint]
        self.seen[fingerprint] += 1
        chance = random.Random(f"{self.config.seed}|{fingerprint}|{attempt}")  # noqa: S311
        wishes = _wishes(headers, prompt)
        drawn = self._wait(request, chance)
        return Plan(
            request,
            prompt,
            fingerprint,
            attempt,
            chance,
            latency_ms=float(wishes.get("latency_ms", drawn)),
            fault=self._fault(wishes, attempt, chance),
            reply_bytes=int(wishes.get("reply_bytes", self.config.reply_bytes)),
        )

    def _wait(self, request: Json, chance: random.Random) -> float:
        first = self.config.ttft if request.get("stream") else None
        return (first or self.config.latency).draw(chance)

    def _fault(self, wishes: Mapping[str, str], attempt: int, chance: random.Random) -> str:
        number, draw = self.counts["requests"] - 1, chance.random()
        script = wishes["fault"].split(",") if "fault" in wishes else []
        if script:
            return fault_name(script[min(attempt, len(script) - 1)])
        if number < len(self.config.first):
            return self.config.first[number]
        for name, probability in self.config.faults.items():
            if draw < probability:
                return name
            draw -= probability
        return "ok"

    def _chat(self, connection: Connection, http: Request, request: Json) -> None:
        self.counts["requests"] += 1
        plan = self._plan(http.headers, request)
        if self.config.log:
            self.requests.append(request)
        if self.config.key and http.headers.get("authorization") != f"Bearer {self.config.key}":
            return self._refuse(connection, 401, error("no such key", "authentication_error"))
        if self.config.max_inflight and self.inflight >= self.config.max_inflight:
            self.injected["max_inflight"] += 1
            return self._refuse(connection, 429, error("too many at once", "rate_limit_error"))
        self.asked.add(str(request.get("model", self.config.model)))
        if refusal := _too_long(self.config, request):
            return self._refuse(connection, 400, refusal)
        self.inflight += 1
        self.max_inflight = max(self.max_inflight, self.inflight)
        self.latency_ms += plan.latency_ms
        if plan.latency_ms <= 0 and plan.fault == "ok" and not plan.streams:
            self.inflight -= 1
            return self._whole(connection, plan)
        connection.task = asyncio.get_running_loop().create_task(self._answer(connection, plan))
        return None

    async def _answer(self, connection: Connection, plan: Plan) -> None:
        try:
            if plan.latency_ms > 0:
                await asyncio.sleep(plan.latency_ms / 1000)
            if plan.fault != "ok":
                self.injected[plan.fault] += 1
            slow = _slow(plan)
            if slow:
                self.statuses["200"] += 1
                await slow(self, connection, plan)
        except ValueError as mistake:  # what was asked for is none, and nothing is sent yet
            self.statuses["200"] -= 1
            return self._mistaken(connection, mistake)
        finally:
            self.inflight -= 1  # before the last bytes go out: the client may ask again at once
            connection.task = None
        if connection.transport.is_closing():
            return
        if slow:
            connection.done()
        else:
            self._at_once(connection, plan)

    def _at_once(self, connection: Connection, plan: Plan) -> None:
        if found := _STATUS.fullmatch(plan.fault):
            self._status(connection, int(found[1]), found[2])
        elif plan.fault in _REFUSALS:
            status, message, kind = _REFUSALS[plan.fault]
            self._refuse(connection, status, error(message, kind, kind))
        elif plan.fault == "reset":
            connection.transport.abort()
        elif plan.fault in ("html", "html_503"):
            status = 503 if plan.fault == "html_503" else 200
            self.statuses[str(status)] += 1
            connection.send(status, _PAGE, _HTML)
        else:
            self._whole(connection, plan)

    def _status(self, connection: Connection, status: int, after: str | None) -> None:
        kinds = {401: "authentication_error", 429: "rate_limit_error"}
        kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
        extra = {} if after is None else {"retry-after": after}
        if status < 400:
            extra["location"] = self.config.redirect_to
        self._refuse(connection, status, error(f"injected {status}", kind), extra)

    def _refuse(
        self,
        connection: Connection,
        status: int,
        body: Json,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        self.statuses[str(status)] += 1
        connection.send_json(status, body, extra)

    def _whole(self, connection: Connection, plan: Plan) -> None:
        self.statuses["200"] += 1
        body = self.body(plan)
        if plan.fault == "truncate":
            connection.transport.write(head(200, _JSON, len(body)) + body[: len(body) // 2])
            connection.transport.close()
            return
        cut = {"cut_json": body[: len(body) // 2], "no_body": b""}
        connection.send(200, cut.get(plan.fault, body))

    # -- what is said

    def body(self, plan: Plan) -> bytes:
        """Write a whole reply."""
        return json.dumps(completion(plan, self._content(plan))).encode()

    def events(self, plan: Plan) -> list[bytes]:
        """Write a reply as a stream."""
        reply = completion(plan, self._content(plan))
        return stream_of(plan, reply, max(1, self.config.token_chars))

    def _content(self, plan: Plan) -> object:
        if self.reply:
            return self.reply(plan.request)
        for rule in self.config.rules:
            if re.search(rule.get("match", ""), plan.prompt, re.S):
                calls = {"tool_calls": rule.get("tool_calls")}
                return calls if "tool_calls" in rule else rule.get("json", rule.get("reply", ""))
        return _asked_for(plan)


def _wishes(headers: Mapping[str, str], prompt: str) -> dict[str, str]:
    found = _DIRECTIVE.search(prompt)
    words = found[1].split() if found else []
    wishes = dict(word.split("=", 1) for word in words if "=" in word)
    for name in ("latency_ms", "fault", "reply_bytes"):
        if value := headers.get(f"x-fake-{name.replace('_', '-')}"):
            wishes[name] = value
    return wishes


def _asked_for(plan: Plan) -> object:
    """Give what the request's tool_choice or response_format asks for, or a text."""
    listed = [tool["function"] for tool in plan.request.get("tools") or ()]
    choice = plan.request.get("tool_choice")
    name = choice["function"]["name"] if isinstance(choice, dict) else None
    if choice in ("required", "any") and listed:
        name = listed[0]["name"]
    for tool in listed:
        if tool["name"] == name:
            arguments = schema_instance(tool.get("parameters") or {}, plan.chance)
            return {"tool_calls": [{"name": name, "arguments": arguments}]}
    wanted = plan.request.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return schema_instance(wanted["json_schema"].get("schema") or {}, plan.chance)
    if wanted.get("type") == "json_object":
        return {"answer": f"fake answer {plan.fingerprint}"}
    text = f"Fake answer {plan.fingerprint} (attempt {plan.attempt})."
    return padded(text, plan.reply_bytes)


# ------------------------------------------------------------------------- slow replies


async def _hang(server: FakeLLM, connection: Connection, plan: Plan) -> None:
    await asyncio.sleep(server.config.hang_s)
    connection.transport.abort()


async def _stall(server: FakeLLM, connection: Connection, plan: Plan) -> None:
    if plan.streams:
        parts = server.events(plan)
        connection.transport.write(head(200, _EVENTS, None))
        connection.transport.write(b"".join(parts[: len(parts) // 2]))
    else:
        body = server.body(plan)
        connection.transport.write(head(200, _JSON, len(body)) + body[: len(body) // 2])
    await _hang(server, connection, plan)


async def _drip(server: FakeLLM, connection: Connection, plan: Plan) -> None:
    if plan.streams:
        opening, rest = head(200, _EVENTS, None), b"".join(server.events(plan)) + chunked(b"")
    else:
        rest = server.body(plan)
        opening = head(200, _JSON, len(rest))
    connection.transport.write(opening)
    for byte in rest:
        connection.transport.write(bytes([byte]))
        await asyncio.sleep(server.config.drip_gap_s)


async def _keepalive(server: FakeLLM, connection: Connection, plan: Plan) -> None:
    connection.transport.write(head(200, _EVENTS if plan.streams else _JSON, None))
    blank = chunked(b": keep-alive\n\n" if plan.streams else b" ")
    for _ in range(int(server.config.hang_s / server.config.drip_gap_s)):
        connection.transport.write(blank)
        await asyncio.sleep(server.config.drip_gap_s)
    connection.transport.abort()


async def _huge(server: FakeLLM, connection: Connection, plan: Plan) -> None:
    size = 100_000
    delta = {"index": 0, "delta": {"content": "x" * size}, "finish_reason": None}
    part = event({"id": plan.name, "model": "fake", "choices": [delta]})
    if not plan.streams:
        part = chunked(b"x" * size)
    opening = b"" if plan.streams else chunked(b'{"choices": [{"message": {"content": "')
    connection.transport.write(head(200, _EVENTS if plan.streams else _JSON, None) + opening)
    for _ in range(server.config.huge_bytes // size):
        while connection.transport.get_write_buffer_size() > 10 * size:
            await asyncio.sleep(0.001)  # no faster than it is read
        connection.transport.write(part)
        await asyncio.sleep(0)
    last = event(b"[DONE]") if plan.streams else chunked(b'"}, "finish_reason": "stop"}]}')
    connection.transport.write(last + chunked(b""))


async def _stream(server: FakeLLM, connection: Connection, plan: Plan) -> None:
    parts = server.events(plan)
    connection.transport.write(head(200, _EVENTS, None))
    cut = plan.fault == "truncate"
    for number, part in enumerate(parts[: len(parts) // 2] if cut else parts):
        if number and server.config.token_gap_ms > 0:
            await asyncio.sleep(server.config.token_gap_ms / 1000)
        connection.transport.write(part)
    if cut:
        connection.transport.close()
    else:
        connection.transport.write(chunked(b""))


_SLOW: Mapping[str, Callable[[FakeLLM, Connection, Plan], Awaitable[None]]] = {
    "hang": _hang,
    "stall": _stall,
    "drip": _drip,
    "keepalive": _keepalive,
    "huge": _huge,
}


def _slow(plan: Plan) -> Callable[[FakeLLM, Connection, Plan], Awaitable[None]] | None:
    """Find how to send what takes time; None for what is sent at once."""
    if plan.fault in _SLOW:
        return _SLOW[plan.fault]
    at_once = plan.fault in _AT_ONCE or _STATUS.fullmatch(plan.fault)
    return _stream if plan.streams and not at_once else None


_REFUSALS = {
    "quota": (429, "You exceeded your current quota.", "insufficient_quota"),
    "context": (
        400,
        "This model's maximum context length is 8 tokens.",
        "context_length_exceeded",
    ),
    "filtered": (400, "The prompt was flagged.", "content_filter"),
}


def _too_long(config: Config, request: Json) -> Json | None:
    """Refuse a prompt that does not fit, in the server's words; Ollama would cut it unsaid."""
    wanted, most = prompt_tokens(request), config.context
    if not most or wanted <= most or config.server == "ollama":
        return None
    if config.server == "llama.cpp":
        said = f"request ({wanted} tokens) exceeds the available context size ({most} tokens)"
        return {"error": {"code": 400, "message": said, "type": "exceed_context_size_error"}}
    said = f"This model's maximum context length is {most} tokens; your request has {wanted}."
    code = None if config.server == "vllm" else "context_length_exceeded"
    return error(said, "invalid_request_error", code)


_AT_ONCE = {"html", "html_503", "reset", "no_body", *_REFUSALS}
FAULTS = {
    *_SLOW,
    *_AT_ONCE,
    *_FLAWED,
    *"ok truncate cut_json no_choices error_200 length content_filter null empty".split(),
    *"badcontent no_usage minus_usage no_finish".split(),
}
"""The faults that have a name; a status is one too."""


def fault_name(name: str) -> str:
    """Return *name* if there is such a fault, else raise ValueError."""
    if name in FAULTS or _STATUS.fullmatch(name):
        return name
    raise ValueError(f"no fault {name!r}; a status, or one of: {', '.join(sorted(FAULTS))}")


# ------------------------------------------------------------------ values for a JSON schema


def schema_instance(schema: Json, chance: random.Random) -> Any:
    """Return a small value that satisfies a JSON schema of the kind that pydantic writes."""
    return _Instance(schema, chance).build(schema, "value", 0)


@dataclass(frozen=True)
class _Instance:
    root: Json
    chance: random.Random

    def build(self, node: Json, name: str, depth: int) -> Any:
        node = self._resolved(node)
        if "const" in node:
            return node["const"]
        if node.get("enum"):
            return self.chance.choice(list(node["enum"]))
        for key in ("anyOf", "oneOf"):
            if node.get(key):
                options = [self._resolved(option) for option in node[key]]
                solid = [option for option in options if option.get("type") != "null"]
                return self.build((solid or options)[0], name, depth)
        if node.get("allOf"):
            return self.build(self._merged(node["allOf"]), name, depth)
        return self._typed(node, name, depth)

    def _resolved(self, node: Json) -> Json:
        while "$ref" in node:
            node = reduce(lambda at, part: at[part], node["$ref"][2:].split("/"), self.root)
        return node

    def _merged(self, parts: Sequence[Json]) -> Json:
        merged: Json = {"properties": {}, "required": []}
        for part in map(self._resolved, parts):
            properties = {**merged["properties"], **part.get("properties", {})}
            required = [*merged["required"], *part.get("required", [])]
            merged = {**merged, **part, "properties": properties, "required": required}
        return merged if merged["properties"] else {**parts[0], **parts[-1]}

    def _typed(self, node: Json, name: str, depth: int) -> Any:
        kind = node.get("type", "object" if "properties" in node else "string")
        if isinstance(kind, list):
            kind = next((k for k in kind if k != "null"), "null")
        if kind == "object":
            return self._object(node, depth)
        if kind == "array":
            length = int(node.get("minItems", 1 if depth < 4 else 0))
            return [self.build(node.get("items", {}), name, depth + 1) for _ in range(length)]
        if kind in ("integer", "number"):
            return _number(node, whole=kind == "integer")
        return {"boolean": True, "null": None}.get(kind, _text(node, name))

    def _object(self, node: Json, depth: int) -> Json:
        required = set(node.get("required", ()))
        return {
            key: self.build(part, key, depth + 1)
            for key, part in (node.get("properties") or {}).items()
            if key in required or (depth < 3 and "default" not in part)
        }


def _number(node: Json, *, whole: bool) -> float:
    low = node.get("minimum", node.get("exclusiveMinimum"))
    high = node.get("maximum", node.get("exclusiveMaximum"))
    if low is None and high is None:
        low, high = 0, 2
    low = high - 2 if low is None else low
    high = low + 2 if high is None else high
    middle = (low + high) / 2
    return math.floor(middle) if whole else float(middle)


def _text(node: Json, name: str) -> str:
    text = f"fake {name}".ljust(int(node.get("minLength", 0)), ".")
    return text[: int(node.get("maxLength", len(text)))]


# --------------------------------------------------------------------- other ways to run it


class FakeLLMThread:
    """`FakeLLM` on a thread and loop of its own, for tests that are not async."""

    def __init__(self, **settings: Any) -> None:
        self.fake = FakeLLM(**settings)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> FakeLLM:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.fake.__aenter__(), self._loop).result(10)
        return self.fake

    def __exit__(self, *exc: object) -> None:
        asyncio.run_coroutine_threadsafe(self.fake.__aexit__(*exc), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


def _options(argv: Sequence[str] | None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(prog="fake_llm", description=__doc__.split("\n")[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--latency", default="0", help="such as 100 or lognormal:100:0.5")
    parser.add_argument("--ttft")
    parser.add_argument("--fault", dest="faults", action="append", default=[], metavar="NAME=P")
    parser.add_argument("--first", type=lambda text: text.split(","), default=[])
    parser.add_argument("--server", choices=_SERVERS)
    parser.add_argument("--rules", type=lambda path: json.loads(Path(path).read_text("utf-8")))
    for name, kind in {"token-gap-ms": float, "hang-s": float, "drip-gap-s": float}.items():
        parser.add_argument(f"--{name}", type=kind)
    for name in ("reply-bytes", "huge-bytes", "max-inflight", "context", "seed", "log"):
        parser.add_argument(f"--{name}", type=int)
    chosen = vars(parser.parse_args(argv))
    chosen["faults"] = dict(pair.split("=", 1) for pair in chosen["faults"])
    return {name: value for name, value in chosen.items() if value is not None}


async def serve(**settings: Any) -> None:
    """Serve until the process is ended; the first line written says where."""
    async with FakeLLM(**settings) as fake:
        sys.stdout.write(f"{fake.base_url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(**_options(None)))

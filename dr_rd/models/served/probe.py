"""What a server and its model can do, found out by trying."""

import json
import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping

import anyio
from pydantic import JsonValue

from core.errors import CallerError, clipped
from core.requests import Fault, Reply, Request, Send
from core.values import Frozen
from dr_rd.models.chat.http import open_server_query
from dr_rd.models.served.endpoint import Endpoint, Purpose
from dr_rd.models.served.measure import context_of, rates_of
from dr_rd.models.typed.read import Unreadable, read_value
from dr_rd.models.typed.schema import ReplyFormat
from dr_rd.models.window import Window

_PATIENCE_S = 60.0
"""How long one check may take, in seconds."""


class Ability(Frozen):
    """One thing that a server may be able to do, tried."""

    name: str
    works: bool
    said: str = ""
    """What came instead, where it does not."""


class Abilities(Frozen):
    """What a server and its model can do, as far as one try of each tells."""

    host: str
    model: str
    tried: tuple[Ability, ...]
    window: Window

    @property
    def reply_format(self) -> ReplyFormat:
        """The strongest way to hold it to JSON."""
        works = {ability.name for ability in self.tried if ability.works}
        return "schema" if "JSON schema" in works else "json" if "JSON mode" in works else "text"


_READY = "Reply with the one word: ready"


async def probe(send: Send, endpoint: Endpoint, purpose: Purpose = "work") -> Abilities:
    """Try what a server can do, one request for each ability.

    Raises CallerError if it answers nothing at all: wrong address, key or model.
    """
    asker = _Asker(send, endpoint.host, endpoint.model_for(purpose))
    reply = await asker.ask(_READY)
    if isinstance(reply, Fault):
        raise CallerError(f"{reply.message}; nothing else was tried")
    empty = "" if reply.text.strip() or reply.tool_calls else "its reply is empty"
    tried = [Ability(name="answers", works=not empty, said=empty), _counts(reply)]
    for name, check in _CHECKS.items():
        tried.append(await check(asker, name))
    window = await find_window(send, endpoint, asker.model)
    return Abilities(host=asker.host, model=asker.model, tried=tuple(tried), window=window)


async def strongest_reply_format(send: Send, endpoint: Endpoint, model: str) -> ReplyFormat:
    """Find the strongest way to hold a model to JSON, with three requests at most.

    Raises CallerError if it answers nothing at all: wrong address, key or model.
    """
    asker = _Asker(send, endpoint.host, model)
    # first of all it is loaded: one that is still loading would seem to follow no form
    if isinstance(said := await asker.ask(_READY), Fault):
        raise CallerError(f"{said.message}; nothing was begun")
    if (await _schema(asker, "")).works:
        return "schema"
    return "json" if (await _json_mode(asker, "")).works else "text"


async def find_window(send: Send, endpoint: Endpoint, model: str) -> Window:
    """Find out how much a model reads and writes at once, and how its server counts.

    Some nine small requests; what they do not tell is assumed, and the window says so.
    """
    asker = _Asker(send, endpoint.host, model)

    async def count(text: str) -> int | None:
        reply = await asker.ask(f"Reply with the one word: ready\n\n{text}")
        return None if isinstance(reply, Fault) else reply.prompt_tokens

    async with open_server_query(endpoint.base_url, endpoint.key.get_secret_value()) as query:
        # in this order: Ollama tells the window of a model once it has loaded it for a request
        rates = await rates_of(query, count, model)
        said = None if endpoint.context else await context_of(query, model)
    if endpoint.context:
        return Window(context=endpoint.context, source="setting", rates=rates)
    return Window(context=said, source="server", rates=rates) if said else Window(rates=rates)


class _Asker:
    """Makes the requests of a probe."""

    def __init__(self, send: Send, host: str, model: str) -> None:
        self._send, self.host, self.model = send, host, model

    async def ask(self, content: JsonValue, **body: JsonValue) -> Reply | Fault:
        messages: JsonValue = [{"role": "user", "content": content}]
        request = Request("probe", "", self.model, self.host, {"messages": messages, **body})
        try:
            with anyio.fail_after(_PATIENCE_S):
                return await self._send(request)
        except Fault as fault:
            return fault
        except TimeoutError:
            return Fault("transient", f"no whole reply within {_PATIENCE_S:g} s")


def _counts(reply: Reply) -> Ability:
    works = reply.tokens is not None
    return Ability(name="token counts", works=works, said="" if works else "it counts none")


def _judged(name: str, reply: Reply | Fault, wrong: Callable[[Reply], str]) -> Ability:
    said = reply.message if isinstance(reply, Fault) else wrong(reply)
    return Ability(name=name, works=not said, said=said)


_SCHEMA: JsonValue = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["teal"], "maxLength": 9},
        "amounts": {"type": "array", "items": {"type": "integer"}, "maxItems": 1},
    },
    "required": ["colour", "amounts"],
    "additionalProperties": False,
}
"""A model that follows no schema does not come to this colour by itself.

The bounds are there because those of replies have some, and some servers refuse them.
"""

_ADD: JsonValue = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds two numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
    },
}


async def _schema(asker: _Asker, name: str) -> Ability:
    held: JsonValue = {"name": "reply", "schema": _SCHEMA, "strict": True}
    reply = await asker.ask(
        "Name any colour and a list of one whole amount, as JSON.",
        response_format={"type": "json_schema", "json_schema": held},
    )
    return _judged(name, reply, _off_schema)


def _off_schema(reply: Reply) -> str:
    try:
        value = read_value(reply.text, dict)
    except Unreadable as wrong:
        return str(wrong)
    held = value if isinstance(value, dict) else {}
    match held:
        case {"colour": "teal", "amounts": [int()]}:
            fits = len(held) == 2
        case _:
            fits = False
    return "" if fits else f"the schema is not followed: {_short(reply.text)}"


async def _json_mode(asker: _Asker, name: str) -> Ability:
    reply = await asker.ask(
        'Reply with a JSON object that has the field "colour".',
        response_format={"type": "json_object"},
    )
    return _judged(name, reply, _no_object)


def _no_object(reply: Reply) -> str:
    try:
        found = json.loads(reply.text)
    except (ValueError, RecursionError):
        found = None
    return "" if isinstance(found, dict) else f"no bare JSON object: {_short(reply.text)}"


async def _tools(asker: _Asker, name: str) -> Ability:
    reply = await asker.ask("What is 17 + 25? Use the tool.", tools=[_ADD])
    return _judged(name, reply, _no_call)


def _no_call(reply: Reply) -> str:
    good = [c for c in reply.tool_calls if c.name == "add" and c.args and not c.problem]
    return "" if good else f"no call of the tool: {_short(reply.text)}"


async def _streaming(asker: _Asker, name: str) -> Ability:
    reply = await asker.ask("Reply with the one word: ready", stream=True)
    return _judged(name, reply, lambda r: "" if r.text.strip() else "an empty stream")


async def _vision(asker: _Asker, name: str) -> Ability:
    image: JsonValue = {"type": "image_url", "image_url": {"url": _red_square()}}
    words: JsonValue = {"type": "text", "text": "Which colour fills this image? One word."}
    reply = await asker.ask([words, image])
    seen = "it does not see that a red square is red"
    return _judged(name, reply, lambda r: "" if re.search(r"\bred\b", r.text, re.I) else seen)


_CHECKS: Mapping[str, Callable[[_Asker, str], Awaitable[Ability]]] = {
    "JSON schema": _schema,
    "JSON mode": _json_mode,
    "tools": _tools,
    "streaming": _streaming,
    "vision": _vision,
}


def _short(text: str) -> str:
    return repr(clipped(text, 60))


def _red_square(side: int = 32) -> str:
    """Return a red PNG of that many pixels a side as a data URL (PNG, ISO/IEC 15948)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff\0\0" * side) * side)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", rows), chunk(b"IEND", b""))
    picture = b"\x89PNG\r\n\x1a\n" + b"".join(parts)
    return f"data:image/png;base64,{b64encode(picture).decode()}"

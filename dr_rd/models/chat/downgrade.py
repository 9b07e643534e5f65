"""Requests downgraded to a form that their server takes: what one refuses, it is asked no more.

A server may refuse the real schema of a reply although it took a small one in the probe, or any
temperature but its own, or to send a reply piece by piece. This lies beneath the recorder, as the
mask does: on record are the request as it was meant and the reply, which says how it was asked in
fact. So a replay asks nothing else than the run did.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from pydantic import JsonValue

from core.requests import Fault, Reply, Request, Send
from dr_rd.models.typed.schema import in_words

Body = Mapping[str, JsonValue]
Refusal = Literal["bounds", "schema", "json", "temperature", "stream_options", "stream"]

_DESCRIPTIONS: Mapping[Refusal, str] = {
    "json": "without its JSON mode, by words alone",
    "schema": "by its JSON mode, with the schema in words",
    "bounds": "by a schema without bounds",
    "temperature": "at its own temperature",
}
"""How a model is asked once its server has refused that; those of replies the weakest first."""

_TRAVEL: Mapping[Refusal, str] = {
    "stream": "for whole replies, not piece by piece",
    "stream_options": "for replies piece by piece without their counts",
}
"""The same of how replies come, which is not on record: it changes nothing in them."""

_BOUNDS = frozenset(
    "minLength maxLength minItems maxItems uniqueItems minProperties maxProperties minimum maximum "
    "exclusiveMinimum exclusiveMaximum multipleOf pattern format".split()
)
"""What a JSON schema says beyond the shape of a value; a reply is held to it when it is read."""


class Refusals:
    """What the servers of a process have refused, by server and model; its runs share them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], set[Refusal]] = defaultdict(set)
        self._streams: set[tuple[str, str]] = set()

    def of(self, request: Request) -> set[Refusal]:
        """Return what the server of a request has refused of its model so far."""
        return self._known[request.endpoint, request.model]

    def streamed(self, request: Request, reply: Reply) -> None:
        """Take note of a reply that came piece by piece.

        One without counts is the last: caps and prices live on them, and whole replies may have them.
        """
        if reply.tokens is None:
            self.of(request).add("stream")
        else:
            self._streams.add((request.endpoint, request.model))

    def streams(self, request: Request) -> bool:
        """Whether a reply of that model has come piece by piece before."""
        return (request.endpoint, request.model) in self._streams


def downgrading(send: Send, refusals: Refusals) -> Send:
    """Return a *send* that asks for less where a server refuses how it is asked.

    A refusal that leaves something less to ask for is a fault after which to try again at once.
    """

    async def sent(request: Request) -> Reply:
        refused = refusals.of(request)
        body = _downgraded_body(request.body, refused)
        if request.partial is not None:
            body = {**body, **_stream_fields(refused)}
        asked = _description(request.body, refused)
        try:
            reply = await send(replace(request, body=body))
        except Fault as fault:
            refusal = _next_refusal(body, fault, streams=refusals.streams(request))
            if refusal is None:
                raise
            refused.add(refusal)
            then = _TRAVEL.get(refusal) or _description(request.body, refused)
            raise fault.answerable(f"from here on {request.model!r} is asked {then}") from None
        if body.get("stream"):
            refusals.streamed(request, reply)
        return reply.model_copy(update={"asked": asked})

    return sent


def _downgraded_body(body: Body, refused: set[Refusal]) -> Body:
    """Return what is asked in fact."""
    held = {k: v for k, v in body.items() if k != "temperature" or "temperature" not in refused}
    schema = _schema(body)
    if schema is None:
        return (
            _without_response_format(held)
            if "json" in refused and _response_format(body)
            else held
        )
    if "json" in refused or "schema" in refused:
        held["messages"] = _messages_with_schema(held["messages"], schema)
        held["response_format"] = {"type": "json_object"}
        return _without_response_format(held) if "json" in refused else held
    if "bounds" in refused:
        form = cast(dict[str, Any], body["response_format"])
        loose = {**form["json_schema"], "schema": _unbounded(schema)}
        held["response_format"] = {**form, "json_schema": loose}
    return held


def _stream_fields(refused: set[Refusal]) -> Body:
    """Return what asks for a reply piece by piece, as far as the server takes it."""
    if "stream" in refused:
        return {}
    return {"stream": True, "stream_options": {"include_usage": "stream_options" not in refused}}


def _next_refusal(body: Body, fault: Fault, *, streams: bool) -> Refusal | None:
    """Return what a server has refused of a *body*, if less can be asked for.

    What fails for a moment is no refusal to stream where the model *streams*.
    """
    about = fault.about
    if about in _TRAVEL:
        if not body.get("stream") or (fault.kind == "transient" and streams):
            return None
        counts = cast(Mapping[str, Any], body.get("stream_options", {})).get("include_usage")
        return "stream_options" if about == "stream_options" and counts else "stream"
    if about == "temperature":
        return "temperature" if "temperature" in body else None
    if about != "response_format" or not _response_format(body):
        return None
    schema = _schema(body)
    if schema is None:
        return "json"
    return "bounds" if _unbounded(schema) != schema else "schema"


def _description(body: Body, refused: set[Refusal]) -> str:
    """Say how a request is asked in fact; "" if it is as it was meant."""
    return " and ".join(_DESCRIPTIONS[kind] for kind in _applied_refusals(body, refused))


def _applied_refusals(body: Body, refused: set[Refusal]) -> Iterator[Refusal]:
    schema = _schema(body)
    forms: tuple[Refusal, ...] = ("json", "schema", "bounds") if schema else ("json",)
    if _response_format(body) and (
        weakest := next((form for form in forms if form in refused), None)
    ):
        yield weakest
    if "temperature" in refused and "temperature" in body:
        yield "temperature"


def _response_format(body: Body) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], body.get("response_format", {}))


def _schema(body: Body) -> dict[str, Any] | None:
    """Return the schema that a reply is held to, if it is to one."""
    held: dict[str, Any] | None = _response_format(body).get("json_schema", {}).get("schema")
    return held


def _without_response_format(body: Body) -> Body:
    return {name: value for name, value in body.items() if name != "response_format"}


def _messages_with_schema(messages: JsonValue, schema: Mapping[str, Any]) -> JsonValue:
    """Return the messages with the schema behind the first one, which says what is wanted."""
    first, *rest = cast(list[dict[str, Any]], messages)
    return [{**first, "content": f"{first['content']}{in_words(schema)}"}, *rest]


def _unbounded(schema: Any) -> Any:  # noqa: ANN401 - any part of a JSON schema
    """Return a JSON schema that says the shape of a value and nothing else."""
    if isinstance(schema, list):
        return [_unbounded(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    held = {name: _unbounded(part) for name, part in schema.items() if name not in _BOUNDS}
    for where in ("properties", "$defs"):  # below these stand names of ours
        if where in schema:
            held[where] = {name: _unbounded(part) for name, part in schema[where].items()}
    return held

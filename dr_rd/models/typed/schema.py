"""The JSON schema of a reply, and how a server is held to it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from core.values import canonical

Schema = Mapping[str, Any]

ReplyFormat = Literal["schema", "json", "text"]
"""How a server is held to JSON, strongest first: by our schema, by its JSON mode, by words alone."""


def bounds(**most: int) -> Any:  # noqa: ANN401 - any JSON schema
    """Bound, in its schema alone, what a server lets a model write: a small one may find no end.

    What is longer all the same, from a server that follows no schema, is read.
    """
    return Field(json_schema_extra={**most})


Ids = Annotated[tuple[Annotated[str, bounds(maxLength=40)], ...], bounds(maxItems=12)]
"""Ids that a sentence rests on."""


_IN_WORDS = (
    "\n\nReply with one JSON value that fits this JSON schema, and with nothing before or after "
    "it:\n{schema}"
)


def in_words(schema: Schema) -> str:
    """Return what asks in words for a reply that fits a schema."""
    return _IN_WORDS.format(schema=canonical(schema))


def closed(schema: Schema) -> dict[str, Any]:
    """Return a JSON schema whose objects have all their fields and no others.

    Servers that follow schemas strictly take no others. Titles and defaults, which say nothing to
    a model, are left out.
    """
    held = {n: _closed(v) for n, v in schema.items() if n not in ("title", "default")}
    for where in ("properties", "$defs"):
        if where in schema:
            held[where] = {name: closed(inner) for name, inner in schema[where].items()}
    if "properties" in held:
        held |= {"required": list(held["properties"]), "additionalProperties": False}
    return held


def _closed(part: Any) -> Any:  # noqa: ANN401 - any part of a JSON schema
    if isinstance(part, Mapping):
        return closed(part)
    return [_closed(inner) for inner in part] if isinstance(part, list) else part


def response_format(reply_format: ReplyFormat, schema: Schema) -> dict[str, JsonValue]:
    """Return what of a request holds its reply to a schema, in a format; nothing for words alone."""
    if reply_format == "schema":
        wanted: JsonValue = {"name": "reply", "schema": dict(schema), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    return {"response_format": {"type": "json_object"}} if reply_format == "json" else {}

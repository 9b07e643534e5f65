"""How a tool's arguments are told to a model: their names and kinds, not a JSON schema.

A small model that is shown a schema sends the schema back; and a schema of ours is four times as long.
"""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_KINDS = ("string", "integer", "number", "boolean", "null")


def signature(schema: Schema) -> str:
    """Write the arguments of *schema*, such as '{"value": number, "to"?: string (a unit)}'."""
    return _kind(schema, schema.get("$defs", {}), ())


def _kind(schema: Schema, named: Mapping[str, Schema], within: tuple[str, ...]) -> str:
    if name := str(schema.get("$ref", "")).rpartition("/")[2]:
        inner = named.get(name)
        # what holds itself is told once
        return "any" if inner is None or name in within else _kind(inner, named, (*within, name))
    if "enum" in schema or "const" in schema:
        return " | ".join(f'"{choice}"' for choice in schema.get("enum", [schema.get("const")]))
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(_kind(choice, named, within) for choice in choices))
    if schema.get("type") == "array":
        return f"[{_kind(schema.get('items', {}), named, within)}, ...]"
    if schema.get("type") == "object":
        return _object(schema, named, within)
    return schema["type"] if schema.get("type") in _KINDS else "any"


def _object(schema: Schema, named: Mapping[str, Schema], within: tuple[str, ...]) -> str:
    needed, fields = schema.get("required", ()), schema.get("properties", {})
    told = [
        f'"{name}"{"" if name in needed else "?"}: {_kind(inner, named, within)}{_about(inner)}'
        for name, inner in fields.items()
    ]
    if isinstance(others := schema.get("additionalProperties"), Mapping):
        told.append(f"any name: {_kind(others, named, within)}")
    return f"{{{', '.join(told)}}}"


def _about(schema: Schema) -> str:
    said = str(schema.get("description", "")).strip().rstrip(".")
    return f" ({' '.join(said.split())})" if said else ""

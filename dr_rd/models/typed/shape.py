"""A model's JSON brought into the shape that was asked, where its meaning is certain.

What may be changed: the spelling of names and of fixed choices, a list of one where its element
was asked (and the other way round), a list written as an object from id to element, a wrapper
around the value, JSON within a text where no text was asked, numbers and yes/no given as text,
fields nobody asked for, null for what may be left out. Nothing is made up, and nothing that can be
read in two ways is read: "1,000" is a thousand or one, "5 days" has a unit of its own.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import cast

from pydantic import JsonValue

from dr_rd.models.typed.schema import Schema
from dr_rd.quantity import numbers

_DECIMAL = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_SPELLED = re.compile(r"[^\W\d]+(?:[\s-][^\W\d]+)*")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


def shaped(value: JsonValue, schema: Schema) -> JsonValue:
    """Return *value* in the shape of a JSON schema as far as that is certain."""
    return _Shaper(schema.get("$defs", {})).shaped(value, schema)


class _Shaper:
    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self._definitions = definitions

    def shaped(self, value: JsonValue, schema: Schema) -> JsonValue:
        schema = self._resolved(schema)
        if "anyOf" in schema:
            return self._any(value, schema["anyOf"])
        if "enum" in schema or "const" in schema:
            return _choice(value, schema.get("enum") or [schema["const"]])
        shape = {
            "object": self._object,
            "array": self._array,
            "string": _text,
            "integer": _number,
            "number": _number,
            "boolean": _boolean,
        }.get(schema.get("type", ""))
        return shape(value, schema) if shape else value

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._definitions[schema["$ref"].rpartition("/")[2]]
        return schema

    def _any(self, value: JsonValue, choices: Iterable[Schema]) -> JsonValue:
        """Shape by the first choice that is not null: a model is asked for no other unions."""
        if value is None:
            return None
        return self.shaped(value, next(c for c in choices if c.get("type") != "null"))

    def _object(self, value: JsonValue, schema: Schema) -> JsonValue:
        properties: Mapping[str, Schema] = schema.get("properties", {})
        value = _unpacked(value, dict)
        if isinstance(value, list):
            return self._from_list(value, schema, properties)
        if not isinstance(value, dict):
            return value
        if not properties:
            return self._from_map(value, schema)
        value = _renamed(value, properties)
        if inner := self._unwrapped(value, properties):
            return self._object(inner, schema)
        held = {n: v for n, v in value.items() if n in properties}
        required = schema.get("required", ())
        return {
            name: self.shaped(v, properties[name])
            for name, v in held.items()
            if v is not None or name in required or self._nullable(properties[name])
        }

    def _from_list(
        self, value: list[JsonValue], schema: Schema, properties: Mapping[str, Schema]
    ) -> JsonValue:
        """Take a list of one for its element, or as what an object of one list is to hold."""
        lists = [n for n, s in properties.items() if self._resolved(s).get("type") == "array"]
        if len(properties) == 1 and lists:
            return self._object({lists[0]: value}, schema)
        if len(value) == 1 and isinstance(value[0], dict):
            return self._object(value[0], schema)
        return value

    def _from_map(self, value: dict[str, JsonValue], schema: Schema) -> JsonValue:
        inner = schema.get("additionalProperties")
        if not isinstance(inner, Mapping):
            return cast(JsonValue, value)
        return {name: self.shaped(v, inner) for name, v in value.items()}

    def _unwrapped(
        self, value: dict[str, JsonValue], properties: Mapping[str, Schema]
    ) -> dict[str, JsonValue] | None:
        """Return what a lone unknown name holds, if that is what was asked."""
        if len(value) != 1:
            return None
        ((name, inner),) = value.items()
        if name in properties or not isinstance(inner, dict):
            return None
        return inner if _renamed(inner, properties).keys() & properties.keys() else None

    def _nullable(self, schema: Schema) -> bool:
        schema = self._resolved(schema)
        return any(c.get("type") == "null" for c in schema.get("anyOf", ()))

    def _array(self, value: JsonValue, schema: Schema) -> JsonValue:
        inner = schema.get("items", {})
        value = _unpacked(value, list)
        if isinstance(value, dict):
            value = self._list_elements(value, self._resolved(inner).get("properties", {}))
        elif isinstance(value, str | int | float) and value != "":
            value = [value]
        if not isinstance(value, list):
            return value
        return [self.shaped(v, inner) for v in value]

    def _list_elements(
        self, value: dict[str, JsonValue], properties: Mapping[str, Schema]
    ) -> list[JsonValue]:
        """Take an object for the list it wraps, for one from id to element, or for the element."""
        held = list(value.values())
        if len(held) == 1 and isinstance(held[0], list):
            return held[0]
        if len(held) < 2 or _renamed(value, properties).keys() & properties.keys():
            return [value]
        elements: list[JsonValue] = []
        for name, element in value.items():
            if not isinstance(element, dict):
                return [value]
            spelled = _renamed(element, properties)
            lacks = "id" in properties and "id" not in spelled
            elements.append({"id": name, **spelled} if lacks else spelled)
        return elements


def _renamed(value: Mapping[str, JsonValue], known: Iterable[str]) -> dict[str, JsonValue]:
    """Spell names as they were asked; one that two names would become is left as it is."""
    spelled = {_bare(name): name for name in known}
    wanted = {name: spelled.get(_bare(name), name) for name in value}
    taken = list(wanted.values())
    return {
        (wanted[name] if taken.count(wanted[name]) == 1 else name): v for name, v in value.items()
    }


def _unpacked(value: JsonValue, kind: type) -> JsonValue:
    """Read JSON that was sent as a text; what is no value of that kind stays a text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        found: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, kind) else value


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _choice(value: JsonValue, choices: Iterable[JsonValue]) -> JsonValue:
    if not isinstance(value, str):
        return value
    choices = list(choices)
    alike = [c for c in choices if isinstance(c, str) and _bare(c) == _bare(value)]
    if len(alike) == 1:
        return alike[0]
    number = _number(value, {})
    same = [c for c in choices if not isinstance(c, str | bool) and c == number]
    return same[0] if len(same) == 1 and not alike else value


def _text(value: JsonValue, schema: Schema) -> JsonValue:
    del schema
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if number else value


def _number(value: JsonValue, schema: Schema) -> JsonValue:
    del schema
    if not isinstance(value, str):
        return value
    text = value.strip()
    if _DECIMAL.fullmatch(text):
        return float(text) if set(text) & set(".eE") else int(text)
    return _spelled(text)


def _spelled(text: str) -> JsonValue:
    """Read a number in words; anything beside it leaves the text as it is."""
    if not _SPELLED.fullmatch(text):
        return text
    found = numbers(text, words=True)
    whole = len(found) == 1 and found[0].end - found[0].start == len(text)
    return found[0].value if whole else text


def _boolean(value: JsonValue, schema: Schema) -> JsonValue:
    del schema
    return _YES_NO.get(value.strip().casefold(), value) if isinstance(value, str) else value

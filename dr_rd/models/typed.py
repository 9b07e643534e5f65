"""The one path from a model's text to a typed value: ask, read, shape, validate, repair once."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, get_origin

from pydantic import JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from core.calls import Calls, Reply, Request, Slot
from core.errors import TaskError
from core.values import Frozen, canonical
from dr_rd.models.reading import Unreadable, read_value
from dr_rd.models.shaping import Schema, shaped

T = TypeVar("T")

Form = Literal["schema", "json", "text"]
"""How a server is held to JSON, strongest first: by our schema, by its JSON mode, by words alone."""

_COMPLAINTS = 5
"""How many of a reply's errors its author is told of at once."""

_SHOWN = 80
"""How much of a wrong value is quoted, in characters."""


class Question(Frozen):
    """What is asked of a model."""

    purpose: str
    """Why, in a word: plan, answer, judge."""
    system: str
    """Who it is to be and what is wanted, in our words alone."""
    user: str
    """What it is to work on."""
    task_id: str = ""
    """The task it is for; "" if it is for none."""
    attempt: int = 1
    temperature: float = 0.0
    max_tokens: int | None = None
    """The longest reply; None leaves it to the server."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model on a server, asked in the strongest form that the server understands."""

    calls: Calls
    endpoint: str
    """Scheme, host and port of the server."""
    name: str
    form: Form = "schema"

    async def ask(
        self,
        question: Question,
        kind: type[T],
        *,
        check: Callable[[T], None] | None = None,
        slot: Slot | None = None,
    ) -> T:
        """Return the reply as a *kind*.

        A reply that cannot be used goes back once, with the exact reason.

        Args:
            question: What is asked.
            kind: A type that pydantic validates: a model, or a list of one.
            check: Looks at what types cannot say; raises ValueError with the reason.
            slot: The task's right to run, given back while the call only waits.

        Raises:
            TaskError: Neither the reply nor its repair can be used, or there is none.

        """
        expected = _Expected(kind, check)
        messages = self._messages(question, expected.schema)
        reply = await self.calls.call(self._request(question, messages, expected), slot)
        try:
            return expected.read(reply)
        except ValueError as wrong:
            first = str(wrong)
        messages += [_says("assistant", reply.text), _says("user", _REPAIR.format(wrong=first))]
        again = question.model_copy(update={"purpose": f"{question.purpose}-repair"})
        reply = await self.calls.call(self._request(again, messages, expected), slot)
        try:
            return expected.read(reply)
        except ValueError as wrong:
            raise TaskError(
                f"the model {self.name!r} gave no usable {question.purpose}: {wrong}; "
                f"the reply before was refused because {first}"
            ) from wrong

    def _messages(self, question: Question, schema: Schema) -> list[JsonValue]:
        system = question.system
        if self.form != "schema":
            system += _IN_WORDS.format(schema=canonical(schema))
        return [_says("system", system), _says("user", question.user)]

    def _request(
        self, question: Question, messages: list[JsonValue], expected: "_Expected[Any]"
    ) -> Request:
        body: dict[str, JsonValue] = {
            "messages": list(messages),
            "temperature": question.temperature,
            **_held_to(self.form, expected.schema),
        }
        if question.max_tokens is not None:
            body["max_tokens"] = question.max_tokens
        return Request(
            purpose=question.purpose,
            task_id=question.task_id,
            attempt=question.attempt,
            model=self.name,
            endpoint=self.endpoint,
            body=body,
        )


_REPAIR = (
    "That reply cannot be used: {wrong}. Send the whole JSON again with this put right, "
    "and nothing else."
)
_IN_WORDS = (
    "\n\nReply with one JSON value that fits this JSON schema, and with nothing before or after "
    "it:\n{schema}"
)


class _Expected(Generic[T]):
    """The type that a reply must have."""

    def __init__(self, kind: type[T], check: Callable[[T], None] | None) -> None:
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)
        self._check = check
        self._wanted = list if get_origin(kind) in (list, tuple) else dict
        self._shape = self._adapter.json_schema()
        self.schema = closed(self._shape)

    def read(self, reply: Reply) -> T:
        """Read a reply; raises ValueError with the reason, which is meant for the model."""
        value = shaped(read_value(reply.text, self._wanted), self._shape)
        try:
            found = self._adapter.validate_python(value)
        except ValidationError as wrong:
            raise Unreadable(_complaints(wrong)) from None
        if self._check:
            self._check(found)
        return found


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


def _held_to(form: Form, schema: Schema) -> dict[str, JsonValue]:
    if form == "schema":
        wanted: JsonValue = {"name": "reply", "schema": dict(schema), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    return {"response_format": {"type": "json_object"}} if form == "json" else {}


def _says(role: str, content: str) -> JsonValue:
    return {"role": role, "content": content}


def _complaints(wrong: ValidationError) -> str:
    errors = wrong.errors(include_url=False, include_context=False)
    places = [e["loc"] for e in errors]
    # what holds a wrong value is called too short as well, since that value does not count
    errors = [e for e in errors if not any(_inside(p, e["loc"]) for p in places)]
    told = [_complaint(e) for e in errors[:_COMPLAINTS]]
    more = len(errors) - len(told)
    return "; ".join(told) + (f"; and {more} more like these" if more else "")


def _inside(place: tuple[int | str, ...], whole: tuple[int | str, ...]) -> bool:
    return len(place) > len(whole) and place[: len(whole)] == whole


def _complaint(error: ErrorDetails) -> str:
    at = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error["loc"]).lstrip(".")
    said = (
        error["msg"]
        .removeprefix("Value error, ")
        .replace("Tuple", "List")
        .replace("tuple", "list")
    )
    told = f"{at or 'the value'}: {said[:1].lower()}{said[1:]}"
    if error["type"] == "missing":
        return told
    shown = json.dumps(error["input"], ensure_ascii=False, default=str)
    return f"{told}, but it is {shown if len(shown) <= _SHOWN else f'{shown[:_SHOWN]}...'}"

"""The one path from a model's text to a typed value: ask, read, shape, validate, repair once."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast, get_origin

from pydantic import JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from core.conversations import Converse, Function
from core.errors import TaskError, clipped
from core.requests import Calls, Incomplete, Reply, Request, Slot, ToolCall
from core.values import Frozen, canonical, holders
from dr_rd.models.typed.join import join_parts, trim_cut_word
from dr_rd.models.typed.read import Unreadable, bounded, read_value
from dr_rd.models.typed.schema import ReplyFormat, Schema, closed, in_words, response_format
from dr_rd.models.typed.shape import shaped

T = TypeVar("T")

TOO_LONG = "the request is longer than the model can read"
"""How the message of such a fault begins, and of the failure that comes of it."""

_MORE = 3
"""How many times a reply that was cut at its length limit is continued."""

_CLOSED = re.compile(r"[}\]][`~\s]*\Z")
"""The end of a value that nothing follows but blanks or the end of a fence."""

_COMPLAINTS = 5
"""How many of a reply's errors its author is told of at once."""

_SAID, _TOLD = 4_000, 450
"""How much of what is wrong with a reply its author and a reader are told, in characters."""

_ECHOED = 50_000
"""How much of a reply that cannot be used its author is shown again, in characters."""

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


class Unfinished(TaskError):
    """A reply was cut at its length limit, continued, and is not whole all the same.

    Args:
        message: One sentence: what happened and what to do.
        text: What there is of it.
        value: What is whole of it as a value of the kind that was asked: elements of its lists
            may be missing. None if that is not enough for one. Who takes it says that it is a part.

    """

    def __init__(self, message: str, text: str, value: Any) -> None:  # noqa: ANN401 - as asked
        super().__init__(message)
        self.text, self.value = text, value


@dataclass(frozen=True, slots=True)
class Model:
    """A model on a server, asked in the strongest form that the server understands."""

    calls: Calls
    endpoint: str
    """Scheme, host and port of the server."""
    name: str
    reply_format: ReplyFormat = "schema"

    async def ask(
        self,
        question: Question,
        kind: type[T],
        *,
        check: Callable[[T], None] | None = None,
        slot: Slot | None = None,
    ) -> T:
        """Return the reply as a *kind*.

        A reply that was cut at its length limit is continued up to three times. One that cannot
        be used goes back once, with the exact reason.

        Args:
            question: What is asked.
            kind: A type that pydantic validates: a model, or a list of one.
            check: Looks at what types cannot say; raises ValueError with the reason.
            slot: The task's right to run, given back while the call only waits.

        Raises:
            Unfinished: The reply is not whole.
            TaskError: Neither the reply nor its repair can be used, or there is none.

        """
        expected = _Expected(kind, check)
        messages = self._messages(question, expected.schema)
        reply = await self._whole_reply(question, messages, expected, slot)
        try:
            return expected.read(reply)
        except ValueError as wrong:
            first = clipped(str(wrong), _SAID)
        messages += [
            _message("assistant", _reply_as_message(reply)),
            _message("user", _REPAIR.format(wrong=first)),
        ]
        again = question.model_copy(update={"purpose": f"{question.purpose}-repair"})
        reply = await self._whole_reply(again, messages, expected, slot)
        try:
            return expected.read(reply)
        except ValueError as wrong:
            raise TaskError(
                f"the model {self.name!r} gave no usable {question.purpose}: "
                f"{clipped(str(wrong), _TOLD)}; the reply before was refused because "
                f"{clipped(first, _TOLD)}"
            ) from wrong

    async def ask_within(
        self,
        question_for: Callable[[float], Question],
        kind: type[T],
        *,
        check: Callable[[T], None] | None = None,
        slot: Slot | None = None,
    ) -> T:
        """Ask as `ask` does, and once more with half the material if it is too much to read.

        *question_for* writes the question with material for that share of its room: 1 first, then
        0.5 where the server finds the request longer than the model can read.
        """
        try:
            return await self.ask(question_for(1.0), kind, check=check, slot=slot)
        except TaskError as failure:
            if not str(failure).startswith(TOO_LONG):
                raise
        return await self.ask(question_for(0.5), kind, check=check, slot=slot)

    async def ask_conversing(
        self,
        question: Question,
        kind: type[T],
        converse: Converse,
        functions: Sequence[Function],
        *,
        check: Callable[[T], None] | None = None,
        slot: Slot | None = None,
    ) -> T:
        """Return what a conversation comes to in which the model may call *functions*.

        Each answer that is no *kind*, or that *check* refuses, goes back with the exact reason
        until the conversation's bounds are met. Raises TaskError.
        """
        expected, found = _Expected(kind, check), list[T]()

        def review(text: str) -> str:
            try:
                found.append(expected.read(Reply(text=text, finish="stop")))
            except ValueError as wrong:
                return _REPAIR.format(wrong=clipped(str(wrong), _SAID))
            return ""

        system = question.system + in_words(expected.schema)
        messages = [_message("system", system), _message("user", question.user)]
        await converse(self._request(question, messages, None), functions, review, slot)
        return found[-1]

    async def _whole_reply(
        self,
        question: Question,
        messages: list[JsonValue],
        expected: "_Expected[Any]",
        slot: Slot | None,
    ) -> Reply:
        """Return a whole reply, if need be of several parts; raises Unfinished if it stays cut."""
        reply = await self._reply(self._request(question, messages, expected.schema), slot)
        if reply.finish != "length":
            return reply
        more = question.model_copy(update={"purpose": f"{question.purpose}-more"})
        reply, why = await self._continued_reply(more, messages, reply, expected, slot)
        if expected.closed_by(reply):
            return reply
        raise Unfinished(
            f"the {question.purpose} of the model {self.name!r} was cut at its length limit and "
            f"{why}; allow it more tokens or ask less",
            reply.text,
            expected.part(reply),
        )

    async def _continued_reply(
        self,
        more: Question,
        messages: list[JsonValue],
        reply: Reply,
        expected: "_Expected[Any]",
        slot: Slot | None,
    ) -> tuple[Reply, str]:
        """Return a reply with what followed when more was asked, and why nothing else follows."""
        for _ in range(_MORE):
            if expected.closed_by(reply):
                return reply, ""
            begun = trim_cut_word(reply.text)
            try:
                # without a schema: a server that is held to JSON would begin a new value
                request = self._request(more, [*messages, *_continuation_messages(begun)], None)
                part = await self._reply(request, slot)
            except TaskError as failure:
                return reply, f"could not be continued: {failure}"
            text = join_parts(begun, part.text)
            if len(text) <= len(reply.text) and part.finish == "length":
                return reply, "begins anew each time"
            reply = reply.model_copy(update={"text": text, "finish": part.finish})
        return reply, f"is not whole after {_MORE} more calls"

    async def _reply(self, request: Request, slot: Slot | None) -> Reply:
        """Return a reply, also one with text that its length limit cut."""
        try:
            return await self.calls.call(request, slot)
        except Incomplete as cut:
            if cut.reply.finish != "length" or not cut.reply.text.strip():
                raise
            return cut.reply

    def _messages(self, question: Question, schema: Schema) -> list[JsonValue]:
        system = question.system
        if self.reply_format != "schema":
            system += in_words(schema)
        return [_message("system", system), _message("user", question.user)]

    def _request(
        self, question: Question, messages: list[JsonValue], schema: Schema | None
    ) -> Request:
        """Write what is asked; a reply to no *schema* is text."""
        body: dict[str, JsonValue] = {
            "messages": list(messages),
            "temperature": question.temperature,
            **(response_format(self.reply_format, schema) if schema else {}),
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
_GO_ON = (
    "Your reply was cut off after these characters:\n{end}\nWrite only what comes after them, "
    "beginning with the very next character, up to the end of the JSON. Do not begin anew, and "
    "repeat nothing."
)
_END = 40
"""Characters of a reply that was cut that are quoted to its author."""


class _Expected(Generic[T]):
    """The type that a reply must have."""

    def __init__(self, kind: type[T], check: Callable[[T], None] | None) -> None:
        self._adapter: TypeAdapter[T]
        self._adapter, self._shape, self.schema = _read_by(cast(Any, kind))
        self._check = check
        self._wanted = list if get_origin(kind) in (list, tuple) else dict

    def read(self, reply: Reply) -> T:
        """Read a reply; raises ValueError with the reason, which is meant for the model."""
        if reply.tool_calls and not reply.text.strip():
            return self._validated(self._tool_arguments(reply.tool_calls[0]))
        return self._validated(read_value(reply.text, self._wanted))

    def _tool_arguments(self, call: ToolCall) -> JsonValue:
        """Take a tool's arguments for the JSON that was asked: some models always answer so."""
        value: JsonValue = bounded(dict(call.args or {}))
        if not shaped(value, self._shape):
            said = f"the reply calls the tool {call.name!r}, and JSON in its text is asked"
            raise Unreadable(said)
        return value

    def closed_by(self, reply: Reply) -> bool:
        """Whether a reply of one or more parts goes to the end of its value."""
        ended = reply.finish != "length"
        try:
            found = read_value(reply.text, self._wanted)
        except Unreadable as wrong:
            return ended and not wrong.cut
        return ended or (isinstance(found, self._wanted) and bool(_CLOSED.search(reply.text)))

    def part(self, reply: Reply) -> T | None:
        """Read what is whole of a reply that was cut; None if that is not enough for a value."""
        try:
            return self._validated(read_value(reply.text, self._wanted, partial=True))
        except ValueError:
            return None

    def _validated(self, value: JsonValue) -> T:
        try:
            found = self._adapter.validate_python(shaped(value, self._shape))
        except ValidationError as wrong:
            raise Unreadable(complaints(wrong)) from None
        if self._check:
            self._check(found)
        return found


@lru_cache(maxsize=64)
def _read_by(kind: Any) -> tuple[TypeAdapter[Any], Schema, Schema]:  # noqa: ANN401 - any type
    """Return what validates a *kind*, its JSON schema, and the one that servers are sent.

    A run asks hundreds of times for the same few kinds.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    shape = adapter.json_schema()
    return adapter, shape, closed(shape)


def _reply_as_message(reply: Reply) -> str:
    """Return what a reply said as a turn of the conversation, which must not be empty."""
    if reply.text.strip():
        return reply.text[:_ECHOED]
    return canonical([{"tool": c.name, "args": c.args} for c in reply.tool_calls])[:_ECHOED]


def _continuation_messages(begun: str) -> list[JsonValue]:
    """Write the turns that ask for the rest of a reply."""
    asked = _GO_ON.format(end=begun[-_END:])
    return [_message("assistant", begun), _message("user", asked)]


def _message(role: str, content: str) -> JsonValue:
    return {"role": role, "content": content}


def complaints(wrong: ValidationError) -> str:
    """Say what is wrong with a value, for the model that wrote it."""
    errors = wrong.errors(include_url=False, include_context=False)
    holding = holders(e["loc"] for e in errors)
    # what holds a wrong value is called too short as well, since that value does not count
    errors = [e for e in errors if e["loc"] not in holding]
    told = [_complaint(e) for e in errors[:_COMPLAINTS]]
    more = len(errors) - len(told)
    return "; ".join(told) + (f"; and {more} more like these" if more else "")


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

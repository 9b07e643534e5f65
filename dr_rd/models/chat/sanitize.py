"""A server's reply as its client can read it: what stands beside the answer costs no answer.

Counts that are none, names that are no texts, a tool's arguments as an object: the client of the
protocol gives a reply up for any of them. What is wrong here is put right where its meaning is
certain, and else left out.
"""

import json
import re
import sys
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from core.clock import Clock
from core.values import MOST

if TYPE_CHECKING:
    import httpx2

Json = dict[str, Any]

_SLOWEST, _GRACE_S = 50, 5.0
"""Bytes a second that a reply must come at which does not come in parts, and after how long."""

_DEEPEST = 100
"""How deep a tool's arguments may be nested."""

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which JSON can write and UTF-8 cannot."""

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


class InvalidResponse(Exception):
    """What a server sent is no reply.

    Args:
        message: What it did, after its name in a sentence.
        lasting: Whether it will do the same another time.

    """

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


def capped_stream(
    response: "httpx2.Response", most: int, clock: Clock | None
) -> "httpx2.AsyncByteStream":
    """Return the stream of a reply, which ends with an error once it has more than *most* bytes.

    What comes in one piece is `sanitized_body`, and by the *clock* must come at more than a drip
    once it has begun; a packed reply, which could unpack to any size, is not read.
    """
    import httpx2  # noqa: PLC0415 - imported already by whoever has a response

    inner = cast(httpx2.AsyncByteStream, response.stream)
    headers, answered = response.headers, response.status_code == 200

    class Read(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            refuse_packed(headers)
            if "event-stream" in headers.get("content-type", ""):
                async for part in _capped(inner, most):
                    yield part
            elif whole := await read_whole(inner, most, clock):
                yield sanitized_body(whole) if answered else whole

        async def aclose(self) -> None:
            await inner.aclose()

    return Read()


def refuse_packed(headers: Mapping[str, str]) -> None:
    """Raise InvalidResponse for a packed reply, which was not asked for."""
    if headers.get("content-encoding", "identity") != "identity":
        raise InvalidResponse("sent a packed reply, which was not asked for", lasting=True)


async def read_whole(parts: AsyncIterable[bytes], most: int, clock: Clock | None) -> bytes:
    """Return a reply that comes in one piece.

    Raises InvalidResponse for one of more than *most* bytes and, by the *clock*, for one that drips.
    """
    whole, begun = bytearray(), None
    async for part in _capped(parts, most):
        whole += part
        if clock is None or not (begun or whole.strip()):  # blanks are signs of life
            continue
        begun = begun or (clock.monotonic(), len(whole))
        if _drips(len(whole) - begun[1], clock.monotonic() - begun[0]):
            raise InvalidResponse(f"sent less than {_SLOWEST} bytes a second")
    return bytes(whole)


async def _capped(parts: AsyncIterable[bytes], most: int) -> AsyncIterator[bytes]:
    size = 0
    async for part in parts:
        size += len(part)
        if size > most:
            raise InvalidResponse(f"sent a reply of more than {most} bytes", lasting=True)
        yield part


def _drips(size: int, seconds: float) -> bool:
    return seconds > _GRACE_S and size < _SLOWEST * seconds


def sanitized_body(data: bytes) -> bytes:
    """Return the body of a reply with all its fields as the protocol has them.

    Raises InvalidResponse as `completion_of`; what else is no reply stays as it is, for the client
    to refuse.
    """
    said = completion_of(data)
    return data if said is None else json.dumps(said).encode()


def completion_of(data: bytes) -> Json | None:
    """Return a reply with all its fields as the protocol has them; None if it is none.

    Raises InvalidResponse for a web page and for an error that came as an answer.
    """
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        if data.lstrip()[:1] == b"<":
            raise InvalidResponse(
                "sent a web page and no reply; check the address, and whether it asks to sign in"
            ) from None
        return None
    if not isinstance(said, dict):
        return None
    if said.get("error") and not said.get("choices"):
        raise InvalidResponse(f"failed: {_error_message(said['error'])}")
    return _completion(said) if "choices" in said else None


def _error_message(error: object) -> str:
    named = error.get("message") if isinstance(error, Mapping) else error
    return named if isinstance(named, str) and named else json.dumps(error)


def _completion(said: Json) -> Json:
    held = {**said, "usage": _usage(said.get("usage"))}
    if "model" in said:
        held["model"] = _text(said["model"])
    if isinstance(said.get("choices"), list):
        held["choices"] = [_choice(c) for c in said["choices"] if isinstance(c, dict)]
    return held


def _usage(said: object) -> Json | None:
    """Return how many tokens there were, as far as they are counted; None if they are not.

    Of a sum alone nobody knows the parts: all of it is taken for the prompt's.
    """
    counts = said if isinstance(said, Mapping) else {}
    prompt, completion, total = (_count(counts.get(name)) for name in _COUNTS)
    if prompt is None and completion is None:
        if total is None:
            return None
        prompt, completion = total, 0
    prompt = _other_count(total, completion) if prompt is None else prompt
    completion = _other_count(total, prompt) if completion is None else completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total or 0}


def _other_count(total: int | None, known: int | None) -> int:
    """Return the other part of a sum; a count below nothing is one that nobody knows."""
    return total - (known or 0) if total and total > (known or 0) else -1


def _count(said: object) -> int | None:
    if not isinstance(said, int | float) or isinstance(said, bool):
        return None
    return round(said) if 0 <= said <= MOST else None


def _choice(said: Json) -> Json:
    ended = said.get("finish_reason")
    held = {**said, "finish_reason": ended if isinstance(ended, str) or not ended else "stop"}
    if isinstance(said.get("message"), dict):
        held["message"] = _message(said["message"])
    return held


def _message(said: Json) -> Json:
    held = {name: value for name, value in said.items() if name != "tool_calls"}
    held["role"] = _text(said.get("role")) or "assistant"
    held["content"] = _content(said.get("content"))
    listed = said.get("tool_calls")
    calls = [_call(call) for call in listed if _is_call(call)] if isinstance(listed, list) else []
    return {**held, "tool_calls": calls} if calls else held


def _content(said: object) -> str | None:
    """Return a text, of its parts if it came in such; an object that stands for one is written."""
    if said is None or isinstance(said, str):
        return said
    if isinstance(said, list) and all(isinstance(part, dict) and "type" in part for part in said):
        return "".join(_text(part.get("text")) for part in said)
    return json.dumps(said)


def _is_call(said: object) -> bool:
    return isinstance(said, dict) and isinstance(said.get("function"), dict)


def _call(said: Json) -> Json:
    asked = said["function"]
    function = {**asked, "name": _text(asked.get("name")), "arguments": _args(asked)}
    return {**said, "id": _text(said.get("id")), "type": "function", "function": function}


def _args(asked: Json) -> str:
    """Return a tool's arguments as text; those that are no object are left for no JSON at all."""
    said = asked.get("arguments")
    try:
        held = json.loads(said) if isinstance(said, str) and said.strip() else said
    except (ValueError, RecursionError):
        return str(said)
    if not held and not isinstance(held, bool | int | float):
        return "{}"
    return json.dumps(held) if isinstance(held, dict) else f"no object: {json.dumps(held)}"


def _text(said: object) -> str:
    return said if isinstance(said, str) else ""


def without_lone_surrogates(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """Return a JSON value with a sign for each half of a surrogate pair that stands alone.

    Raises ValueError if it cannot be written down all the same: a number that JSON does not have,
    or one that is too large, or more levels than anybody means.
    """
    if isinstance(value, str):
        return replace_lone_surrogates(value)
    if depth > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} deep")
    if isinstance(value, Mapping):
        return {
            replace_lone_surrogates(name): without_lone_surrogates(item, depth + 1)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [without_lone_surrogates(item, depth + 1) for item in value]
    if isinstance(value, int | float) and not abs(value) <= sys.float_info.max:
        raise ValueError("it has a number that is none, or too large")
    return value


def replace_lone_surrogates(text: str) -> str:
    """Return a text with a sign for each half of a surrogate pair that stands alone."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)

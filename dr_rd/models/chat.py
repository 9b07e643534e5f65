"""One HTTP request to a chat-completions server, and what its outcome means.

No retries, no prompts: `core.calls.Caller` decides what follows from a fault.
"""

import json
import math
import re
import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast
from urllib.parse import urlsplit

import anyio
from pydantic import JsonValue, SecretStr

from core.clock import Clock
from core.errors import CallerError, clipped
from core.redaction import Redactor
from core.requests import Fault, Reply, Request, Send, ToolCall
from core.values import MOST
from dr_rd.models.egress import is_local
from dr_rd.models.tidying import Strange, read_whole

if TYPE_CHECKING:
    import httpx2
    import openai
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_openai import ChatOpenAI

TOO_LONG = "the request is longer than the model can read"
"""How the message of such a fault begins, and of the failure that comes of it."""

E = TypeVar("E", bound=BaseException)

Look = Callable[[str, JsonValue], Awaitable[JsonValue]]
"""Asks a server about itself: a path, and what is sent there (None: nothing). What it says is
None wherever it says nothing that can be read.
"""

_TRANSIENT = {408, 409, 425, 429}
_TOO_LONG = ("maximum context length", "available context size", "context_length", "context_size")
"""How servers say that a request is longer than the model can read."""
_ABOUT = {
    "response_format": (
        *("schema", "response_format", "grammar", "json_object", "json mode"),
        *("structured output", "maxlength", "maxitems"),
    ),
    "temperature": ("temperature",),
}
"""By which words servers name the part of a request that they refuse."""
_REFUSING = {400, 422, 500, 501}
"""The statuses with which they do."""
_ODD = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What the client raises when a reply is not of the form that it expects."""

_DEEPEST = 100
"""How deep a tool's arguments may be nested."""

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which JSON can write and UTF-8 cannot."""


def endpoint_of(base_url: str) -> str:
    """Return scheme, host and port of a server's address; raises CallerError if it has none."""
    parts = urlsplit(base_url)
    try:
        port = parts.port
    except ValueError as wrong:
        raise CallerError(
            f"the address of the model's server has a port that is none: {wrong}; use 1 to 65535"
        ) from wrong
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CallerError(
            f"the address {Redactor().text(base_url)!r} of the model's server cannot be used; "
            "write it like https://api.example.org/v1"
        )
    if parts.username or parts.password or parts.query:
        raise CallerError(
            "the address of the model's server must carry no name, password or query; "
            "give the key as a key"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def patience_s(base_url: str) -> float:
    """Return how long a server may say nothing, in seconds.

    One on this machine may have no graphics card, and then reads for minutes before it answers.
    """
    return 900.0 if is_local(base_url) else 60.0


@asynccontextmanager
async def chat_send(
    base_url: str,
    key: str,
    *,
    clock: Clock,
    connect_s: float = 5.0,
    read_s: float | None = None,
    max_bytes: int = 8_000_000,
) -> AsyncIterator[Send]:
    """Open a client for one server, for use on this event loop; it is closed at the end.

    Args:
        base_url: Up to and with its "/v1"; redirects are not followed.
        key: Sent to that server only.
        clock: Reads a Retry-After that names a date.
        connect_s: The longest wait for a connection, in seconds.
        read_s: The longest silence within a reply, in seconds; of a stream, the longest time
            without a new part of the answer. None is the server's `patience_s`.
        max_bytes: The largest reply, in bytes as sent.

    """
    import openai  # noqa: PLC0415 - the client takes a second to import, and few commands call
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    # of a schema that is refused the client says how its own functions should be called
    warnings.filterwarnings("ignore", "Invalid schema for OpenAI", UserWarning)
    silence_s = patience_s(base_url) if read_s is None else read_s
    outcomes = _Outcomes(endpoint_of(base_url), Redactor([key]), clock, silence_s)
    failures = _failures()

    async with _client(base_url, max_bytes) as http:
        model = ChatOpenAI(
            base_url=base_url,
            api_key=SecretStr(key or "none"),  # without any the client would look for one itself
            http_async_client=http,
            timeout=openai.Timeout(silence_s, connect=connect_s),
            stream_chunk_timeout=None,
            stream_usage=True,
            max_retries=0,
            use_responses_api=False,
            default_headers=_UNPACKED,
        )

        async def send(request: Request) -> Reply:
            parts: list[AIMessageChunk] = []
            try:
                message = await _asked(model, request, parts, silence_s)
                reply = _reply(message)
            except failures as error:
                raise outcomes.fault(error, request, _text(parts)) from None
            if declined := message.additional_kwargs.get("refusal"):
                raise outcomes.declined(str(declined))
            if not reply.finish:
                raise outcomes.cut(reply)
            return reply

        yield send


@asynccontextmanager
async def server_look(
    base_url: str,
    key: str,
    *,
    connect_s: float = 5.0,
    read_s: float = 10.0,
    max_bytes: int = 8_000_000,
) -> AsyncIterator[Look]:
    """Open a client that asks a server about itself, under the rules of `chat_send`.

    A path that begins with "/" counts from the server's root, which is what stands before the
    "/v1"; any other counts from the base URL. One answer takes *read_s* seconds at most.
    """
    import httpx2  # noqa: PLC0415 - as above

    endpoint_of(base_url)
    base = base_url.rstrip("/")
    root = base.removesuffix("/v1")
    headers = {**_UNPACKED, **({"Authorization": f"Bearer {key}"} if key else {})}
    timeout, failures = httpx2.Timeout(read_s, connect=connect_s), _failures()

    async with _client(base_url, max_bytes) as http:

        async def look(path: str, body: JsonValue = None) -> JsonValue:
            url = f"{root}{path}" if path.startswith("/") else f"{base}/{path}"
            sent: dict[str, Any] = {} if body is None else {"json": body}
            with anyio.move_on_after(read_s):
                try:
                    reply = await http.request(
                        "GET" if body is None else "POST",
                        url,
                        headers=headers,
                        timeout=timeout,
                        **sent,
                    )
                    return cast(JsonValue, reply.json()) if reply.status_code == 200 else None
                except failures:
                    return None
            return None

        yield look


_UNPACKED = {"Accept-Encoding": "identity"}
"""A reply that comes packed could unpack to any size."""


@asynccontextmanager
async def _client(base_url: str, max_bytes: int) -> "AsyncIterator[httpx2.AsyncClient]":
    """Open an HTTP client that follows no redirect and reads no reply of more than that size."""
    import httpx2  # noqa: PLC0415 - as above
    import openai  # noqa: PLC0415

    async def capped(response: httpx2.Response) -> None:
        response.stream = read_whole(response, max_bytes)

    async with openai.DefaultAioHttpClient(
        follow_redirects=False,
        event_hooks={"response": [capped]},
        trust_env=not is_local(base_url),  # a proxy would take what stays here elsewhere
    ) as http:
        yield http


def _failures() -> tuple[type[Exception], ...]:
    """Return all that a request may raise, whatever its server sends.

    Of aiohttp's errors some come as they are: they show the headers of the request, so the key.
    """
    import aiohttp  # noqa: PLC0415 - as above
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    of_client = openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError
    return (*of_client, aiohttp.ClientError, OSError, Strange, *_ODD)


async def _asked(
    model: "ChatOpenAI", request: Request, parts: "list[AIMessageChunk]", silence_s: float
) -> "AIMessage":
    """Make the one HTTP request; of a stream, *parts* holds what has arrived."""
    body: dict[str, Any] = dict(request.body)
    messages, streams = body.pop("messages"), body.pop("stream", False)
    # all else goes as it is: by their names the client would rename some and read others its way
    asked: dict[str, Any] = {"model": request.model, "extra_body": body}
    if not streams:
        return await model.ainvoke(messages, None, **asked)
    stream = model.astream(messages, None, **asked)
    while True:
        with anyio.fail_after(silence_s):  # signs of life without content do not count
            part = await anext(stream, None)
        if part is None:
            return cast("AIMessage", parts[0] + parts[1:])
        parts.append(part)


def _text(parts: "Iterable[AIMessageChunk]") -> str:
    return "".join(str(part.text) for part in parts)


# -------------------------------------------------------------------------------- replies


def _reply(message: "AIMessage") -> Reply:
    counted = message.usage_metadata
    about = message.response_metadata
    said = {
        "text": str(message.text),
        "tool_calls": [call.model_dump() for call in _tool_calls(message)],
        "finish": about.get("finish_reason") or "",
        "model": about.get("model_name") or "",
        "prompt_tokens": _count(counted["input_tokens"]) if counted else None,
        "completion_tokens": _count(counted["output_tokens"]) if counted else None,
    }
    return Reply.model_validate(_sound(said))


def _count(said: int) -> int | None:
    """Take a server's count of tokens; one below nothing would raise the run's caps."""
    return said if 0 <= said <= MOST else None


def _tool_calls(message: "AIMessage") -> list[ToolCall]:
    """Read the tool calls, and say what is wrong with those that cannot be made."""
    # of a stream the parts are read, not the client's guess at how broken JSON should go on
    wished: Iterable[Mapping[str, Any]] = getattr(message, "tool_call_chunks", None) or (
        *message.tool_calls,
        *message.invalid_tool_calls,
    )
    calls: list[ToolCall] = []
    for number, wish in enumerate(wished, 1):
        name, args = wish["name"] or "", _arguments(wish["args"])
        call_id = wish["id"] or f"call-{number}"
        problem = "" if args is not None else "its arguments are no JSON object"
        if call_id in {call.id for call in calls}:
            problem = f"its id {call_id!r} was used before in the same reply"
        calls.append(ToolCall(id=call_id, name=name, args=args, problem=problem))
    return calls


def _arguments(args: object) -> dict[str, Any] | None:
    try:
        found = _sound(json.loads(args) if isinstance(args, str) else args)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _sound(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """Return a JSON value with a sign for each half of a surrogate pair that stands alone.

    Raises ValueError if it cannot be written down all the same: a number that JSON does not have,
    or one that is too large, or more levels than anybody means.
    """
    if isinstance(value, str):
        return _whole(value)
    if depth > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} deep")
    if isinstance(value, Mapping):
        return {_whole(name): _sound(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_sound(item, depth + 1) for item in value]
    if isinstance(value, int | float) and not abs(value) <= sys.float_info.max:
        raise ValueError("it has a number that is none, or too large")
    return value


def _whole(text: str) -> str:
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)


# --------------------------------------------------------------------------------- faults


class _Outcomes:
    """What the outcomes of a request to one server mean."""

    def __init__(self, endpoint: str, redactor: Redactor, clock: Clock, read_s: float) -> None:
        self._endpoint, self._redactor = endpoint, redactor
        self._clock, self._read_s = clock, read_s

    def cut(self, reply: Reply) -> Fault:
        """Say that a reply ended without a reason to end."""
        said = f"{self._endpoint} cut its reply off"
        return Fault("transient", said, partial=self._clean(reply.text))

    def declined(self, words: str) -> Fault:
        """Say that the model will not answer."""
        return Fault("permanent", f"the model refuses to answer: {self._quoted(words)}")

    def fault(self, error: Exception, request: Request, partial: str) -> Fault:
        """Say what went wrong, and whether it may go well another time."""
        import aiohttp  # noqa: PLC0415 - imported already by whoever has such an error
        import openai  # noqa: PLC0415

        partial = self._clean(partial)
        if isinstance(error, openai.APIStatusError):
            return self._refused(error, request)
        if strange := _caused(error, Strange):
            said = f"{self._endpoint} {self._quoted(str(strange))}"
            return Fault("permanent" if strange.lasting else "transient", said, partial=partial)
        if _caused(error, aiohttp.ClientResponseError):
            said = f"{self._endpoint} sent a reply that is no HTTP"
        elif _caused(error, TimeoutError):
            said = f"{self._endpoint} said nothing for {self._read_s:g} s"
        elif isinstance(error, openai.APIConnectionError | OSError):
            said = f"{self._endpoint} cannot be reached, or broke the connection off"
        elif isinstance(error, openai.APIError):
            said = f"{self._endpoint} failed: {self._quoted(error.message)}"
        else:
            said = f"{self._endpoint} sent a reply that is no chat completion"
        return Fault("transient", said, partial=partial)

    def _refused(self, error: "openai.APIStatusError", request: Request) -> Fault:
        status, code = error.status_code, str(error.code or error.type or "")
        if told := self._for_everyone(status, code, request.model, error.response.headers):
            return Fault("permanent", told, status=status, everywhere=True)
        words = _own_words(error)
        about = _named(f"{code} {words}") if status in _REFUSING else ""
        if status in _TRANSIENT or status >= 500:
            wait = self._retry_after(error.response.headers)
            line = self._quoted(words.partition("\n")[0])
            said = f"{self._endpoint} answers {status}{line and f': {line}'}"
            return Fault("transient", said, status=status, retry_after_s=wait, about=about)
        told = self._for_this(status, code, words)
        return Fault("permanent", told, status=status, about=about)

    def _for_everyone(self, status: int, code: str, model: str, headers: Mapping[str, str]) -> str:
        """Say what stands against every call to this server; "" if it is this one only."""
        if status < 400:
            to = self._quoted(headers.get("location", "nowhere"))
            return (
                f"{self._endpoint} redirects to {to}, which is not followed; "
                "set the server's own address"
            )
        if status == 402 or "insufficient_quota" in code:
            return f"the quota at {self._endpoint} is spent; add to it or set another key"
        if "model_not_found" in code:
            status = 404
        return {
            401: f"{self._endpoint} refuses the key; set the right one",
            403: f"{self._endpoint} does not allow this key to use {model!r}; set another",
            404: f"{self._endpoint} has no model {model!r} there; check model and address",
        }.get(status, "")

    def _for_this(self, status: int, code: str, message: str) -> str:
        if status == 413 or any(sign in f"{code} {message}" for sign in _TOO_LONG):
            return f"{TOO_LONG}; give the task less to read"
        if "content_filter" in code:
            return "the provider's content filter refuses the request; word the task anew"
        told = self._quoted(message) or "it does not say why"
        return f"{self._endpoint} refuses the request ({status}): {told}"

    def _quoted(self, message: str) -> str:
        return clipped(self._clean(message), 200)

    def _clean(self, text: str) -> str:
        return self._redactor.text(_whole(text))

    def _retry_after(self, headers: Mapping[str, str]) -> float | None:
        """Read how long to wait, in seconds; None if the server did not say, or not clearly."""
        text = headers.get("retry-after", "")
        try:
            seconds = float(text)
        except ValueError:
            return self._until(text)
        return max(0.0, seconds) if math.isfinite(seconds) else None

    def _until(self, text: str) -> float | None:
        try:
            date = parsedate_to_datetime(text)
            # without a zone it is in UTC, as every date of HTTP (RFC 9110)
            moment = date if date.tzinfo else date.replace(tzinfo=UTC)
            return max(0.0, (moment - self._clock.now()).total_seconds())
        except (ValueError, ArithmeticError):
            return None


def _own_words(error: "openai.APIStatusError") -> str:
    """Return what a server says is wrong: the message in its reply, or else the reply.

    Of a page for people it is nothing.
    """
    body = error.body
    named = [body.get(k) for k in ("message", "detail", "error")] if _is_table(body) else [body]
    said = next((text for text in named if text and isinstance(text, str)), error.message)
    prefix = f"Error code: {error.status_code}"  # the client's own
    bare = said.removeprefix(prefix).removeprefix(" - ").strip()
    return "" if bare.startswith("<") else bare


def _named(words: str) -> str:
    """Return the field of a request that a refusal names first; "" if none."""
    said = words.lower()
    places = {said.find(sign): field for field, signs in _ABOUT.items() for sign in signs}
    return places[min(found)] if (found := [at for at in places if at >= 0]) else ""


def _is_table(body: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(body, Mapping)


def _caused(error: BaseException | None, kind: type[E]) -> E | None:
    """Return the error of that *kind* from which *error* came, or None."""
    while error:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None

"""One HTTP request to a chat-completions server, and what its outcome means.

No retries, no prompts: `core.calls.Caller` decides what follows from a fault.
"""

import warnings
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio import to_thread
from pydantic import SecretStr

from core.clock import Clock
from core.redaction import Redactor
from core.requests import Reply, Request, Send
from dr_rd.models.address import endpoint_of, is_local
from dr_rd.models.chat.direct import direct_send, open_session
from dr_rd.models.chat.faults import Outcomes
from dr_rd.models.chat.http import UNPACKED, idle_client, open_client, request_failures
from dr_rd.models.chat.replies import made_reply

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_openai import ChatOpenAI


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
    direct: bool = False,
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
        direct: Whether to do without the client library: for many calls at a fraction of the CPU.
            Replies then come whole.

    """
    silence_s = patience_s(base_url) if read_s is None else read_s
    outcomes = Outcomes(endpoint_of(base_url), Redactor([key]), clock, silence_s)
    if direct:
        async with open_session(base_url, key, connect_s, silence_s) as post:
            yield direct_send(post, outcomes, max_bytes, clock)
        return
    # the client takes a second to import, and a stop is not to wait for it; few commands call
    await to_thread.run_sync(import_module, "langchain_openai", abandon_on_cancel=True)
    import openai  # noqa: PLC0415
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    # of a schema that is refused the client says how its own functions should be called
    warnings.filterwarnings("ignore", "Invalid schema for OpenAI", UserWarning)
    failures = request_failures()

    async with open_client(base_url, max_bytes, clock) as http:
        model = ChatOpenAI(
            base_url=base_url,
            api_key=SecretStr(key or "none"),  # without any the client would look for one itself
            http_async_client=http,
            http_client=idle_client(),
            timeout=openai.Timeout(silence_s, connect=connect_s),
            stream_chunk_timeout=None,
            max_retries=0,
            use_responses_api=False,
            default_headers=UNPACKED,
        )

        async def send(request: Request) -> Reply:
            parts: list[AIMessageChunk] = []
            try:
                message = await _send_once(model, request, parts, silence_s)
                reply = _reply(message)
            except openai.APIStatusError as error:
                raise outcomes.refused(
                    error.status_code, error.response.headers, error.body, request
                ) from None
            except failures as error:
                raise outcomes.fault(
                    error,
                    request,
                    _text(parts),
                    unreached=isinstance(error, openai.APIConnectionError | OSError),
                    reason=error.message if isinstance(error, openai.APIError) else "",
                ) from None
            return outcomes.accepted(reply, message.additional_kwargs.get("refusal"), request)

        yield send


async def _send_once(
    model: "ChatOpenAI", request: Request, parts: "list[AIMessageChunk]", silence_s: float
) -> "AIMessage":
    """Make the one HTTP request; of a stream, *parts* holds what has arrived."""
    body: dict[str, Any] = dict(request.body)
    messages, streams = body.pop("messages"), body.pop("stream", False)
    counts = body.pop("stream_options", {}).get("include_usage", True)
    # all else goes as it is: by their names the client would rename some and read others its way
    asked: dict[str, Any] = {"model": request.model, "extra_body": body}
    if not streams:
        return await model.ainvoke(messages, None, **asked)
    stream = model.astream(messages, None, stream_usage=counts, **asked)
    while True:
        with anyio.fail_after(silence_s):  # signs of life without content do not count
            part = await anext(stream, None)
        if part is None:
            return cast("AIMessage", parts[0] + parts[1:])
        parts.append(part)
        if request.partial and not part.usage_metadata:
            request.partial.add(str(part.text))


def _text(parts: "Iterable[AIMessageChunk]") -> str:
    return "".join(str(part.text) for part in parts)


def _reply(message: "AIMessage") -> Reply:
    counted = message.usage_metadata
    about = message.response_metadata
    # of a stream the parts are read, not the client's guess at how broken JSON should go on
    wished: Iterable[Mapping[str, Any]] = getattr(message, "tool_call_chunks", None) or (
        *message.tool_calls,
        *message.invalid_tool_calls,
    )
    return made_reply(
        str(message.text),
        wished,
        about.get("finish_reason"),
        about.get("model_name"),
        (counted["input_tokens"], counted["output_tokens"]) if counted else None,
    )

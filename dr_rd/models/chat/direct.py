"""Requests without the client library: for thousands of calls, at a fraction of the CPU.

The library walks through the types of what is asked and of what comes, and keeps callbacks that
nobody hears. Here a request is one POST and a reply one JSON value, under the same rules: no redirect, no
packed reply, a cap on its size, a least rate, and the same words for each fault. Replies come whole.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from core.clock import Clock
from core.requests import Reply, Request, Send
from core.values import compact
from dr_rd.models.address import is_local
from dr_rd.models.chat.faults import Outcomes
from dr_rd.models.chat.http import ODD, UNPACKED, tls_context
from dr_rd.models.chat.replies import made_reply
from dr_rd.models.chat.sanitize import InvalidResponse, completion_of, read_whole, refuse_packed

if TYPE_CHECKING:
    import aiohttp

Post = Callable[[bytes], AbstractAsyncContextManager["aiohttp.ClientResponse"]]
"""Sends the body of a request."""

_AT_ONCE, _IDLE_S, _CHUNK = 1000, 5.0, 1 << 16
"""Connections to one server, how long one is kept for the next call, and bytes read at a time."""


@asynccontextmanager
async def open_session(
    base_url: str, key: str, connect_s: float, silence_s: float
) -> AsyncIterator[Post]:
    """Open connections to one server; they are closed at the end."""
    import aiohttp  # noqa: PLC0415 - few commands call
    from aiohttp.helpers import get_env_proxy_for_url  # noqa: PLC0415
    from yarl import URL  # noqa: PLC0415

    url, proxy, login, secure = URL(f"{base_url.rstrip('/')}/chat/completions"), None, None, None
    trust_env = not is_local(base_url)  # a proxy would take what stays here elsewhere
    if trust_env:  # by hand: the session would read passwords for the server as well
        with suppress(LookupError):
            proxy, login = get_env_proxy_for_url(url)
    if url.scheme == "https":
        secure = tls_context(trust_env=trust_env)
    connector = aiohttp.TCPConnector(limit=_AT_ONCE, keepalive_timeout=_IDLE_S, ssl=secure or True)
    async with aiohttp.ClientSession(
        connector=connector,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={
            **UNPACKED,
            "Authorization": f"Bearer {key or 'none'}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        },
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect_s, sock_read=silence_s),
    ) as session:
        yield lambda body: session.post(
            url, data=body, allow_redirects=False, proxy=proxy, proxy_auth=login
        )


def direct_send(post: Post, outcomes: Outcomes, max_bytes: int, clock: Clock) -> Send:
    """Return what makes one try with *post*."""
    import aiohttp  # noqa: PLC0415 - imported already by whoever has a session

    failures = (aiohttp.ClientError, OSError, InvalidResponse, *ODD)

    async def send(request: Request) -> Reply:
        try:
            body = {**request.body, "model": request.model, "stream": False}
            async with post(compact(body).encode()) as response:
                status, headers = response.status, response.headers
                refuse_packed(headers)
                data = await read_whole(response.content.iter_chunked(_CHUNK), max_bytes, clock)
            if not 200 <= status < 300:
                raise outcomes.refused(status, headers, _error(data), request)
            said = _completion(data)
            message = said["choices"][0]["message"]
            reply = _reply(said, message)
        except failures as error:
            unreached = isinstance(error, aiohttp.ClientError | OSError)
            raise outcomes.fault(error, request, unreached=unreached) from None
        return outcomes.accepted(reply, message.get("refusal"), request)

    return send


def _completion(data: bytes) -> dict[str, Any]:
    said = completion_of(data)
    if said is None or said.get("error"):
        raise ValueError("it is no completion")
    return said


def _error(data: bytes) -> object:
    """Return what an answer says of an error: what stands under that name, or all of it."""
    text = data.decode(errors="replace").strip()
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return said.get("error", said) if isinstance(said, Mapping) else said


def _reply(said: Mapping[str, Any], message: Mapping[str, Any]) -> Reply:
    usage = said["usage"]
    counted = (usage["prompt_tokens"], usage["completion_tokens"]) if usage else None
    wished = [_wish(call) for call in message.get("tool_calls", ())]
    wished.sort(key=lambda wish: isinstance(wish["args"], str))  # those that can be made first
    finish = said["choices"][0]["finish_reason"]
    return made_reply(message["content"] or "", wished, finish, said.get("model"), counted)


def _wish(call: Mapping[str, Any]) -> dict[str, Any]:
    args = call["function"]["arguments"]
    with suppress(ValueError, RecursionError):
        args = json.loads(args, strict=False)  # line breaks within texts are read as meant
    return {"name": call["function"]["name"], "args": args, "id": call["id"]}

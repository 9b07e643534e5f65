"""The HTTP client of a model's server, and what its server says of itself."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import anyio
from pydantic import JsonValue

from core.clock import Clock
from dr_rd.models.address import endpoint_of, is_local
from dr_rd.models.chat.sanitize import InvalidResponse, capped_stream

if TYPE_CHECKING:
    import ssl

    import httpx2

ServerQuery = Callable[[str, JsonValue], Awaitable[JsonValue]]
"""Asks a server about itself: a path, and what is sent there (None: nothing). What it says is
None wherever it says nothing that can be read.
"""

ODD = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What the client raises when a reply is not of the form that it expects."""

UNPACKED = {"Accept-Encoding": "identity"}
"""A reply that comes packed could unpack to any size."""


@cache
def tls_context(*, trust_env: bool) -> "ssl.SSLContext":
    """Return what connections are encrypted with; certificates are read once, not for each client.

    With *trust_env* the environment may name others than the system's.
    """
    import httpx2  # noqa: PLC0415 - the client takes a second to import, and few commands call

    return httpx2.create_ssl_context(trust_env=trust_env)


@cache
def idle_client() -> "httpx2.Client":
    """Return the client for calls that block, which the library wants and nobody makes."""
    import httpx2  # noqa: PLC0415 - as above

    return httpx2.Client(verify=tls_context(trust_env=True))


@asynccontextmanager
async def open_client(
    base_url: str, max_bytes: int, clock: Clock | None = None
) -> "AsyncIterator[httpx2.AsyncClient]":
    """Open an HTTP client that follows no redirect and reads no reply of more than that size.

    With a *clock* none that drips, either.
    """
    import httpx2  # noqa: PLC0415 - as above
    import openai  # noqa: PLC0415

    trust_env = not is_local(base_url)  # a proxy would take what stays here elsewhere

    async def capped(response: httpx2.Response) -> None:
        response.stream = capped_stream(response, max_bytes, clock)

    async with openai.DefaultAioHttpClient(
        follow_redirects=False,
        event_hooks={"response": [capped]},
        trust_env=trust_env,
        verify=tls_context(trust_env=trust_env),
    ) as http:
        yield http


def request_failures() -> tuple[type[Exception], ...]:
    """Return all that a request may raise, whatever its server sends.

    Of aiohttp's errors some come as they are: they show the headers of the request, so the key.
    """
    import aiohttp  # noqa: PLC0415 - as above
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    of_client = openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError
    return (*of_client, aiohttp.ClientError, OSError, InvalidResponse, *ODD)


@asynccontextmanager
async def open_server_query(
    base_url: str,
    key: str,
    *,
    connect_s: float = 5.0,
    read_s: float = 10.0,
    max_bytes: int = 8_000_000,
) -> AsyncIterator[ServerQuery]:
    """Open a client that asks a server about itself, under the rules of `chat_send`.

    A path that begins with "/" counts from the server's root, which is what stands before the
    "/v1"; any other counts from the base URL. One answer takes *read_s* seconds at most.
    """
    import httpx2  # noqa: PLC0415 - as above

    endpoint_of(base_url)
    base = base_url.rstrip("/")
    root = base.removesuffix("/v1")
    headers = {**UNPACKED, **({"Authorization": f"Bearer {key}"} if key else {})}
    timeout, failures = httpx2.Timeout(read_s, connect=connect_s), request_failures()

    async with open_client(base_url, max_bytes) as http:

        async def query(path: str, body: JsonValue = None) -> JsonValue:
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

        yield query

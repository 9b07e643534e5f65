"""The clients of a process: one for each server and key, open while a run uses it."""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import anyio

from core.clock import Clock
from core.requests import Reply, Request, Send
from dr_rd.models.chat.downgrade import Refusals, downgrading
from dr_rd.models.chat.send import chat_send

_Key = tuple[str, str, float | None, bool]


@dataclass
class _Client:
    """A client, opened by the first request and closed by the last of its users."""

    users: int = 0
    send: Send | None = None
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    opening: anyio.Lock = field(default_factory=anyio.Lock)


class Clients:
    """Lends the runs of one event loop the same client for the same server and key."""

    def __init__(self) -> None:
        self._open: dict[_Key, _Client] = {}
        self._refusals = Refusals()

    def lease(
        self,
        base_url: str,
        key: str,
        clock: Clock,
        read_s: float | None = None,
        *,
        direct: bool = False,
    ) -> "Lease":
        """Return the right to a client; nothing is opened before it is used.

        *read_s* and *direct* are as `chat_send` takes them.
        """
        return Lease(self._open, (base_url, key, read_s, direct), clock, self._refusals)


class Lease:
    """One run's right to a client; whoever holds it gives it back."""

    def __init__(
        self, clients: dict[_Key, _Client], key: _Key, clock: Clock, refusals: Refusals
    ) -> None:
        self._clients, self._key, self._clock = clients, key, clock
        self._refusals = refusals
        self._client: _Client | None = None

    async def send(self, request: Request) -> Reply:
        """Make one try, as `chat_send` does, in a form that the server has not refused."""
        if self._client is None:
            self._client = self._clients.setdefault(self._key, _Client())
            self._client.users += 1
        return await (await self._opened(self._client))(request)

    async def close(self) -> None:
        """Give it back; the last one closes the client. Closing twice is once."""
        client, self._client = self._client, None
        if client is None:
            return
        client.users -= 1
        if not client.users:
            del self._clients[self._key]
            await client.stack.aclose()

    async def _opened(self, client: _Client) -> Send:
        async with client.opening:
            if client.send is None:
                base_url, key, read_s, direct = self._key
                opened = chat_send(base_url, key, clock=self._clock, read_s=read_s, direct=direct)
                send = await client.stack.enter_async_context(opened)
                client.send = downgrading(send, self._refusals)
        return client.send

"""A viewer of a run's page without a browser: it speaks the page's own protocol."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.clock import SystemClock

_CLOCK = SystemClock()
_CALLS = re.compile(r"([\d,]+) calls?, ")


@dataclass(frozen=True, slots=True)
class Seen:
    """What one update showed."""

    at: float
    """When it came, in seconds since the epoch."""
    calls: int
    """How many calls to models it counted."""


@dataclass
class Viewer:
    """Somebody who looks at a run; the page is asked for anew as often as it says.

    Args:
        address: The server's, such as ``http://127.0.0.1:8501/``.
        run_id: The run.

    """

    address: str
    run_id: str
    seen: list[Seen] = field(default_factory=list)
    polls: int = 0
    """Parts of the page that were drawn anew and came to their end."""
    hasty: bool = False
    """Whether it asks again as soon as it is answered."""
    drawn: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the page has been drawn for the first time."""

    async def come(self, within_s: float) -> "asyncio.Task[None]":
        """Begin to look at the run; return what does, once the page has been drawn."""
        watching = asyncio.create_task(self.watch())
        drawn = asyncio.create_task(self.drawn.wait())
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait((watching, drawn), timeout=within_s, return_when=first)
        if watching.done():
            watching.result()
        if not self.drawn.is_set():
            watching.cancel()
            raise TimeoutError(f"no page within {within_s:.0f} s")
        return watching

    async def watch(self) -> None:
        """Look at the run until cancelled."""
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._page = ""
        url = self.address.replace("http", "ws", 1) + "_stcore/stream"
        try:
            async with websockets.connect(
                url,
                subprotocols=[websockets.Subprotocol("streamlit")],
                max_size=None,
                proxy=None,
                open_timeout=60,
            ) as self._socket:
                await self._ask()
                async for data in self._socket:
                    if isinstance(data, bytes):
                        await self._take(ForwardMsg.FromString(data))
        finally:
            for timer in self._timers.values():
                timer.cancel()

    async def _ask(self, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string = f"run={self.run_id}"
        message.rerun_script.page_name = "" if self._page else "run"
        message.rerun_script.page_script_hash = self._page
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = bool(fragment)
        await self._socket.send(message.SerializeToString())

    async def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._page = message.new_session.page_script_hash
        elif kind == "auto_rerun":
            asked = message.auto_rerun
            if asked.fragment_id not in self._timers:
                timer = self._repeat(asked.fragment_id, asked.interval)
                self._timers[asked.fragment_id] = asyncio.create_task(timer)
        elif kind == "script_finished":
            if message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
                self.polls += 1
                if self.hasty:
                    await self._ask(self._next())
            else:
                self.drawn.set()
        elif kind == "delta":
            at = _CLOCK.now().timestamp()
            for text in _texts(message):
                if found := _CALLS.search(text):
                    self.seen.append(Seen(at, int(found[1].replace(",", ""))))

    async def _repeat(self, fragment: str, interval_s: float) -> None:
        while True:
            await asyncio.sleep(interval_s)
            if not self.hasty:
                await self._ask(fragment)

    def _next(self) -> str:
        every = [*self._timers]
        return every[self.polls % len(every)]

    async def hurry(self) -> None:
        """Ask again from now on as soon as each answer has come."""
        self.hasty = True
        await self._ask(self._next())


def _texts(message: ForwardMsg) -> Iterator[str]:
    if message.delta.HasField("new_element"):
        element = message.delta.new_element
        if element.WhichOneof("type") == "markdown":
            yield element.markdown.body

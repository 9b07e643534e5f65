"""The server behind the page: it opens and closes the context and guards what a browser may do."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.starlette import App

from core.settings import environment, prepare_process
from dr_rd.ui.context import close_context, make_context, open_context

PAGE = Path(__file__).with_name("page.py")
"""The script that Streamlit runs."""

Lifespan = Callable[[App], AbstractAsyncContextManager[dict[str, Any] | None]]

_POLICY: Mapping[str, str] = {
    "default-src": "'self'",
    # Vega compiles its expressions, Graphviz is WebAssembly, the frame has one inline script.
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in _POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer: nothing outside this server is loaded, whatever a document says."""


class Guarded:
    """An ASGI application with `HEADERS` on all its answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, guarded)


GUARDS = (Middleware(Guarded),)


def lifespan(audits: Path, opens_on: str = "") -> Lifespan:
    """Return what opens the context with the server and closes it after."""

    @asynccontextmanager
    async def around(_: App) -> AsyncIterator[None]:
        prepare_process()
        open_context(make_context(audits, environment(), opens_on=opens_on))
        try:
            yield None
        finally:
            await anyio.to_thread.run_sync(close_context)

    return around

"""The server behind the page: it opens and closes the context and guards what a browser may do."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.starlette import App

from core.errors import CallerError
from core.settings import environment, prepare_process
from dr_rd.api import api_routes
from dr_rd.ui import frame, login
from dr_rd.ui.context import close_context, make_context, open_context, process_context
from dr_rd.ui.media import OwnFilesOnly
from dr_rd.ui.secrets import SECRETS, has_login
from dr_rd.users import TOKENS, Users

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
    "Referrer-Policy": "same-origin",  # a form that is sent without one has no origin either
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer: nothing outside this server is loaded, whatever a document says."""


_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Access:
    """Whom the server lets in."""

    hosts: frozenset[str]
    """The hosts that a request may name."""
    users: Users | None = None
    """None: one user, whoever is on this machine."""
    oidc: bool = False
    """Whether users log in by OpenID Connect."""

    @property
    def typing(self) -> Users | None:
        """The users who type their token into a form; None where the page itself asks."""
        return None if self.oidc else self.users


def read_access(
    address: str, tokens: Path | None, environ: Mapping[str, str], secrets: Path = SECRETS
) -> Access:
    """Return whom a server lets in that listens at *address*.

    The hosts that a request may name are this machine, that address, and those that the environment
    lists by commas in DRRD_HOSTS_ALLOWED. Raises CallerError if others than this machine would be
    served without users, or a login is configured that cannot be used.
    """
    users, oidc = Users.read(tokens, environ), has_login(secrets)
    if users is None and address not in _LOOPBACK:
        raise CallerError(
            f"without users only this machine is served, and {address or 'every address'} is for "
            "others too; name a file of users with --tokens FILE (dr-rd token add NAME makes it), "
            "or leave the address out"
        )
    if users is None and oidc:
        raise CallerError(
            f"{secrets} configures a login, and there are no users who may log in; name their file "
            f"with --tokens FILE or in {TOKENS}"
        )
    if oidc and find_spec("authlib") is None:
        raise CallerError(
            f"{secrets} configures a login, which needs the extra 'login': pip install 'dr-rd[login]'"
        )
    listed = environ.get("DRRD_HOSTS_ALLOWED", "").split(",")
    named = {name.strip().lower() for name in (*listed, address) if name.strip()}
    return Access(_LOOPBACK | named, users, oidc)


class OwnHostOnly:
    """An ASGI application that answers only who asks this server by its name, from its own page.

    A page of another site could else, by a name that is made to point here, read this machine's
    runs, or send the API something in the analyst's name. The server behind never sees such a
    request: it would look up its public address to judge it.
    """

    def __init__(self, app: ASGIApp, allowed: frozenset[str]) -> None:
        self._app, self._allowed = app, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] in ("http", "websocket") and (fault := self._fault(scope)):
            await _refuse(scope, receive, send, fault)
            return
        await self._app(scope, receive, send)

    def _fault(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin", "")
        if _split(f"//{host}").hostname not in self._allowed:
            return (
                f"this server is not {host[:80]!r}; ask it as localhost, or name that host in "
                "DRRD_HOSTS_ALLOWED"
            )
        if origin and _split(origin).netloc.lower() != host.lower():
            return f"the page of {origin[:80]!r} may not ask this server"
        return ""


def _split(address: str) -> SplitResult:
    """Return the parts of an address; none of them if it is no address."""
    try:
        return urlsplit(address)
    except ValueError:
        return SplitResult("", "", "", "", "")


async def _refuse(scope: Scope, receive: Receive, send: Send, fault: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": fault[:100]})
        return
    await PlainTextResponse(fault, 403)(scope, receive, send)


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


def guards(access: Access) -> Sequence[Middleware]:
    """Return what stands before the page and the API, outermost first."""
    first = (Middleware(Guarded), Middleware(OwnHostOnly, access.hosts))
    if access.users is None:
        return first
    return (
        *first,
        Middleware(login.LoggedInOnly, lambda: access.typing),
        Middleware(OwnFilesOnly, (login.OIDC_COOKIES if access.oidc else login.COOKIE,)),
    )


def routes(access: Access) -> Sequence[BaseRoute]:
    """Return the page's document, the HTTP API, by the page's own service, and the login."""
    served = api_routes(lambda: process_context().service, lambda: access.users)
    return [*frame.routes(), *served, *login.routes(lambda: access.typing)]


def lifespan(audits: Path, access: Access, opens_on: str = "") -> Lifespan:
    """Return what opens the context with the server and closes it after."""

    @asynccontextmanager
    async def around(_: App) -> AsyncIterator[None]:
        prepare_process()
        open_context(
            make_context(
                audits, environment(), opens_on=opens_on, users=access.users, oidc=access.oidc
            )
        )
        try:
            yield None
        finally:
            await anyio.to_thread.run_sync(close_context)

    return around

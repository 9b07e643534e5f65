"""Who sends a request: the user whose token it shows, where a server has users."""

from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import CallerError
from dr_rd.api.problems import hiding, problem
from dr_rd.users import UNREADABLE, Users

UsersOf = Callable[[], Users | None]
"""Returns the server's users; None where it has none."""

_USER: ContextVar[str] = ContextVar("user", default="")


def current_user() -> str:
    """Return who sends the request that is being answered; "" where there are no users."""
    return _USER.get()


def bearer(connection: HTTPConnection) -> str:
    """Return the token of `Authorization: Bearer …`; "" where there is none."""
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def closed(route: BaseRoute, users: UsersOf, runs_folder: Callable[[], Path]) -> BaseRoute:
    """Return *route*, open from now on to users alone where there are some.

    What goes wrong is then told without *runs_folder*, where the server keeps its runs.
    """
    if isinstance(route, Route | WebSocketRoute):
        route.app = _Closed(route.app, users, runs_folder)
        return route
    raise TypeError(f"{route!r} cannot be closed")


class _Closed:
    """An ASGI application that answers only a request that shows a user's token."""

    def __init__(self, app: ASGIApp, users: UsersOf, runs_folder: Callable[[], Path]) -> None:
        self._app, self._users, self._runs_folder = app, users, runs_folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        users = self._users()
        if users is None:
            await self._app(scope, receive, send)
            return
        user, fault = _user_of(users, bearer(HTTPConnection(scope)))
        if fault:
            await _refuse(scope, receive, send, fault)
            return
        before = _USER.set(user)
        try:
            with hiding(self._runs_folder()):
                await self._app(scope, receive, send)
        finally:
            _USER.reset(before)


def _user_of(users: Users, token: str) -> tuple[str, Response | None]:
    """Return whose token it is, or how a request without one is answered."""
    asked = {"WWW-Authenticate": "Bearer"}
    try:
        user = users.bearer_of(token) if token else ""
    except CallerError:  # nobody is let in, and where the file is concerns nobody outside
        return "", problem(UNREADABLE, 401, asked)
    said = "is of no user" if token else "is missing"
    fault = f"the token {said}; send the one that was made for you, as Authorization: Bearer TOKEN"
    return user, None if user else problem(fault, 401, asked)


async def _refuse(scope: Scope, receive: Receive, send: Send, fault: Response) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": "the token is of no user"})
        return
    await fault(scope, receive, send)

"""Who looks at the page, where the server has users: by a token typed once, or by OpenID Connect.

A token is typed into a form of its own, and kept by the browser in a cookie that no script reads;
nothing of the page is served without it. With OpenID Connect, which Streamlit speaks, the page
itself asks for the login, and whoever comes back must be one of the users by name.
"""

from collections.abc import Mapping
from html import escape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import streamlit as st
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import CallerError
from dr_rd.api.access import UsersOf
from dr_rd.users import UNREADABLE, Users

COOKIE = "dr-rd-token"
"""The browser's copy of the token."""

OIDC_COOKIES = "_streamlit_user"
"""How the names of Streamlit's cookies begin that hold a login by OpenID Connect."""

LOGIN, LOGOUT = "/login", "/logout"

_DAYS = 30
_MOST_BYTES = 2_000

_OPEN = (LOGIN, LOGOUT, "/_stcore/health")
"""What is served to anybody."""


class NotLoggedIn(CallerError):
    """Nobody is known to look at the page."""


def visitor(users: Users, *, oidc: bool) -> str:
    """Return who looks at the page; raises NotLoggedIn if that is nobody of the *users*."""
    try:
        found = (
            user_of_claims(st.user.to_dict(), users)
            if oidc
            else users.bearer_of(st.context.cookies.get(COOKIE, ""))
        )
    except CallerError as broken:
        raise CallerError(UNREADABLE) from broken
    if not found:
        raise NotLoggedIn("log in to see your runs")
    return found


def user_of_claims(claims: Mapping[str, Any], users: Users) -> str:
    """Return which user an OpenID Connect login is, by the address that it says; "" if none.

    An address that the provider says it has not verified is nobody's.
    """
    email = claims.get("email")
    logged_in = claims.get("is_logged_in") is True and claims.get("email_verified") is not False
    return email if logged_in and isinstance(email, str) and email in users.names() else ""


def draw(*, oidc: bool) -> None:
    """Draw what a visitor sees who is not logged in."""
    st.title("Log in", anchor=False)
    if not oidc:  # it was somebody's when the page came
        st.write("Your token is no user's any more.")
        st.html(f'<a href="{LOGOUT}" target="_self">Log in anew</a>')
    elif st.user.to_dict().get("is_logged_in"):
        st.error("You are not one of this server's users; ask whoever runs it to add you.")
        st.button("Log out", on_click=st.logout)
    else:
        st.button("Log in", type="primary", on_click=st.login)


def draw_user(user: str, *, oidc: bool) -> None:
    """Draw who is logged in, and the way out."""
    if oidc:
        st.button(f"Log out {user}", on_click=st.logout, type="tertiary")
    else:
        out = f'<a href="{LOGOUT}" target="_self" style="color: inherit">Log out</a>'
        st.html(f'<div style="font-size: 0.875rem">{escape(user)} · {out}</div>')


class LoggedInOnly:
    """An ASGI application that serves the page and its files to logged-in users alone."""

    def __init__(self, app: ASGIApp, users: UsersOf) -> None:
        self._app, self._users = app, users

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or send it to the login."""
        users = self._users() if scope["type"] in ("http", "websocket") else None
        if users is None or _is_open(scope["path"]) or _user(HTTPConnection(scope), users):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "log in first"})
        elif scope["method"] == "GET" and not PurePosixPath(scope["path"]).suffix:
            query = scope["query_string"].decode("latin-1")
            asked = quote(f"{scope['path']}?{query}" if query else scope["path"], safe="")
            await RedirectResponse(f"{LOGIN}?to={asked}", 303)(scope, receive, send)
        else:
            await PlainTextResponse("log in first", 401)(scope, receive, send)


def _is_open(path: str) -> bool:
    return path in _OPEN or path.startswith("/api/")  # which asks for the token in its own way


def _user(connection: HTTPConnection, users: Users) -> str:
    token = connection.cookies.get(COOKIE, "")
    try:
        return users.bearer_of(token) if token else ""
    except CallerError:  # the file is broken: nobody is let in
        return ""


def routes(users: UsersOf) -> list[BaseRoute]:
    """Return the routes of the login by a token."""

    async def login(request: Request) -> Response:
        known = users()
        if known is None:
            return RedirectResponse("/", 303)
        to = _own(request.query_params.get("to", ""))
        if request.method != "POST":
            return HTMLResponse(_form("", to))
        raw = bytearray()
        async for chunk in request.stream():
            raw += chunk[: _MOST_BYTES - len(raw)]
        token = parse_qs(raw.decode(errors="replace")).get("token", [""])[0].strip()
        try:
            user = known.bearer_of(token)
        except CallerError:  # the file is broken, and where it is concerns nobody outside
            return HTMLResponse(_form(UNREADABLE, to), 401)
        if not user:
            return HTMLResponse(_form("That token is no user's.", to), 401)
        answer = RedirectResponse(to, 303)
        answer.set_cookie(
            COOKIE,
            token,
            max_age=_DAYS * 86_400,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    async def logout(_: Request) -> Response:
        answer = RedirectResponse(LOGIN, 303)
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return answer

    return [Route(LOGIN, login, methods=["GET", "POST"]), Route(LOGOUT, logout)]


def _own(address: str) -> str:
    """Return an address of this server's own page; the first page for any other."""
    parts = urlsplit(address)
    own = address.startswith("/") and not (parts.scheme or parts.netloc or "\\" in address)
    return address if own else "/"


def _form(fault: str, to: str) -> str:
    told = f'<p role="alert">{escape(fault)}</p>' if fault else ""
    return _PAGE.replace("<!-- fault -->", told).replace("{to}", quote(to, safe=""))


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>dr-rd workbench: log in</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 15vh auto; padding: 0 1rem; }
input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; }
input { margin: .25rem 0 1rem; }
[role=alert] { border-left: 4px solid #d55e00; padding-left: .75rem; }
</style>
</head>
<body>
<main>
<h1>Log in</h1>
<!-- fault -->
<form method="post" action="/login?to={to}">
<label for="token">Your token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Log in</button>
</form>
<p>Whoever runs this server makes one for you: <code>dr-rd token add NAME</code></p>
</main>
</body>
</html>
"""

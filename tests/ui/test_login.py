"""The page of a server with users: nothing before the login, and each user's own after it."""

import html
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from core.settings import RunOptions
from dr_rd.ui import login
from dr_rd.ui.context import AppContext, current_context, open_context
from dr_rd.ui.login import COOKIE, LoggedInOnly, user_of_claims
from dr_rd.ui.session import Key
from dr_rd.users import Users


@pytest.fixture
def users(tmp_path: Path) -> Users:
    return Users(tmp_path / "tokens.json")


@pytest.fixture
def server(users: Users) -> TestClient:
    """What stands before the page, with a page that shows its address."""

    async def page(request):
        return PlainTextResponse(f"the page {request.url.path}")

    async def stream(socket):
        await socket.accept()
        await socket.close()

    app = Starlette(
        routes=[
            *login.routes(lambda: users),
            WebSocketRoute("/_stcore/stream", stream),
            Route("/{rest:path}", page, methods=["GET", "PUT"]),
        ],
        middleware=[Middleware(LoggedInOnly, lambda: users)],
    )
    return TestClient(app, base_url="http://localhost", follow_redirects=False)


CLOSED = ["/", "/runs", "/run?run=rye1", "/media/a1.png", "/_stcore/host-config", "/static/a.js",
          "/api", "//api/runs", "/_stcore/health/x", "/login/x", "/login/../runs"]  # fmt: skip


@pytest.mark.parametrize("cookie", ["", "x"])
@pytest.mark.parametrize("path", CLOSED)
def test_nothing_of_the_page_comes_before_the_login(path, cookie, server, users):
    users.add("ann")
    server.cookies.set(COOKIE, cookie)
    reply = server.get(path)
    assert reply.status_code in (303, 401), reply.text
    assert "the page" not in reply.text
    if reply.status_code == 303:
        assert reply.headers["location"].startswith("/login?to=%2F")
    assert server.put(path).status_code == 401
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        server.websocket_connect("/_stcore/stream"),
    ):
        pass
    assert refused.value.code == 1008


def test_a_token_typed_once_opens_the_page_asked_for_until_the_log_out(server, users):
    token = users.add("ann")
    asked = server.get("/run?run=rye1").headers["location"]
    form = re.search(r'action="([^"]+)"', server.get(asked).text)
    wrong = server.post(html.unescape(form[1]), data={"token": "wrong"})
    assert (wrong.status_code, "no user" in wrong.text) == (401, True)
    entered = server.post(html.unescape(form[1]), data={"token": f" {token}\n"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/run?run=rye1")
    kept = entered.headers["set-cookie"].lower()
    assert "httponly" in kept and "samesite=strict" in kept and "secure" not in kept
    assert server.get("/runs").text == "the page /runs"
    with server.websocket_connect("/_stcore/stream", headers={"cookie": f"{COOKIE}={token}"}):
        pass
    server.get("/logout")
    assert server.get("/runs").status_code == 303


def test_a_cookie_set_over_tls_never_leaves_without_it(server, users):
    token = users.add("ann")
    entered = server.post("https://localhost/login", data={"token": token})
    assert "secure" in entered.headers["set-cookie"].lower()


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil.example", "x"])
def test_a_login_leads_nowhere_else(to, server, users):
    token = users.add("ann")
    entered = server.post("/login", params={"to": to}, data={"token": token})
    assert entered.headers["location"] == "/"


def test_a_removed_user_or_a_broken_file_closes_the_page(server, users):
    server.post("/login", data={"token": users.add("ann")})
    users.remove("ann")
    assert server.get("/runs").status_code == 303
    users.path.write_text("{")
    assert server.get("/runs").status_code == 303
    assert "cannot be read" in server.post("/login", data={"token": "x"}).text


@pytest.mark.parametrize(
    ("claims", "user"),
    [
        ({"is_logged_in": True, "email": "ann@example.org"}, "ann@example.org"),
        ({"is_logged_in": True, "email": "ann@example.org", "email_verified": True}, "ann@example.org"),
        ({"is_logged_in": True, "email": "ann@example.org", "email_verified": False}, ""),
        ({"is_logged_in": False, "email": "ann@example.org"}, ""),
        ({"email": "ann@example.org"}, ""),
        ({"is_logged_in": True, "email": "eve@example.org"}, ""),
        ({"is_logged_in": True, "name": "ann@example.org"}, ""),
        ({"is_logged_in": True, "email": ["ann@example.org"]}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_an_openid_login_is_the_user_of_its_verified_address(claims, user, users):
    users.add("ann@example.org")
    assert user_of_claims(claims, users) == user


@pytest.fixture
def shared(context: AppContext, users: Users, monkeypatch):
    """The page of a server with users, looked at by whoever *looking* names."""
    looking = SimpleNamespace(user="")

    def visitor(known, *, oidc):
        if not looking.user:
            raise login.NotLoggedIn("log in")
        return looking.user

    monkeypatch.setattr(login, "visitor", visitor)
    users.add("ann")
    open_context(AppContext(context.service, users=users))
    yield looking
    open_context(context)


def test_who_is_not_logged_in_is_shown_no_run(shared, page, context):
    context.service.store.owned_by("ann").create("rye1", RunOptions(), {"objective": "Test rye"})
    shown = page(run="rye1")
    assert not shown.exception
    assert [title.value for title in shown.title] == ["Log in"]
    assert "rye" not in str(shown.main).lower()


def test_another_s_run_is_none_on_every_page(shared, page, context):
    own = context.service.store.owned_by("ann")
    own.create("rye1", RunOptions(project_id="rye"), {"objective": "Test rye"})
    context.service.for_user("ann").drafts.save("oats-1", {"text": "Oats", "form": {}})
    shared.user = "bob"
    told = [page(run=name).error[0].value.replace(name, "ID") for name in ("rye1", "none1")]
    assert told[0] == told[1]
    assert str(context.service.store.root) not in told[0]
    assert "rye" not in str(page(run="rye1").main).replace("rye1", "").lower()
    assert page(draft="oats-1").text_area(key=Key.TEXT).value == ""
    shared.user = "ann"
    shown = page(draft="oats-1")
    assert shown.text_area(key=Key.TEXT).value == "Oats"
    shared.user = "bob"  # somebody else logs in where her page was open
    assert shown.run().text_area(key=Key.TEXT).value == ""
    assert not page(run="rye1").exception


def test_a_user_who_is_removed_is_shown_no_more_of_a_run_that_is_followed(shared, page, context):
    own = context.service.store.owned_by("ann")
    own.create("rye1", RunOptions(project_id="rye"), {"objective": "Test rye"})
    shared.user = "ann"
    followed = current_context()
    assert followed.is_current
    shared.user = ""
    assert not followed.is_current
    shared.user = "bob"
    assert not followed.is_current


def test_users_have_no_folder_of_the_server_read(shared, page, context):
    shared.user = "ann"
    shown = page()
    labels = {field.label for field in shown.text_input}
    assert "Or a folder on this machine" not in labels
    assert "A repository on this machine" not in labels


def test_without_users_the_page_says_that_it_has_one(page, context):
    shown = page()
    assert any(caption.value.startswith("Single user:") for caption in shown.caption)

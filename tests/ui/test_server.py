"""How the server is started, and what it sends with every answer."""

import re
import socket
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.errors import CallerError
from core.modes import modes
from dr_rd.serve import command_line, serve
from dr_rd.ui import frame
from dr_rd.ui.__main__ import main, settings
from dr_rd.ui.asgi import HEADERS, PAGE, Guarded, OwnHostOnly, read_access
from dr_rd.ui.session import KEPT, Key, Note
from dr_rd.users import Users


def test_a_taken_port_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CallerError, match=f"port {port} cannot be used"):
            serve(["nothing"], port=port)


def test_the_command_names_the_run_only_if_there_is_one(tmp_path):
    plain = command_line(port=8501, headless=False, audits=tmp_path, run_id=None)
    named = command_line(port=8501, headless=True, audits=tmp_path, run_id="r-1")
    assert named == [*plain, "--headless", "--run", "r-1"]
    open_to_users = command_line(
        port=8501, headless=False, audits=tmp_path, run_id=None, host="::", tokens=Path("t.json")
    )
    assert open_to_users == [*plain, "--host", "::", "--tokens", "t.json"]


def test_only_this_machine_is_served_unless_the_environment_says_otherwise():
    assert settings(8501, {})["server.address"] == "127.0.0.1"
    assert settings(8501, {"STREAMLIT_SERVER_ADDRESS": "0.0.0.0"})["server.address"] == "0.0.0.0"  # noqa: S104
    assert settings(8501, {})["browser.gatherUsageStats"] is False


def test_streamlit_run_finds_the_same_settings():
    root = PAGE.parents[2]
    assert (root / ".streamlit/config.toml").resolve() == (PAGE.parent / "config.toml").resolve()


def test_every_answer_carries_the_security_headers():
    sent = []

    async def hello(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    async def ask():
        await Guarded(hello)({"type": "http"}, None, send)

    anyio.run(ask)
    assert {k.decode(): v.decode() for k, v in sent[0]["headers"]} == {
        name.lower(): value for name, value in HEADERS.items()
    }


def test_a_server_that_cannot_begin_says_why_in_one_sentence(tmp_path, monkeypatch):
    secrets = tmp_path / ".streamlit/secrets.toml"
    secrets.parent.mkdir()
    secrets.write_text("[models")
    monkeypatch.chdir(tmp_path)
    begun = ["--port", "1", "--headless", "--audits", "audits"]
    told = CliRunner().invoke(main, begun)
    assert told.exit_code == 2
    assert told.stderr.splitlines() == [
        "dr-rd: .streamlit/secrets.toml cannot be read as TOML; mend it or remove it"
    ]
    secrets.unlink()
    told = CliRunner().invoke(main, [*begun, "--host", "0.0.0.0"])  # noqa: S104
    assert told.exit_code == 2
    assert told.stderr.startswith("dr-rd: without users only this machine is served, and 0.0.0.0 ")


def test_the_document_of_each_page_is_styled_and_named_before_a_script_runs():
    server = TestClient(Starlette(routes=frame.routes()))
    for path in frame.PATHS:
        head, _, _ = server.get(f"/{path}").text.partition("</head>")
        assert ".stMainBlockContainer" in head.rpartition("<style>")[2]
        assert f"<title>{frame.TITLE}</title>" in head
        assert "<script" in head
    assert set(re.findall(r'url_path="(.*?)"', PAGE.read_text("utf-8"))) == set(frame.PATHS)


def test_no_two_widgets_share_a_key_and_what_is_kept_is_a_widget():
    assert len({*Key, *Note}) == len(Key) + len(Note)
    assert set(KEPT) <= set(Key)


@pytest.mark.parametrize(
    ("host", "origin", "served"),
    [
        ("localhost:8501", "", True),
        ("127.0.0.1:8501", "http://127.0.0.1:8501", True),
        ("[::1]:8501", "", True),
        ("LOCALHOST", "", True),
        ("evil.example:8501", "", False),
        ("evil.example:8501", "http://evil.example:8501", False),
        ("localhost:8501", "http://evil.example", False),
        ("localhost:8501", "http://localhost:9000", False),
        ("localhost:8501", "null", False),
        ("localhost.evil.example", "", False),
        ("user@localhost", "", True),
        ("[::1", "", False),
        ("", "", False),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_only_this_server_s_own_pages_are_answered(kind, host, origin, served):
    asked, sent = [], []

    async def hello(scope, receive, send):
        asked.append(scope)

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": f"{kind}.connect"}

    headers = [(b"host", host.encode()), *([(b"origin", origin.encode())] if origin else [])]
    scope = {"type": kind, "headers": headers, "method": "GET", "path": "/", "query_string": b""}
    anyio.run(OwnHostOnly(hello, read_access("127.0.0.1", None, {}).hosts), scope, receive, send)
    assert bool(asked) is served
    if not served:
        assert sent[0].get("status", 403) == 403
        assert sent[0]["type"] in ("http.response.start", "websocket.close")


def test_the_environment_lists_further_hosts():
    known = {"localhost", "127.0.0.1", "::1"}
    assert read_access("127.0.0.1", None, {}).hosts == known
    listed = read_access("localhost", None, {"DRRD_HOSTS_ALLOWED": " Plans.example ,"}).hosts
    assert listed == {*known, "plans.example"}


@pytest.mark.parametrize("address", ["0.0.0.0", "", "::", "192.168.1.5", "plans.example"])  # noqa: S104
def test_others_than_this_machine_are_served_only_where_there_are_users(address, tmp_path):
    with pytest.raises(CallerError, match="without users only this machine is served"):
        read_access(address, None, {})
    tokens = tmp_path / "tokens.json"
    with pytest.raises(CallerError, match="cannot be read as a file of users"):
        read_access(address, tokens, {})
    Users(tokens).add("ann")
    access = read_access(address, None, {"DRRD_TOKENS": str(tokens)})
    assert access.users.names() == ("ann",)
    assert not address or address in access.hosts
    Users(tokens).remove("ann")
    with pytest.raises(CallerError, match="names no user"):
        read_access(address, tokens, {})


def test_a_configured_login_without_users_is_refused(tmp_path):
    secrets = tmp_path / "secrets.toml"
    secrets.write_text('[auth]\ncookie_secret = "x"\n')
    with pytest.raises(CallerError, match="there are no users who may log in"):
        read_access("127.0.0.1", None, {}, secrets)


def test_the_page_names_no_mode_for_the_registry_does():
    written = "".join(path.read_text("utf-8") for path in PAGE.parent.glob("*.py"))
    assert [mode for mode in modes() if f'"{mode}"' in written] == []

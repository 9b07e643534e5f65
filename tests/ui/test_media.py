"""A file of the page is served to who was sent its address, and to nobody else."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

from dr_rd.ui import media
from dr_rd.ui.media import OwnFilesOnly

FILE = "181e033958bf8ae5455d6377f97ec01a"


def cookie(value: str) -> dict[str, str]:
    return {"cookie": f"who={value}; _xsrf=1"}


@pytest.fixture
def server() -> TestClient:
    async def file(request):
        return PlainTextResponse("the file")

    async def page(socket):
        await socket.accept()
        await socket.send_bytes(b"\x0a\x02" + f"/media/{FILE}.md".encode() + b"\x12")
        await socket.close()

    app = Starlette(
        routes=[Route("/{rest:path}", file), WebSocketRoute("/stream", page)],
        middleware=[Middleware(OwnFilesOnly, ("who",))],
    )
    return TestClient(app)


def shown(server, who: str) -> None:
    with server.websocket_connect("/stream", headers=cookie(who)) as socket:
        socket.receive_bytes()


def test_a_file_is_whose_page_has_its_address(server):
    at = f"/media/{FILE}.md"
    assert server.get(at, headers=cookie("ann")).status_code == 404
    shown(server, "ann")
    assert server.get(at, headers=cookie("ann")).text == "the file"
    for other in (cookie("bob"), cookie(""), {}, {"cookie": "_xsrf=1"}):
        refused, none = server.get(at, headers=other), server.get("/media/none.md", headers=other)
        assert (refused.status_code, refused.text) == (none.status_code, none.text)
        assert refused.status_code == 404
    shown(server, "bob")
    assert server.get(at, headers=cookie("bob")).status_code == 200
    assert server.get("/runs", headers={}).text == "the file"


def test_only_so_many_addresses_are_remembered(server, monkeypatch):
    monkeypatch.setattr(media, "_MOST", 2)
    for who in ("ann", "bob", "ann", "eve"):
        shown(server, who)
    found = {
        w: server.get(f"/media/{FILE}", headers=cookie(w)).status_code
        for w in ("ann", "bob", "eve")
    }
    assert found == {"ann": 200, "bob": 404, "eve": 200}

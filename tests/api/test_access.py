"""A server with users: nothing without a token, and another's run is as one that is not there."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from core.settings import RunOptions
from dr_rd.api import api_routes
from dr_rd.api.openapi import describe
from dr_rd.service import ResearchService
from dr_rd.users import Users
from dr_rd.workbench import Workbench
from tests.api.conftest import scripted

BRIEF = {"objective": "Test whether a winter cover crop raises soil carbon"}

ROUTES = [
    (path, method)
    for path, operations in describe(api_routes(SimpleNamespace))["paths"].items()
    for method in operations
]

BODIES: dict[str, Any] = {
    "/api/runs/{run_id}/answers": {"question_id": "approve-plan", "answer": "stop", "by": "bob"}
}


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Users:
    return Users(tmp_path_factory.mktemp("users") / "tokens.json")


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, workbench: Workbench
) -> Iterator[ResearchService]:
    opened = scripted(tmp_path_factory.mktemp("owned") / "audits", workbench)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def served(service: ResearchService, users: Users) -> TestClient:
    app = Starlette(routes=api_routes(lambda: service, lambda: users))
    return TestClient(app, base_url="http://localhost")


@pytest.fixture(scope="module")
def ann(users: Users) -> dict[str, str]:
    return shown(users.add("ann"))


@pytest.fixture(scope="module")
def bob(users: Users) -> dict[str, str]:
    return shown(users.add("bob@example.org"))


def shown(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def hers(served: TestClient, service: ResearchService, ann: dict[str, str]) -> str:
    """A run of ann's, which waits for her; no test answers it."""
    return begun(served, service, ann)


def begun(served: TestClient, service: ResearchService, who: dict[str, str]) -> str:
    made = served.post("/api/runs", json={"brief": BRIEF}, headers=who)
    assert made.status_code == 201, made.text
    run_id = str(made.json()["run_id"])
    service.runs.wait(run_id, 60)
    return run_id


@pytest.mark.parametrize(("path", "method"), [*ROUTES, ("/api/nothing", "get")])
def test_nothing_is_answered_without_a_user_s_token(
    path: str, method: str, served: TestClient, ann: dict[str, str]
) -> None:
    token = ann["Authorization"].removeprefix("Bearer ")
    wrong = ("", "Bearer", "Bearer x", f"Basic {token}", f"Bearer {token}x", token)
    for given in [{}, *({"Authorization": text} for text in wrong)]:
        reply = served.request(method, path, headers=given)
        assert reply.status_code == 401, given
        assert reply.headers["www-authenticate"] == "Bearer"
        assert reply.headers["content-type"] == "application/problem+json"
        assert token not in reply.text


def test_a_socket_is_opened_to_users_alone(served: TestClient, bob: dict[str, str]) -> None:
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        served.websocket_connect("/api/rooms/ABCDEF/events"),
    ):
        pass
    assert refused.value.code == 1008
    with (
        pytest.raises(WebSocketDisconnect) as told,
        served.websocket_connect("/api/rooms/ABCDEF/events", headers=bob) as socket,
    ):
        socket.receive_json()
    assert "there is no room" in told.value.reason


@pytest.mark.parametrize(("path", "method"), [r for r in ROUTES if "{run_id}" in r[0]])
def test_another_s_run_is_answered_as_one_that_is_not_there(
    path: str, method: str, served: TestClient, hers: str, bob: dict[str, str]
) -> None:
    def asked(run_id: str) -> tuple[int, str]:
        at = path.format(run_id=run_id)
        reply = served.request(method, at, headers=bob, json=BODIES.get(path))
        return reply.status_code, reply.text.replace(run_id, "ID")

    assert asked(hers) == asked("nobodys-run")
    assert asked(hers)[0] == 404


def test_each_sees_their_own_runs_alone_and_acts_on_no_other(
    served: TestClient,
    service: ResearchService,
    hers: str,
    ann: dict[str, str],
    bob: dict[str, str],
) -> None:
    assert hers in {r["run_id"] for r in served.get("/api/runs", headers=ann).json()}
    assert hers not in {r["run_id"] for r in served.get("/api/runs", headers=bob).json()}
    assert served.get(f"/api/runs/{hers}", headers=ann).json()["status"] == "waiting"
    told = [
        served.post("/api/runs", json={"mode": "panel", "runs": [name]}, headers=bob)
        for name in (hers, "nobodys-run")
    ]
    assert [r.status_code for r in told] == [400, 400]
    assert told[0].text.replace(hers, "ID") == told[1].text.replace("nobodys-run", "ID")
    assert service.runs.snapshot(hers).status == "waiting"
    assert hers not in {run.run_id for run in service.for_user("bob@example.org").list()}


def test_the_same_key_of_two_users_is_two_runs(
    served: TestClient,
    service: ResearchService,
    ann: dict[str, str],
    bob: dict[str, str],
) -> None:
    once = {"Idempotency-Key": "order 1"}
    made = [
        served.post("/api/runs", json={"brief": BRIEF}, headers={**who, **once})
        for who in (ann, bob, ann)
    ]
    assert [reply.status_code for reply in made] == [201, 201, 200]
    ids = [reply.json()["run_id"] for reply in made]
    assert ids[0] == ids[2] != ids[1]
    for run_id in set(ids):
        service.runs.wait(run_id, 60)


def test_a_run_that_nobody_owns_is_no_user_s(
    served: TestClient, service: ResearchService, ann: dict[str, str]
) -> None:
    made = service.store.create("unowned", RunOptions(), BRIEF)
    assert made.run_id in {run.run_id for run in service.list()}
    assert served.get("/api/runs/unowned", headers=ann).status_code == 404


def test_what_is_done_again_stays_its_owner_s(
    served: TestClient, service: ResearchService, ann: dict[str, str]
) -> None:
    own, run_id = service.for_user("ann"), begun(served, service, ann)
    own.runs.answer(run_id, "approve-plan", "approve", by="ann")
    service.runs.wait(run_id, 60)
    again = own.redo(run_id, "T02", by="ann")
    service.runs.wait(again, 60)
    assert again in {run.run_id for run in own.list()}
    assert again not in {run.run_id for run in service.for_user("bob").list()}


def test_a_room_is_listed_to_who_opened_or_joined_it(
    served: TestClient, ann: dict[str, str], bob: dict[str, str]
) -> None:
    made = served.post("/api/rooms", json={"scenario": "hidden-human"}, headers=ann).json()
    at = f"/api/rooms/{made['room_code']}"
    assert served.get("/api/rooms", headers=bob).json() == {"rooms": []}
    assert len(served.get("/api/rooms", headers=ann).json()["rooms"]) == 1
    seat = served.post(f"{at}/join", json={"name": "Bob"}, headers=bob).json()
    assert len(served.get("/api/rooms", headers=bob).json()["rooms"]) == 1
    own = served.get(f"{at}/state", headers={**bob, "Seat-Token": seat["token"]}).json()
    assert own["view_for"] == seat["player"]
    assert served.get(f"{at}/state", headers=ann).json()["view_for"] == ""


def test_drafts_are_their_writer_s(service: ResearchService) -> None:
    drafts = [service.for_user(name).drafts for name in ("ann", "bob@example.org")]
    drafts[0].save("mine", {"objective": "Test rye"})
    assert [draft.id for draft in drafts[0].list()] == ["mine"]
    assert drafts[1].list() == service.drafts.list() == []


def test_a_removed_user_is_let_in_no_more(served: TestClient, users: Users) -> None:
    given = shown(users.add("eve"))
    assert served.get("/api/runs", headers=given).status_code == 200
    users.remove("eve")
    assert served.get("/api/runs", headers=given).status_code == 401


def test_a_mistake_names_no_folder_of_a_server_with_users(
    served: TestClient, service: ResearchService, bob: dict[str, str]
) -> None:
    broken = service.store.owned_by("bob").create("torn1", RunOptions(), BRIEF)
    (broken.path / "settings.json").write_text("{")
    replies = [served.get(f"/api/runs{of}", headers=bob) for of in ("/torn1", "")]
    assert "torn1" in replies[0].json()["detail"]
    assert all(str(service.store.root) not in reply.text for reply in replies)


def test_without_users_no_token_is_asked_for(service: ResearchService, hers: str) -> None:
    client = TestClient(Starlette(routes=api_routes(lambda: service)))
    assert hers in {run["run_id"] for run in client.get("/api/runs").json()}

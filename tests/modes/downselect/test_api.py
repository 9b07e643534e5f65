"""Rooms over HTTP and WebSocket: what is served, to whom, and what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.clock import SystemClock
from core.runs import RunService
from core.settings import Flags
from core.store import RunStore
from core.testing import FakeParts
from dr_rd.api.rooms import LOBBY_S, Rooms, routes
from dr_rd.service import ResearchService
from tests.modes.designs import workbench
from tests.modes.downselect.tables import HandClock, Scripted, settled

SECRETS = ("archivist", "joker", "sceptic", "shy one", "host", "voice-", "person", '"ai"', "human")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ResearchService]:
    runs = RunService(RunStore(tmp_path), lambda f: FakeParts((), f.options()), HandClock())
    made = ResearchService(runs, workbench(), Flags())
    yield made
    made.close()


class Visitor:
    """Somebody who asks the API, on the event loop of the rooms."""

    def __init__(self, service: ResearchService) -> None:
        self.clock = HandClock()
        self.rooms = Rooms(self.clock)
        app = Starlette(routes=list(routes(lambda: service, self.rooms)))
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x")

    async def post(self, path: str, **body: Any) -> httpx.Response:
        return await self.client.post(f"/api/rooms{path}", json=body)

    async def state(self, code: str, token: str = "") -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        found = await self.client.get(f"/api/rooms/{code}/state", headers=headers)
        return found.json()


def asked(service: ResearchService, visit: Any) -> None:
    async def run() -> None:
        visitor = Visitor(service)
        try:
            await visit(visitor)
        finally:
            visitor.rooms.close()
            await settled()

    anyio.run(run)


def test_create_list_info_join_state_message_vote_typing_and_leave_are_served(service) -> None:
    async def visit(v: Visitor) -> None:
        made = await v.post("", scenario="hidden-human", seed=5)
        assert made.status_code == 201
        code = made.json()["room_code"]
        assert made.json()["open_seats"] == 1 and made.json()["phase"] == "lobby"
        assert (await v.client.get("/api/rooms")).json()["rooms"][0]["room_code"] == code
        assert (await v.client.get(f"/api/rooms/{code}")).json()["players"] == 6
        joined = (await v.post(f"/{code}/join", name="Ann")).json()
        token, label = joined["token"], joined["player"]
        await v.clock.advance(1)
        assert (await v.state(code))["phase"] == "discussion"
        assert (await v.post(f"/{code}/typing", token=token)).json() == {"typing": True}
        assert (await v.post(f"/{code}/message", token=token, text="Rain.")).json() == {
            "sent": True
        }
        mine = await v.state(code, token)
        assert mine["view_for"] == label
        assert {"by": label, "text": "Rain.", "round": 1} in mine["chat_history"]
        await v.clock.advance(182)
        assert (await v.state(code))["phase"] == "voting"
        other = next(p["label"] for p in mine["players"] if p["label"] != label)
        assert (await v.post(f"/{code}/vote", token=token, vote=other)).json() == {"counted": True}
        assert (await v.post(f"/{code}/leave", token=token)).json() == {"left": True}

    asked(service, visit)


def test_a_person_says_so_much_a_round_and_no_more(service) -> None:
    async def visit(v: Visitor) -> None:
        code = (await v.post("", scenario="hidden-human")).json()["room_code"]
        token = (await v.post(f"/{code}/join")).json()["token"]
        await v.clock.advance(1)
        most = v.rooms.find(code).room.game.rules.messages_a_person
        for n in range(most):
            sent = await v.post(f"/{code}/message", token=token, text=f"line {n}")
            assert sent.status_code == 200
        more = await v.post(f"/{code}/message", token=token, text="and more")
        assert (
            more.status_code == 409 and f"{most} messages in this round" in more.json()["detail"]
        )

    asked(service, visit)


def test_a_room_that_nobody_comes_to_is_closed_and_its_listeners_are_told(service) -> None:
    async def visit(v: Visitor) -> None:
        code = (await v.post("", scenario="hidden-human")).json()["room_code"]
        stream = v.rooms.find(code).room.listen()
        await v.clock.advance(LOBBY_S + 1)
        assert (await v.client.get("/api/rooms")).json()["rooms"] == []
        assert (await v.client.get(f"/api/rooms/{code}")).status_code == 404
        async with stream:
            assert [told async for told in stream] == []

    asked(service, visit)


def test_who_listens_after_the_end_is_let_go_at_once(service) -> None:
    async def visit(v: Visitor) -> None:
        code = (await v.post("", scenario="hidden-human")).json()["room_code"]
        room = v.rooms.find(code).room
        room.close()
        async with room.listen() as stream:
            assert [told async for told in stream] == []

    asked(service, visit)


def test_what_the_phase_does_not_take_is_refused_with_a_reason(service) -> None:
    async def visit(v: Visitor) -> None:
        code = (await v.post("", scenario="hidden-human")).json()["room_code"]
        token = (await v.post(f"/{code}/join")).json()["token"]
        await v.clock.advance(1)
        early = await v.post(f"/{code}/vote", token=token, vote="Player 1")
        assert early.status_code == 409 and "in discussion: ballots" in early.json()["detail"]
        full = await v.post(f"/{code}/join")
        assert full.status_code == 409 and "no free seat" in full.json()["detail"]
        await v.clock.advance(182)
        late = await v.post(f"/{code}/message", token=token, text="wait")
        assert late.status_code == 409 and "in voting: messages" in late.json()["detail"]
        forged = await v.post(f"/{code}/vote", token="guess", vote="Player 1")  # noqa: S106
        assert forged.status_code == 400 and "join it first" in forged.json()["detail"]
        assert (await v.client.get("/api/rooms/NOPE99/state")).status_code == 404
        nothing = await v.post("", seed=1)
        assert nothing.status_code == 400 and "name a scenario" in nothing.json()["detail"]
        strange = await v.post("", scenario="chess")
        assert strange.status_code == 400 and "hidden-human" in strange.json()["detail"]

    asked(service, visit)


def test_no_response_reveals_a_role_a_label_map_or_a_ballot_before_the_end(service) -> None:
    async def visit(v: Visitor) -> None:
        made = await v.post("", scenario="hidden-human", seed=5)
        code = made.json()["room_code"]
        joined = await v.post(f"/{code}/join")
        token = joined.json()["token"]
        shown = [made.text]
        for _ in range(40):
            await v.clock.advance(5)
            for bearer in ("", token):
                shown.append(json.dumps(await v.state(code, bearer)))
            if (await v.state(code))["phase"] == "voting":
                break
        shown += [(await v.client.get("/api/rooms")).text]
        talk = {
            line
            for t in v.rooms.find(code).room._voices.values()
            for line in [x for topic in t.topics for x in topic.lines]
        }
        for text in shown:
            for line in talk:
                text = text.replace(line, "")
            assert not [
                s
                for s in SECRETS
                if s
                in text.replace("hidden human", "")
                .replace("The hidden human", "")
                .replace('"The hidden', "")
            ]
        room = v.rooms.find(code).room
        while room.game.phase != "game_over":
            await v.clock.advance(30)
        over = await v.state(code)
        assert {"human", "ai"} == {p["role"] for p in over["revealed"]["players"].values()}

    asked(service, visit)


def test_the_state_endpoint_answers_while_a_call_is_slow(service) -> None:
    async def visit(v: Visitor) -> None:
        code = (await v.post("", scenario="hidden-human")).json()["room_code"]
        voices = v.rooms.find(code).room._voices
        slow = {name: Scripted(slow=anyio.Event()) for name in voices}
        voices.update(slow)
        await v.post(f"/{code}/join")
        await v.clock.advance(1)
        assert all(voice.seen and not voice.wished for voice in slow.values())  # none has answered
        with anyio.fail_after(1):
            assert (await v.state(code))["phase"] == "discussion"

    asked(service, visit)


def test_a_room_over_a_briefs_directions_is_played_by_people_and_voters(service) -> None:
    async def visit(v: Visitor) -> None:
        brief = {
            "objective": "Test whether a coating reduces rust on steel in salt spray.",
            "plausible_directions": [
                "dip in zinc and expose in salt spray",
                "paint twice and expose outdoors for a year",
            ],
        }
        made = await v.post("", brief=brief, people=1, seed=3)
        assert made.status_code == 201, made.text
        code = made.json()["room_code"]
        await v.post(f"/{code}/join")
        await v.clock.advance(1)
        seen = await v.state(code)
        assert sorted(o["label"] for o in seen["options"]) == ["Option A", "Option B"]

    asked(service, visit)


def test_the_web_socket_sends_the_state_and_then_the_events_of_the_design(service) -> None:
    """Served by the same application; here on the system's clock, with times of a moment."""
    game = {
        "title": "Quick",
        "vote_for": "players",
        "rounds_to_win": 1,
        "discussion_s": 0.2,
        "voting_s": 0.2,
        "cooldown_s": 0,
        "silence_s": 0.05,
        "topics": [{"topic": "rain", "lines": ["It rains."]}],
        "characters": [{"name": n} for n in ("one", "two", "three")],
        "people": [{"name": "ann"}],
    }
    rooms = Rooms(SystemClock())
    with TestClient(Starlette(routes=list(routes(lambda: service, rooms)))) as client:
        code = client.post("/api/rooms", json={"scenario": game, "seed": 1}).json()["room_code"]
        with client.websocket_connect(f"/api/rooms/{code}/events") as socket:
            assert socket.receive_json()["event"] == "state"
            client.post(f"/api/rooms/{code}/join", json={})
            told = []
            while not told or told[-1]["event"] != "game_over":
                told.append(socket.receive_json())
        names = [t["event"] for t in told]
        assert names[:3] == ["player_list", "topic", "phase"]
        assert {"voted", "elimination", "game_over"} <= set(names)
        assert "role" not in json.dumps(told[: names.index("elimination")])

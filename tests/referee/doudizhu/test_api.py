"""The routes of games, over real runs of the mode that referees."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.settings import RunOptions
from dr_rd.api import api_routes
from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.cards import DECK
from dr_rd.referee.doudizhu.position import PLAYERS, Position
from dr_rd.service import ResearchService, make_service
from tests.fake_llm import FakeLLMThread
from tests.referee.doudizhu.games import started
from tests.scripted import asked, model

FIELDS = {
    "game_id",
    "game_status",
    "turn_player_id",
    "last_move",
    "players",
    "landlord_extra_cards",
    "winner",
    "action_log",
}
LONGEST_S = 120


@dataclass(frozen=True)
class Served:
    service: ResearchService
    client: TestClient
    tokens: dict[str, dict[str, str]] = field(default_factory=dict)
    """By game and player."""

    def start(self, **body) -> dict:
        answer = self.client.post("/api/game/start", json=body)
        assert answer.status_code == 201, answer.text
        first = answer.json()
        self.tokens[first["game_id"]] = first.pop("tokens")
        return first

    def state(self, game_id: str, viewer: str = "") -> dict:
        seat = {"Authorization": f"Bearer {self.tokens[game_id][viewer]}"} if viewer else {}
        at = f"/api/game/{game_id}/state"
        answer = self.client.get(at, params={"viewer": viewer}, headers=seat)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def finish(self, game_id: str) -> dict:
        """Wait for the end of the run and return its result."""
        self.service.runs.wait(game_id, LONGEST_S)
        return self.service.store.find(game_id).read_json("result.json")


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeLLMThread]:
    with FakeLLMThread(reply=model(decision=lambda body: {"decision": "play 1 2"}), log=999) as it:
        yield it


@pytest.fixture(scope="module")
def served(tmp_path_factory, fake) -> Iterator[Served]:
    environ = {"DRRD_ENDPOINT": fake.base_url}
    service = make_service(tmp_path_factory.mktemp("audits"), environ)
    with TestClient(Starlette(routes=api_routes(lambda: service))) as client:
        yield Served(service, client)
    service.close()


@pytest.fixture(scope="module")
def game(served) -> tuple[dict, dict]:
    """The first snapshot of a game by built-in players, and its result."""
    first = served.start(seed=101, names=["Ann", "Bo", "Cy"])
    return first, served.finish(first["game_id"])


def replayed(result: dict, seed: int) -> list[Position]:
    """Return the positions of a finished game, from the moves in its result."""
    positions = [started(seed, name="start")]
    for turn in result["turns"]:
        positions.append(RULES.apply(positions[-1], RULES.read(turn["action"])))
    return positions


def test_start_returns_the_initial_snapshot_of_a_background_run(served, game) -> None:
    first, _ = game
    assert set(first) == FIELDS
    assert first["game_status"] == "bidding"
    assert [p["hand_count"] for p in first["players"]] == [17, 17, 17]
    assert [p["hand"] for p in first["players"]] == [None, None, None]
    assert [p["name"] for p in first["players"]] == ["Ann", "Bo", "Cy"]
    assert first["landlord_extra_cards"] == []
    assert first["action_log"] == []
    assert first["turn_player_id"] == started(101, name="start").player


def test_state_polls_a_snapshot_at_every_moment_of_the_game(served) -> None:
    game_id = served.start(seed=93)["game_id"]
    seen = [served.state(game_id)]
    while seen[-1]["game_status"] != "finished":
        seen.append(served.state(game_id))
    assert {state["game_status"] for state in seen} >= {"in_progress", "finished"}
    for before, after in pairwise(seen):
        assert after["action_log"][: len(before["action_log"])] == before["action_log"]
    served.finish(game_id)


def test_the_final_state_is_kept_after_the_end(served, game) -> None:
    first, result = game
    last = served.state(first["game_id"])
    assert set(last) == FIELDS
    assert last["game_status"] == "finished"
    assert last["turn_player_id"] is None
    assert last["winner"] == result["outcome"]["side"]
    assert len(last["landlord_extra_cards"]) == 3
    final = replayed(result, 101)[-1]
    assert [p["hand_count"] for p in last["players"]] == [len(hand) for hand in final.hands]
    assert last["last_move"]["cards_played"] == list(final.actions[-1].cards)
    assert Counter(final.played + sum(final.hands, ())) == Counter(DECK)


def test_a_viewer_sees_its_own_hand_and_an_onlooker_none(served, game) -> None:
    first, result = game
    hands = replayed(result, 101)[-1].hands
    for viewer in ("", *PLAYERS):
        shown = {p["id"]: p["hand"] for p in served.state(first["game_id"], viewer)["players"]}
        for player, hand in zip(PLAYERS, hands, strict=True):
            assert shown[player] == (list(hand) if player == viewer else None)


def test_a_seat_is_shown_to_none_but_who_holds_its_token(served, game) -> None:
    game_id = game[0]["game_id"]
    own, tokens = f"/api/game/{game_id}/state?viewer=player_1", served.tokens[game_id]
    assert len(set(tokens.values())) == 3
    for shown in ({}, {"Authorization": f"Bearer {tokens['player_2']}"}, {"Authorization": "x"}):
        answer = served.client.get(own, headers=shown)
        assert answer.status_code == 403
        assert "for 'player_1' alone" in answer.json()["detail"]
    run = served.service.store.find(game_id).path
    kept = [f.read_bytes() for f in run.rglob("*") if f.is_file()]
    assert not any(token.encode() in text for token in tokens.values() for text in kept)


def test_a_run_that_goes_on_shows_no_hand_but_to_who_is_asked(served) -> None:
    scenario = {"title": "A game", "rules": "doudizhu", "people": {"player_1": "ann"}}
    body = {"mode": "referee", "seed": 5, "scenario": scenario}
    once = {"Idempotency-Key": "one game"}
    made = served.client.post("/api/runs", json=body, headers=once).json()
    again = served.client.post("/api/runs", json=body, headers=once)
    assert again.status_code == 200 and "tokens" not in again.json()
    other = {**body, "scenario": {**scenario, "retries": 3}}
    assert served.client.post("/api/runs", json=other, headers=once).status_code == 409
    run_id, seat = made["run_id"], {"Authorization": f"Bearer {made['tokens']['ann']}"}
    served.service.runs.wait(run_id, LONGEST_S)
    at = f"/api/runs/{run_id}"
    look = served.client.get(at).json()
    (waits,) = look["questions"]
    assert (look["status"], waits["question"]["who"]) == ("waiting", "ann")
    anybody = served.client.get(f"{at}/questions", params={"by": "ann"}).json()
    assert "context" not in anybody[0]["question"]
    asked_of = served.client.get(f"{at}/questions", headers=seat).json()
    hand = asked_of[0]["question"]["context"]["described"].splitlines()[-3]
    assert hand.startswith("Your hand: ")
    answer = {"question_id": waits["question"]["id"], "answer": "pass", "by": "ann"}
    assert served.client.post(f"{at}/answers", json=answer).status_code == 403
    assert served.client.post(f"{at}/answers", json=answer, headers=seat).status_code == 200
    served.service.runs.wait(run_id, LONGEST_S)
    decided = served.service.store.find(run_id).decision(answer["question_id"]).digest
    look = served.client.get(at)
    assert (look.json()["status"], look.json()["seed"]) == ("waiting", None)
    for told in (look, served.client.get(f"{at}/questions"), served.client.get(f"{at}/events")):
        assert "Your hand" not in told.text
        assert '"seed": 5' not in told.text and '"seed":5' not in told.text
        assert decided not in told.text
    assert served.client.get(f"{at}/bundle").status_code == 409


def test_a_run_that_has_ended_is_taken_home_whole(served, game) -> None:
    at = f"/api/runs/{game[0]['game_id']}"
    look = served.client.get(at).json()
    assert look["seed"] == 101
    assert all(len(row["hash"]) == 64 for row in look["events"])
    assert served.client.get(f"{at}/bundle").status_code == 200


def test_an_unknown_game_is_404_and_so_is_a_run_that_is_no_game(served, game) -> None:
    other = served.service.store.create("other", RunOptions(), {"objective": "Sort pellets."})
    for name in ("nobody", "..%2f..", other.run_id):
        answer = served.client.get(f"/api/game/{name}/state")
        assert answer.status_code == 404, name
    assert "there is no game 'nobody'" in served.client.get("/api/game/nobody/state").text


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"models": {"player_4": "m"}}, "unknown player 'player_4'"),
        ({"seed": -1}, "seed"),
        ({"seed": 10**30}, "seed"),
        ({"names": ["Ann", "Ann", "Bo"]}, "two players are called 'ann'"),
        ({"variants": {"deals": 0}}, "variants.deals"),
        ({"speed": 3}, "the fields are seed, models, names, variants, retries"),
    ],
)
def test_what_cannot_be_started_is_said_in_a_sentence(served, body, told) -> None:
    answer = served.client.post("/api/game/start", json=body)
    assert answer.status_code == 400
    assert told in answer.json()["detail"]


def test_a_model_without_a_server_is_refused_with_the_remedy(tmp_path) -> None:
    service = make_service(tmp_path, {})
    with TestClient(Starlette(routes=api_routes(lambda: service))) as client:
        answer = client.post("/api/game/start", json={"models": {"player_1": "m"}})
    service.close()
    assert answer.status_code == 400
    assert "DRRD_ENDPOINT" in answer.json()["detail"]


def test_an_unknown_viewer_is_refused(served, game) -> None:
    answer = served.client.get(f"/api/game/{game[0]['game_id']}/state?viewer=player_9")
    assert answer.status_code == 400


def test_a_players_model_is_asked_on_its_view_alone_and_forced_after_its_retries(
    served, fake
) -> None:
    before = len(fake.requests)
    first = served.start(seed=66, models={"player_2": "m"}, retries=1)
    result = served.finish(first["game_id"])
    turns = result["turns"]
    assert {turn["forced"] for turn in turns if turn["player"] == "player_2"} == {True}
    assert {turn["refused"] for turn in turns if turn["player"] != "player_2"} == {0}
    log = served.state(first["game_id"], "player_1")["action_log"]
    own = [line for line in log if line.startswith("player_2: ")]
    assert own[::2] == ["player_2: refused twice"] * (len(own) // 2)
    assert all(line.endswith(" (forced)") for line in own[1::2])

    prompts = [asked(body) for body in list(fake.requests)[before:]]
    decisions = [text for text in prompts if "You play Dou Dizhu" in text]
    positions = [p for p in replayed(result, 66) if not p.winner and p.player == "player_2"]
    assert len(decisions) == 2 * len(positions)
    for position, first_try, again in zip(positions, decisions[::2], decisions[1::2], strict=True):
        view = RULES.describe(position, "player_2").strip()
        assert view in first_try
        assert view in again
        assert "unknown card '1'" in again
        for text in (first_try, again):
            assert json.dumps(position.seed) not in text

"""The page of the game: its examples are what the code does."""

import json
import re

import yaml

from dr_rd.api.game import GameStart
from dr_rd.files import read_text
from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.generator import KINDS
from dr_rd.referee.doudizhu.rules import Setup
from tests.conftest import ROOT
from tests.referee.doudizhu.games import answering, builtin, drawn, played, refusal, started

PAGE = (ROOT / "docs/modes/doudizhu.md").read_text("utf-8")


def block(name: str) -> str:
    found = re.search(rf"^```\w+ {name}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found, name
    return found[1]


def test_the_page_names_every_kind() -> None:
    rows = " ".join(line for line in PAGE.splitlines() if line.startswith("| "))
    assert [kind for kind in KINDS if kind not in rows] == []


def test_the_refusals_of_the_page_are_what_the_referee_says() -> None:
    position = answering("4 4 4 5 J Q Q A", "5 5")
    for line in block("refusals").splitlines():
        text, _, reason = line.partition(": ")
        assert refusal(position, text) == reason


def test_the_snapshot_of_the_page_is_the_one_of_that_game() -> None:
    positions, _ = played(started(5, name="start"), drawn(5), builtin)
    shown = json.loads(block("state"))
    view = RULES.view(positions[9], "player_3")
    assert shown == {
        "game_id": shown["game_id"],
        **{name: view[name] for name in shown if name != "game_id"},
    }
    assert len(shown) == 8


def test_the_start_of_the_page_can_be_sent() -> None:
    assert GameStart.model_validate_json(block("start")).seed == 5


def test_the_shipped_scenario_is_the_rules_default() -> None:
    scenario = yaml.safe_load(read_text("scenarios", "doudizhu.yaml"))
    assert Setup.model_validate(scenario["setup"]) == Setup()
    assert scenario["rules"] == RULES.id

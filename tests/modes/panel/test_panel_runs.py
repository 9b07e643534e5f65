"""Panels from the outside: over a brief, by a person, to a new plan."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from core.clock import SystemClock
from core.driving import drive
from core.errors import CallerError
from core.replay import replay
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.trace import verify
from dr_rd import cli
from dr_rd.modes.panel.result import PanelResult
from dr_rd.modes.scenario import load_scenario
from dr_rd.service import begin_amended, mode_inputs, plans_brief
from dr_rd.workbench import EVIDENCE
from tests.modes.panel.test_voices import brief_of, workbench


def driven(folder: RunFolder) -> str:
    return asyncio.run(drive(folder, workbench().parts(folder), SystemClock())).status


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A panel over one brief."""
    brief = brief_of("astro_01").model_dump(mode="json")
    store = RunStore(tmp_path_factory.mktemp("panel"))
    folder = store.create("one", RunOptions(mode="panel", project_id="astro-01"), brief)
    assert driven(folder) == "finished"
    return folder


def test_its_result_fits_its_schema_and_its_record_is_whole(ran: RunFolder) -> None:
    result = ran.read_json("result.json")
    jsonschema.validate(result, PanelResult.model_json_schema())
    assert PanelResult.model_validate(result).amendments
    assert verify(ran.path).problems == ()


def test_the_finding_comes_first_and_every_seat_is_in_the_log(ran: RunFolder) -> None:
    text = ran.read_text("result.md")
    assert text.splitlines()[2].startswith("**Take M1 first")
    lines = [line for line in text.splitlines() if line.startswith("`[")]
    queue = ran.read_json("result.json")["turn_queue"]
    assert [line.partition("]")[0] for line in lines] == [f"`[{seat}" for seat in queue]


def test_a_panel_over_a_plan_is_replayed_byte_for_byte(ran: RunFolder, tmp_path: Path) -> None:
    found = replay(ran.path, workbench().parts, tmp_path / "again", given=(EVIDENCE,))
    assert (found.first_difference, found.identical) == ("", True)


def test_its_amendments_are_worked_by_a_new_run_which_says_so(ran: RunFolder) -> None:
    store = RunStore(ran.path.parent.parent)

    def begun(*taken: str) -> RunFolder:
        at = "2026-01-01T00:00:00Z"
        return begin_amended(store, workbench(), ran, taken, by="ann", at=at, run_id="two")

    with pytest.raises(CallerError, match="unknown amendment 'M99'"):
        begun("M99")
    one = PanelResult.model_validate(ran.read_json("result.json")).amendments[0]
    new = begun("M1")
    assert driven(new) == "finished"
    tasks = {t["id"]: t for t in new.read_json("plan.json")["tasks"]}
    changed = tasks[one.changes[0].path.split(".")[1]]
    assert one.changes[0].new in [a["text"] for a in changed["acceptance"]]
    proposal = new.read_text("proposal.md")
    assert "What was changed in the plan before it was worked, and why:" in proposal
    assert f"- M1, Domain scientist: {one.title}" in proposal


SMALL = """\
title: A ford
person: {seat: osk}
seats:
  - {id: dm, lines: ['Round {round} at {topic}.']}
  - {id: osk, lines: ['{before} spoke.']}
"""


def test_a_person_holds_a_seat_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def dr_rd(*words: str) -> Any:
        cli.main([*words, "--json"])
        return json.loads(capsys.readouterr().out)

    (tmp_path / "mine.yaml").write_text(SMALL)
    first = dr_rd("run", "--mode", "panel", "--scenario", "mine.yaml")
    [asked] = first["questions"]
    assert (first["status"], asked["question"]["id"]) == ("waiting", "turn-1-osk")
    last = dr_rd("resume", first["run_dir"], "--answer", "turn-1-osk=I call to it.")
    entry = last["result"]["log"][1]
    assert last["status"] == "finished"
    assert (entry["text"], entry["marks"]) == ("I call to it.", ["by a person"])


def test_a_panel_builds_only_on_a_run_that_has_planned(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    scenario = {"seats": [{"id": "dm", "lines": ["Night falls at {topic}."]}], "title": "A ford"}
    inputs = mode_inputs(workbench(), "panel", scenario)
    options = RunOptions(mode="panel", project_id="ford")
    folder = store.create("three", options, {"objective": "A ford"}, inputs)
    assert driven(folder) == "finished"
    with pytest.raises(CallerError, match="has no plan to sit over"):
        mode_inputs(workbench(), "panel", None, [folder])


def test_a_table_that_plans_nothing_says_nothing_of_designs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is played at the toll bridge is no study, and whether it could be one decides nothing."""
    asked = ["run", "The toll bridge at Harrow Ford: who pays?", "--mode", "panel"]
    code = cli.main([*asked, "--scenario", "fantasy-table", "--audits", str(tmp_path)])
    assert code == 0
    assert "which design the brief asks for" not in capsys.readouterr().err
    assert plans_brief("panel")
    assert not plans_brief("panel", load_scenario("fantasy-table"))
    assert not plans_brief("referee", load_scenario("doudizhu"))

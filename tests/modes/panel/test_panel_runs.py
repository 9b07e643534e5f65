"""Panels from the outside: from a brief or a run, by a person, to a new plan."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.settings import environment
from core.trace import verify
from dr_rd.modes.panel.result import PanelResult
from tests.conftest import SAMPLE_BRIEFS

BRIEF = str(SAMPLE_BRIEFS / "astro_01.yaml")


def dr_rd(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dr_rd", *words]
    return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True)


def of(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A panel over one brief, and where it is."""
    place = tmp_path_factory.mktemp("panel")
    done = dr_rd("run", BRIEF, "--mode", "panel", "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    return {**of(done), "place": place}


def test_its_result_fits_its_schema_and_its_record_is_whole(ran: Any) -> None:
    import jsonschema  # noqa: PLC0415 - a tenth of a second

    jsonschema.validate(ran["result"], PanelResult.model_json_schema())
    assert PanelResult.model_validate(ran["result"]).amendments
    assert verify(Path(ran["run_dir"])).problems == ()


def test_the_finding_comes_first_and_every_seat_is_in_the_log(ran: Any) -> None:
    text = Path(ran["proposal"]).read_text()
    assert text.splitlines()[2].startswith("**Take M1 first")
    lines = [line for line in text.splitlines() if line.startswith("`[")]
    assert [line.partition("]")[0] for line in lines] == [
        f"`[{seat}" for seat in ran["result"]["turn_queue"]
    ]


def test_it_is_replayed_and_its_amendments_are_worked_by_a_new_run(ran: Any) -> None:
    again = dr_rd("replay", ran["run_dir"], "--json", cwd=ran["place"])
    assert of(again)["identical"], again.stdout
    wrong = dr_rd("revise", ran["run_dir"], "--accept", "M99", cwd=ran["place"])
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    done = dr_rd(
        "revise", ran["run_dir"], "--accept", "M1", "--by", "ann", "--json", cwd=ran["place"]
    )
    new = of(done)
    assert (new["mode"], new["status"]) == ("graph", "finished")
    one = ran["result"]["amendments"][0]
    changed = next(t for t in new["tasks"] if t["id"] == one["changes"][0]["path"].split(".")[1])
    assert one["changes"][0]["new"] in [a["text"] for a in changed["acceptance"]]
    proposal = Path(new["proposal"]).read_text()
    assert "What was changed in the plan before it was worked, and why:" in proposal
    assert f"- M1, {ran['result']['labels'][one['by']]}: {one['title']}" in proposal


def test_a_person_holds_a_seat_on_the_command_line(tmp_path: Path) -> None:
    scenario = tmp_path / "mine.yaml"
    scenario.write_text("person: {seat: osk}\n" + SMALL)
    first = of(
        dr_rd("run", "--mode", "panel", "--scenario", str(scenario), "--json", cwd=tmp_path)
    )
    [asked] = first["questions"]
    assert (first["status"], asked["question"]["id"]) == ("waiting", "turn-1-osk")
    last = of(
        dr_rd(
            "resume",
            first["run_dir"],
            "--answer",
            "turn-1-osk=I call to it.",
            "--json",
            cwd=tmp_path,
        )
    )
    assert last["status"] == "finished"
    entry = last["result"]["log"][1]
    assert (entry["author"], entry["text"], entry["marks"]) == (
        "osk",
        "I call to it.",
        ["by a person"],
    )


SMALL = """\
title: A ford
seats:
  - {id: dm, lines: ['Round {round} at {topic}.']}
  - {id: osk, lines: ['{before} spoke.']}
"""


def test_a_panel_needs_a_run_that_has_planned(tmp_path: Path) -> None:
    scenario = tmp_path / "small.yaml"
    scenario.write_text(SMALL)
    first = of(
        dr_rd("run", "--mode", "panel", "--scenario", str(scenario), "--json", cwd=tmp_path)
    )
    wrong = dr_rd("run", "--mode", "panel", "--from", first["run_dir"], cwd=tmp_path)
    assert wrong.returncode == 2
    assert "has no plan to sit over" in wrong.stderr
    assert [f for f in os.listdir(tmp_path / "audits") if not f.startswith(".")]

"""Runs side by side: medians and ranges by mode, and what one mode alone found."""

import json
from pathlib import Path

import pytest

from dr_rd.cli import main
from dr_rd.commands.compare import lines
from dr_rd.comparison import ComparedRun, compare
from dr_rd.findings import Finding, Measure, RunFindings
from dr_rd.modes.downselect import CONTENT as DOWNSELECT
from dr_rd.modes.downselect.result import Result
from dr_rd.modes.referee import CONTENT as REFEREE
from dr_rd.modes.referee.result import RefereeResult
from dr_rd.planning.directions import Conflict, Direction
from dr_rd.report.findings import direction_findings
from tests.conftest import ROOT

BRIEF = ROOT / "tests/data/briefs/agri_01.yaml"


def run(mode: str, seed: int = 0, days: float = 100, *keys: str) -> ComparedRun:
    return ComparedRun(
        run_id=f"{mode}-{seed}",
        run_dir=f"/audits/{mode}-{seed}",
        mode=mode,
        seed=seed,
        status="finished",
        cost_usd=0.0,
        seconds=1.5,
        found=RunFindings(
            measures=(Measure(name="duration", value=days, unit="days"),),
            findings=tuple(Finding(key=key, text=f"{key} is open.") for key in keys),
        ),
    )


def test_a_figure_of_several_seeds_is_its_median_with_its_range() -> None:
    found = compare([run("a", 0, 90), run("a", 1, 110), run("a", 2, 100), run("b", 0, 300)])
    table = dict(found.table())
    assert table["duration, days"] == {"a": "100 (90 to 110)", "b": "300"}


def test_a_figure_that_a_mode_does_not_have_is_a_dash() -> None:
    bare = run("b").model_copy(update={"found": RunFindings()})
    table = dict(compare([run("a"), bare]).table())
    assert table["duration, days"] == {"a": "100", "b": "–"}


def test_what_one_mode_alone_found_is_told_with_how_often() -> None:
    found = compare(
        [run("a", 0, 1, "C01", "C02"), run("a", 1, 1, "C02"), run("b", 0, 1, "C01", "R1")]
    )
    assert found.found_only_by("a") == ["(2 of 2) C02 is open."]
    assert found.found_only_by("b") == ["R1 is open."]
    assert found.shared == ("C01 is open. (a, b)",)


def test_a_direction_that_two_modes_take_is_found_by_both_and_one_that_seeds_part_is_counted() -> (
    None
):
    runs = [run("a", 0, 1, "direction O1"), run("a", 1, 1, "direction O2")]
    found = compare([*runs, run("b", 0, 1, "direction O1")])
    assert found.shared == ("direction O1 is open. (a, b)",)
    assert found.found_only_by("a") == ["(1 of 2) direction O2 is open."]


def test_every_mode_names_the_direction_that_it_takes_alike() -> None:
    """What a plan takes, a down-select keeps and a portfolio grants have one key."""
    option = {"id": "O1", "label": "Option A", "text": "x", "place": 1, "borda": 0, "beats": ()}
    kept = Result.model_validate(
        {
            "finding": "Keep O1.",
            "seed": 0,
            "vote_for": "options",
            "winner": "O1",
            "kept": ["O1"],
            "players": {},
            "options": [option],
            "screened": [{"id": "O2", "text": "y", "why": "C01: no"}],
        }
    )
    granted = RefereeResult.model_validate(
        {
            "rules": {"id": "portfolio", "title": "Portfolio"},
            "outcome": {"winners": ["shared", "O1"], "summary": "O1 granted"},
            "turns": [],
            "refused": 0,
            "forced": 0,
            "log": [],
        }
    )
    plan = Direction(id="O1", text="x", given=True, scores={"sound": 1.0})
    barred = plan.model_copy(
        update={"id": "O2", "conflicts": (Conflict(ledger_id="C01", reason="no"),)}
    )
    even = plan.model_copy(update={"id": "O3"})
    planned = list(direction_findings((plan, barred, even), "O1", {"sound": 1.0}))
    assert planned[0].text == "O1 is taken: x; O3 stands level with it."
    modes = (
        [f.key for f in planned],
        [f.key for f in DOWNSELECT.findings(kept.model_dump(mode="json")).findings],
        [f.key for f in REFEREE.findings(granted.model_dump(mode="json")).findings],
    )
    assert modes == (
        ["direction O1", "screened O2"],
        ["direction O1", "screened O2"],
        ["direction O1"],
    )


def test_a_mode_that_waits_for_a_person_is_shown_so() -> None:
    waits = run("b").model_copy(update={"status": "waiting", "asks": {"go": "Go on?"}})
    found = compare([run("a"), waits])
    assert dict(found.table())["runs"] == {"a": "1 finished", "b": "1 waiting"}
    [line] = found.unfinished()
    assert "b, seed 0, waits for a person: “Go on?” (dr-rd resume /audits/b-0" in line
    assert line in list(lines(found))
    assert "runs" not in dict(compare([run("a")]).table())


def test_with_one_mode_nothing_is_found_by_it_alone() -> None:
    found = compare([run("a", 0, 1, "C01"), run("a", 1, 1, "C02")])
    assert found.only == ()


def test_the_lines_name_each_mode_once_over_its_figures() -> None:
    told = list(lines(compare([run("a", 0, 1, "C01"), run("b")])))
    assert told[0].split() == ["a", "b"]
    assert "Found by a alone:" in told
    assert "- C01 is open." in told
    assert not any(line.startswith("Found by b") for line in told)
    assert "Nothing that no other mode found: b." in told


def test_two_modes_of_the_same_steps_come_to_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["compare", str(BRIEF), "--modes", "graph,classic", "--audits", str(tmp_path)]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [made["mode"] for made in found["runs"]] == ["graph", "classic"]
    assert found["only"] == []
    by_mode = {
        mode: {s["name"]: s["middle"] for s in found["spreads"] if s["mode"] == mode}
        for mode in ("graph", "classic")
    }
    for figures in by_mode.values():
        figures.pop("time")
    assert by_mode["graph"] == by_mode["classic"]
    assert {"score", "size", "detectable effect", "duration, P50"} <= set(by_mode["graph"])


@pytest.mark.parametrize(
    ("modes", "words"), [(",", "names no mode"), ("grpah", "graph"), ("graph,,nope", "nope")]
)
def test_modes_that_are_none_are_refused_before_anything_runs(
    modes: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(BRIEF), "--modes", modes, "--audits", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())

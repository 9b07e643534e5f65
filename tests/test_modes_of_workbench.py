"""What a mode is given by the workbench: a scenario, earlier runs, and its own content."""

import json
from pathlib import Path

import pytest

from core.errors import CallerError
from core.modes import modes
from core.settings import RunOptions
from core.store import RunStore
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.cli import main
from dr_rd.modes.past import read_past
from dr_rd.modes.scenario import load_scenario, read_scenario, scenario_brief
from dr_rd.modes.spec import ModeInputs, read_inputs
from dr_rd.service import mode_inputs
from dr_rd.workbench import load_workbench
from tests.conftest import ROOT


class Seats(Frozen):
    """A scenario's own fields."""

    title: str
    seats: tuple[str, ...] = ()


def test_modes_are_listed_with_their_questions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["modes", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [mode["id"] for mode in listed] == [*modes()]
    assert all(mode["label"] and mode["question"] for mode in listed)
    assert main(["modes"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(listed)


def test_a_run_without_a_brief_says_what_to_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run"]) == 2
    assert "name a file" in capsys.readouterr().err


def test_a_mode_of_tasks_takes_no_scenario(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match="neither a scenario nor earlier runs"):
        mode_inputs(load_workbench(), "graph", {"title": "Seats"})


def test_a_scenario_is_read_with_its_own_fields(tmp_path: Path) -> None:
    file = tmp_path / "table.yaml"
    file.write_text("title: A table\nseats: [host, guest]\n")
    found = read_scenario(Seats, load_scenario(file))
    assert found == Seats(title="A table", seats=("host", "guest"))
    assert scenario_brief(load_scenario(file)).objective == "A table"
    file.write_text("title: A table\nchairs: 3\n")
    with pytest.raises(CallerError, match=r"chairs.*its fields are title, seats"):
        read_scenario(Seats, load_scenario(file))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.yaml", b"- one\n", "no scenario"),
        ("a.json", b"{", "cannot be read as JSON"),
        ("a.yaml", b"\xff\xfe\x00", "not UTF-8"),
        ("a.yaml", b"a: " + b"x" * 1_000_001, "larger than"),
    ],
)
def test_a_scenario_that_cannot_be_read_says_why(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(CallerError, match=words):
        load_scenario(file)


def test_inputs_come_back_from_the_run_without_their_secrets(tmp_path: Path) -> None:
    given = ModeInputs(scenario={"title": "Seats", "api_key": "sk-abcdefghijklmnopqrstuvwx"})
    folder = RunStore(tmp_path).create(
        "run", RunOptions(), {"objective": "bread"}, inputs=given.files()
    )
    found = read_inputs(folder)
    assert found.scenario is not None
    assert found.scenario["title"] == "Seats"
    assert "abcdefghijklmnop" not in str(found.scenario)
    assert read_inputs(RunStore(tmp_path).create("bare", RunOptions(), {})) == ModeInputs()


def test_only_a_run_that_has_ended_can_be_built_on(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    folder = store.create("run", RunOptions(), {"objective": "bread"})
    with pytest.raises(CallerError, match="only a run that has ended"):
        read_past(folder, None, Brief(objective="bread"))


def test_the_page_of_modes_names_each_that_is_installed() -> None:
    page = (ROOT / "docs/modes.md").read_text("utf-8")
    assert [mode for mode in modes() if f"`{mode}`" not in page] == []

"""Real briefs, worked by the real workbench, are done again to the byte."""

import json
import shutil
from pathlib import Path

import pytest

from core.replay import replay
from dr_rd.brief import Brief, GivenTask
from dr_rd.cli import main
from dr_rd.workbench import EVIDENCE
from tests.conftest import SAMPLES

BRIEF = Brief(
    id="loaf",
    objective="Find the oven setting that keeps a rye loaf moist for three days.",
    hard_constraints=("At most 20 loaves.",),
)
NOTES = "# Crumb\n\nA rye loaf baked at 200 °C for 60 minutes keeps 44 % water for three days.\n"


def content(folder: Path) -> dict[Path, tuple[int, bytes]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.mark.parametrize("mode", ["graph", "classic"])
def test_a_run_of_the_workbench_is_done_again_to_the_byte(
    mode, finish, workbench, tmp_path, socket_disabled
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "crumb.md").write_text(NOTES, "utf-8")
    run = finish(SAMPLES[0] if mode == "graph" else BRIEF, mode=mode, docs=(notes,)).folder
    shutil.rmtree(notes)  # what a replay needs is on record
    before = content(run.path)
    found = replay(run.path, workbench.parts, tmp_path, given=(EVIDENCE,))
    assert found.first_difference == ""
    assert content(run.path) == before


def test_the_command_says_whether_a_run_comes_out_the_same(finish, capsys) -> None:
    tasks = (GivenTask(id="T1", title="Bake two loaves"),)
    run = finish(BRIEF.model_copy(update={"tasks": tasks})).folder
    before = content(run.path)
    assert main(["replay", str(run.path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["identical"] is True
    assert said["first_difference"] == ""
    assert said["run_dir"] == str(run.path)
    assert Path(said["proposal"]).is_file()
    assert said["answers"].keys() == {task["id"] for task in said["tasks"]}
    assert content(run.path) == before

    answer = run.path / "answers" / f"{said['tasks'][0]['id']}.json"
    answer.write_text(answer.read_text("utf-8").replace('"attempts": 1', '"attempts": 4'), "utf-8")
    assert main(["replay", str(run.path)]) == 3
    assert capsys.readouterr().out.startswith(f"different: answers/{answer.name}, line ")


def test_a_folder_that_holds_no_run_is_the_callers_mistake(tmp_path, capsys) -> None:
    assert main(["replay", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1

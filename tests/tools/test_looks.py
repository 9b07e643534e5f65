"""What the analyst lets tools look into is looked into, and nothing else changes."""

import shutil

import pytest
from PIL import Image

from core.graph.files import read_answers, read_plan
from core.replay import replay
from dr_rd.brief import Brief
from dr_rd.cli import main
from dr_rd.ledger import build_ledger
from dr_rd.workbench import EVIDENCE

BRIEF = Brief(
    id="park",
    objective="Build a web service that answers booking requests within a second.",
    hard_constraints=("Response time below 1 s.",),
)


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "main.py").write_text("print('booked')\n")
    (folder / "test_main.py").write_text("def test_booked(): pass\n")
    return folder


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    Image.linear_gradient("L").save(folder / "`ramp` ![x].png")
    return folder


def calls(folder, name):
    return [
        (task.id, result)
        for task in read_plan(folder).tasks
        for result in read_answers(folder, read_plan(folder).tasks)[task.id].tool_result
        if result.name == name
    ]


def test_a_run_reads_the_repository_and_the_pictures_and_says_so(finish, repo, docs, workbench, tmp_path):  # fmt: skip
    run = finish(BRIEF, docs=(docs,), repo=repo)
    answers = read_answers(run.folder, read_plan(run.folder).tasks)
    ((task, read),) = calls(run.folder, "read_repo")
    said = answers[task].content
    assert f"**Repository** [{read.id}]: 2 files of 40 bytes" in said
    assert "Python (2)" in said
    assert "1 of the files hold tests" in said
    assert "Its history was not read" in said
    ((task, looked),) = calls(run.folder, "analyze_image")
    said = answers[task].content
    assert f"**Pictures** [{looked.id}]: no model with vision" in said
    assert "| `'ramp' ![x].png` | PNG | 256 | 256 |" in said
    assert any(claim.source == looked.id for claim in answers[task].claims)
    shutil.rmtree(repo)
    shutil.rmtree(docs)  # what a replay needs is on record
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found = replay(run.folder.path, workbench.parts, scratch, given=(EVIDENCE,))
    assert found.first_difference == ""


def test_a_run_without_them_has_no_such_tool_and_writes_nothing_new(finish):
    run = finish(BRIEF)
    planned = {r.name for task in read_plan(run.folder).tasks for r in task.tool_request}
    assert not planned & {"read_repo", "analyze_image"}
    assert "repo" not in run.folder.read_json("settings.json")


def test_a_repository_that_is_gone_is_a_hole_that_is_told(finish, repo):
    shutil.rmtree(repo)
    run = finish(BRIEF, repo=repo)
    ((task, read),) = calls(run.folder, "read_repo")
    assert read.error == "'repo' does not exist"
    answer = read_answers(run.folder, read_plan(run.folder).tasks)[task]
    assert f"**read_repo** [{read.id}] gave no result" in answer.content


def test_in_every_method_one_task_looks(workbench):
    planner = workbench.planner
    for family in planner.ranker.families:
        brief = Brief(objective="Find out what late frost does to pears.", family=family)
        design = planner.design(
            brief, build_ledger(brief), documents=False, pictures=True, repository=True
        )
        requests = [request.name for task in design.tasks for request in task.tool_request]
        assert requests.count("read_repo") == requests.count("analyze_image") == 1


@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_repository_that_is_none_is_the_callers_mistake(command, tmp_path, capsys):
    assert main([command, "Bake bread", "--repo", str(tmp_path / "none")]) == 2
    assert "name a folder or a git repository" in capsys.readouterr().err


def test_a_plan_shows_who_looks(repo, docs, capsys):
    assert main(["plan", BRIEF.objective, "--repo", str(repo), "--docs", str(docs), "--json"]) == 0
    said = capsys.readouterr().out
    assert '"read_repo"' in said
    assert '"analyze_image"' in said

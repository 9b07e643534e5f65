"""What changed between two runs, and a run asked again with another limit."""

import asyncio
import json
import shutil

import pytest

from core.clock import SystemClock
from core.driving import drive
from core.errors import CallerError
from core.graph.files import planned_tasks, read_answers
from core.graph.state import Answer, GraphTask, ToolResult
from core.settings import RunOptions
from core.store import RunStore
from dr_rd.brief import Brief
from dr_rd.checks import LedgerVerdict
from dr_rd.commands.diff import execute, lines
from dr_rd.difference import ComparedPlan, Difference, compared_plan, difference
from dr_rd.reading import parse_brief
from dr_rd.service import begin_rerun

ASKED = Brief(
    objective="Does a weekly hour of drawing help second graders remember what they have read?",
    family="randomised_trial",
    hard_constraints=("at least 12 classes", "budget under 20,000 EUR"),
)
OTHER = ASKED.model_copy(
    update={"hard_constraints": ("at least 12 classes", "budget under 25,000 EUR")}
)


@pytest.fixture(scope="module")
def twice(finish, workbench):
    """A run, and the same asked again with one limit changed."""
    run = finish(ASKED)
    store = RunStore(run.folder.path.parent.parent)
    folder, revision = begin_rerun(
        store, workbench, run.folder, OTHER, by="test", at="2027-01-04", run_id="r2"
    )
    parts = workbench.parts(folder)
    asyncio.run(drive(folder, parts, SystemClock()))
    return run, folder, revision, parts


def test_what_rests_on_no_changed_limit_is_kept_and_the_rest_done_again(twice):
    run, folder, revision, _ = twice
    tasks = planned_tasks(folder)
    owner = next(t for t in tasks if any("C02" in a.ledger_ids for a in t.acceptance))
    assert owner.id not in revision.answers
    assert revision.answers
    before, after = (read_answers(f, tasks) for f in (run.folder, folder))
    assert all(after[key] == before[key] for key in revision.answers)
    assert "budget under 25,000 EUR" in after[owner.id].model_dump_json()


def test_the_difference_names_the_limit_its_verdict_and_what_is_the_same(twice):
    run, folder, revision, parts = twice
    found = difference(compared_plan(run.folder, run.bench), compared_plan(folder, parts))
    assert {c.path for c in found.brief} == {
        "hard_constraints.budget under 20,000 EUR", "hard_constraints.budget under 25,000 EUR",
    }  # fmt: skip
    assert any(c.path == "budget under 25,000 EUR" and c.old is None for c in found.ledger)
    assert set(revision.answers) <= set(found.kept)
    assert not found.settings
    assert not found.added
    again = difference(compared_plan(run.folder, run.bench), compared_plan(run.folder, run.bench))
    assert again.same


def asked_to_compare(*folders):
    return execute(None, run_dir=folders[0], other=folders[1], as_json=False)


def test_a_run_that_is_not_sound_is_said_to_be_so(twice, tmp_path, capsys):
    run, folder, *_ = twice
    broken = shutil.copytree(folder.path, tmp_path / "p" / folder.run_id)
    (broken / "trace.jsonl").write_text("")
    assert asked_to_compare(run.folder.path, folder.path) == 0
    assert asked_to_compare(run.folder.path, broken) == 3
    assert "is not sound" in capsys.readouterr().err


def test_runs_of_modes_that_have_no_lines_in_common_are_not_compared(twice, tmp_path):
    run, *_ = twice
    panel = RunStore(tmp_path).create("p", RunOptions(mode="panel"), ASKED.model_dump(mode="json"))
    with pytest.raises(CallerError, match=r"'graph' and 'panel'.*dr-rd compare"):
        asked_to_compare(run.folder.path, panel.path)


def plan(days=5, **more):
    task = GraphTask(
        id="a", role="r", title="Dig", duration_days={"low": days, "mode": days, "high": days}
    )
    return ComparedPlan(
        brief={"objective": "Dig.", "hard_constraints": ["x", "y"]},
        settings={"seed": 0},
        tasks=(task, *more.get("tasks", ())),
        answers={
            "a": Answer(
                task_id="a",
                content="",
                tool_result=(
                    ToolResult(id="a-1", name="sum", args={}, output={"total": 3 * days}),
                ),
            )
        },
        verdicts=(LedgerVerdict(id="C01", kind="constraint", text="x", verdict=more.get("said", "met"), reason=""),),
    )  # fmt: skip


def test_each_kind_of_change_is_found_and_told():
    new = GraphTask(id="b", role="r", title="Fill")
    found = difference(plan(), plan(days=7, tasks=(new,), said="unclear"))
    assert found.added == ("b",)
    assert {(c.path, c.old, c.new) for c in found.plan} >= {("a.duration_days.mode", 5, 7)}
    assert [(c.path, c.old, c.new) for c in found.numbers] == [("a.sum.total", 15, 21)]
    assert [(c.path, c.old, c.new) for c in found.ledger] == [("x", "met", "unclear")]
    told = "\n".join(lines(found))
    assert "numbers: a.sum.total: 15 -> 21" in told
    assert "tasks added: b" in told
    assert list(lines(Difference())) == [
        "the two runs are the same: brief, settings, plan, ledger, claims and numbers"
    ]


def test_a_line_more_in_a_list_of_the_brief_is_one_change():
    more = plan().model_copy(
        update={"brief": {"objective": "Dig.", "hard_constraints": ["w", "x", "y"]}}
    )
    assert [c.path for c in difference(plan(), more).brief] == ["hard_constraints.w"]


def merged(workbench, tasks, mode="merge"):
    asked = {**ASKED.model_dump(mode="json"), "tasks_mode": mode, "tasks": tasks}
    return workbench.design(parse_brief(json.dumps(asked)), ())


def test_tasks_of_a_brief_are_merged_by_id_and_others_are_added(workbench):
    plain = workbench.design(ASKED, ())
    given = [
        {"id": "T02", "days": 3, "cost": 450},
        {"id": "walls", "title": "Paint the classroom walls", "depends_on": ["T02"], "days": 2},
    ]
    design = merged(workbench, given)
    assert [t.id for t in design.tasks] == [*(t.id for t in plain.tasks), "walls"]
    changed = next(t for t in design.tasks if t.id == "T02")
    before = next(t for t in plain.tasks if t.id == "T02")
    assert (changed.duration_days.mode, changed.cost.high) == (3, 450)
    assert (changed.title, changed.steps) == (before.title, before.steps)
    assert design.scaling.known == 450
    assert [t.id for t in merged(workbench, [*given[1:], {"id": "T02", "title": "x"}], "replace").tasks] == ["walls", "T02"]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"id": "T02", "depends_on": ["T99"]}, "depends on 'T99', which is no task of this plan"),
        ({"id": "T99"}, "'T99' has no title, and the plan has no task of that id"),
    ],
)
def test_a_task_that_cannot_be_merged_is_said_in_a_sentence(workbench, given, said):
    with pytest.raises(CallerError, match=said):
        merged(workbench, [given])


def test_a_mode_that_is_none_is_said_with_the_choices():
    with pytest.raises(CallerError, match="Choose replace, merge or planned"):
        parse_brief(json.dumps({"objective": "Does it rain?", "tasks_mode": "mix"}))


def printed(workbench):
    design = workbench.design(ASKED, ()).model_dump(mode="json")
    return json.loads(json.dumps({"brief": ASKED.model_dump(mode="json"), **design}))


def test_a_printed_plan_is_the_same_plan_again(workbench):
    shown = printed(workbench)
    again = workbench.design(parse_brief(json.dumps(shown)), ()).model_dump(mode="json")
    assert json.loads(json.dumps(again)) == {k: v for k, v in shown.items() if k != "brief"}


def test_a_printed_plan_can_be_edited(workbench):
    shown = printed(workbench)
    last = shown["tasks"].pop()
    shown["tasks"][1]["title"] = "Pick one design"
    design = workbench.design(parse_brief(json.dumps(shown)), ())
    assert last["id"] not in [t.id for t in design.tasks]
    assert design.tasks[1].title == "Pick one design"
    shown["tasks"][0]["duration_days"] = {"low": 9, "mode": 3, "high": 4}
    with pytest.raises(CallerError, match="task 1 is wrong at duration_days"):
        parse_brief(json.dumps(shown))

"""A run's page: approval, progress, the result, and finding it again."""

import json
import zipfile
from dataclasses import replace
from io import BytesIO

import pytest

from core.clock import SystemClock
from core.graph.files import read_answer, read_plan
from core.graph.revision import read_revision
from core.runs import RunService
from core.settings import RunOptions
from dr_rd.annotations import Annotation
from dr_rd.brief import Brief
from dr_rd.report.bundle import exported
from dr_rd.ui import approval, history, result
from dr_rd.ui.context import close_context, open_context
from dr_rd.ui.run import head
from dr_rd.ui.session import Key

TABS = ("Proposal", "Answers", "Limits", "Plan", "Trace", "Settings")


def edit(app, run_id, **edits):
    state = {"edited_rows": {}, "added_rows": [], "deleted_rows": []}
    app.session_state[f"{Key.PLAN}-{run_id}"] = state | edits


@pytest.fixture
def real_waiting(waiting_context):
    """The id of a real run, whose plan nobody has edited; it waits for approval."""
    run_id = waiting_context.service.store.list()[0].run_id
    waiting_context.service.drafts.delete(approval.draft_id(run_id))
    yield run_id
    waiting_context.service.drafts.delete(approval.draft_id(run_id))


def headings(app):
    return [h.value for h in app.header]


def test_an_edited_plan_is_the_plan_that_is_executed(page, context, start):
    run_id = start(page())
    app = page(run=run_id)
    added = [{"title": "Write a summary", "role": "trial-manager", "depends_on": "T01"}]
    edit(app, run_id, edited_rows={0: {"title": "Agree"}}, deleted_rows=[1], added_rows=added)
    app.text_input(key=Key.APPROVER).input("Mina")
    app.button(key=Key.APPROVE).click().run()
    assert not app.error
    context.service.runs.wait(run_id, 60)
    folder = context.service.store.find(run_id)
    assert [(t.id, t.title) for t in read_plan(folder).tasks] == [
        ("T01", "Agree"),
        ("T03", "Do T03"),
        ("T04", "Write a summary"),
    ]
    assert folder.decision("approve-plan").by == "Mina"
    assert read_answer(folder, "T04").usable


def test_whoever_approves_is_told_what_is_wrong_with_the_brief(page, context, start):
    app = page()
    app.text_area(key=Key.OBJECTIVE).input("Test a display in primary schools.")
    for number, words in enumerate(("at least 12 schools", "no more than 10 schools")):
        app.button(key="add-limits").click().run()
        app.text_area(key=f"row-limits-{number}-text").input(words).run()
    app = page(run=start(app))
    (warning,) = app.warning
    assert "“at least 12 schools”" in warning.value
    assert "“no more than 10 schools”" in warning.value
    assert "contradict each other" in warning.value
    assert not app.exception


def test_a_mistake_in_the_plan_is_one_sentence_and_the_run_goes_on_waiting(page, context, start):
    run_id = start(page())
    app = page(run=run_id)
    edit(app, run_id, edited_rows={0: {"depends_on": "T99"}})
    app.button(key=Key.APPROVE).click().run()
    assert len(app.error) == 1
    assert "T99" in app.error[0].value
    assert context.service.runs.snapshot(run_id).status == "waiting"


def test_the_plan_s_screen_says_what_the_plan_comes_to_and_what_each_edit_changes(
    page, real_waiting
):
    app = page(run=real_waiting)
    assert not app.exception
    cards = [m.value for m in app.markdown if "\n### " in m.value]
    assert len(cards) == 3
    edit(app, real_waiting, edited_rows={9: {"days_high": 900.0, "cost_high": 900000.0}})
    app.run()
    changed = [m.value for m in app.markdown if "\n### " in m.value]
    assert changed[:2] != cards[:2]
    assert "too many" in " ".join(m.value for m in app.markdown)
    assert app.button(key=Key.UNDO).label == "Undo (1)"


def test_a_ring_is_told_while_it_is_typed(page, real_waiting):
    app = page(run=real_waiting)
    edit(app, real_waiting, edited_rows={0: {"depends_on": ["T02"]}})
    app.run()
    assert "in a ring" in " ".join(m.value for m in app.markdown)
    assert not app.error


def test_an_edit_outlasts_the_page_and_is_undone(page, real_waiting):
    app = page(run=real_waiting)
    title = app.data_editor[0].value["title"].iloc[0]
    added = [{"title": "Write a summary", "role": "trial-manager"}]
    edit(app, real_waiting, edited_rows={0: {"title": "Another title"}}, added_rows=added)
    app.run()
    assert not app.warning
    again = page(run=real_waiting)
    assert again.data_editor[0].value["title"].iloc[-1] == "Write a summary"
    assert again.data_editor[0].value["title"].iloc[0] == "Another title"
    app.button(key=Key.UNDO).click().run()
    assert app.data_editor[0].value["title"].iloc[0] == title
    assert page(run=real_waiting).data_editor[0].value["title"].iloc[0] == title


def test_an_acceptance_test_is_changed_in_the_side_pane_and_is_what_is_worked(
    page, context, start
):
    run_id = start(page())
    app = page(run=run_id)
    pane = next(a for a in app.text_area if "acceptance" in str(a.key))
    pane.input("It is weighed twice.\nIt is signed.").run()
    app.button(key=Key.APPROVE).click().run()
    context.service.runs.wait(run_id, 60)
    first = read_plan(context.service.store.find(run_id)).tasks[0]
    assert [a.text for a in first.acceptance] == ["It is weighed twice.", "It is signed."]


def test_approval_from_another_tab_stands_and_the_later_one_is_told(page, context, start):
    run_id = start(page())
    app = page(run=run_id)
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Noor")
    context.service.runs.wait(run_id, 60)
    edit(app, run_id, edited_rows={0: {"title": "Too late"}})
    app.button(key=Key.APPROVE).click().run()
    assert not app.exception
    assert context.service.store.find(run_id).decision("approve-plan").by == "Noor"


def test_a_plan_made_anew_says_what_became_of_the_note(page, context, start):
    run_id = start(page())
    answer = {"verdict": "send_back", "note": "no visits on Fridays"}
    context.service.runs.answer(run_id, "approve-plan", answer, by="Mina")
    context.service.runs.wait(run_id, 60)
    (warning,) = page(run=run_id).warning
    assert "was made anew and is the same" in warning.value
    assert "only read as a limit" in warning.value and "C01" in warning.value


def test_a_running_run_is_paused_and_resumed_from_its_page(page, context, start, shift):
    run_id = start(page())
    shift.open = False
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    app = page(run=run_id)
    app.button(key=Key.PAUSE).click().run()
    context.service.runs.wait(run_id, 60)
    app = page(run=run_id)
    assert "paused by a person" in app.warning[0].value
    shift.open = True
    app.button(key=Key.RESUME).click().run()
    context.service.runs.wait(run_id, 60)
    assert context.service.runs.snapshot(run_id).status == "finished"


def restarted(context, opens_on=""):
    """Close the server and open it again over the same audits."""
    close_context()
    runs = RunService(context.service.store, lambda folder: None, SystemClock())
    service = replace(context.service, runs=runs)
    open_context(replace(context, service=service, opens_on=opens_on))


def test_a_restarted_server_shows_the_run_and_its_question(page, context, start):
    run_id = start(page())
    restarted(context)
    app = page(run=run_id)
    assert "Approve the plan?" in headings(app)
    assert len(app.data_editor[0].value) == 3


def finished(context) -> str:
    """Approve the real run, once, and wait for its end."""
    run_id = context.service.store.list()[0].run_id
    if context.service.runs.snapshot(run_id).status == "waiting":
        context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
        context.service.runs.wait(run_id, 60)
    return run_id


def test_a_finished_run_shows_every_part_of_its_result(page, real_context):
    run_id = finished(real_context)
    for tab in TABS:
        app = page(run=run_id, tab=tab)
        assert not app.exception, tab
    app = page(run=run_id)
    assert "Decision" in [h.value for h in app.subheader]
    cards = [m.value for m in app.markdown if "-badge[" in m.value]
    assert [c.split("[")[1] for c in cards][1:] == [
        "Recommendation]",
        "Time]",
        "Money]",
        "Limits]",
    ]
    assert any("[Decision](#section-decision)" in m.value for m in app.markdown)


def test_an_answer_is_chosen_and_shows_its_claims_and_tries(page, real_context):
    app = page(run=finished(real_context), tab="Answers")
    app.selectbox(key=Key.ANSWER).select_index(1).run()
    assert not app.exception
    assert any("T02" in m.value for m in app.markdown)
    assert any("Source" in table.value for table in app.table)
    assert "Try 1" in " ".join(m.value for m in app.markdown)


def test_the_downloads_are_the_proposal_everything_and_the_trace(page, real_context):
    run_id = finished(real_context)
    app = page(run=run_id)
    whole = {Key.GET_PAGE, Key.GET_WORD, Key.GET_PDF, Key.GET_PROPOSAL, Key.GET_BUNDLE}
    parts = {Key.GET_TRACE, Key.GET_PLAN, Key.GET_WORKBOOK}  # no dates: its brief has no start
    assert {b.key for b in app.download_button} == whole | parts
    folder, snapshot = (
        real_context.service.store.find(run_id),
        real_context.service.runs.snapshot(run_id),
    )
    assert json.loads(result.trace_file(folder, snapshot))["run_id"] == run_id
    with zipfile.ZipFile(
        BytesIO(exported(folder, real_context.service.parts(folder), "zip"))
    ) as archive:
        assert f"{run_id}/proposal.md" in archive.namelist()


def test_a_run_that_is_not_there_is_named_in_one_sentence(page, context):
    app = page(run="20260101-000000-000-abcdef")
    assert len(app.error) == 1
    assert "no run" in app.error[0].value


def test_a_run_whose_brief_was_damaged_is_named_in_one_sentence(page, context, start):
    run_id = start(page())
    (context.service.store.find(run_id).path / "brief.json").write_text('{"objektive": 1}')
    app = page(run=run_id)
    assert not app.exception
    assert "cannot be read" in app.error[0].value


def test_a_page_without_its_server_says_how_to_start_it(page):
    assert [e.value for e in page().error] == [
        "the workbench has no run service; start it with `dr-rd ui`"
    ]


def test_the_run_named_at_the_start_is_shown_first(page, context, start):
    restarted(context, opens_on=start(page()))
    assert "Approve the plan?" in headings(page())


def test_the_list_says_what_each_run_was_asked(real_context):
    (row,) = [history.line(info, Annotation()) for info in real_context.service.store.list()]
    assert row["objective"].startswith("Test whether a carbon dioxide display")


@pytest.mark.parametrize(
    ("project", "objective", "shown"),
    [
        ("edu-01", "Test whether mulch helps.", "Edu 01"),
        ("brief", "test whether mulch helps.", "Test whether mulch helps"),
        (
            "brief",
            "Find out " + "very " * 30,
            "Find out very very very very very very very very very very very very very very …",
        ),
    ],
)
def test_the_head_of_a_page_says_which_run_it_is(project, objective, shown):
    assert head(project, Brief(objective=objective)) == shown


def test_what_the_head_says_is_not_said_again_beneath_it(page, context):
    flags = context.service.defaults
    for run_id, project in (("r1", "brief"), ("r2", "orchards")):
        options = RunOptions(flags=flags, project_id=project)
        context.service.start(options, Brief(objective="test whether mulch helps."), run_id)
        context.service.runs.wait(run_id, 60)
    said = [
        [m.value for m in page(run=run_id).markdown if "mulch" in m.value]
        for run_id in ("r1", "r2")
    ]
    assert said == [[], ["test whether mulch helps."]]


def test_a_task_is_done_again_as_a_run_of_its_own(page, context, start):
    run_id = start(page())
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    context.service.runs.wait(run_id, 60)
    app = page(run=run_id, tab="Answers")
    app.text_area(key=f"{Key.REDO_NOTE}-{run_id}-T01").input("name the sensors")
    app.button(key=f"{Key.REDO}-{run_id}-T01").click().run()
    assert not app.exception
    (again,) = {run.run_id for run in context.service.list()} - {run_id}
    assert again in app.query_params["run"]
    context.service.runs.wait(again, 60)
    (redo,) = read_revision(context.service.store.find(again)).redo
    assert (redo.task_id, redo.note) == ("T01", "name the sensors")

"""The form: from an idea, a sample or a file to a run."""

import json

from core.settings import Flags, RunOptions
from dr_rd.ui import session
from dr_rd.ui.session import Key, Note, sample_key

MAIL = """Hi,

please find out whether a dim night light on the ward cuts falls among patients over 65.
We have 85,000 EUR, and the report is due on 30 September 2028.

- at least 4 wards take part
- no cameras in rooms

One research nurse at half time, 420 EUR a day. Whatever we do must not go on longer
than the nurses' agreement lasts.
"""


def read(page, text=MAIL):
    app = page()
    app.text_area(key=Key.TEXT).input(text)
    return app.button(key=Key.READ).click().run()


def limits(app):
    return [
        (app.selectbox(key=area.key.replace("-text", "-kind")).value, area.value)
        for area in app.text_area
        if area.key.startswith("row-limits-")
    ]


def test_a_mail_becomes_a_form_with_its_places_marked_in_the_text(page, context):
    app = read(page)
    assert "dim night light" in app.text_area(key=Key.OBJECTIVE).value
    assert app.text_input(key=Key.BUDGET).value == "85,000 EUR"
    assert app.text_input(key=Key.DEADLINE).value == "2028-09-30"
    assert ("ban", "no cameras in rooms") in limits(app)
    assert app.text_input(key=session.row_key("people", person(app), "role")).value
    (marked,) = [h.proto.body for h in app.get("html") if "<mark" in h.proto.body]
    assert "85,000 EUR<sup>budget</sup></mark>" in marked
    assert not app.exception


def test_a_form_that_was_filled_outlasts_what_a_browser_sends_before_it_knows(page, context):
    app = page()
    app.button(key=sample_key(0)).click().run()
    objective, deadline = app.text_area(key=Key.OBJECTIVE), app.text_input(key=Key.DEADLINE)
    known = objective.value, deadline.value
    assert all(known)
    objective.input("")
    deadline.input("")
    app.text_input(key=Key.PROJECT).input("air").run()
    assert (objective_of(app), app.text_input(key=Key.DEADLINE).value) == known
    assert app.text_input(key=Key.PROJECT).value == "air"
    app.text_area(key=Key.OBJECTIVE).input("").run()
    assert objective_of(app) == ""
    app.text_input(key=Key.DEADLINE).input("").run()
    assert app.text_input(key=Key.DEADLINE).value == ""


def objective_of(app):
    return app.text_area(key=Key.OBJECTIVE).value


def test_a_start_that_was_cut_off_before_its_button_was_drawn_is_made_up_for(page, context):
    app = page()
    app.text_area(key=Key.OBJECTIVE).input("Compare two lime doses.").run()
    if any(box.key == Key.FAMILY for box in app.selectbox):
        app.selectbox(key=Key.FAMILY).select_index(0).run()
    app.session_state[Note.STARTING] = "yes"
    app.run()
    assert not app.exception
    assert len(context.service.list()) == 1


def person(app):
    return next(int(i.key.split("-")[2]) for i in app.text_input if "row-people" in str(i.key))


def numbers(app):
    return [a.key.split("-")[2] for a in app.text_area if a.key.startswith("row-limits-")]


def test_a_limit_is_corrected_added_and_dropped_in_one_click_each(page, context, start):
    app = read(page)
    first, dropped = numbers(app)[0], limits(app)[-1]
    app.text_area(key=f"row-limits-{first}-text").input("at least 6 wards take part")
    app.selectbox(key=f"row-limits-{first}-kind").set_value("criterion").run()
    app.button(key=f"drop-limits-{numbers(app)[-1]}").click().run()
    app.button(key="add-limits").click().run()
    app.text_area(key=f"row-limits-{numbers(app)[-1]}-text").input("no more night shifts").run()
    assert ("criterion", "at least 6 wards take part") in limits(app)
    assert dropped not in limits(app)
    brief = context.service.brief(context.service.store.find(start(app)))
    assert "at least 6 wards take part" in brief.success_criteria
    assert "no more night shifts" in brief.hard_constraints
    assert brief.resources.people[0].rate == 420


def test_what_was_not_understood_is_listed_and_becomes_a_limit_in_one_click(page, context):
    app = read(page)
    add = next(b for b in app.button if str(b.key).startswith("add-unread-"))
    assert add.label == "Add as a limit"
    held = len(limits(app))
    app = add.click().run()
    assert len(limits(app)) == held + 1


def test_all_mistakes_are_named_at_once_beside_their_fields(page, context):
    app = page()
    app.text_area(key=Key.OBJECTIVE).input("Compare two lime doses on pasture.")
    app.text_input(key=Key.BUDGET).input("lots")
    app.text_input(key=Key.BEGIN).input("yesterday-ish")
    app.text_input(key=Key.DEADLINE).input("soon")
    app.text_input(key=Key.PROJECT).input("../etc").run()
    said = [e.value for e in app.error]
    assert [any(word in e for e in said) for word in ("lots", "yesterday", "soon", "etc")] == [
        True
    ] * 4
    app.button(key=Key.START).click().run()
    assert app.error[-1].value == (
        "4 fields need your attention before a plan can be made: budget, start, deadline, project"
    )
    assert context.service.store.list() == []


def test_a_form_is_kept_on_disk_and_a_reload_shows_it_again(page, context):
    app = read(page)
    app.text_input(key=Key.BUDGET).input("90,000 EUR").run()
    draft = app.query_params["draft"]
    draft = draft[0] if isinstance(draft, list) else draft
    again = page(draft=draft)
    assert again.text_input(key=Key.BUDGET).value == "90,000 EUR"
    assert limits(again) == limits(app)
    assert any("<mark" in h.proto.body for h in again.get("html"))
    fresh = page()
    assert "draft" not in fresh.query_params
    fresh.button(key=f"draft-open-{draft}").click().run()
    assert fresh.text_input(key=Key.BUDGET).value == "90,000 EUR"


def test_a_draft_that_is_a_run_now_is_gone_and_an_unknown_one_is_told(page, context, start):
    app = read(page)
    assert context.service.drafts.list()
    start(app)
    assert context.service.drafts.list() == []
    assert not page(draft="no-such-draft").exception


def test_an_empty_objective_is_one_plain_sentence_and_starts_nothing(page, context):
    app = page()
    app.button(key=Key.START).click().run()
    assert app.error[0].value == "Say in a sentence what is to be found out."
    assert context.service.store.list() == []
    assert not app.exception


def test_an_objective_that_names_nothing_starts_nothing(page, context):
    app = page()
    app.text_area(key=Key.OBJECTIVE).input("x")
    app.button(key=Key.START).click().run()
    assert "names nothing to plan for" in app.error[0].value
    assert context.service.store.list() == []


def test_what_asks_for_no_research_is_refused_with_its_sentence(page, context):
    app = page()
    order = "Please order two boxes of gloves and send the invoice."
    app.text_area(key=Key.OBJECTIVE).input(order)
    app.button(key=Key.START).click().run()
    assert [e.value for e in app.error if "asks for no research" in e.value]
    assert context.service.store.list() == []


def test_a_design_that_the_brief_leaves_open_is_chosen_first(page, context, start):
    app = page()
    app.text_area(key=Key.OBJECTIVE).input("Something on lakes or climate.")
    app.button(key=Key.START).click().run()
    assert "leaves its design open" in app.error[0].value
    assert context.service.store.list() == []
    options = app.selectbox(key=Key.FAMILY).options
    assert (len(options), options[-1][:13]) == (4, "none of these")
    run_id = start(app)
    chosen = context.service.brief(context.service.store.find(run_id)).family
    assert chosen in context.service.workbench.planner.ranker.families


def upload(page, **brief):
    app = page()
    return app.file_uploader(key=Key.BRIEF_FILE).upload("b.json", json.dumps(brief).encode()).run()


def test_the_design_that_a_brief_names_is_kept_and_not_asked_for(page, context, start):
    app = upload(page, objective="Something on lakes or climate.", family="monitoring")
    assert app.selectbox(key=Key.FAMILY).value == "monitoring"
    assert context.service.brief(context.service.store.find(start(app))).family == "monitoring"


def test_a_design_family_that_there_is_not_is_named_at_once(page, context):
    app = upload(page, objective="Compare two lime doses on pasture.", family="lime")
    assert any("Unknown design family 'lime'" in e.value for e in app.error)


def test_a_sample_fills_the_form_one_click_away(page, context):
    app = page()
    app.button(key=sample_key(0)).click().run()
    assert "carbon dioxide" in app.text_area(key=Key.OBJECTIVE).value
    assert {kind for kind, _ in limits(app)} == {"constraint", "criterion", "ban"}
    assert app.text_area(key=Key.DIRECTIONS).value
    assert app.text_input(key=Key.PROJECT).value == "classroom-air"
    assert not app.exception


def test_every_sample_can_be_sent(page, context):
    for number in range(3):
        app = page()
        app.button(key=sample_key(number)).click().run()
        assert not app.error


def test_clearing_the_form_leaves_nothing_of_the_sample(page, context):
    app = page()
    app.button(key=sample_key(0)).click().run()
    app.button(key=Key.CLEAR).click().run()
    assert app.text_area(key=Key.OBJECTIVE).value == ""
    assert limits(app) == []


def test_an_uploaded_brief_fills_the_form_and_later_edits_stay(page, context):
    app = upload(page, id="Soil pH", objective="Compare lime doses.", hard_constraints=["no ash"])
    assert app.text_area(key=Key.OBJECTIVE).value == "Compare lime doses."
    assert app.text_input(key=Key.PROJECT).value == "soil-ph"
    app.text_area(key="row-limits-0-text").input("no slag").run()
    assert limits(app) == [("constraint", "no slag")]


def test_an_uploaded_brief_that_is_none_is_named_in_one_sentence(page, context):
    app = page()
    app.file_uploader(key=Key.BRIEF_FILE).upload("bad.json", b'{"objective": 5}').run()
    assert len(app.error) == 1
    assert "bad" in app.error[0].value
    assert "objective" in app.error[0].value


def test_a_documents_folder_that_is_missing_is_named(page, context):
    app = page()
    app.button(key=sample_key(0)).click().run()
    app.text_input(key=Key.DOCS_PATH).input("/no/such/folder").run()
    app.button(key=Key.START).click().run()
    assert any("/no/such/folder" in e.value for e in app.error)
    assert context.service.store.list() == []


def test_what_the_form_holds_is_what_the_run_is_asked(page, context, start):
    app = page()
    app.text_area(key=Key.OBJECTIVE).input("Compare two lime doses on pasture.")
    app.text_area(key=Key.DIRECTIONS).input("split-plot trial\nstrip trial")
    app.segmented_control(key=Key.RISK).set_value("low")
    app.text_input(key=Key.BUDGET).input("5000 EUR")
    app.text_input(key=Key.BEGIN).input("1 March 2027")
    app.text_input(key=Key.DEADLINE).input("12 months")
    app.text_input(key=Key.PROJECT).input("lime")
    app.button(key="add-people").click().run()
    app.text_input(key=session.row_key("people", 0, "role")).input("technician")
    app.button(key="add-closed").click().run()
    app.text_input(key=session.row_key("closed", 1, "first")).input("2027-07-01")
    app.text_input(key=session.row_key("closed", 1, "last")).input("2027-07-31")
    app.radio(key=Key.COVERS).set_value("all")
    app.selectbox(key=Key.FIGURE).set_value("power").run()
    app.text_input(key=session.row_key("figures", 2, "value")).input("0.9").run()
    folder = context.service.store.find(start(app))
    brief = context.service.brief(folder)
    assert folder.project_id == "lime"
    assert brief.plausible_directions == ("split-plot trial", "strip trial")
    assert (brief.risk_posture, brief.budget) == ("low", "5000 EUR")
    assert (brief.start, brief.deadline) == ("1 March 2027", "12 months")
    assert [p.role for p in brief.resources.people] == ["technician"]
    assert (len(brief.closed_days), brief.resources.covers) == (31, "all")
    assert brief.statistics.power == 0.9


def test_uploaded_documents_are_handed_to_the_run(page, context, start):
    app = page()
    app.button(key=sample_key(0)).click().run()
    note = b"# Sensors\n\nNon-dispersive infrared sensors drift by 30 ppm a year.\n"
    app.file_uploader(key=Key.DOCS_FILES).upload("note.md", note).run()
    (docs,) = context.service.store.find(start(app)).options().docs
    assert {p.name: p.read_bytes() for p in docs.iterdir()} == {"note.md": note}


def test_a_repository_is_handed_to_the_run(page, context, start, tmp_path):
    app = page()
    app.button(key=sample_key(0)).click().run()
    app.text_input(key=Key.REPO_PATH).input("/no/such/repository").run()
    assert any("/no/such/repository" in e.value for e in app.error)
    app.text_input(key=Key.REPO_PATH).input(str(tmp_path)).run()
    assert not app.error
    assert context.service.store.find(start(app)).options().repo == tmp_path.resolve()


def test_the_same_start_twice_is_one_run(context):
    run_id = context.service.runs.new_id()
    brief = {"objective": "Compare two lime doses."}
    options = RunOptions(flags=Flags(APPROVAL_REQUIRED=True))
    assert context.service.runs.start(options, brief, run_id) == run_id
    assert context.service.runs.start(options, brief, run_id) == run_id
    context.service.runs.wait(run_id, 60)
    assert len(context.service.store.list()) == 1


def test_an_unusable_project_name_is_one_plain_sentence(page, context):
    app = page()
    app.button(key=sample_key(0)).click().run()
    app.text_input(key=Key.PROJECT).input("../etc").run()
    app.button(key=Key.START).click().run()
    assert any("'../etc'" in e.value for e in app.error)
    assert context.service.store.list() == []

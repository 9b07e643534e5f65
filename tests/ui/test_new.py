"""The form: from an idea, a sample or a file to a run."""

import json

from core.settings import Flags, RunOptions
from dr_rd.ui.session import Key, sample_key


def test_an_empty_objective_is_one_plain_sentence_and_starts_nothing(page, context):
    app = page()
    app.button(key=Key.START).click().run()
    assert [e.value for e in app.error] == [
        "the form has no objective; say in a sentence what is to be found out, "
        "under the key 'objective'"
    ]
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


def test_the_design_that_a_brief_names_is_kept_and_not_asked_for(page, context, start):
    app = page()
    brief = {"objective": "Something on lakes or climate.", "family": "monitoring"}
    app.file_uploader(key=Key.BRIEF_FILE).upload("b.json", json.dumps(brief).encode()).run()
    assert [b.key for b in app.selectbox if b.key == Key.FAMILY] == []
    assert context.service.brief(context.service.store.find(start(app))).family == "monitoring"


def test_a_design_family_that_there_is_not_starts_nothing(page, context):
    app = page()
    brief = {"objective": "Compare two lime doses on pasture.", "family": "lime"}
    app.file_uploader(key=Key.BRIEF_FILE).upload("b.json", json.dumps(brief).encode()).run()
    app.button(key=Key.START).click().run()
    assert "unknown design family 'lime'" in app.error[0].value
    assert context.service.store.list() == []


def test_a_sample_fills_every_field_one_click_away(page, context):
    app = page()
    app.button(key=sample_key(0)).click().run()
    for key in (Key.OBJECTIVE, Key.CONSTRAINTS, Key.CRITERIA, Key.DIRECTIONS, Key.BANS):
        assert app.text_area(key=key).value
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
    assert app.text_area(key=Key.BANS).value == ""


def test_an_uploaded_brief_fills_the_form_and_later_edits_stay(page, context):
    app = page()
    brief = {"id": "Soil pH", "objective": "Compare lime doses.", "hard_constraints": ["no ash"]}
    app.file_uploader(key=Key.BRIEF_FILE).upload("b.json", json.dumps(brief).encode()).run()
    assert app.text_area(key=Key.OBJECTIVE).value == "Compare lime doses."
    assert app.text_input(key=Key.PROJECT).value == "soil-ph"
    app.text_area(key=Key.CONSTRAINTS).input("no ash\nno slag").run()
    assert app.text_area(key=Key.CONSTRAINTS).value == "no ash\nno slag"


def test_an_uploaded_brief_that_is_none_is_named_in_one_sentence(page, context):
    app = page()
    app.file_uploader(key=Key.BRIEF_FILE).upload("bad.json", b'{"objective": 5}').run()
    assert len(app.error) == 1
    assert "bad.json" in app.error[0].value
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
    app.text_area(key=Key.CONSTRAINTS).input("- at least 8 plots\n- budget under 5000 EUR")
    app.text_area(key=Key.CRITERIA).input("reports soil pH")
    app.text_area(key=Key.DIRECTIONS).input("split-plot trial\nstrip trial")
    app.text_area(key=Key.BANS).input("no herbicide")
    app.segmented_control(key=Key.RISK).set_value("low")
    app.text_input(key=Key.BUDGET).input("5000 EUR")
    app.text_input(key=Key.BEGIN).input("1 March 2027")
    app.text_input(key=Key.DEADLINE).input("12 months")
    app.text_input(key=Key.PROJECT).input("lime").run()
    folder = context.service.store.find(start(app))
    brief = folder.read_json("brief.json")
    assert folder.project_id == "lime"
    assert brief["hard_constraints"] == ["at least 8 plots", "budget under 5000 EUR"]
    assert brief["plausible_directions"] == ["split-plot trial", "strip trial"]
    assert (brief["risk_posture"], brief["budget"]) == ("low", "5000 EUR")
    assert (brief["success_criteria"], brief["banned_moves"]) == (
        ["reports soil pH"],
        ["no herbicide"],
    )
    assert (brief["start"], brief["deadline"]) == ("1 March 2027", "12 months")


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

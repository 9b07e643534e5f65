"""The list of all runs: what it shows, and how a run is found in it."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from core.index import RunInfo
from dr_rd.annotations import Annotation
from dr_rd.ui import history
from dr_rd.ui.session import Key
from dr_rd.ui.tables import STATES

LINES = [
    {"status": "Finished", "mode": "Graph", "project": "rye", "objective": "Test mulch on rye",
     "tags": ["board"], "note": "", "run": "r1"},
    {"status": "Paused", "mode": "Panel", "project": "rye", "objective": "Test cover on rye",
     "tags": [], "note": "Ask Ana", "run": "r2"},
    {"status": "Finished", "mode": "Panel", "project": "steel", "objective": "Wear of bearings",
     "tags": [], "note": "", "run": "r3"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "picked", "places"),
    [
        ("", {}, [0, 1, 2]),
        ("RYE test", {}, [0, 1]),
        ("board", {}, [0]),
        ("ana", {}, [1]),
        ("", {"status": ["Finished"], "mode": ["Panel"]}, [2]),
        ("", {"status": ["Finished", "Paused"], "project": ["rye"]}, [0, 1]),
        ("rye", {"project": ["steel"]}, []),
        ("", {"status": []}, [0, 1, 2]),
    ],
)
def test_a_run_is_found_by_words_and_by_what_is_picked(words, picked, places):
    assert history.found(LINES, words, picked) == places


def test_a_line_tells_what_a_run_recommends_and_how_its_limits_stand(tmp_path):
    facts = {"recommendation": "Fund if", "limits": "time 62 %; C02 broken"}
    info = RunInfo("r1", "rye", tmp_path, "graph", "finished", facts=facts)
    row = history.line(info, Annotation())
    assert (row["recommendation"], row["limits"]) == ("Fund if", "time 62 %; C02 broken")
    assert history.found([row], "fund broken", {}) == [0]


def test_the_list_shows_every_run_and_what_is_wrong_with_a_broken_one(context, page, start):
    run_id = start(page())
    (context.service.store.root / "brief" / "broken").mkdir()
    rows = [history.line(info, Annotation()) for info in context.service.store.list()]
    assert [r["run"] for r in rows] == ["broken", run_id]
    assert "settings.json" in rows[0]["status"]
    assert rows[1]["status"] == "Waiting for you"


def test_a_run_without_a_project_of_its_own_has_none_in_the_list(tmp_path):
    nameless, named = (
        history.line(RunInfo("r1", project, tmp_path, "graph", "finished"), Annotation())
        for project in ("brief", "rye")
    )
    assert (nameless["project"], named["project"]) == ("", "rye")


def test_no_state_is_cut_off_in_the_list(context, page, start):
    def listed():
        from dr_rd.ui import history  # noqa: PLC0415 - run by the page's own thread

        history.draw({"new": "", "run": ""})

    start(page())
    columns = json.loads(AppTest.from_function(listed).run(timeout=30).dataframe[0].proto.columns)
    longest = max(len(label) for label, _ in STATES.values())
    assert columns["status"]["width"] >= 16 + 6 * longest


def test_a_tag_and_a_note_are_written_on_the_run_s_page_and_found_in_the_list(
    context, page, start
):
    run_id = start(page())
    app = page(run=run_id)
    app.text_input(key=f"{Key.TAGS}-{run_id}").set_value("board,  spring, board ,").run()
    app.text_area(key=f"{Key.NOTE}-{run_id}").set_value("Ask Ana. \n").run()
    assert not app.exception
    assert context.service.annotations.read(run_id) == Annotation(
        tags=("board", "spring"), note="Ask Ana."
    )
    badges = [m.value for m in page(run=run_id).markdown if "-badge[" in m.value]
    assert any("board" in b for b in badges) and any("spring" in b for b in badges)
    (row,) = history.found(
        [history.line(context.service.store.list()[0], context.service.annotations.read(run_id))],
        "ana spring",
        {},
    )
    assert row == 0


def test_a_tag_that_is_too_long_is_said_so_and_keeps_what_was_there(context, page, start):
    run_id = start(page())
    app = page(run=run_id)
    app.text_input(key=f"{Key.TAGS}-{run_id}").set_value("board").run()
    app.text_input(key=f"{Key.TAGS}-{run_id}").set_value("x" * 41).run()
    assert not app.exception
    assert ["at most 40 fit" in toast.value for toast in app.toast] == [True]
    assert context.service.annotations.read(run_id) == Annotation(tags=("board",))

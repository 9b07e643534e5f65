"""The stage board on the page: drawn while a run waits and after it has ended, answered with a press."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.clock import SystemClock
from core.modes.delivery import Delivery, Route
from core.runs import RunService
from core.settings import Flags, RunOptions, read_flags
from core.store import RunStore
from dr_rd.service import ResearchService
from dr_rd.ui.asgi import PAGE
from dr_rd.ui.context import AppContext, close_context, open_context
from dr_rd.ui.views.delivery import board
from tests.modes.delivery.test_results import short_brief
from tests.modes.designs import workbench

DEFAULTS = read_flags({"BACKOFF_BASE_S": "0"}, defaults=Flags())


@pytest.fixture
def context(tmp_path: Path) -> Iterator[AppContext]:
    service = RunService(RunStore(tmp_path), workbench().parts, SystemClock())
    opened = AppContext(ResearchService(service, workbench(), DEFAULTS))
    open_context(opened)
    yield opened
    close_context()


def page(run_id: str) -> AppTest:
    at = AppTest.from_file(str(PAGE), default_timeout=60)
    at.query_params["run"] = run_id
    return at.run()


def test_the_board_shows_each_stage_with_what_it_said_and_where_it_led() -> None:
    state = Delivery(routes=(Route(source="analyst", destination="pm", reason="fine"),))
    rows = {row["stage"]: row for row in board(state, "running")}
    assert list(rows) == ["analyst", "pm", "architect", "dev", "tea"]
    assert (rows["analyst"]["state"], rows["analyst"]["led to"]) == ("done", "pm: fine")
    assert (rows["pm"]["state"], rows["dev"]["state"]) == ("in hand", "not begun")
    stuck = Delivery(routes=(Route(source="tea", destination="escalate", reason="lost"),))
    assert board(stuck, "waiting")[-1]["state"] == "waits for a person"


def test_a_person_sees_the_matrix_answers_and_reads_the_end(context: AppContext) -> None:
    runs = context.service.runs
    run_id = runs.start(RunOptions(mode="delivery"), short_brief().model_dump(mode="json"))
    assert runs.wait(run_id, 60).status == "waiting"
    at = page(run_id)
    assert not at.exception
    boards, tables = at.table[0].value, at.table[1].value
    assert list(boards["Stage"])[-1] == "escalate"
    assert "C01" in set(tables["Ledger"])
    assert any("pay staff time" in header.value for header in at.header)
    [choice] = [radio for radio in at.radio if radio.options == ["no", "yes", "stop"]]
    choice.set_value("no")
    next(button for button in at.button if button.label == "Answer").click().run()
    assert runs.wait(run_id, 60).status == "finished"
    at = page(run_id)
    assert not at.exception
    assert at.success[0].value.startswith("Go")
    assert len(at.table) >= 4

"""Refereed moves on the page: the table, a viewer's own view, the log, and any step of it."""

import pytest

from core.clock import SystemClock
from core.modes.referee.views import read_state, states
from core.runs import RunService
from core.settings import RunOptions
from core.store import RunStore
from core.testing import FakeParts
from core.trace import read_events
from dr_rd.service import ResearchService
from dr_rd.ui.context import AppContext, close_context, open_context
from tests.modes.referee.tables import ToyTable
from tests.ui.conftest import DEFAULTS


@pytest.fixture
def people() -> dict[str, str]:
    return {}


@pytest.fixture
def game(tmp_path, workbench, people):
    def parts_for(folder):
        made = lambda kit: ToyTable(kit, people=people)  # noqa: E731 - read by the kit alone
        return FakeParts((), folder.options(), make_content=made)

    service = RunService(RunStore(tmp_path / "audits"), parts_for, SystemClock())
    context = AppContext(ResearchService(service, workbench, DEFAULTS))
    open_context(context)
    run_id = service.start(RunOptions(mode="referee", seed=3), {"objective": "Play."}, "game")
    service.wait(run_id, 60)
    yield context, run_id
    close_context()


def told(app) -> str:
    frames = [frame.value.to_string() for frame in app.table]
    lines = [line.value for line in (*app.markdown, *app.caption, *app.header)]
    return "\n".join((*frames, *lines))


def hands(context, run_id):
    folder = context.service.store.find(run_id)
    first = states(list(read_events(folder.trace_path)))[0]
    return read_state(folder, first).game["hands"]


def test_game_that_is_over_is_shown_step_by_step_as_each_player_saw_it(game, page) -> None:
    context, run_id = game
    app = page(run=run_id)
    assert not app.exception
    assert "moves, 0 refused, 0 made by the referee" in told(app)
    app.slider(key=f"step-{run_id}").set_value(1).run()
    held = hands(context, run_id)
    assert not any(str(card) in told(app) for hand in held.values() for card in hand)
    viewer = app.selectbox(key=f"viewer-{run_id}")
    assert viewer.options == ["what is public", *sorted(held)]
    viewer.set_value("ann").run()
    assert not app.exception
    assert all(str(card) in told(app) for card in held["ann"])
    assert not any(str(card) in told(app) for card in held["bob"])


@pytest.mark.parametrize("people", [{"ann": ""}])
def test_game_that_waits_shows_what_is_public_and_the_person_their_own_hand(game, page) -> None:
    context, run_id = game
    app = page(run=run_id)
    assert not app.exception
    held = hands(context, run_id)
    assert not any(str(card) in told(app) for card in held["bob"])
    assert "To move: ann." in told(app)

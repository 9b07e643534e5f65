"""The page: labels while a game goes on, names and ballots once it is over."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.modes import find_mode
from core.trace import read_events
from dr_rd.ui.views import downselect as page
from dr_rd.ui.views import find_view
from tests.modes.downselect.test_content import GIVEN, ran
from tests.modes.downselect.test_run import answer, begun, driven, leaky_words, steady


def drawn(kind: str, folder: Any, view: Any) -> str:
    """Draw the view in an app of its own, and return all that it shows."""

    def app(kind, folder, snapshot):
        from dr_rd.ui.views import downselect as shown  # noqa: PLC0415 - run by the page's own thread

        if kind == "live":
            shown.live(None, snapshot)
        else:
            shown.ended(None, folder, snapshot)

    tested = AppTest.from_function(app, args=(kind, folder, SimpleNamespace(view=view)))
    tested.run(timeout=30)
    assert not tested.exception
    parts = [*tested.markdown, *tested.caption, *tested.header, *tested.subheader]
    tables = [str(d.value.to_dict()) for d in tested.table]
    return "\n".join([*(str(p.value) for p in parts), *tables]).replace("\\", "")


def test_the_page_of_a_game_that_goes_on_shows_labels_and_messages_only(tmp_path: Path) -> None:
    folder, made = begun(tmp_path), steady(people=1)
    driven(folder, made)
    answer(folder)
    driven(folder, made)
    view = find_mode("downselect").view(folder, list(read_events(folder.trace_path)))
    shown = drawn("live", folder, view)
    assert "Option A: way number" in shown and "Player" in shown
    assert not [w for w in leaky_words(folder) if w in shown]
    assert find_view("downselect") is page


def test_the_page_of_a_game_that_is_over_shows_the_finding_first(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    shown = drawn("ended", ran(tmp_path, **GIVEN), None)
    assert "Keep zinc: paint went last" in shown
    assert "zinc by dipping" in shown and "gold" in shown

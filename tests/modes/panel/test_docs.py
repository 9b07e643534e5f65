"""The page of the mode: its example is what the mode gives, its picture is the graph."""

import re

from core.graph.build import draw_mermaid
from core.modes.panel import spec_of
from dr_rd.modes.panel.result import render
from tests.conftest import ROOT
from tests.modes.panel.test_voices import panel

PAGE = (ROOT / "docs/modes/panel.md").read_text("utf-8")


def test_the_example_is_what_the_panel_gives() -> None:
    given = render(panel("agri_01")).splitlines()
    shown = [
        line
        for block in re.findall(r"```text\n(.*?)```", PAGE, re.S)
        for line in block.splitlines()
    ]
    assert len(shown) > 10
    assert [line for line in shown if line not in given] == []


def test_the_picture_is_the_compiled_graph() -> None:
    picture = draw_mermaid(spec_of(("chair", "statistician", "finance"))).strip()
    assert picture in PAGE

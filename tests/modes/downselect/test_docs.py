"""The mode's page: its example is real, and its picture is the compiled graph."""

import re
from pathlib import Path

import yaml

from core.graph.build import draw_mermaid
from core.modes import find_mode
from core.settings import Flags
from tests.conftest import ROOT
from tests.modes.downselect.test_content import ran

PAGE = (ROOT / "docs/modes/downselect.md").read_text("utf-8")


def block(kind: str) -> str:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S)[0]


def test_the_example_is_what_a_run_of_it_gives(tmp_path: Path) -> None:
    text = ran(tmp_path, seed=1, **yaml.safe_load(block("yaml"))).read_text("result.md")
    lines = [line for line in block("markdown").splitlines() if line]
    assert len(lines) > 8
    assert [line for line in lines if line not in text.splitlines()] == []


def test_the_picture_is_the_compiled_graph() -> None:
    drawn = draw_mermaid(find_mode("downselect").spec(Flags()))
    assert block("mermaid").strip() == drawn.strip()

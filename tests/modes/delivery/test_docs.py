"""The page on the mode shows the graph as it is, and an example that runs."""

import re
from pathlib import Path

from core.graph.build import draw_mermaid
from core.modes import find_mode
from core.settings import Flags
from dr_rd.reading import parse_brief
from tests.modes.delivery.real import driven, real_run

PAGE = Path(__file__).parents[3] / "docs" / "modes" / "delivery.md"
NAMES = ("graph", "result", "rework")


def block(name: str) -> str:
    found = re.search(
        rf"<!-- {name} -->\n```\w*\n(.*?)```\n<!-- /{name} -->", PAGE.read_text(), re.S
    )
    assert found, name
    return found[1]


def expected(root: Path) -> dict[str, str]:
    """Return what the page should show, by its part."""
    folder = real_run(root, parse_brief(block("brief"), name="bread.yaml"))
    assert driven(folder).exit_code == 4
    words = folder.read_text("result.md")
    parts = words.partition("\n## Stories")[0] + "\n"
    rework = words.partition("## Rework\n\n")[2].partition("\n\n")[0] + "\n"
    graph = draw_mermaid(find_mode("delivery").spec(Flags()))
    return {"graph": graph, "result": parts, "rework": rework}


def test_the_page_shows_the_graph_and_an_output_that_are_real(tmp_path: Path) -> None:
    found = expected(tmp_path)
    for name in NAMES:
        assert block(name).strip() == found[name].strip(), f"{name}: {found[name]}"

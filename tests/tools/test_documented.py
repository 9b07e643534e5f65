"""Every tool has a page, and its worked example is what the tool gives.

`python -m tests.tools.test_documented` writes the results anew.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from core.tool_router import Tool
from dr_rd.evidence.index import index_with
from dr_rd.evidence.ingest import read_documents
from dr_rd.tools import builtin_tools

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/tools"
LOOKS = {"analyze_image", "read_repo"}
"""Their examples look into a folder of their own."""
PAIR = re.compile(r"(```yaml request\n(.*?)```\n.*?```json result\n)(.*?)```", re.DOTALL)


@cache
def tools() -> dict[str, Tool]:
    corpus = read_documents([ROOT / "bench/evidence/documents"])
    return {t.name: t for t in builtin_tools(corpus, index_with(corpus, None))}


def given(name: str, request: str) -> object:
    tool = tools()[name]
    return json.loads(json.dumps(tool.run(tool.params.model_validate(yaml.safe_load(request)))))


@pytest.mark.parametrize("name", sorted(tools()))
def test_the_example_of_a_page_is_what_the_tool_gives(name):
    if name in LOOKS:
        pytest.skip("its example has a folder and a test of its own")
    pairs = PAIR.findall((PAGES / f"{name}.md").read_text("utf-8"))
    assert pairs
    for _, request, result in pairs:
        assert given(name, request) == json.loads(result)


def test_there_is_a_page_for_each_tool_and_none_besides():
    assert {page.stem for page in PAGES.glob("*.md")} == set(tools()) | LOOKS


def main() -> None:
    for name in sorted(set(tools()) - LOOKS):
        page = PAGES / f"{name}.md"
        text = page.read_text("utf-8")
        for head, request, result in PAIR.findall(text):
            made = json.dumps(given(name, request), indent=2, ensure_ascii=False)
            text = text.replace(f"{head}{result}", f"{head}{made}\n")
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()

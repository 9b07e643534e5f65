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
from dr_rd.tools import Registry, Sources, load_tools

ROOT = Path(__file__).parents[2]
PAIR = re.compile(r"(```yaml request\n(.*?)```\n.*?```json result\n)(.*?)```", re.DOTALL)


@cache
def registry() -> Registry:
    return load_tools()


@cache
def tools() -> dict[str, Tool]:
    """Those that need no folder of their own: the others' examples have a test of theirs."""
    corpus = read_documents([ROOT / "bench/evidence/documents"])
    return {t.name: t for t in registry().open(Sources(corpus, index_with(corpus, None)))}


def given(name: str, request: str) -> object:
    tool = tools()[name]
    return json.loads(json.dumps(tool.run(tool.params.model_validate(yaml.safe_load(request)))))


@pytest.mark.parametrize("name", sorted(tools()))
def test_the_example_of_a_page_is_what_the_tool_gives(name):
    pairs = PAIR.findall(registry().by_name[name].page)
    assert pairs
    for _, request, result in pairs:
        assert given(name, request) == json.loads(result)


@pytest.mark.parametrize("name", registry().by_name)
def test_a_page_begins_with_the_name_of_its_tool(name):
    assert registry().by_name[name].page.startswith(f"# {name}\n")


def test_the_list_of_tools_links_to_each_page_and_to_none_besides():
    linked = re.findall(
        r"\(\.\./dr_rd/tools/(\w+)/README\.md\)", (ROOT / "docs/tools.md").read_text()
    )
    assert sorted(linked) == sorted(registry().by_name)


def main() -> None:
    for name in sorted(tools()):
        page = ROOT / "dr_rd/tools" / name / "README.md"
        text = page.read_text("utf-8")
        for head, request, result in PAIR.findall(text):
            made = json.dumps(given(name, request), indent=2, ensure_ascii=False)
            text = text.replace(f"{head}{result}", f"{head}{made}\n")
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()

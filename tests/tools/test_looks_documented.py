"""The pages about the tools that look: their examples are what the tools give.

`python -m tests.tools.test_looks_documented` writes them anew.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

from core.errors import TaskError
from dr_rd.tools.analyze_image import image_tool
from dr_rd.tools.read_repo import repo_tool

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "dr_rd/tools"
EXAMPLE = ROOT / "docs/tools/example"
TOOLS = {"read_repo": repo_tool(EXAMPLE), "analyze_image": image_tool([EXAMPLE])}
_PAIR = re.compile(r"```yaml request\n(.*?)```\n\n```json (result|error)\n(.*?)```", re.DOTALL)


def given(name, request):
    tool = TOOLS[name]
    try:
        return tool.run(tool.params.model_validate(yaml.safe_load(request)))
    except TaskError as error:
        return {"error": str(error)}


def written(value):
    """JSON whose lists of plain values stay on a line."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + " ".join(m[1].split()) + "]", text)


@pytest.mark.parametrize("name", TOOLS)
def test_the_examples_of_a_page_are_what_the_tool_gives(name):
    pairs = _PAIR.findall((PAGES / name / "README.md").read_text("utf-8"))
    assert pairs
    for request, kind, result in pairs:
        found = given(name, request)
        assert found == json.loads(result)
        assert (kind == "error") == ("error" in found)


if __name__ == "__main__":
    for name in TOOLS:
        page = PAGES / name / "README.md"
        text = _PAIR.sub(
            lambda m, name=name: (
                f"```yaml request\n{m[1]}```\n\n```json {m[2]}\n{written(given(name, m[1]))}\n```"
            ),
            page.read_text("utf-8"),
        )
        page.write_text(text, "utf-8")

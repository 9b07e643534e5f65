"""What the tools that look promise, as every tool does: a closed schema in, JSON out, limits."""

import os
from pathlib import Path

import pytest

from core.clock import SystemClock
from core.graph.state import ToolRequest
from core.tool_router import Toolbox
from core.values import digest
from dr_rd.tools.analyze_image import image_tool
from dr_rd.tools.read_repo.tool import TAKES, repo_tool

EXAMPLE = Path(__file__).parents[2] / "docs/tools/example"
CALLS = {
    repo_tool(EXAMPLE): {"action": "search", "text": "loaf"},
    image_tool([EXAMPLE]): {"images": ["crumb.png"], "text": False},
}


@pytest.fixture(params=CALLS, ids=lambda tool: tool.name)
def tool(request):
    return request.param


def toolbox(tool, **chosen):
    return Toolbox([tool], record=lambda _: None, keep=digest, clock=SystemClock(), **chosen)


async def called(box, tool, args, role="analyst", planned=None):
    request = ToolRequest(name=tool.name, args=args)
    return await box.call(request, task_id="T1", role=role, planned=planned)


@pytest.mark.anyio
async def test_a_call_gives_the_same_json_each_time(tool):
    box = toolbox(tool)
    first, second = [await called(box, tool, CALLS[tool]) for _ in range(2)]
    assert first.error == ""
    assert digest(first.output) == digest(second.output)


@pytest.mark.anyio
async def test_an_argument_too_many_or_of_another_kind_is_a_reason_and_no_result(tool):
    box = toolbox(tool)
    extra = await called(box, tool, {**CALLS[tool], "extra": 1})
    assert "extra: Extra inputs are not permitted" in extra.error
    wrong = await called(box, tool, {name: object.__doc__ for name in ("images", "first")})
    assert wrong.error.startswith(f"tool {tool.name!r}: ")
    assert (extra.output, wrong.output) == (None, None)


@pytest.mark.anyio
async def test_who_may_not_call_it_is_told_so(tool):
    box = toolbox(tool, allowed={"analyst": [tool.name], "guest": []})
    assert not (await called(box, tool, CALLS[tool])).error
    assert "is not open to role 'guest'" in (await called(box, tool, {}, role="guest")).error
    assert "is not planned for this task" in (await called(box, tool, {}, planned=())).error


@pytest.mark.anyio
async def test_calls_end_at_the_limit_of_the_run(tool):
    box = toolbox(tool)
    box._calls[tool.name] = tool.max_calls_per_run
    assert "which is its limit" in (await called(box, tool, CALLS[tool])).error


def test_the_schema_is_closed_and_every_argument_has_a_default(tool):
    schema = tool.params.model_json_schema()
    assert schema["additionalProperties"] is False
    assert "required" not in schema
    assert set(CALLS[tool]) <= set(schema["properties"])


def test_every_argument_belongs_to_a_look():
    named = set().union(*TAKES.values()) | {"action"}
    assert named == set(repo_tool(EXAMPLE).params.model_fields)


def test_nothing_is_written_where_a_tool_looks(tool):
    def state():
        return {p: os.stat(p).st_mtime_ns for p in [EXAMPLE, *EXAMPLE.rglob("*")]}

    before = state()
    tool.run(tool.params.model_validate(CALLS[tool]))
    assert state() == before

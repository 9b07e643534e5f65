"""What every tool that computes promises: arguments with a schema in, JSON out, a reason else."""

import pytest

from core.clock import SystemClock
from core.graph.state import ToolRequest
from core.tool_router import Toolbox
from core.values import digest
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import index_with
from dr_rd.tools import (
    Sources,
    budget,
    decision_matrix,
    load_tools,
    risk_register,
    sample_size,
    schedule_risk,
    simulate,
    unit_convert,
    value_of_information,
)
from dr_rd.tools.evidence_table import evidence_tool
from dr_rd.tools.search_documents import search_tool

POINTS = {"low": 1, "mode": 2, "high": 4}
NOTHING = (Corpus(), index_with(Corpus(), None), dict)
ALWAYS = load_tools().open(Sources(*NOTHING[:2]))
CALLS = {
    budget.TOOL: {
        "lines": [{"id": "t", "cost": POINTS}],
        "currency": "EUR",
        "confidence": 0.8,
    },
    decision_matrix.TOOL: {
        "options": [{"id": "a", "scores": {"x": 1}}, {"id": "b", "scores": {"x": 0}}],
        "weights": {"x": 1},
    },
    sample_size.TOOL: {"design": "two_means", "effects": [0.5]},
    schedule_risk.TOOL: {"activities": [{"id": "a", "days": POINTS}]},
    search_tool(*NOTHING): {"query": "loaf"},
    evidence_tool(*NOTHING): {"claims": [{"id": "c", "text": "Loaves are moist."}]},
    simulate.TOOL: {
        "inputs": [{"name": "x", "unit": "m", "distribution": {"kind": "pert", **POINTS}}],
        "formulas": [{"name": "area", "expression": "x**2", "unit": "m**2"}],
    },
    unit_convert.TOOL: {"value": 1, "from": "mile", "to": "km"},
    value_of_information.TOOL: {
        "tests": [{"id": "t", "cost": 1, "probability_of_failure": 0.5, "cost_avoided": 9}],
        "currency": "EUR",
    },
    risk_register.TOOL: {
        "risks": [{"id": "r", "probability": 0.5, "impact": POINTS}],
        "currency": "EUR",
        "budget": 100,
    },
}


@pytest.fixture(params=CALLS, ids=lambda tool: tool.name)
def tool(request):
    return request.param


async def called(tool, args):
    toolbox = Toolbox([tool], record=lambda _: None, keep=digest, clock=SystemClock())
    request = ToolRequest(name=tool.name, args=args)
    return await toolbox.call(request, task_id="T1", role="analyst", planned=None)


@pytest.mark.anyio
async def test_a_call_gives_the_same_json_each_time(tool):
    first, second = await called(tool, CALLS[tool]), await called(tool, CALLS[tool])
    assert first.error == ""
    assert digest(first.output) == digest(second.output)


@pytest.mark.anyio
async def test_an_argument_too_many_or_too_few_is_a_reason_and_no_result(tool):
    extra = await called(tool, {**CALLS[tool], "extra": 1})
    assert "extra: Extra inputs are not permitted" in extra.error
    assert extra.output is None
    missing = await called(tool, {})
    if tool.params.model_json_schema().get("required"):
        assert "Field required" in missing.error
        assert missing.output is None
    else:
        assert missing.error == ""


def test_the_schema_is_closed_and_names_what_is_needed(tool):
    schema = tool.params.model_json_schema()
    assert schema["additionalProperties"] is False
    assert set(schema.get("required", ())) <= set(CALLS[tool]) <= set(schema["properties"])


@pytest.mark.anyio
async def test_one_call_more_than_a_run_may_make_is_refused(tool):
    toolbox = Toolbox([tool], record=lambda _: None, keep=digest, clock=SystemClock())
    toolbox._calls[tool.name] = tool.max_calls_per_run
    request = ToolRequest(name=tool.name, args=CALLS[tool])
    found = await toolbox.call(request, task_id="T1", role="analyst", planned=None)
    assert f"has been called {tool.max_calls_per_run} times in this run" in found.error


@pytest.mark.anyio
async def test_a_call_that_is_not_planned_is_refused(tool):
    toolbox = Toolbox([tool], record=lambda _: None, keep=digest, clock=SystemClock())
    request = ToolRequest(name=tool.name, args=CALLS[tool])
    found = await toolbox.call(request, task_id="T1", role="analyst", planned=())
    assert "is not planned for this task; no tool is open here" in found.error


def test_every_tool_that_is_always_there_is_held_to_this():
    assert {t.name for t in CALLS} == {t.name for t in ALWAYS}

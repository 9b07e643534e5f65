"""What every tool that computes promises: arguments with a schema in, JSON out, a reason else."""

import pytest

from core.clock import SystemClock
from core.graph.state import ToolRequest
from core.tool_router import Toolbox
from core.values import digest
from dr_rd.tools import risk_register, simulate, unit_convert, value_of_information

POINTS = {"low": 1, "mode": 2, "high": 4}
CALLS = {
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
    missing = await called(tool, {})
    assert "Field required" in missing.error
    assert (extra.output, missing.output) == (None, None)


def test_the_schema_is_closed_and_names_what_is_needed(tool):
    schema = tool.params.model_json_schema()
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(CALLS[tool]) <= set(schema["properties"])

"""Heavy tools: computed beside the event loop, or wherever the run is told to."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from core.compute import Compute, T, in_thread
from core.errors import TaskError
from core.graph.state import ToolRequest, ToolResult
from core.testing import FakeClock
from core.tool_router import Tool, Toolbox
from core.values import digest

PATIENCE_S = 20


class Nothing(BaseModel):
    pass


def called(run: Callable[[Nothing], Any], compute: Compute = in_thread) -> Any:
    tool = Tool("heavy", "Computes.", Nothing, run, heavy=True)
    toolbox = Toolbox(
        (tool,), record=lambda _: None, keep=digest, clock=FakeClock(), compute=compute
    )
    request = ToolRequest(name="heavy", args={})
    return toolbox.call(request, task_id="T1", role="baker", planned=None)


def test_the_loop_goes_on_while_a_heavy_tool_computes() -> None:
    go = threading.Event()

    async def beside() -> ToolResult:
        call = asyncio.create_task(called(lambda _: go.wait(PATIENCE_S)))
        await asyncio.sleep(0)
        go.set()
        return await call

    assert asyncio.run(beside()).output is True


def test_a_stopped_run_does_not_wait_for_a_calculation() -> None:
    go = threading.Event()

    async def stopped() -> None:
        begun, loop = asyncio.Event(), asyncio.get_running_loop()

        def compute(_: Nothing) -> None:
            loop.call_soon_threadsafe(begun.set)
            go.wait(PATIENCE_S)

        call = asyncio.create_task(called(compute))
        await asyncio.wait_for(begun.wait(), PATIENCE_S)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert not go.is_set()
        go.set()

    asyncio.run(stopped())


def test_a_heavy_tool_runs_where_it_is_told() -> None:
    async def elsewhere(function: Callable[..., T], /, *args: Any) -> T:
        places.append("elsewhere")
        return function(*args)

    places: list[str] = []
    assert asyncio.run(called(lambda _: 4, elsewhere)).output == 4
    assert places == ["elsewhere"]


def test_a_heavy_tool_may_refuse() -> None:
    def refuse(_: Nothing) -> None:
        raise TaskError("the oven is cold")

    assert asyncio.run(called(refuse)).error == "the oven is cold"

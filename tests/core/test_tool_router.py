"""Calling tools: allowed, limited, recorded, recalled."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from core.errors import CallerError, TaskError
from core.events import Event, PassagesRetrieved, ToolCalled
from core.graph.state import ToolResult
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock
from core.tool_router import (
    MOST_OUTPUT,
    Retrieved,
    Tool,
    Toolbox,
    call_tool,
    get_provenance,
    using,
)
from core.values import digest


class Number(BaseModel):
    model_config = ConfigDict(extra="forbid")
    n: int = Field(ge=0)


async def slow_double(number: Number) -> int:
    await asyncio.sleep(0)
    return number.n * 2


def refuse(number: Number) -> int:
    raise TaskError("the oven is cold") if number.n else CallerError("no bread")


def explode(number: Number) -> int:
    raise ZeroDivisionError


TOOLS = (
    Tool("double", "Doubles.", Number, lambda number: number.n * 2, max_calls_per_run=3),
    Tool("slow", "Doubles, later.", Number, slow_double),
    Tool("refuse", "Refuses.", Number, refuse),
    Tool("explode", "Has a bug.", Number, explode),
)


class Bench:
    """A toolbox and what it wrote."""

    def __init__(self, folder: RunFolder, **more: Any) -> None:
        self.events: list[Event] = []
        self.folder = folder
        self.toolbox = Toolbox(
            more.pop("tools", TOOLS),
            record=self.events.append,
            keep=folder.keep,
            clock=FakeClock(),
            **more,
        )

    def call(
        self, name: str, *, planned: Any = None, task_id: str = "T1", **args: Any
    ) -> ToolResult:
        async def within() -> ToolResult:
            with using(self.toolbox):
                return await call_tool(name, args, task_id=task_id, role="baker", planned=planned)

        return asyncio.run(within())


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunStore(tmp_path).create("run", RunOptions(), {})


@pytest.fixture
def bench(folder: RunFolder) -> Bench:
    return Bench(folder)


def test_a_call_gives_its_output_and_is_written_down(bench: Bench) -> None:
    result = bench.call("double", n=4)
    assert (result.id, result.output, result.ok) == ("T1-1", 8, True)
    [event] = bench.events
    assert isinstance(event, ToolCalled)
    assert bench.folder.kept(event.output_digest) == 8
    assert event.args_digest == digest({"n": 4})
    assert bench.toolbox.provenance() == (event,)


def test_a_tool_may_wait(bench: Bench) -> None:
    assert bench.call("slow", n=4).output == 8


@pytest.mark.parametrize("output", [float("nan"), {"a": [float("inf")]}, {1, 2}, "\ud800"])
def test_an_output_that_is_no_json_is_the_tools_mistake(folder: RunFolder, output: Any) -> None:
    bench = Bench(folder, tools=(Tool("odd", "Gives it.", Number, lambda _: output),))
    result = bench.call("odd", n=1)
    assert (result.ok, result.output) == (False, None)
    assert result.error.startswith("tool 'odd' gave what cannot be kept as JSON (")
    [event] = bench.events
    assert isinstance(event, ToolCalled)
    assert (event.ok, event.output_digest) == (False, "")


def test_an_output_that_nobody_can_keep_is_refused_with_its_size(folder: RunFolder) -> None:
    bench = Bench(folder, tools=(Tool("big", "Gives it.", Number, lambda _: "x" * MOST_OUTPUT),))
    result = bench.call("big", n=1)
    assert result.error.startswith("tool 'big' gave 8,000,002 bytes, and 8,000,000 are kept")


def test_ids_count_within_a_task(bench: Bench) -> None:
    ids = [bench.call("slow", n=1, task_id=t).id for t in ("T1", "T2", "T1")]
    assert ids == ["T1-1", "T2-1", "T1-2"]


@pytest.mark.parametrize(
    ("name", "args", "says"),
    [
        ("dubble", {"n": 1}, "no tool 'dubble'; did you mean 'double'?; choose from: double"),
        ("double", {}, "tool 'double': n: Field required; its arguments are n"),
        ("double", {"n": -1}, "n: Input should be greater than or equal to 0"),
        ("double", {"n": 1, "m": 2}, "m: Extra inputs are not permitted"),
        ("refuse", {"n": 1}, "the oven is cold"),
        ("refuse", {"n": 0}, "no bread"),
    ],
)
def test_a_refusal_is_a_result_and_an_event(
    bench: Bench, name: str, args: dict[str, int], says: str
) -> None:
    result = bench.call(name, **args)
    assert says in result.error
    assert (result.ok, result.output) == (False, None)
    [event] = bench.events
    assert isinstance(event, ToolCalled)
    assert (event.ok, event.error, event.output_digest) == (False, result.error, "")


def test_a_tool_that_is_not_open_to_the_role_is_refused(folder: RunFolder) -> None:
    bench = Bench(folder, allowed={"baker": ["slow"], "tester": ["double"]})
    error = bench.call("double", n=1).error
    assert error == "tool 'double' is not open to role 'baker'; choose from: slow"
    assert [tool.name for tool in bench.toolbox.open_to("tester")] == ["double"]
    assert bench.toolbox.open_to("stranger") == ()


def test_a_tool_that_is_not_planned_is_refused(bench: Bench) -> None:
    error = bench.call("double", planned={"slow"}, n=1).error
    assert error == "tool 'double' is not planned for this task; choose from: slow"
    assert "no tool is open here" in bench.call("double", planned=set(), n=1).error


def test_a_limit_is_the_runs_and_refusals_do_not_count(bench: Bench) -> None:
    bench.call("double", n=-1)
    outputs = [bench.call("double", n=1, task_id=f"T{k}").ok for k in range(4)]
    assert outputs == [True, True, True, False]
    assert "3 times in this run" in bench.call("double", n=1).error
    assert Bench(bench.folder).call("double", n=1).ok


def test_a_bug_in_a_tool_is_not_hidden(bench: Bench) -> None:
    with pytest.raises(ZeroDivisionError):
        bench.call("explode", n=1)


def flood(number: Number) -> int:
    raise OverflowError("math range error")


class Oven(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)
    trays: tuple[Number, ...] = Field(min_length=1)
    source: str = Field(default="", alias="from")


NEAR = (
    Tool("flood", "Computes with too much.", Number, flood),
    Tool("fill", "Fills an oven.", Oven, lambda oven: len(oven.trays)),
)


def test_numbers_too_large_to_compute_with_are_the_calls_failure(folder: RunFolder) -> None:
    found = Bench(folder, tools=NEAR).call("flood", n=1)
    assert found.error.startswith("tool 'flood' cannot compute with numbers so large")


def test_an_error_within_a_list_is_told_once_and_arguments_by_what_callers_write(
    folder: RunFolder,
) -> None:
    found = Bench(folder, tools=NEAR).call("fill", trays=[{"n": -1}])
    assert found.error == (
        "tool 'fill': trays.0.n: Input should be greater than or equal to 0; "
        "its arguments are trays, from"
    )


def counted(calls: list[int]) -> Callable[[Number], int | Awaitable[int]]:
    def count(number: Number) -> int:
        calls.append(number.n)
        return number.n

    return count


def test_a_recorded_call_is_recalled_and_not_made_again(folder: RunFolder) -> None:
    calls: list[int] = []
    tools = (Tool("count", "Counts.", Number, counted(calls), max_calls_per_run=3),)
    first = Bench(folder, tools=tools)
    results = [first.call("count", n=n) for n in (5, 6)]
    past = [(call, folder.kept(call.output_digest)) for call in first.toolbox.provenance()]
    second = Bench(folder, tools=tools, past=past)
    assert [second.call("count", n=n) for n in (5, 6)] == results
    assert (calls, second.events) == ([5, 6], [])
    assert second.call("count", n=7).id == "T1-3"
    assert not second.call("count", n=8).ok  # the limit counts what was recorded


def test_a_task_that_goes_another_way_makes_new_calls(folder: RunFolder) -> None:
    first = Bench(folder)
    first.call("slow", n=1)
    first.call("slow", n=2)
    past = [(call, folder.kept(call.output_digest)) for call in first.toolbox.provenance()]
    second = Bench(folder, past=past)
    assert (second.call("slow", n=9).id, second.call("slow", n=2).id) == ("T1-3", "T1-4")


def test_provenance_is_the_current_runs_alone(folder: RunFolder) -> None:
    ours, theirs = Bench(folder), Bench(folder)
    ours.call("double", n=1)
    with using(theirs.toolbox):
        assert get_provenance() == ()
        with using(ours.toolbox):
            assert [call.name for call in get_provenance()] == ["double"]


def test_a_search_says_what_it_found_before_the_call_is_down(folder: RunFolder) -> None:
    def found(number: Number, output: Any) -> Retrieved:
        return Retrieved(query=str(number.n), ids=tuple(output))

    tools = (Tool("find", "Finds.", Number, lambda _: ["E1", "E2"], retrieved=found),)
    bench = Bench(folder, tools=tools)
    bench.call("find", n=3)
    bench.call("find", n=-1)
    assert [event.kind for event in bench.events] == [
        "passages_retrieved",
        "tool_called",
        "tool_called",
    ]
    assert bench.events[0] == PassagesRetrieved(
        call_id="T1-1", task_id="T1", query="3", ids=("E1", "E2")
    )


def test_outside_a_run_there_are_no_tools() -> None:
    with pytest.raises(RuntimeError, match="only within a run"):
        get_provenance()

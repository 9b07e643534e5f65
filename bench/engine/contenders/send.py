"""LangGraph: one Send for each task, in memory or with checkpoints; in waves where tasks wait."""

import operator
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from bench.engine.clients import Ask, Setting, ours, stock
from bench.engine.contenders import Solve
from bench.engine.work import Task


class _State(TypedDict):
    tasks: list[Task]
    answers: Annotated[dict[int, str], operator.or_]


@asynccontextmanager
async def in_memory(setting: Setting) -> AsyncIterator[Solve]:
    """Nothing durable."""
    async with stock(setting.url) as ask:
        yield _solving(_graph(ask), setting)


@asynccontextmanager
async def same_client(setting: Setting) -> AsyncIterator[Solve]:
    """Nothing durable, over our transport."""
    async with ours(setting.url) as ask:
        yield _solving(_graph(ask), setting)


waves = same_client
"""A superstep for each layer: the next one starts when the last of this one is done."""


@asynccontextmanager
async def sqlite_async(setting: Setting) -> AsyncIterator[Solve]:
    """Checkpoints while the next step runs."""
    async with _checkpointed(setting, "async") as solve:
        yield solve


@asynccontextmanager
async def sqlite_sync(setting: Setting) -> AsyncIterator[Solve]:
    """Checkpoints before the next step runs."""
    async with _checkpointed(setting, "sync") as solve:
        yield solve


@asynccontextmanager
async def _checkpointed(
    setting: Setting, durability: Literal["sync", "async"]
) -> AsyncIterator[Solve]:
    path = str(setting.folder / "checkpoints.sqlite")
    async with stock(setting.url) as ask, AsyncSqliteSaver.from_conn_string(path) as saver:
        yield _solving(_graph(ask), setting, saver, durability=durability)


def _graph(ask: Ask) -> StateGraph[Any, Any, Any, Any]:
    async def look(_: _State) -> dict[str, Any]:
        return {}

    async def agent(task: Task) -> dict[str, Any]:
        return {"answers": {task.number: await ask(task)}}

    def ready(state: _State) -> Sequence[Send] | str:
        done = state["answers"]
        open_tasks = (task for task in state["tasks"] if task.number not in done)
        return [Send("agent", task) for task in open_tasks if done.keys() >= {*task.needs}] or END

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
    graph.add_node("look", look)
    graph.add_node("agent", agent)
    graph.add_edge(START, "look")
    graph.add_conditional_edges("look", ready, ["agent", END])
    graph.add_edge("agent", "look")
    return graph


def _solving(
    graph: StateGraph[Any, Any, Any, Any],
    setting: Setting,
    saver: AsyncSqliteSaver | None = None,
    **how: Any,  # noqa: ANN401 - handed on
) -> Solve:
    compiled = graph.compile(checkpointer=saver)
    runs = 0

    async def solve(tasks: Sequence[Task]) -> Sequence[str]:
        nonlocal runs
        runs += 1
        config = {
            "configurable": {"thread_id": f"run-{runs}"},
            "max_concurrency": setting.slots,
            "recursion_limit": 2 * len(tasks) + 10,
        }
        start = {"tasks": list(tasks), "answers": {}}
        end = await compiled.ainvoke(start, config, **how)
        return [end["answers"][task.number] for task in tasks]

    return solve

"""LangGraph's functional API: one future for each task."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.func import entrypoint
from langgraph.func import task as step

from bench.engine.clients import Ask, Setting, stock
from bench.engine.contenders import Solve
from bench.engine.work import Task


@asynccontextmanager
async def in_memory(setting: Setting) -> AsyncIterator[Solve]:
    """Nothing durable."""
    async with stock(setting.url) as ask:
        yield _solving(ask, setting, None)


@asynccontextmanager
async def sqlite(setting: Setting) -> AsyncIterator[Solve]:
    """Each answer is checkpointed while others are made."""
    path = str(setting.folder / "checkpoints.sqlite")
    async with stock(setting.url) as ask, AsyncSqliteSaver.from_conn_string(path) as saver:
        yield _solving(ask, setting, saver)


def _solving(ask: Ask, setting: Setting, saver: AsyncSqliteSaver | None) -> Solve:
    @step
    async def answer(number: int, latency_ms: float) -> str:
        return await ask(Task(number, latency_ms))

    @entrypoint(checkpointer=saver)
    async def flow(tasks: list[tuple[int, float]]) -> list[str]:
        return list(await asyncio.gather(*(answer(*task) for task in tasks)))

    runs = 0

    async def solve(tasks: Sequence[Task]) -> Sequence[str]:
        nonlocal runs
        runs += 1
        config = {
            "configurable": {"thread_id": f"run-{runs}"},
            "max_concurrency": setting.slots,
        }
        return await flow.ainvoke([(t.number, t.latency_ms) for t in tasks], config)

    return solve

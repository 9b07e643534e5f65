"""pydantic-graph: plan, map, join."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from pydantic_graph import GraphBuilder, StepContext, reduce_list_append

from bench.engine.clients import Ask, Setting, ours, stock
from bench.engine.contenders import Solve
from bench.engine.work import Task


@asynccontextmanager
async def mapped(setting: Setting) -> AsyncIterator[Solve]:
    """Nothing durable."""
    async with stock(setting.url) as ask:
        yield _solving(ask, setting.slots)


@asynccontextmanager
async def same_client(setting: Setting) -> AsyncIterator[Solve]:
    """Nothing durable, over our transport."""
    async with ours(setting.url) as ask:
        yield _solving(ask, setting.slots)


def _solving(ask: Ask, slots: int) -> Solve:
    gate = asyncio.Semaphore(slots)
    builder = GraphBuilder(input_type=list, output_type=list)

    @builder.step
    async def plan(context: StepContext) -> list[Task]:
        return context.inputs

    @builder.step
    async def agent(context: StepContext) -> tuple[int, str]:
        async with gate:
            return context.inputs.number, await ask(context.inputs)

    collect = builder.join(reduce_list_append, initial_factory=list)
    builder.add(
        builder.edge_from(builder.start_node).to(plan),
        builder.edge_from(plan).map().to(agent),
        builder.edge_from(agent).to(collect),
        builder.edge_from(collect).to(builder.end_node),
    )
    graph = builder.build()

    async def solve(tasks: Sequence[Task]) -> Sequence[str]:
        found = dict(await graph.run(inputs=list(tasks)))
        return [found[task.number] for task in tasks]

    return solve

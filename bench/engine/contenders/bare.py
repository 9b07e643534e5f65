"""Nothing but a semaphore: the practical limit, and what each client costs."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import ClientSession, TCPConnector

from bench.engine.clients import KEY, MODEL, Ask, Setting, ours, stock
from bench.engine.contenders import Solve
from bench.engine.work import Task


@asynccontextmanager
async def raw(setting: Setting) -> AsyncIterator[Solve]:
    """Post and read the reply by hand."""
    async with ClientSession(
        connector=TCPConnector(limit=0), headers={"authorization": f"Bearer {KEY}"}
    ) as session:

        async def ask(task: Task) -> str:
            body = {"model": MODEL, "messages": [{"role": "user", "content": task.prompt}]}
            async with session.post(f"{setting.url}/chat/completions", json=body) as reply:
                return str((await reply.json())["choices"][0]["message"]["content"])

        yield few_at_once(ask, setting.slots)


@asynccontextmanager
async def same_client(setting: Setting) -> AsyncIterator[Solve]:
    """The client that ours uses."""
    async with ours(setting.url) as ask:
        yield few_at_once(ask, setting.slots)


@asynccontextmanager
async def stock_client(setting: Setting) -> AsyncIterator[Solve]:
    """The client as most users have it."""
    async with stock(setting.url) as ask:
        yield few_at_once(ask, setting.slots)


@asynccontextmanager
async def eager(setting: Setting) -> AsyncIterator[Solve]:
    """Ask as soon as what a task needs is there; the first that is ready is first."""
    async with ours(setting.url) as ask:

        async def solve(tasks: Sequence[Task]) -> Sequence[str]:
            gate = asyncio.Semaphore(setting.slots)
            done = {task.number: asyncio.Event() for task in tasks}

            async def one(task: Task) -> str:
                for needed in task.needs:
                    await done[needed].wait()
                async with gate:
                    text = await ask(task)
                done[task.number].set()
                return text

            return await asyncio.gather(*map(one, tasks))

        yield solve


def few_at_once(ask: Ask, slots: int) -> Solve:
    """Ask everything, so many at once."""

    async def solve(tasks: Sequence[Task]) -> Sequence[str]:
        gate = asyncio.Semaphore(slots)

        async def one(task: Task) -> str:
            async with gate:
                return await ask(task)

        return await asyncio.gather(*map(one, tasks))

    return solve

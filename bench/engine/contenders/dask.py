"""Dask: a cluster on this machine, whose two workers share the slots."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache

from dask.distributed import Client, LocalCluster
from openai import AsyncOpenAI

from bench.engine.clients import KEY, MODEL, TIMEOUT_S, Setting
from bench.engine.contenders import Solve
from bench.engine.work import Task

_WORKERS = 2


@asynccontextmanager
async def cluster(setting: Setting) -> AsyncIterator[Solve]:
    """Nothing durable; the cluster is up before the first task."""
    async with (
        LocalCluster(
            n_workers=_WORKERS,
            threads_per_worker=setting.slots // _WORKERS,
            asynchronous=True,
            dashboard_address=None,
            local_directory=str(setting.folder),
        ) as local,
        Client(local, asynchronous=True) as client,
    ):

        async def solve(tasks: Sequence[Task]) -> Sequence[str]:
            futures = client.map(_ask, tasks, url=setting.url, pure=False)
            return await client.gather(futures)

        yield solve


async def _ask(task: Task, url: str) -> str:
    messages = [{"role": "user", "content": task.prompt}]
    reply = await _client(url).chat.completions.create(model=MODEL, messages=messages)
    return str(reply.choices[0].message.content)


@cache
def _client(url: str) -> AsyncOpenAI:
    """One client for each worker."""
    return AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=TIMEOUT_S)

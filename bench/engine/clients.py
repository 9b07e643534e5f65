"""The clients that contenders call the server with."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from langchain_openai import ChatOpenAI
from openai import DefaultAioHttpClient

from bench.engine.work import Task

Ask = Callable[[Task], Awaitable[str]]
MODEL, KEY, TIMEOUT_S = "fake", "no-secret", 60


@dataclass(frozen=True, slots=True)
class Setting:
    """What a contender is told before it is given work."""

    url: str
    slots: int
    """How many calls it may have open at once."""
    folder: Path
    """Where it may write."""


@asynccontextmanager
async def stock(url: str) -> AsyncIterator[Ask]:
    """ChatOpenAI as it comes."""
    model = ChatOpenAI(base_url=url, api_key=KEY, model=MODEL, max_retries=0, timeout=TIMEOUT_S)
    yield asking(model)


@asynccontextmanager
async def ours(url: str) -> AsyncIterator[Ask]:
    """ChatOpenAI over the transport that the workbench gives it."""
    async with DefaultAioHttpClient(timeout=TIMEOUT_S) as transport:
        model = ChatOpenAI(
            base_url=url,
            api_key=KEY,
            model=MODEL,
            max_retries=0,
            timeout=TIMEOUT_S,
            http_async_client=transport,
        )
        yield asking(model)


def asking(model: ChatOpenAI) -> Ask:
    """Return a function that makes one call with *model*."""

    async def ask(task: Task) -> str:
        return str((await model.ainvoke(task.prompt)).content)

    return ask

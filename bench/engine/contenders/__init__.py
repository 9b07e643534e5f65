"""Who is measured: each module has functions that open a contender and yield its `Solve`."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib import import_module

from bench.engine.clients import Setting
from bench.engine.work import Task

Solve = Callable[[Sequence[Task]], Awaitable[Sequence[str]]]
"""Answers every task; setting up and closing are not part of it."""
Opener = Callable[[Setting], AbstractAsyncContextManager[Solve]]


@dataclass(frozen=True, slots=True)
class Contender:
    """One line of the table."""

    label: str
    place: str
    """``module:function`` below this package."""
    large_only: bool = False
    """Whether it is measured at the largest size alone."""
    peer: bool = False
    """Whether a user could pick it instead of ours, with nothing durable."""

    def open(self) -> Opener:
        """Import and return its function."""
        module, _, function = self.place.partition(":")
        opener: Opener = getattr(import_module(f"{__name__}.{module}"), function)
        return opener


CONTENDERS = {
    "raw": Contender("asyncio + semaphore + aiohttp, JSON by hand", "bare:raw"),
    "same": Contender("semaphore + our client, bare", "bare:same_client"),
    "stock": Contender("semaphore + stock ChatOpenAI, bare", "bare:stock_client"),
    "ours": Contender("**ours, everything on**", "ours:everything"),
    "ours-direct": Contender("**ours, everything on, `DIRECT_CALLS`**", "ours:direct"),
    "ours-rubric": Contender(
        "**ours, everything on, the real answer rubric**", "ours:rubric", large_only=True
    ),
    "send": Contender("LangGraph Send", "send:in_memory", peer=True),
    "send-same": Contender("LangGraph Send, our client", "send:same_client", large_only=True),
    "send-async": Contender("LangGraph Send, SQLite async", "send:sqlite_async", large_only=True),
    "send-sync": Contender("LangGraph Send, SQLite sync", "send:sqlite_sync", large_only=True),
    "functional": Contender("LangGraph functional API", "functional:in_memory", peer=True),
    "functional-sqlite": Contender(
        "LangGraph functional API, SQLite async", "functional:sqlite", large_only=True
    ),
    "autogen": Contender("AutoGen assistant", "autogen:assistant", peer=True),
    "dask": Contender("Dask, two workers", "dask:cluster", peer=True),
    "pydantic-graph": Contender("pydantic-graph", "pydantic_graph:mapped", peer=True),
    "pydantic-graph-same": Contender(
        "pydantic-graph, our client", "pydantic_graph:same_client", large_only=True
    ),
}

LAYERED = {
    "ours": CONTENDERS["ours"],
    "eager": Contender("asyncio, each task when it is ready, our client", "bare:eager"),
    "waves": Contender("LangGraph Send in waves, our client", "send:waves"),
}
"""Who is given tasks that wait for each other."""

EMPTY = Contender("ours without calls", "ours:empty")

"""What a run is made of: the workbench's parts joined with the engine's."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Protocol

from anyio.lowlevel import checkpoint

from core.budget import Budget
from core.clock import Clock
from core.compute import Compute, in_thread
from core.events import (
    Event,
    Row,
    ToolCalled,
)
from core.graph.nodes import Agent, Deps, Evaluate, Planner, Review, Synthesize
from core.graph.scheduler import ParallelLimiter
from core.graph.state import GraphState
from core.settings import RunOptions
from core.store import TRACE, RunFolder
from core.tool_router import Tool, Toolbox
from core.trace import read_events


class Bench(Protocol):
    """What a run is made of: the workbench knows what to do, the engine when."""

    @property
    def options(self) -> RunOptions:
        """What was chosen for the run."""
        ...

    @property
    def version(self) -> str:
        """The release and the library that do the work, as the trace names them."""
        ...

    def initial_state(self, folder: RunFolder) -> GraphState:
        """Return the run as asked: idea, constraints, risk posture."""
        ...

    def deps(self, folder: RunFolder, record: Callable[[Event], None], clock: Clock) -> Deps:
        """Return what the steps use; `deps_for` fills in the engine's part."""
        ...


BenchFor = Callable[[RunFolder], Bench]
"""Builds the bench of a run from its folder's brief.json and settings.json."""


def deps_for(
    options: RunOptions,
    folder: RunFolder,
    record: Callable[[Event], None],
    clock: Clock,
    *,
    planner: Planner,
    agent: Agent,
    evaluate: Evaluate,
    synthesize: Synthesize,
    review: Review | None = None,
    tools: Iterable[Tool] = (),
    allowed: Mapping[str, Collection[str]] | None = None,
    budget: Budget | None = None,
    compute: Compute = in_thread,
    close: Callable[[], Awaitable[None]] = checkpoint,
) -> Deps:
    """Join a bench's parts with the engine's, as *options* say."""
    rows = _past(folder)
    calls = (row.event for row in rows if isinstance(row.event, ToolCalled))
    past = [(c, folder.kept(c.output_digest) if c.ok else None) for c in calls]
    toolbox = Toolbox(
        tools,
        allowed=allowed,
        record=record,
        keep=folder.keep,
        commit=folder.commits.commit_files,
        clock=clock,
        past=past,
        compute=compute,
    )
    return Deps(
        planner=planner,
        agent=agent,
        evaluate=evaluate if options.flags.EVALUATORS_ENABLED else None,
        synthesize=synthesize,
        review=review if options.flags.EVALUATORS_ENABLED else None,
        toolbox=toolbox,
        record=record,
        rows=partial(_past, folder),
        folder=folder,
        options=options,
        clock=clock,
        limiter=ParallelLimiter(options.flags.MAX_CONCURRENCY),
        budget=budget or Budget(options.flags, clock, rows, str(folder.path)),
        close=close,
    )


def budget_for(options: RunOptions, folder: RunFolder, clock: Clock) -> Budget:
    """Return what the run may still spend, given what its earlier sittings did."""
    return Budget(options.flags, clock, _past(folder), str(folder.path))


def _past(folder: RunFolder) -> list[Row]:
    return list(read_events(folder.trace_path)) if folder.has(TRACE) else []

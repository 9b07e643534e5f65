"""Any mode's steps as a LangGraph graph with durable checkpoints; the one importer of LangGraph."""

import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Generic, Protocol, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import interrupt

from core.errors import CallerError, Stopped, Waiting
from core.graph.spec import D, GraphSpec, S
from core.store import RunFolder


class Checkpoint(TypedDict):
    """What a checkpoint holds: the run's state in ids and digests, and what comes next."""

    state: dict[str, Any]
    next: str


Compiled = CompiledStateGraph[Checkpoint, None, Checkpoint, Checkpoint]


async def run(spec: GraphSpec[S, D], state: S, deps: D) -> S:
    """Drive a graph from its last checkpoint, or from the start, to its end.

    Raises Waiting while a person must answer.
    """
    runner = Runner(spec, state, deps)
    try:
        async with _saver(deps.folder) as saver:
            return await _driven(compiled(spec, runner, saver), runner)
    except sqlite3.DatabaseError as error:
        raise Stopped(f"{deps.folder.checkpoint_path} cannot be used: {error}") from error


def draw_mermaid(spec: GraphSpec[S, D]) -> str:
    """Return the graph as Mermaid text."""
    return compiled(spec, None, None).get_graph().draw_mermaid()


def compiled(
    spec: GraphSpec[S, D],
    runner: "Runner[S, D] | None",
    saver: BaseCheckpointSaver[str] | None,
) -> Compiled:
    """Compile *spec*; without a runner it can be drawn, not run."""
    graph: StateGraph[Checkpoint, None, Checkpoint, Checkpoint] = StateGraph(Checkpoint)
    for name in spec.nodes:
        graph.add_node(name, _step(name, runner))
    for source, target in spec.edges:
        if source not in spec.detours:
            graph.add_edge(source, target)
    for source in (*spec.choices, *spec.detours):
        graph.add_conditional_edges(source, _next, list(spec.targets(source)))
    return graph.compile(checkpointer=saver)


def _next(checkpoint: Checkpoint) -> str:
    return checkpoint["next"]


class _Step(Protocol):
    async def __call__(self, state: Checkpoint) -> Checkpoint: ...


def _step(name: str, runner: "Runner[S, D] | None") -> _Step:
    async def step(state: Checkpoint) -> Checkpoint:
        if runner is None:
            raise AssertionError("a graph that is only drawn was run")
        return await runner.do(name, state)

    return step


class Runner(Generic[S, D]):
    """The run's full state beside the graph, and its short form for checkpoints."""

    def __init__(self, spec: GraphSpec[S, D], state: S, deps: D) -> None:
        self.spec, self.state, self.deps = spec, state, deps
        self.packed = spec.codec.pack(state, deps.folder)

    @property
    def first(self) -> Checkpoint:
        """What the graph starts with."""
        return Checkpoint(state=self.packed, next=self.spec.entry)

    def take_up(self, packed: Mapping[str, Any]) -> None:
        """Go on from what a checkpoint holds; an earlier process may have written it."""
        if packed != self.packed:
            self.state = self.spec.codec.unpack(self.state, packed, self.deps.folder)
            self.packed = dict(packed)

    async def do(self, name: str, checkpoint: Checkpoint) -> Checkpoint:
        """Do one step from where the checkpoint says the run is."""
        self.take_up(checkpoint["state"])
        try:
            self.state = await self.spec.do(name, self.state, self.deps)
        except Waiting as question:
            interrupt(str(question))
        self.packed = self.spec.codec.pack(self.state, self.deps.folder)
        await self.deps.folder.commits.commit()  # a checkpoint names only what is safe
        return Checkpoint(state=self.packed, next=self.spec.following(name, self.state))


async def _driven(graph: Compiled, runner: Runner[S, D]) -> S:
    """Continue the thread if it has a checkpoint; given input anew it would start over."""
    folder, spec = runner.deps.folder, runner.spec
    config: RunnableConfig = {"configurable": {"thread_id": folder.run_id}}
    seen = await graph.aget_state(config)
    _check_fingerprint(folder, spec, fresh=not seen.values)
    given = None if seen.values else runner.first
    if seen.values:
        runner.take_up(seen.values["state"])  # how many steps may follow depends on it
    more = True  # a thread that was cut off before its first step does not say what comes next
    while more:
        limit = spec.step_limit(runner.state, runner.deps.flags)
        result = await graph.ainvoke(
            given,
            {**config, "recursion_limit": limit},
            durability="sync",
            interrupt_after=list(spec.measured_after),
        )
        if "__interrupt__" in result:
            raise Waiting(result["__interrupt__"][0].value)
        given, seen = None, await graph.aget_state(config)
        more = bool(seen.next)
    runner.take_up(seen.values["state"])
    return runner.state


@asynccontextmanager
async def _saver(folder: RunFolder) -> AsyncIterator[BaseCheckpointSaver[str]]:
    if folder.records:
        async with folder.records.saver() as saver:
            yield saver
        return
    async with AsyncSqliteSaver.from_conn_string(str(folder.checkpoint_path)) as saver:
        yield saver


def _check_fingerprint(folder: RunFolder, spec: GraphSpec[S, D], *, fresh: bool) -> None:
    mine = {"fingerprint": spec.fingerprint, "nodes": sorted(spec.nodes)}
    if fresh:
        folder.write_json("graph.json", mine)
        return
    theirs = folder.read_json("graph.json")
    if theirs != mine:
        raise CallerError(
            f"run {folder.run_id!r} was started on another graph "
            f"({', '.join(theirs['nodes'])}) than this version has for it "
            f"({', '.join(mine['nodes'])}); resume it with the version that started it, "
            "or start it anew"
        )

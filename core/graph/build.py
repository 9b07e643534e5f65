"""The steps as a LangGraph graph with durable checkpoints; the one importer of LangGraph."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import interrupt

from core.errors import CallerError, Stopped, Waiting
from core.graph.nodes import (
    MAX_CALLS_PER_TASK,
    Deps,
    Node,
    agent_node,
    approve_node,
    ask_approval,
    collect_node,
    fan_out_node,
    plan_node,
    route_node,
    synth_node,
    tool_node,
)
from core.graph.state import Answer, Attempt, Cursor, GraphState, ToolRequest, ToolResult, apply
from core.store import RunFolder
from core.values import digest

_VERSION = 1
"""Raised when a checkpoint of an older graph can no longer be continued."""

_BEFORE_WORK = 4
"""Steps up to the approved plan, and one to spare."""


class Place(TypedDict):
    """What a checkpoint holds: where the run is, in ids and digests; the rest is in files."""

    cursor: dict[str, Any]
    approved: bool


@dataclass(frozen=True, slots=True)
class Form:
    """A way of joining the steps."""

    nodes: Mapping[str, Node]
    edges: tuple[tuple[str, str], ...]
    choices: Mapping[str, tuple[Callable[[Place], str], tuple[str, ...]]]
    """Where a step may lead, by what the run then needs."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of names and arrows; a checkpoint fits only the graph that wrote it."""
        leads = {name: list(targets) for name, (_, targets) in self.choices.items()}
        return digest([_VERSION, sorted(self.nodes), sorted(map(list, self.edges)), leads])


def _to_task(place: Place) -> str:
    return "agent" if place["cursor"]["task_id"] else "synth"


def _from_agent(place: Place) -> str:
    return "collect" if place["cursor"]["draft"] else "tool"


def _from_collect(place: Place) -> str:
    return "agent" if place["cursor"]["task_id"] else "route"


def sequential() -> Form:
    """Return the form that takes one task after another, each step a node."""
    return Form(
        nodes={
            "plan": plan_node,
            "approve": approve_node,
            "route": route_node,
            "agent": agent_node,
            "tool": tool_node,
            "collect": collect_node,
            "synth": synth_node,
        },
        edges=(
            (START, "plan"),
            ("plan", "approve"),
            ("approve", "route"),
            ("tool", "agent"),
            ("synth", END),
        ),
        choices={
            "route": (_to_task, ("agent", "synth")),
            "agent": (_from_agent, ("tool", "collect")),
            "collect": (_from_collect, ("agent", "route")),
        },
    )


def parallel() -> Form:
    """Return the form whose one node starts each task as soon as it can run."""
    return Form(
        nodes={
            "plan": plan_node,
            "approve": approve_node,
            "fan_out": fan_out_node,
            "synth": synth_node,
        },
        edges=(
            (START, "plan"),
            ("plan", "approve"),
            ("approve", "fan_out"),
            ("fan_out", "synth"),
            ("synth", END),
        ),
        choices={},
    )


async def run(state: GraphState, deps: Deps) -> GraphState:
    """Drive the run's graph from its last checkpoint, or from the start, to the proposal."""
    form = parallel() if deps.flags.PARALLEL_EXEC_ENABLED else sequential()
    desk = _Desk(state, deps)
    try:
        async with _saver(deps.folder) as saver:
            await _driven(compiled(form, desk, saver), form, desk)
    except sqlite3.OperationalError as error:
        raise Stopped(f"{deps.folder.checkpoint_path} cannot be used: {error}") from error
    return desk.state


def draw_mermaid(form: Form) -> str:
    """Return the graph as Mermaid text."""
    return compiled(form, None, None).get_graph().draw_mermaid()


Compiled = CompiledStateGraph[Place, None, Place, Place]


class _Step(Protocol):
    async def __call__(self, state: Place) -> Place: ...


def compiled(form: Form, desk: "_Desk | None", saver: BaseCheckpointSaver[str] | None) -> Compiled:
    """Compile *form*; without a desk it can be drawn, not run."""
    graph: StateGraph[Place, None, Place, Place] = StateGraph(Place)
    for name, node in form.nodes.items():
        graph.add_node(name, _step(name, node, desk))
    for source, target in form.edges:
        graph.add_edge(source, target)
    for source, (choose, targets) in form.choices.items():
        graph.add_conditional_edges(source, choose, list(targets))
    return graph.compile(checkpointer=saver)


def _step(name: str, node: Node, desk: "_Desk | None") -> _Step:
    async def step(state: Place) -> Place:
        if desk is None:
            raise AssertionError("a graph that is only drawn was run")
        if name == "approve":
            desk.ask()
        return await desk.do(node, state)

    return step


class _Desk:
    """The run's full state beside the graph, and its short form for checkpoints."""

    def __init__(self, state: GraphState, deps: Deps) -> None:
        self.state, self.deps = state, deps
        self.place = _packed(state, deps.folder)

    async def do(self, node: Node, place: Place) -> Place:
        """Do one step from where the checkpoint says the run is."""
        if place != self.place:  # taken up again: the files know more than this process
            self.state = _unpacked(self.state, place, self.deps.folder)
        self.state = apply(self.state, await node(self.state, self.deps))
        self.place = _packed(self.state, self.deps.folder)
        await self.deps.folder.commits.commit()  # a checkpoint names only what is safe
        return self.place

    def ask(self) -> None:
        """Interrupt the graph, alone in its node, while the plan waits for a person."""
        try:
            ask_approval(self.deps)
        except Waiting as question:
            interrupt(str(question))


async def _driven(graph: Compiled, form: Form, desk: _Desk) -> None:
    """Continue the thread if it has a checkpoint; given input anew it would start over."""
    folder = desk.deps.folder
    config = _config(folder, _BEFORE_WORK)
    seen = (await graph.aget_state(config)).values
    _check_fingerprint(folder, form, fresh=not seen)
    if not seen.get("approved"):
        # the plan's size, and with it the limit of steps, is known only once it is approved
        result = await graph.ainvoke(
            None if seen else desk.place, config, durability="sync", interrupt_after=["approve"]
        )
        if "__interrupt__" in result:
            raise Waiting(result["__interrupt__"][0].value)
    limit = _most_steps(len(desk.state.tasks), desk.deps.flags.MAX_RETRIES)
    await graph.ainvoke(None, _config(folder, limit), durability="sync")


def _config(folder: RunFolder, limit: int) -> RunnableConfig:
    return {"configurable": {"thread_id": folder.run_id}, "recursion_limit": limit}


def _most_steps(tasks: int, retries: int) -> int:
    rounds = (retries + 1) * 2 + 2 * MAX_CALLS_PER_TASK
    return _BEFORE_WORK + tasks * (rounds + 1) + 2


@asynccontextmanager
async def _saver(folder: RunFolder) -> AsyncIterator[BaseCheckpointSaver[str]]:
    if folder.records:
        async with folder.records.saver() as saver:
            yield saver
        return
    async with AsyncSqliteSaver.from_conn_string(str(folder.checkpoint_path)) as saver:
        yield saver


def _check_fingerprint(folder: RunFolder, form: Form, *, fresh: bool) -> None:
    mine = {"fingerprint": form.fingerprint, "nodes": sorted(form.nodes)}
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


def _packed(state: GraphState, folder: RunFolder) -> Place:
    """Put what is large into artifacts: a checkpoint of a long run stays as small as the first."""
    cursor = state.cursor
    short = {
        "task_id": cursor.task_id,
        "feedback": list(cursor.feedback),
        "attempts": [folder.keep(attempt) for attempt in cursor.attempts],
        "requests": [folder.keep(request) for request in cursor.requests],
        "tool_result": [folder.keep(result) for result in cursor.tool_result],
        "draft": folder.keep(cursor.draft) if cursor.draft else "",
    }
    return Place(cursor=short, approved=state.approved)


def _unpacked(state: GraphState, place: Place, folder: RunFolder) -> GraphState:
    short = place["cursor"]
    draft = short["draft"]
    cursor = Cursor(
        task_id=short["task_id"],
        feedback=tuple(short["feedback"]),
        attempts=tuple(Attempt(**folder.kept(n)) for n in short["attempts"]),
        requests=tuple(ToolRequest(**folder.kept(n)) for n in short["requests"]),
        tool_result=tuple(ToolResult(**folder.kept(n)) for n in short["tool_result"]),
        draft=Answer(**folder.kept(draft)) if draft else None,
    )
    plan = folder.plan()
    tasks = plan.tasks if plan else ()
    return state.model_copy(
        update={
            "cursor": cursor,
            "approved": place["approved"],
            "tasks": tasks,
            "answers": folder.answers(tasks),
        }
    )

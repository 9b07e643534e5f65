"""The steps as a LangGraph graph; as "classic" where the graph is off or not installed."""

from importlib import import_module

from core.events import ModeFellBack
from core.graph.nodes import Deps
from core.graph.state import GraphState
from core.modes import classic

_LIBRARY = ("langgraph", "langchain_core", "aiosqlite")


async def run(state: GraphState, deps: Deps) -> GraphState:
    """Drive the graph to its proposal, or fall back to classic and say so in the trace."""
    if not deps.flags.GRAPH_ENABLED:
        return await _without(state, deps, "GRAPH_ENABLED is false")
    try:
        build = import_module("core.graph.build")  # late: classic must work without the library
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _LIBRARY:
            raise
        return await _without(state, deps, f"the graph library is missing ({error.name})")
    finished: GraphState = await build.run(state, deps)
    return finished


async def _without(state: GraphState, deps: Deps, reason: str) -> GraphState:
    deps.record(ModeFellBack(mode="classic", reason=reason))
    return await classic.run(state, deps)

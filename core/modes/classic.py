"""The same steps, one after another, without the graph library."""

from anyio.lowlevel import checkpoint

from core.graph.nodes import (
    Deps,
    Node,
    approve_node,
    ask_approval,
    next_node,
    plan_node,
    route_node,
    synth_node,
)
from core.graph.state import GraphState, apply


async def run(state: GraphState, deps: Deps) -> GraphState:
    """Plan, wait for approval where it is required, do each task in turn, and compose."""
    state = await _step(plan_node, state, deps)
    ask_approval(deps)
    state = await _step(approve_node, state, deps)
    state = await _step(route_node, state, deps)
    while state.cursor.task_id:
        while state.cursor.task_id:
            state = await _step(next_node(state), state, deps)
        state = await _step(route_node, state, deps)
    return await _step(synth_node, state, deps)


async def _step(node: Node, state: GraphState, deps: Deps) -> GraphState:
    await checkpoint()  # a node that never waits must not keep a stop from being heard
    return apply(state, await node(state, deps))

"""A graph's steps, one after another, without the graph library."""

from anyio.lowlevel import checkpoint

from core.graph.spec import END, D, GraphSpec, S


async def walk(spec: GraphSpec[S, D], state: S, deps: D) -> S:
    """Take the steps from the first to the end; raises Waiting while a person must answer."""
    name = spec.entry
    while name != END:
        await checkpoint()  # a step that never waits must not keep a stop from being heard
        state = await spec.do(name, state, deps)
        name = spec.following(name, state)
    return state

"""The same steps, one after another, without the graph library."""

from core.graph.nodes import Deps
from core.graph.spec import GraphSpec
from core.graph.state import GraphState
from core.graph.walk import walk
from core.modes.graph import TaskMode, sequential
from core.settings import Flags


class Classic(TaskMode):
    """Plan, wait for approval where it is required, do each task in turn, and compose."""

    id = "classic"
    label = "Classic"
    question = "The same, one step after another, without the graph library"
    rank = 20

    def spec(self, flags: Flags) -> GraphSpec[GraphState, Deps]:
        """Return the steps; the flags change nothing."""
        del flags
        return sequential()

    async def run(self, state: GraphState, deps: Deps) -> GraphState:
        """Walk the steps."""
        return await walk(self.spec(deps.flags), state, deps)


MODE = Classic()

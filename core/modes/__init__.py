"""The ways of running a plan, by id; each module has one function, run(state, deps)."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from core.errors import unknown
from core.graph.nodes import Deps
from core.graph.state import GraphState


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of running, as a person chooses it."""

    id: str
    label: str
    question: str
    """What an analyst who wants this mode asks."""
    module: str
    """Where its run(state, deps) is; imported only when it is used."""


class ModeModule(Protocol):
    """What a mode's module holds."""

    async def run(self, state: GraphState, deps: Deps) -> GraphState:
        """Bring the run to its proposal; raises Waiting while a person must answer first."""
        ...


_ALL = (
    Mode(
        id="graph",
        label="Plan and fan-out",
        question="Turn this idea into a checked research plan",
        module="core.modes.graph",
    ),
    Mode(
        id="classic",
        label="Classic",
        question="The same, one step after another, without the graph library",
        module="core.modes.classic",
    ),
)

MODES: Mapping[str, Mode] = MappingProxyType({mode.id: mode for mode in _ALL})
"""Every mode, in the order a person is shown them."""


def load_mode(mode_id: str) -> ModeModule:
    """Import and return the module of a mode; raises CallerError for an unknown id."""
    if mode_id not in MODES:
        raise unknown("mode", mode_id, MODES)
    return cast(ModeModule, import_module(MODES[mode_id].module))

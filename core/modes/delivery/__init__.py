"""Stages in their order, a builder and a gate that send work back and forth, and a way out to people.

::

    analyst → pm → architect → dev ⟲ tea → close        each stage may lead to escalate instead

A stage returns what it changed (`Update`); what its flags lead to is said here, by rule, and goes
on record with its reason. What the stages do is the workbench's (`DeliveryContent`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import unknown
from core.events import NodeEnded, Row
from core.graph.spec import GraphSpec, restore_state
from core.graph.walk import walk
from core.kit import Kit
from core.modes.delivery.nodes import DeliveryContent, DeliveryKit, Stage, stage_graph
from core.modes.delivery.routing import after_gate, after_people, after_stage
from core.modes.delivery.state import (
    CLOSE,
    ESCALATE,
    Ask,
    Block,
    Config,
    Delivery,
    Option,
    Route,
    Update,
    apply,
)
from core.modes.spec import Ending, Mode, RunParts, View
from core.settings import Flags
from core.store import RunFolder
from core.trace import read_events

__all__ = [
    "CLOSE",
    "ESCALATE",
    "MODE",
    "Ask",
    "Block",
    "Config",
    "Delivery",
    "DeliveryContent",
    "DeliveryKit",
    "DeliveryView",
    "Option",
    "Route",
    "Stage",
    "Update",
    "after_gate",
    "after_people",
    "after_stage",
    "apply",
    "check_installed",
    "stage_graph",
]


class DeliveryView(View):
    """What is seen of a delivery: where it is and what it has made."""

    state: Delivery = Delivery()


class StagedDelivery(Mode[Delivery, DeliveryKit]):
    """From a plan to work that can be started, with what blocks it."""

    id = "delivery"
    label = "Stage-gate delivery"
    question = "What may start now, what blocks the rest, and how is each limit tested?"
    rank = 50

    def spec(self, flags: Flags) -> GraphSpec[Delivery, DeliveryKit]:
        """Return the graph of the stages as they stand without a scenario."""
        del flags
        return stage_graph(Config())

    def deps(self, kit: Kit, parts: RunParts) -> DeliveryKit:
        """Join the kit with the stages; raises CallerError for one that is not installed."""
        content: Any = parts.content(kit)
        check_installed(content.config, content.stages)
        named = {name: getattr(kit, name) for name in Kit.__dataclass_fields__}
        return DeliveryKit(**named, content=content)

    def begin(self, deps: DeliveryKit) -> Delivery:
        """Return a delivery of which no stage has begun."""
        return Delivery(config=deps.content.config)

    async def run(self, state: Delivery, deps: DeliveryKit) -> Delivery:
        """Go through the stages; without checkpoints a run that stopped begins with the first."""
        if not state.config.enable_checkpointing:
            return await walk(stage_graph(state.config), state, deps)
        from core.graph.build import run  # noqa: PLC0415 - as in the class above

        return await run(stage_graph(state.config), state, deps)

    def ending(self, folder: RunFolder, state: Delivery | None = None) -> Ending:
        """Read from the result whether everything may go on."""
        del state
        found: Any = folder.read_json("result.json")
        if found["verdict"] == "go":
            return Ending("finished")
        return Ending("failed_gate", str(found.get("finding", found["verdict"])))

    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        """Return the result as the gate last left it, or what the stages said so far."""
        del parts
        if folder.has("result.md"):
            return f"*Unfinished: {standing}.*\n\n{folder.read_text('result.md')}"
        lines = self.view(folder, tuple(read_events(folder.trace_path))).state.messages.lines()
        return "\n\n".join([f"# Unfinished: {standing}", *lines, ""])

    def view(
        self, folder: RunFolder, rows: Sequence[Row], before: View | None = None
    ) -> DeliveryView:
        """Return the state after the last stage that is done."""
        del before
        ends = [row.event.state_digest for row in rows if isinstance(row.event, NodeEnded)]
        return DeliveryView(
            state=restore_state(Delivery, ends[-1], folder) if ends else Delivery()
        )


def check_installed(config: Config, stages: Mapping[str, Stage]) -> None:
    """Raise CallerError if a stage of *config* is not among those installed."""
    for name in config.stages:
        if name not in stages:
            raise unknown("stage", name, stages)


MODE = StagedDelivery()

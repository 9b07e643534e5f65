"""Stages: a workflow begun, and each way that it took, with the reason."""

from typing import Literal

from core.events.base import Lasting


class WorkflowStarted(Lasting):
    """A workflow of stages began."""

    kind: Literal["workflow_started"] = "workflow_started"
    thread_id: str
    """The thread of its checkpoints."""
    entry: str
    """The stage that it began with."""
    stages: tuple[str, ...]
    """Its stages, in their order."""

    def headline(self) -> str:
        """Say where it begins."""
        return f"begins with {self.entry}, of {', '.join(self.stages)}"


class RouteTaken(Lasting):
    """A stage is done, and another one, or the end, comes next."""

    kind: Literal["route_taken"] = "route_taken"
    number: int
    """The route's place among all, from 1."""
    source: str
    destination: str
    reason: str
    round: int
    """Rounds of rework so far."""

    def headline(self) -> str:
        """Say where it goes and why."""
        return f"{self.source} → {self.destination}: {self.reason}"

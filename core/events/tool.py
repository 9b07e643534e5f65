"""Tool calls and what their searches found."""

from typing import ClassVar, Literal

from pydantic import Field

from core.events.base import Fact, Lasting, Ref, Section, artifacts
from core.values import unsaid


class ToolCalled(Fact):
    """A tool was asked for something."""

    section: ClassVar[Section] = "tool_trace"
    readings: ClassVar[tuple[str, ...]] = ("elapsed_ms",)

    kind: Literal["tool_called"] = "tool_called"
    id: str
    name: str
    task_id: str
    role: str
    args_digest: str
    output_digest: str = ""
    """"" if the call failed."""
    elapsed_ms: int
    ok: bool
    error: str = ""
    refused: bool = Field(default=False, exclude_if=unsaid)
    """Whether it was not made at all; an earlier release does not say."""

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return artifacts(self.id, self.args_digest, self.output_digest)


class PassagesRetrieved(Lasting):
    """A search in the run's documents gave these passages."""

    section: ClassVar[Section] = "retrieval_trace"

    kind: Literal["passages_retrieved"] = "passages_retrieved"
    call_id: str
    """The tool call that searched."""
    task_id: str
    query: str
    ids: tuple[str, ...]

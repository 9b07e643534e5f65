"""The run itself: taken up, stepping, stopped, ended."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from core.events.base import Fact, Lasting, Ref, Replay, artifacts
from core.settings import Flags, RunOptions
from core.values import unsaid

RunStatus = Literal["finished", "holes", "failed_gate", "stopped"]
"""How a run ended: complete; with tasks missing; with answers below the gate; or by a person."""


class Booted(Fact):
    """A process took the run up; work that a crash cut off before this starts again."""

    replay: ClassVar[Replay] = "process"
    readings: ClassVar[tuple[str, ...]] = ("pid", "python", "version")

    kind: Literal["booted"] = "booted"
    pid: int
    python: str
    version: str = ""
    """The release and the library that do the work; "" where nobody said."""


class Recovered(Fact):
    """A line that a crash had torn was cut off the trace."""

    replay: ClassVar[Replay] = "external"

    kind: Literal["recovered"] = "recovered"
    bytes_cut: int


class RunStarted(Lasting):
    """The run began with this brief and these settings."""

    kind: Literal["run_started"] = "run_started"
    project_id: str
    brief_digest: str
    settings: RunOptions


class SettingsChanged(Fact):
    """Somebody changed what the run may spend, and it went on."""

    replay: ClassVar[Replay] = "external"

    kind: Literal["settings_changed"] = "settings_changed"
    flags: Flags


class ModeFellBack(Lasting):
    """The run went on in another mode than the one chosen."""

    kind: Literal["mode_fell_back"] = "mode_fell_back"
    mode: str
    """The mode that ran instead."""
    reason: str


class CapReached(Fact):
    """The run may spend no more of something; it stops and can go on once the cap is raised."""

    replay: ClassVar[Replay] = "external"

    kind: Literal["cap_reached"] = "cap_reached"
    cap: str
    """The setting, such as MAX_CALLS."""
    limit: float
    spent: float


class NodeStarted(Fact):
    """A node of the flow began."""

    replay: ClassVar[Replay] = "process"

    kind: Literal["node_started"] = "node_started"
    node: str
    task_id: str = ""


class NodeEnded(Fact):
    """A node of the flow came to its end."""

    replay: ClassVar[Replay] = "process"
    readings: ClassVar[tuple[str, ...]] = ("duration_ms",)

    kind: Literal["node_ended"] = "node_ended"
    node: str
    task_id: str = ""
    duration_ms: int
    state_digest: str = Field(default="", exclude_if=unsaid)
    """The run's state then; "" where the run's other files hold it."""

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return artifacts(f"the state after {self.node}", self.state_digest)


class RunPaused(Fact):
    """The run stopped before its end; it can be resumed."""

    replay: ClassVar[Replay] = "external"

    kind: Literal["run_paused"] = "run_paused"
    reason: str


class RunWaiting(Fact):
    """The run stopped because people must answer first."""

    replay: ClassVar[Replay] = "external"

    kind: Literal["run_waiting"] = "run_waiting"
    question_ids: tuple[str, ...]
    """The questions that are open."""


class RunFinished(Lasting):
    """The run's result is written."""

    readings: ClassVar[tuple[str, ...]] = ("file_digests",)

    kind: Literal["run_finished"] = "run_finished"
    status: RunStatus
    proposal_digest: str = Field(default="", exclude_if=unsaid)
    """SHA-256 of proposal.md; "" where the result is in other files."""
    result_digests: Mapping[str, str] = Field(default={}, exclude_if=unsaid)
    """SHA-256 of each file of the result, by its name."""
    file_digests: Mapping[str, str] = Field(default={}, exclude_if=unsaid)
    """SHA-256 of each file that the run has then, by its name; that of a list of checksums for
    a name that ends with "/". A replay compares the files themselves."""

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        files = {"proposal.md": self.proposal_digest, **self.result_digests}
        return tuple(Ref("the result", d, name, form="bytes") for name, d in files.items() if d)


class RunEnded(Lasting):
    """The trace is complete: nothing follows."""

    kind: Literal["run_ended"] = "run_ended"
    count: int
    """How many events the trace has, this one included."""

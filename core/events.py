"""The closed union of things that can happen in a run, each in the past tense."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter
from pydantic_core import to_jsonable_python

from core.settings import Flags, RunOptions
from core.values import Frozen, canonical, unsaid

RunStatus = Literal["finished", "holes", "failed_gate"]
"""How a run ended: complete; with tasks missing; or with answers below the gate."""

Judgement = Literal["pass", "fail", "inconclusive", "not_judged"]


class _Fact(Frozen):
    once: ClassVar[bool] = False
    """Whether saying the same thing again, after a crash, adds nothing and is left out."""
    _sorted: ClassVar[tuple[str, ...]] = ()
    _left_out: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        fields = cls.model_fields
        cls._sorted = tuple(sorted(fields))
        cls._left_out = {n: f.exclude_if for n, f in fields.items() if f.exclude_if}

    def said(self) -> dict[str, JsonValue]:
        """Return what ``model_dump(mode="json")`` does, in less time."""
        unsaid = {n for n, without in self._left_out.items() if without(getattr(self, n))}
        return {n: _json(v) for n, v in self.__dict__.items() if n not in unsaid}

    def canonical(self) -> str:
        """Return the canonical JSON of what is said, in less time: each line of a trace has it."""
        said = self.said()
        return f"{{{','.join([_pair(n, said[n]) for n in self._sorted if n in said])}}}"


def _json(value: object) -> JsonValue:
    if value is None or isinstance(value, str | int):
        return value
    plain: JsonValue = to_jsonable_python(value, inf_nan_mode="null")
    return plain


def _pair(name: str, value: JsonValue) -> str:
    return f'"{name}":{encode_basestring(value) if type(value) is str else canonical(value)}'


class _Lasting(_Fact):
    once: ClassVar[bool] = True


class Booted(_Fact):
    """A process took the run up; work that a crash cut off before this starts again."""

    kind: Literal["booted"] = "booted"
    pid: int
    python: str
    version: str = ""
    """The release and the library that do the work; "" where nobody said."""


class Recovered(_Fact):
    """A line that a crash had torn was cut off the trace."""

    kind: Literal["recovered"] = "recovered"
    bytes_cut: int


class RunStarted(_Lasting):
    """The run began with this brief and these settings."""

    kind: Literal["run_started"] = "run_started"
    project_id: str
    brief_digest: str
    settings: RunOptions


class ModeFellBack(_Lasting):
    """The run went on in another mode than the one chosen."""

    kind: Literal["mode_fell_back"] = "mode_fell_back"
    mode: str
    """The mode that ran instead."""
    reason: str


class PlanProposed(_Lasting):
    """There is a plan."""

    kind: Literal["plan_proposed"] = "plan_proposed"
    plan_digest: str
    tasks: int


class ApprovalAsked(_Fact):
    """The run waits for a person to approve the plan."""

    kind: Literal["approval_asked"] = "approval_asked"
    plan_digest: str


class PlanApproved(_Lasting):
    """A plan was settled: it, and no other, is the one to execute."""

    kind: Literal["plan_approved"] = "plan_approved"
    plan_digest: str
    by: str
    """Who approved it; "settings" when no approval was required."""
    at: str = ""
    """When the person did; "" when no approval was required."""
    edited: bool


class NodeStarted(_Fact):
    """A node of the flow began."""

    kind: Literal["node_started"] = "node_started"
    node: str
    task_id: str = ""


class NodeEnded(_Fact):
    """A node of the flow came to its end."""

    kind: Literal["node_ended"] = "node_ended"
    node: str
    task_id: str = ""
    duration_ms: int


class AttemptJudged(_Lasting):
    """The gate read one try at a task."""

    kind: Literal["attempt_judged"] = "attempt_judged"
    task_id: str
    attempt: int
    score: float | None
    """The overall score; None if nothing was measured."""
    verdict: Judgement
    retry: bool
    rationale: str
    answer_digest: str
    feedback: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """What its author had been told of the attempts before."""


class ProposalJudged(_Lasting):
    """The composed proposal was read as a whole."""

    kind: Literal["proposal_judged"] = "proposal_judged"
    score: float | None
    """The overall score; None if nothing was measured."""
    verdict: Judgement
    rationale: str
    card_digest: str
    """SHA-256 of scorecard.json as canonical JSON."""


class BackedOff(_Fact):
    """A task waits before its next try."""

    kind: Literal["backed_off"] = "backed_off"
    task_id: str
    attempt: int
    """The attempt that will follow."""
    wait_ms: int


class ToolCalled(_Fact):
    """A tool was asked for something."""

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


class CallTried(_Fact):
    """One try at a call to a model's server came to its end."""

    kind: Literal["call_tried"] = "call_tried"
    call_id: str
    task_id: str
    """"" for calls that belong to no task, such as planning."""
    purpose: str
    endpoint: str
    """Scheme, host and port; never a key or a query."""
    attempt: int
    outcome: Literal["answered", "transient", "permanent", "cancelled"]
    status: int | None = None
    """The HTTP status, if there was a reply."""
    error: str = ""
    elapsed_ms: int
    wait_ms: int = 0
    """How long the call waits before its next try; 0 if there is none."""
    partial_digest: str = ""
    """What had arrived before the reply was cut; "" if nothing."""
    chars: int = Field(default=0, exclude_if=unsaid)
    """Characters of the request's body as JSON; 0 where an earlier release did not count."""


class CallEnded(_Fact):
    """A call to a model's server has its reply, or failed for good."""

    kind: Literal["call_ended"] = "call_ended"
    call_id: str
    task_id: str
    purpose: str
    endpoint: str
    model: str
    request_digest: str
    reply_digest: str = ""
    """"" if there was none; a reply that is no whole answer is kept although the call failed."""
    ok: bool
    error: str = ""
    paused: bool = False
    """Whether it ended the sitting rather than the task: the run will ask again."""
    tries: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    """None where the server did not say."""
    cost_usd: float | None = None
    """None where the price is unknown; never 0 for that reason."""
    asked: str = Field(default="", exclude_if=unsaid)
    """How it was asked in fact, where the server had refused the form of the request."""


class BreakerMoved(_Fact):
    """Calls to an endpoint are held back after failures, tried with one, or open again."""

    kind: Literal["breaker_moved"] = "breaker_moved"
    endpoint: str
    state: Literal["open", "probing", "closed"]
    reason: str = ""


class CapReached(_Fact):
    """The run may spend no more of something; it stops and can go on once the cap is raised."""

    kind: Literal["cap_reached"] = "cap_reached"
    cap: str
    """The setting, such as MAX_CALLS."""
    limit: float
    spent: float


class SettingsChanged(_Fact):
    """Somebody changed what the run may spend, and it went on."""

    kind: Literal["settings_changed"] = "settings_changed"
    flags: Flags


class ProposalStamped(_Lasting):
    """The proposal is about to be composed, and names this event's place in its footer."""

    kind: Literal["proposal_stamped"] = "proposal_stamped"
    head: str
    """The hash of the event before this one."""


class PassagesRetrieved(_Lasting):
    """A search in the run's documents gave these passages."""

    kind: Literal["passages_retrieved"] = "passages_retrieved"
    call_id: str
    """The tool call that searched."""
    task_id: str
    query: str
    ids: tuple[str, ...]


class TaskFinished(_Lasting):
    """A task has its final answer, which is on the disk."""

    kind: Literal["task_finished"] = "task_finished"
    task_id: str
    answer_digest: str
    status: Literal["done", "below_gate", "failed", "not_run"]
    reason: str = ""


class RunPaused(_Fact):
    """The run stopped before its end; it can be resumed."""

    kind: Literal["run_paused"] = "run_paused"
    reason: str


class RunFinished(_Lasting):
    """The proposal is written."""

    kind: Literal["run_finished"] = "run_finished"
    status: RunStatus
    proposal_digest: str


class RunEnded(_Lasting):
    """The trace is complete: nothing follows."""

    kind: Literal["run_ended"] = "run_ended"
    count: int
    """How many events the trace has, this one included."""


Event = Annotated[
    Booted
    | Recovered
    | RunStarted
    | ModeFellBack
    | PlanProposed
    | ApprovalAsked
    | PlanApproved
    | NodeStarted
    | NodeEnded
    | AttemptJudged
    | ProposalJudged
    | BackedOff
    | ToolCalled
    | CallTried
    | CallEnded
    | BreakerMoved
    | CapReached
    | SettingsChanged
    | ProposalStamped
    | PassagesRetrieved
    | TaskFinished
    | RunPaused
    | RunFinished
    | RunEnded,
    Field(discriminator="kind"),
]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the trace: an event, its place, and its link to the line before."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seq: int
    run_id: str
    ts: str
    event: Event
    prev: str
    """The hash of the line before; 64 zeros for the first."""
    hash: str
    """SHA-256 of the canonical JSON of this line without this field."""


_ROW = TypeAdapter(Row)


def read_row(line: bytes) -> Row:
    """Read one line of a trace; raises ValidationError if it is none."""
    return _ROW.validate_json(line)


def unrecorded(event: Event) -> None:
    """Take an event where there is no run to record it."""
    del event

"""What a run knows while it works: tasks, answers, and where it is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from core.errors import CallerError
from core.pluralize import few, pluralize
from core.scores import Scorecard
from core.values import Amount, Frozen, digest, unsaid

TASK_ID = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,30}$"
"""What a task may be called: it names a file."""


class ThreePoint(Frozen):
    """A three-point estimate, for a PERT or triangular distribution."""

    low: Amount
    mode: Amount
    high: Amount

    @model_validator(mode="after")
    def _ordered(self) -> "ThreePoint":
        if not self.low <= self.mode <= self.high:
            raise ValueError(f"estimate {self.low}, {self.mode}, {self.high} is not in order")
        return self

    @property
    def mean(self) -> float:
        """The PERT mean, (low + 4 mode + high) / 6."""
        return (self.low + 4 * self.mode + self.high) / 6


class Acceptance(Frozen):
    """What must be seen before a task counts as done."""

    text: str
    ledger_ids: tuple[str, ...] = ()
    """The ledger items that this criterion answers."""


class ToolRequest(Frozen):
    """A call that a task's agent wants made."""

    name: str
    args: Mapping[str, Any] = {}

    @field_validator("args")
    @classmethod
    def _finite(cls, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write NaN and infinity as words, which JSON can keep and a tool can refuse."""
        found: dict[str, Any] = json.loads(json.dumps(dict(args)), parse_constant=str)
        return found


class ToolResult(Frozen):
    """What a tool call gave."""

    id: str
    """The call's id, cited by computed claims, such as "T03-1"."""
    name: str
    args: Mapping[str, Any]
    output: Any = None
    """A JSON value; None if the call failed."""
    error: str = ""

    @property
    def ok(self) -> bool:
        """Whether the call gave an output."""
        return not self.error


class GraphTask(Frozen):
    """One line of the plan."""

    id: str = Field(pattern=TASK_ID)
    role: str
    title: str
    description: str = ""
    """Purpose, in a sentence or two."""
    depends_on: tuple[str, ...] = ()
    """Ids of the tasks whose answers this one needs."""
    stop_rules: tuple[str, ...] = ()
    """When to stop working on it: its kill criteria."""
    tool_request: tuple[ToolRequest, ...] = ()
    """The tool calls planned for it; no other tool is open to it. Without arguments, its agent
    finds them from what is known by then."""
    steps: tuple[str, ...] = ()
    """How it is done, in order."""
    deliverable: str = ""
    acceptance: tuple[Acceptance, ...] = ()
    duration_days: ThreePoint | None = None
    """Working days."""
    cost: ThreePoint | None = None
    """In the plan's currency."""
    priced_by: str = Field(default="", exclude_if=unsaid)
    """Who set its cost after it was planned: "analyst"; "" if nobody has."""
    timed_by: str = Field(default="", exclude_if=unsaid)
    """Who set its days after it was planned, likewise."""
    phase: str = ""
    """The part of the work it belongs to, such as "analysis"."""
    source: str = ""
    """Where it came from: a method's work package, "brief" or "model"."""


class Claim(Frozen):
    """One checkable statement in an answer."""

    kind: Literal["brief", "quoted", "computed", "assumption"]
    text: str
    source: str = ""
    """Ledger id or brief field, evidence id, tool call id, or assumption id, by kind."""
    passage: str = ""
    """The exact words quoted, for brief and quoted claims."""
    fault: str = Field(default="", exclude_if=unsaid)
    """Why nothing bears it out, where its author claims that something does, or it belongs elsewhere."""


class Answer(Frozen):
    """What came of one task."""

    task_id: str
    content: str
    """Markdown."""
    claims: tuple[Claim, ...] = ()
    unknowns: tuple[str, ...] = ()
    """What the agent does not know."""
    tool_result: tuple[ToolResult, ...] = ()
    evaluation: Scorecard | None = None
    """None when evaluators are off."""
    status: Literal["done", "below_gate", "failed", "not_run"] = "done"
    reason: str = ""
    """Why, for any status but done."""
    attempts: int = Field(default=1, ge=0)
    kept: int = Field(default=0, ge=0, exclude_if=unsaid)
    """Which attempt this is, where there were several; 0 if there was but one."""
    tried: tuple[float | None, ...] = Field(default=(), exclude_if=unsaid)
    """The overall score of each attempt, in order, where there were several.

    Of several the best is kept, so that its score leans upwards: the first one does not.
    """

    removed: int = Field(default=0, ge=0, exclude_if=unsaid)
    """Citations and links that a model gave and that lead nowhere; they are gone."""
    left_out: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """What a model wrote and code took out: how each begins, and why."""
    expertise: Mapping[str, JsonValue] = Field(default={}, exclude_if=unsaid)
    """What a model knows beside its answer, as the workbench writes it; nobody has checked it."""

    @property
    def usable(self) -> bool:
        """Whether later tasks can build on it."""
        return self.status in ("done", "below_gate")


class Attempt(Frozen):
    """One try at a task."""

    number: int
    answer: Answer
    feedback: tuple[str, ...] = ()
    """What the gate had said of the attempt before."""


class Cursor(Frozen):
    """Where a sequential run is."""

    task_id: str = ""
    """The task in hand; "" between tasks."""
    feedback: tuple[str, ...] = ()
    """What the gate said of the last attempt."""
    attempts: tuple[Attempt, ...] = ()
    requests: tuple[ToolRequest, ...] = ()
    """Tool calls that the attempt in hand waits for."""
    tool_result: tuple[ToolResult, ...] = ()
    """Results that the attempt in hand may use."""
    draft: Answer | None = None
    """The attempt in hand, before it is judged."""


class GraphState(Frozen):
    """One run: what was asked, what is planned, what has been answered."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    idea: str
    """The brief's objective."""
    constraints: tuple[str, ...] = ()
    """What the plan must keep to, in the brief's words."""
    risk_posture: Literal["low", "medium", "high"] = "medium"
    """How much risk is acceptable."""
    tasks: tuple[GraphTask, ...] = ()
    """The plan."""
    sent_back: tuple[str, ...] = ()
    """What people wrote when they sent earlier plans back."""
    notes: Mapping[str, str] = {}
    """What people want heeded where a task is done again, by task."""
    approved: bool = False
    """Whether the plan may be worked on."""
    stopped: str = ""
    """Who stopped the run at its plan, and why; "" if nobody did."""
    cursor: Cursor = Cursor()
    """The task in hand with its attempts, tool results and draft."""
    answers: Mapping[str, Answer] = {}
    """The final answers, by task."""
    trace: tuple[Mapping[str, Any], ...] = ()
    """Rows of the run's trace so far, oldest first."""
    tool_trace: tuple[Mapping[str, Any], ...] = ()
    """Rows of the tool calls so far."""
    proposal: str = ""
    """Markdown; "" until synthesized."""

    def task(self, task_id: str) -> GraphTask:
        """Return the task with that id."""
        return self.tasks[self.places[task_id]]

    @property
    def places(self) -> Mapping[str, int]:
        """Where in the plan each task is; found once, however long the plan."""
        tasks, places = self._index
        if tasks is not self.tasks:  # it came along when the state was copied
            del self.__dict__["_index"]
            _, places = self._index
        return places

    @cached_property
    def _index(self) -> tuple[tuple[GraphTask, ...], dict[str, int]]:
        return self.tasks, {task.id: place for place, task in enumerate(self.tasks)}


@dataclass(frozen=True, slots=True)
class Update:
    """What a node changed; None or empty means unchanged."""

    tasks: tuple[GraphTask, ...] | None = None
    sent_back: tuple[str, ...] | None = None
    approved: bool | None = None
    stopped: str | None = None
    cursor: Cursor | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    proposal: str | None = None


def apply(state: GraphState, update: Update) -> GraphState:
    """Return the state that *update* makes of *state*."""
    named = ("tasks", "sent_back", "approved", "stopped", "cursor", "proposal")
    changes = {n: v for n in named if (v := getattr(update, n)) is not None}
    return state.model_copy(update={**changes, "answers": {**state.answers, **update.answers}})


def plan_digest(tasks: tuple[GraphTask, ...]) -> str:
    """SHA-256 of a plan: what the analyst approved is what this names."""
    return digest([t.model_dump(mode="json") for t in tasks])


def checked(tasks: tuple[GraphTask, ...]) -> tuple[GraphTask, ...]:
    """Return *tasks* if they form a plan: at least one, unique ids, known dependencies, no cycle.

    Raises CallerError with one sentence otherwise.
    """
    if not tasks:
        raise CallerError("the plan has no task; give it at least one")
    ids = [t.id for t in tasks]
    if twice := sorted({i for i in ids if ids.count(i) > 1}):
        raise CallerError(f"two tasks share the id {twice[0]!r}; give each task its own id")
    for task in tasks:
        if strangers := [d for d in task.depends_on if d not in ids]:
            raise CallerError(
                f"task {task.id!r} depends on {strangers[0]!r}, which is no task of this plan; "
                f"its tasks are {', '.join(ids)}"
            )
    _ordered(tasks)
    return tasks


def _ordered(tasks: tuple[GraphTask, ...]) -> tuple[str, ...]:
    try:
        return tuple(TopologicalSorter({t.id: t.depends_on for t in tasks}).static_order())
    except CycleError as cycle:
        ring = " → ".join(cycle.args[1])
        raise CallerError(
            f"the tasks wait for each other in a ring ({ring}); remove one of these dependencies"
        ) from cycle


def how_far(tasks: Sequence[GraphTask], answers: Mapping[str, Answer]) -> str:
    """Say how many tasks are answered, and name those that gave no answer or are not done yet."""
    at = {t.id: answers[t.id].status if t.id in answers else "not_done" for t in tasks}
    bare = {k: [i for i, status in at.items() if status == k] for k in _BARE}
    whole = len(tasks) - sum(len(ids) for ids in bare.values())
    named = [f"{_BARE[k]}: {few(ids, 8)}" for k, ids in bare.items() if ids]
    return "; ".join([f"{whole} of {pluralize(len(tasks), 'task')} answered", *named])


_BARE = {
    "failed": "failed",
    "not_run": "not run, as what they need failed",
    "not_done": "not done",
}
"""What is said of tasks without an answer."""

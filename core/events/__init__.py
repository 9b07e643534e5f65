"""The closed union of things that can happen in a run, each in the past tense.

One module a family; an event says itself which files it names, what a person is told of it,
and its row in the derived view. To add one: a class in its family, and its name in `Event`.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter

from core.events.ballot import RoundClosed
from core.events.base import Judgement, Ref
from core.events.call import BreakerMoved, CallEnded, CallTried
from core.events.people import MessageAdded, QuestionAnswered, QuestionAsked
from core.events.plan import (
    ApprovalAsked,
    PlanApproved,
    PlanProposed,
    ProposalJudged,
    ProposalStamped,
)
from core.events.run import (
    Booted,
    CapReached,
    ModeFellBack,
    NodeEnded,
    NodeStarted,
    Recovered,
    RunEnded,
    RunFinished,
    RunPaused,
    RunStarted,
    RunStatus,
    RunWaiting,
    SettingsChanged,
)
from core.events.stage import RouteTaken, WorkflowStarted
from core.events.task import AttemptJudged, BackedOff, TaskFinished
from core.events.tool import PassagesRetrieved, ToolCalled

__all__ = [
    "ApprovalAsked",
    "AttemptJudged",
    "BackedOff",
    "Booted",
    "BreakerMoved",
    "CallEnded",
    "CallTried",
    "CapReached",
    "Event",
    "Judgement",
    "MessageAdded",
    "ModeFellBack",
    "NodeEnded",
    "NodeStarted",
    "PassagesRetrieved",
    "PlanApproved",
    "PlanProposed",
    "ProposalJudged",
    "ProposalStamped",
    "QuestionAnswered",
    "QuestionAsked",
    "Recovered",
    "Ref",
    "RoundClosed",
    "RouteTaken",
    "Row",
    "RunEnded",
    "RunFinished",
    "RunPaused",
    "RunStarted",
    "RunStatus",
    "RunWaiting",
    "SettingsChanged",
    "TaskFinished",
    "ToolCalled",
    "WorkflowStarted",
    "read_row",
    "unrecorded",
]

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
    | QuestionAsked
    | QuestionAnswered
    | MessageAdded
    | WorkflowStarted
    | RouteTaken
    | RoundClosed
    | RunPaused
    | RunWaiting
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

"""Tasks: tried, judged, tried again, finished."""

from typing import ClassVar, Literal

from pydantic import Field

from core.events.base import Fact, Judgement, Lasting, Ref, Replay, artifacts
from core.values import unsaid


class AttemptJudged(Lasting):
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

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return artifacts(f"attempt {self.attempt} of {self.task_id}", self.answer_digest)

    def headline(self) -> str:
        """Say why the task is tried again, if it is."""
        return f"{self.task_id} tried again: {self.rationale}" if self.retry else ""


class BackedOff(Fact):
    """A task waits before its next try."""

    replay: ClassVar[Replay] = "process"

    kind: Literal["backed_off"] = "backed_off"
    task_id: str
    attempt: int
    """The attempt that will follow."""
    wait_ms: int


class TaskFinished(Lasting):
    """A task has its final answer, which is on the disk."""

    kind: Literal["task_finished"] = "task_finished"
    task_id: str
    answer_digest: str
    status: Literal["done", "below_gate", "failed", "not_run"]
    reason: str = ""

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        answer = f"answers/{self.task_id}.json"
        return (Ref(f"the answer to {self.task_id}", self.answer_digest, answer),)

    def headline(self) -> str:
        """Say how the task ended."""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.task_id} {self.status}{reason}"

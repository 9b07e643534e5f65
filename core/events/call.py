"""Calls to models' servers."""

from typing import ClassVar, Literal

from pydantic import Field

from core.events.base import Fact, Ref, Replay, artifacts
from core.pluralize import pluralize
from core.values import unsaid


class CallTried(Fact):
    """One try at a call to a model's server came to its end."""

    replay: ClassVar[Replay] = "external"
    readings: ClassVar[tuple[str, ...]] = ("elapsed_ms",)

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
    tokens: int = Field(default=0, exclude_if=unsaid)
    """About how many had come of a reply that did not come to its end: they are paid for as well."""

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return artifacts(self.call_id, self.partial_digest)

    def headline(self) -> str:
        """Say what a stop cut off, if something had come."""
        if self.outcome != "cancelled" or not self.tokens:
            return ""
        of = f"{self.task_id} " if self.task_id else ""
        came = pluralize(self.tokens, "token")
        return f"{of}{self.purpose} cut off after about {came}; it is asked again on resume"


class CallEnded(Fact):
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

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return artifacts(self.call_id, self.request_digest, self.reply_digest)


class BreakerMoved(Fact):
    """Calls to an endpoint are held back after failures, tried with one, or open again."""

    replay: ClassVar[Replay] = "external"

    kind: Literal["breaker_moved"] = "breaker_moved"
    endpoint: str
    state: Literal["open", "probing", "closed"]
    reason: str = ""

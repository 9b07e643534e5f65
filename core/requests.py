"""What is asked of a model's server, what it replies, and how that can fail."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import Field, JsonValue

from core.errors import PARAGRAPH, TaskError, clipped
from core.live import Partial
from core.values import Frozen, digest, unsaid


@dataclass(frozen=True)
class Request:
    """What is asked of a model's server."""

    purpose: str
    """Why, in a word: plan, answer, judge."""
    task_id: str
    """The task it is for; "" if it is for none."""
    model: str
    endpoint: str
    """Scheme, host and port of the server; never a key or a query."""
    body: Mapping[str, JsonValue]
    """The chat-completions body without its model: messages, tools, temperature and so on."""
    attempt: int = 1
    """The task's attempt: the same question in another attempt is another request."""
    partial: Partial | None = field(default=None, compare=False, repr=False)
    """Takes the pieces of the reply as they come; None lets it come in one piece. How a reply
    travels is no part of what is asked."""

    @property
    def json(self) -> dict[str, JsonValue]:
        """What is kept of it; where it was sent is not part of what was asked."""
        return {
            "purpose": self.purpose,
            "attempt": self.attempt,
            "model": self.model,
            "body": dict(self.body),
        }

    @property
    def digest(self) -> str:
        """SHA-256 of what is kept of it."""
        return digest(self.json)


class ToolCall(Frozen):
    """A model's wish to have a tool called."""

    id: str
    name: str
    args: Mapping[str, JsonValue] | None
    """None where they cannot be read."""
    problem: str = ""
    """What is wrong with the wish itself, in a sentence for the model; such a wish is not granted."""


class Reply(Frozen):
    """What a model's server answered."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str
    """Why it ends there, in the server's word: stop, tool_calls, length, content_filter."""
    model: str = ""
    """The model that answered, as the server names it."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    """None where the server did not count."""
    asked: str = Field(default="", exclude_if=unsaid)
    """How it was asked in fact, where the server had refused the form of the request."""

    @property
    def tokens(self) -> int | None:
        """All tokens, or None if the server counted none."""
        if self.prompt_tokens is None and self.completion_tokens is None:
            return None
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0)


class Fault(Exception):
    """One try at a call failed; raised by what sends it.

    Args:
        kind: A transient fault may be gone at the next try; a permanent one is not.
        message: One sentence: what happened, and what to do about it where a person can.
        status: The HTTP status, if there was one.
        retry_after_s: How long the server asks to wait, in seconds.
        partial: The text that had arrived.
        everywhere: Whether it meets every call to this server, whatever is asked: a refused
            key, a spent quota, a model that is not there.
        about: The field of the request that a server refuses, if it names one.
        again: Whether the next try asks for something else, and so comes at once.

    """

    def __init__(
        self,
        kind: Literal["transient", "permanent"],
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        partial: str = "",
        everywhere: bool = False,
        about: str = "",
        again: bool = False,
    ) -> None:
        message = message if len(message) <= PARAGRAPH else clipped(message, PARAGRAPH)
        super().__init__(message)
        self.kind, self.message, self.status = kind, message, status
        self.retry_after_s, self.partial, self.everywhere = retry_after_s, partial, everywhere
        self.about, self.again = about, again

    def told(self, clean: Callable[[str], str]) -> "Fault":
        """Return a twin with other words, and without the error that it came from."""
        return Fault(
            self.kind,
            clean(self.message),
            status=self.status,
            retry_after_s=self.retry_after_s,
            partial=clean(self.partial),
            everywhere=self.everywhere,
            about=self.about,
            again=self.again,
        )

    def answerable(self, then: str) -> "Fault":
        """Return a refusal after which something else is asked for; *then* says what."""
        said = f"{self.message}; {then}"
        return Fault("permanent", said, status=self.status, about=self.about, again=True)


class Incomplete(TaskError):
    """The model stopped before its answer was whole; *reply* is what there is of it."""

    def __init__(self, message: str, reply: Reply) -> None:
        super().__init__(message)
        self.reply = reply


Send = Callable[[Request], Awaitable[Reply]]
"""Makes one try, which is one HTTP request; raises Fault."""


class Slot(Protocol):
    """A task's right to run, which is given back while the task only waits."""

    async def without(self, wait: Awaitable[None]) -> None:
        """Give it back for the time of *wait*."""
        ...


class Calls(Protocol):
    """What answers a run's calls to models."""

    async def call(self, request: Request, slot: Slot | None = None) -> Reply:
        """Return the reply; raises TaskError, or Stopped if no call can succeed for now."""
        ...

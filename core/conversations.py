"""A request that is answered in a conversation: tools are called on the way, and a reviewer ends it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import JsonValue

from core.requests import Request, Slot

Review = Callable[[str], str]
"""Takes an answer; returns what its author is to put right, or "" where it stands."""


@dataclass(frozen=True, slots=True)
class Function:
    """A tool as whoever answers is offered it."""

    name: str
    description: str
    """What it is for, in a sentence."""
    parameters: Mapping[str, Any]
    """The JSON schema of its arguments."""
    call: Callable[[Mapping[str, JsonValue]], Awaitable[str]]
    """Makes a call; what is wrong with one is said in the text that comes back."""


class Converse(Protocol):
    """What answers requests in a conversation."""

    async def __call__(
        self,
        request: Request,
        functions: Sequence[Function],
        review: Review,
        slot: Slot | None = None,
    ) -> None:
        """Go on until *review* lets an answer stand.

        Args:
            request: What is asked: a system message, and one of the user.
            functions: The tools that may be called.
            review: Looks at each answer.
            slot: The task's right to run, given back while a call only waits.

        Raises:
            TaskError: No answer stands within the conversation's bounds, or a call failed.
            Stopped: No call can succeed for now.

        """
        ...

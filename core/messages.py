"""What was said in a run, in order, by whom; it only grows.

In a checkpoint a log is its last message's digest and its length: each message is kept once, as
an artifact that names the one before it, so that a long log costs no more than a short one.
"""

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import Field

from core.values import Frozen, unsaid


class Message(Frozen):
    """One thing that was said."""

    author: str
    """The seat, role or label that said it."""
    text: str
    round: int = 0
    """The round in which it was said; 0 outside rounds."""
    marks: tuple[str, ...] = ()
    """What it was besides a plain statement, such as "failed" or "by a person"."""
    by: str = Field(default="", exclude_if=unsaid)
    """The person who spoke in the author's place; "" where the author did."""


class MessageLog(Frozen):
    """Messages in the order in which they were said."""

    messages: tuple[Message, ...] = ()

    def with_message(self, message: Message) -> "MessageLog":
        """Return the log with one more message at its end."""
        return MessageLog(messages=(*self.messages, message))

    def __len__(self) -> int:
        return len(self.messages)

    def lines(self) -> Iterator[str]:
        """Yield each message as "[author]: text"."""
        return (f"[{m.author}]: {m.text}" for m in self.messages)

    def stored(self, keep: Callable[[object], str]) -> str:
        """Keep every message as an artifact and return the digest of the last; "" if none."""
        last = ""
        for message in self.messages:
            last = keep({"before": last, "message": message.model_dump(mode="json")})
        return last

    @classmethod
    def restored(cls, last: str, kept: Callable[[str], Any]) -> "MessageLog":
        """Return the log whose last message is kept under that digest."""
        found: list[Message] = []
        while last:
            link = kept(last)
            found.append(Message.model_validate(link["message"]))
            last = link["before"]
        return cls(messages=tuple(reversed(found)))

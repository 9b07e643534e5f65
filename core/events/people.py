"""People and voices: what was asked, what was answered, what was said."""

from typing import ClassVar, Literal

from pydantic import Field

from core.events.base import Lasting, Ref, artifacts
from core.questions import Question
from core.values import unsaid


class QuestionAsked(Lasting):
    """A question to a person is open."""

    readings: ClassVar[tuple[str, ...]] = ("deadline",)

    kind: Literal["question_asked"] = "question_asked"
    question: Question
    deadline: str = Field(default="", exclude_if=unsaid)
    """When its default becomes the answer, in UTC; "" is never."""

    def headline(self) -> str:
        """Return the question."""
        return f"question {self.question.id}: {self.question.text}"


class QuestionAnswered(Lasting):
    """A question has its one answer, and the run goes on with it."""

    kind: Literal["question_answered"] = "question_answered"
    question_id: str
    by: str
    at: str
    """When it was answered, in UTC."""
    decision_digest: str

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        file = f"decisions/{self.question_id}.json"
        return (Ref(f"the answer to {self.question_id}", self.decision_digest, file),)

    def headline(self) -> str:
        """Say who answered."""
        return f"question {self.question_id} answered by {self.by}"


class MessageAdded(Lasting):
    """Somebody said something that all who take part can read."""

    kind: Literal["message_added"] = "message_added"
    number: int
    """The message's place in the log, from 1."""
    author: str
    opening: str
    """How the message begins."""
    message_digest: str

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return artifacts(f"message {self.number}", self.message_digest)

    def headline(self) -> str:
        """Return who said what."""
        return f"[{self.author}]: {self.opening}"

"""One reading of the whole draft by a model, before it is revised once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from core.errors import TaskError
from core.values import Frozen
from dr_rd.evaluation.judge import JudgedCriterion, Level
from dr_rd.evidence.words import plain as typographic
from dr_rd.language import UNKNOWN
from dr_rd.models.typed.ask import Model, Question
from dr_rd.models.typed.schema import bounds
from dr_rd.models.window import Window
from dr_rd.planning.expertise import Cleaner
from dr_rd.prompts import delimiter, prompt

_REPLY_TOKENS = 2500
_ANNEXES = "\n## Annexes\n"
"""What is read first of a draft that is longer than the model reads stands above it."""


class WrittenPoint(Frozen):
    """What a model says on one question."""

    criterion: str = ""
    reason: Annotated[str, bounds(maxLength=600)] = ""
    quote: Annotated[str, bounds(maxLength=400)] = ""
    level: Level = "cannot_tell"
    advice: Annotated[str, bounds(maxLength=400)] = ""


class WrittenCritique(Frozen):
    """A critique as a model writes it."""

    points: Annotated[tuple[WrittenPoint, ...], bounds(maxItems=12)] = Field(min_length=1)


class Critique(Frozen):
    """What stands of a critique: one point a question, its quote in the draft."""

    by: str
    points: tuple[WrittenPoint, ...] = ()
    dropped: int = 0
    """Points whose quote does not stand in the draft, or that answer no question."""
    reason: str = ""
    """Why there is none."""
    revised: bool = False
    """Whether the sections were written anew by it."""

    @property
    def advice(self) -> tuple[str, ...]:
        """What the author is to change, each with the words that it is about."""
        told = [p for p in self.points if p.advice and p.level in ("partly", "not_met")]
        return tuple(f"{p.advice}{f' (of “{p.quote}”)' if p.quote else ''}" for p in told)


@dataclass(frozen=True, slots=True)
class Critic:
    """Reads a draft by the judge's questions, in one call."""

    model: Model
    criteria: Sequence[JudgedCriterion]
    seed: str
    window: Window
    tongue: str = UNKNOWN

    async def critique(self, draft: str) -> Critique:
        """Return what the model says of *draft*; a failure is told and ends nothing.

        Raises:
            Stopped: A person, a signal or a cap ended the run.

        """
        shown = self._shown(draft)
        asked = prompt(
            "critique",
            {
                "language": "the draft's language"
                if self.tongue == UNKNOWN
                else self.tongue.capitalize(),
                "mark": delimiter(self.seed, shown),
                "criteria": self.criteria,
                "text": shown,
            },
        )
        question = Question(purpose="judge", system=asked.system, user=asked.user)
        try:
            written = await self.model.ask(question, WrittenCritique)
        except TaskError as failed:
            return Critique(by=self.model.name, reason=str(failed))
        return self._sound(written, shown)

    def _shown(self, draft: str) -> str:
        """The draft, or as much of it as the model reads: the annexes go first."""
        room = self.window.room(0, _REPLY_TOKENS)
        if self.window.tokens(draft) <= room:
            return draft
        body = draft.partition(_ANNEXES)[0]
        while body and self.window.tokens(body) > room:
            body = body[: len(body) * 4 // 5]
        return body

    def _sound(self, written: WrittenCritique, draft: str) -> Critique:
        """Keep one point a question, if its quote stands in the draft."""
        keys, text = {c.key for c in self.criteria}, _alike(draft)
        cleaner, kept = Cleaner(lambda _: "", draft), dict[str, WrittenPoint]()
        for point in written.points:
            if point.criterion in keys and _alike(point.quote) in text:
                said = {n: cleaner.line(getattr(point, n)) for n in ("reason", "quote", "advice")}
                kept.setdefault(point.criterion, point.model_copy(update=said))
        points = tuple(kept.values())
        return Critique(
            by=self.model.name, points=points, dropped=len(written.points) - len(points)
        )


def _alike(text: str) -> str:
    return typographic(text).casefold()

"""A model's opinion of a text: one question a call, a quote that must be there, our own verdict."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from core.errors import TaskError
from core.scores import Evaluator, Score, Status
from core.values import Frozen, digest
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.words import plain
from dr_rd.files import read_yaml
from dr_rd.models.typed.ask import Model, Question
from dr_rd.prompts import Prompt, delimiter, prompt

Level = Literal["met", "partly", "not_met", "cannot_tell"]

Preference = Literal["first", "second", "neither"]

_CROSSED: dict[Preference, Preference] = {
    "first": "second",
    "second": "first",
    "neither": "neither",
}

POINTS: dict[Level, float] = {"met": 1.0, "partly": 0.5, "not_met": 0.0}


class JudgedCriterion(Frozen):
    """A question that a model is asked about a text."""

    key: str
    question: str
    met: str
    partly: str
    not_met: str

    @property
    def digest(self) -> str:
        """SHA-256 of the question and its levels: another wording is another question."""
        return digest(self.model_dump(mode="json"))


class Opinion(Frozen):
    """What one model said; the reason comes first, so that the level follows from it."""

    reason: str = Field(min_length=1, max_length=2000)
    quote: str = Field(max_length=1000)
    level: Level


class Choice(Frozen):
    """Which of two texts one model prefers."""

    reason: str = Field(min_length=1, max_length=2000)
    better: Preference


class Vote(Frozen):
    """One seat's opinion, or why there is none."""

    model: str
    opinion: Opinion | None = None
    error: str = ""


class Judgement(Frozen):
    """What a panel made of one question."""

    score: Score
    votes: tuple[Vote, ...]

    @property
    def level(self) -> Level | None:
        """The level that won; None if none did."""
        return _majority(self.votes)


def load_criteria() -> tuple[JudgedCriterion, ...]:
    """Read every question that a model may be asked."""
    held = read_yaml("judging", "criteria.yaml")
    return tuple(JudgedCriterion.model_validate(c) for c in held)


@dataclass(frozen=True)
class Judge:
    """An odd number of seats, each a model that is asked alone.

    Args:
        panel: The models; one may sit twice.
        seed: Where the marks around the text come from.
        author: The model that wrote what is judged; "" if none did or nobody knows.

    """

    panel: tuple[Model, ...]
    seed: str
    author: str = ""

    def __post_init__(self) -> None:
        if len(self.panel) % 2 == 0:
            raise ValueError(f"a panel of {len(self.panel)} can be split; give it an odd number")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of its opinions should know."""
        same = self.author and self.author in {model.name for model in self.panel}
        told = f"{self.author!r} wrote the text and judges it: models favour what they wrote"
        return (told,) if same else ()

    async def judge(self, text: str, criterion: JudgedCriterion, *, take: int = 0) -> Judgement:
        """Ask every seat; a strict majority of all seats decides, a failed one gives no vote.

        Args:
            text: What is judged.
            criterion: The question.
            take: Which repetition this is; each has marks and calls of its own.

        """
        shown = Subject(text=text).visible
        asked = self._prompt(shown, criterion, take)
        votes = tuple([await _vote(m, asked, shown, n) for n, m in enumerate(self.panel)])
        return Judgement(score=self._score(criterion, votes), votes=votes)

    async def prefer(self, first: str, second: str, criterion: JudgedCriterion) -> Preference:
        """Say which of two texts does better on one question.

        Every seat sees the pair in both orders; a seat that prefers a place and not a text has
        no preference. A strict majority of all seats decides.
        """
        seats = [
            await self._preference(
                model, Subject(text=first).visible, Subject(text=second).visible, criterion, seat
            )
            for seat, model in enumerate(self.panel)
        ]
        for choice in ("first", "second"):
            if 2 * seats.count(choice) > len(seats):
                return choice
        return "neither"

    async def _preference(
        self, model: Model, first: str, second: str, criterion: JudgedCriterion, seat: int
    ) -> Preference:
        straight = await self._better(model, first, second, criterion, seat)
        crossed = _CROSSED[await self._better(model, second, first, criterion, seat)]
        return straight if straight == crossed else "neither"

    async def _better(
        self, model: Model, one: str, other: str, criterion: JudgedCriterion, seat: int
    ) -> Preference:
        mark = delimiter(f"{self.seed}/{criterion.key}/{digest([one, other])}", one + other)
        values = {"question": criterion.question, "mark": mark, "first": one, "second": other}
        asked = prompt("judge-pair", values)
        question = Question(
            purpose="judge", system=asked.system, user=asked.user, attempt=seat + 1
        )
        try:
            return (await model.ask(question, Choice)).better
        except TaskError:
            return "neither"

    def _prompt(self, text: str, criterion: JudgedCriterion, take: int) -> Prompt:
        levels = [{"name": n, "means": getattr(criterion, n)} for n in POINTS]
        return prompt(
            "judge",
            {
                "question": criterion.question,
                "levels": levels,
                # one mark for all questions: a server reads what they begin with only once
                "mark": delimiter(f"{self.seed}/{take}", text),
                "text": text,
            },
        )

    def _score(self, criterion: JudgedCriterion, votes: Sequence[Vote]) -> Score:
        level = _majority(votes)
        by = Evaluator(
            id=", ".join(model.name for model in self.panel),
            version=criterion.digest[:12],
            kind="model",
        )
        if level is None:
            return Score(key=criterion.key, status=Status.ERROR, rationale=_split(votes), by=by)
        given = next(v.opinion for v in votes if v.opinion and v.opinion.level == level)
        said = f"{_tally(votes)} {given.reason}"
        if level == "cannot_tell":
            return Score(key=criterion.key, status=Status.NOT_APPLICABLE, rationale=said, by=by)
        return Score(
            key=criterion.key,
            score=POINTS[level],
            rationale=said,
            quotes=(given.quote,) if given.quote else (),
            by=by,
        )


def _alike(text: str) -> str:
    """Return *text* as quotes are compared: its letters, whatever their typography and case."""
    return plain(text).casefold()


async def _vote(model: Model, asked: Prompt, text: str, seat: int) -> Vote:
    def quoted(opinion: Opinion) -> None:
        if not opinion.quote and opinion.level in ("met", "partly"):
            raise ValueError("quote: a plan that meets the question has a passage that shows it")
        if _alike(opinion.quote) not in _alike(text):
            raise ValueError(
                "quote: these words do not stand in the plan; copy them letter by letter"
            )

    question = Question(purpose="judge", system=asked.system, user=asked.user, attempt=seat + 1)
    try:
        return Vote(model=model.name, opinion=await model.ask(question, Opinion, check=quoted))
    except TaskError as failure:
        return Vote(model=model.name, error=str(failure))


def _majority(votes: Sequence[Vote]) -> Level | None:
    counts = Counter(v.opinion.level for v in votes if v.opinion)
    return next((level for level, n in counts.items() if 2 * n > len(votes)), None)


def _tally(votes: Sequence[Vote]) -> str:
    counts = Counter(v.opinion.level if v.opinion else "no vote" for v in votes)
    told = ", ".join(f"{n} {level.replace('_', ' ')}" for level, n in sorted(counts.items()))
    return f"({told})"


def _split(votes: Sequence[Vote]) -> str:
    reasons = "; ".join(sorted({v.error for v in votes if v.error}))
    return f"{_tally(votes)} no majority" + (f": {reasons}" if reasons else "")

"""A plan as a model writes it: nothing that is missing costs the rest of it."""

from typing import Annotated, Any

from pydantic import WithJsonSchema, model_validator

from core.values import Frozen
from dr_rd.models.typed.schema import bounds
from dr_rd.planning.expertise import Expertise

MOST_TASKS = 30
MOST_LINES = 20
"""Steps or criteria of one task; a longer list nobody works through."""

LONGEST_TITLE, LONGEST = 200, 600
"""Characters; the prompt says these too."""

_Id = Annotated[str, bounds(maxLength=20)]
_Text = Annotated[str, bounds(maxLength=LONGEST)]
LINES = bounds(maxItems=MOST_LINES)


class Criterion(Frozen):
    """A test, and the ids of the limits that it answers."""

    text: _Text = ""
    answers: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:  # noqa: ANN401 - whatever was written
        return {"text": value} if isinstance(value, str) else value


_Number = Annotated[Any, WithJsonSchema({"type": "number"})]
"""What should be a number: one that is none costs its estimate, not the whole plan."""


class Guess(Frozen):
    """Three points, in whatever way they are written."""

    low: _Number = None
    mode: _Number = None
    high: _Number = None

    @model_validator(mode="before")
    @classmethod
    def _three(cls, value: Any) -> Any:  # noqa: ANN401 - whatever was written
        if isinstance(value, Guess | dict):
            return value
        points = value if isinstance(value, list) and len(value) == 3 else [value] * 3
        return dict(zip(("low", "mode", "high"), points, strict=True))


class WrittenTask(Frozen):
    """A task; what must not be missing is asked for by name, not by its type."""

    id: _Id = ""
    title: Annotated[str, bounds(maxLength=LONGEST_TITLE)] = ""
    role: str = ""
    purpose: _Text = ""
    steps: Annotated[tuple[_Text, ...], LINES] = ()
    depends_on: Annotated[tuple[_Id, ...], LINES] = ()
    deliverable: _Text = ""
    acceptance: Annotated[tuple[Criterion, ...], LINES] = ()
    tools: tuple[str, ...] = ()
    days: Guess | None = None
    cost: Guess | None = None


class WrittenChange(Frozen):
    """What is planned otherwise than the library does, and why."""

    what: _Text = ""
    why: _Text = ""


class WrittenPlan(Frozen):
    """A plan, and what its author knows beside it."""

    keep: Annotated[tuple[_Id, ...], bounds(maxItems=MOST_TASKS)] = ()
    """Tasks of the library's plan that stay as they are, by their ids."""
    tasks: Annotated[tuple[WrittenTask, ...], bounds(maxItems=MOST_TASKS)]
    sample: _Number = None
    """How many units it samples."""
    changes: Annotated[tuple[WrittenChange, ...], LINES] = ()
    expertise: Expertise | None = None

"""The parts of the question where somebody names them, instead of leaving them to be read."""

from typing import Annotated, Any

from pydantic import Field, ValidationError

from core.errors import CallerError
from core.values import Frozen, Name, unsaid

Part = Annotated[Name, Field(max_length=120, exclude_if=unsaid)]


class Question(Frozen):
    """What is studied and with what; "" for a part that the words of the brief must tell."""

    unit: Part = ""
    """What is sampled and counted: "colonies"."""
    treatment: Part = ""
    """What is varied or tried."""
    comparator: Part = ""
    """What it is compared with."""
    outcome: Part = ""
    """What is measured of each unit."""
    measure: Part = ""
    """The instrument or procedure that measures it."""
    place: Part = ""
    data: Part = ""
    """The data that the work rests on, where they exist."""


def question_of(raw: Any, name: str) -> Question | None:  # noqa: ANN401 - whatever the file holds
    """Read the question of the brief *name*; a fault is said in one sentence."""
    if raw is None:
        return None
    try:
        return Question.model_validate(raw)
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise CallerError(
            f"{name}: question{'.' + place if place else ''}: {fault['msg'].lower()}; its parts are "
            f"{', '.join(Question.model_fields)}, each a few words"
        ) from wrong

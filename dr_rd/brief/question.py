"""The parts of the question where somebody names them, instead of leaving them to be read."""

from typing import Annotated

from pydantic import Field

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

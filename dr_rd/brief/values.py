"""What an analyst asks, as values."""

import re
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from core.graph.state import Acceptance, ThreePoint, ToolRequest
from core.values import Frozen, unsaid
from dr_rd.brief.question import Question
from dr_rd.brief.resources import Resources
from dr_rd.study import Statistics

Risk = Literal["low", "medium", "high"]

TasksMode = Literal["replace", "merge", "planned"]
"""What becomes of the tasks that a brief gives. They replace the plan; or each changes, of the
planned task with its id, what it says, and others are added; or they are a plan that was printed and
edited, so that planned tasks which it no longer holds are left out as well."""

NAMELESS = "brief"
"""The id, and the project, of a brief that gives none; one in a file then takes the file's name."""


def _three(value: Any) -> Any:  # noqa: ANN401 - whatever was written
    """Take one number for all three points, and a list of three in order."""
    points = value if isinstance(value, list | tuple) else [value] * 3
    wrong = len(points) != 3 or any(isinstance(p, bool) for p in points)
    if wrong or isinstance(value, ThreePoint | dict):
        return value
    return dict(zip(("low", "mode", "high"), points, strict=True))


Estimate = Annotated[ThreePoint, BeforeValidator(_three)]
"""Three points, also written as [low, most likely, high] or as the one number they all are."""


class GivenTask(Frozen):
    """A task that the brief itself prescribes."""

    source: ClassVar[Literal["brief", "model"]] = "brief"
    """What its line of the plan says of where it came from."""

    id: str
    title: str
    role: str = ""
    description: str = ""
    steps: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    depends_on: tuple[str, ...] = ()
    deliverable: str = ""
    acceptance: tuple[str, ...] = ()
    tools: tuple[ToolRequest, ...] = ()
    """Calls that the task makes, each with its arguments."""
    days: Estimate | None = Field(default=None, exclude_if=unsaid)
    """Working days."""
    cost: Estimate | None = Field(default=None, exclude_if=unsaid)
    """In the currency of the brief's limit."""

    @property
    def tests(self) -> tuple[Acceptance, ...]:
        """Return its acceptance criteria; the brief does not say which items they answer."""
        return tuple(Acceptance(text=text) for text in self.acceptance)


class Brief(Frozen):
    """What the analyst asks."""

    id: str = NAMELESS
    domain: str = ""
    objective: str
    context: str = Field(default="", exclude_if=unsaid)
    """What it says besides: how things are, and figures that the work rests on; no limit stands in it."""
    hard_constraints: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()
    plausible_directions: tuple[str, ...] = ()
    banned_moves: tuple[str, ...] = ()
    risk_posture: Risk = "medium"
    budget: str = ""
    deadline: str = ""
    start: str = Field(default="", exclude_if=unsaid)
    """The first day of the work, as a date."""
    family: str = Field(default="", exclude_if=unsaid)
    """Id of the design family, where its author names one."""
    question: Question | None = Field(default=None, exclude_if=unsaid)
    """The parts of its question, where somebody names them."""
    statistics: Statistics | None = Field(default=None, exclude_if=unsaid)
    """The figures that it states for a sample size; None where none were read."""
    tasks: tuple[GivenTask, ...] = ()
    tasks_mode: TasksMode = Field(default="replace", exclude_if=lambda mode: mode == "replace")
    """What becomes of the tasks: see TasksMode."""
    resources: Resources | None = Field(default=None, exclude_if=unsaid)
    """Who and what the work may use."""

    @property
    def prescribed(self) -> bool:
        """Whether its tasks are the plan, and the library writes none."""
        return bool(self.tasks) and self.tasks_mode == "replace"

    @property
    def closed_days(self) -> tuple[date, ...]:
        """The days on which nobody works, besides weekends."""
        return self.resources.closed_days if self.resources else ()

    @property
    def words(self) -> str:
        """What it says of the work, as one text."""
        lists = (self.hard_constraints, self.success_criteria, self.plausible_directions)
        return "\n".join(
            (self.objective, *(line for held in lists for line in held), *self.banned_moves)
        )


LISTS = frozenset(
    {"hard_constraints", "success_criteria", "plausible_directions", "banned_moves"}
) | {"steps", "depends_on", "acceptance"}


def project_id(brief: Brief) -> str:
    """Return the brief's id as a name that is safe for a folder: [a-z0-9][a-z0-9-]{0,62}."""
    name = re.sub(r"[^a-z0-9]+", "-", brief.id.lower()).strip("-")
    return name[:63].strip("-") or NAMELESS

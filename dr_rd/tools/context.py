"""What a plan tells its tools: frozen values, which planning fills."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pydantic import Field

from core.graph.state import GraphTask, ThreePoint
from core.values import Frozen, unsaid
from dr_rd.brief import Brief
from dr_rd.checks import Ledger

Arguments = Mapping[str, Any]
"""The arguments of one call."""


class ScoredDirection(Frozen):
    """A direction that the work could take."""

    id: str
    scores: Mapping[str, float]
    excluded: str = ""
    """Why it may not be chosen."""


class PlannedRisk(Frozen):
    """A risk in the brief's terms, with the task that owns it."""

    text: str
    sign: str
    mitigation: str
    task_id: str
    likelihood: str
    impact: str
    id: str = ""
    """Such as "R1"."""
    probability: float = 0.0
    """What the likelihood is taken for."""
    share: ThreePoint = ThreePoint(low=0, mode=0, high=0)
    """What the impact is taken for, as a share of the expected direct costs."""
    condition: str = Field(default="", exclude_if=unsaid)
    """What must be shown before money is spent, for else the study cannot answer; "" where it can."""


class PlannedGate(Frozen):
    """A gate in the brief's terms, after a task."""

    id: str
    after: str
    """Id of the task whose end it waits for."""
    question: str
    must_meet: tuple[str, ...]
    kill: str
    probability: float = 0.0
    """Chance that the work ends here: that of the likeliest risk its task owns."""


class MostUnits(Frozen):
    """How many units the brief allows in all."""

    ledger_id: str
    text: str
    """The item's words."""
    count: float
    groups: bool = Field(default=False, exclude_if=unsaid)
    """Whether it counts groups that are allocated, and not those whom they hold."""


class Assignment(Frozen):
    """Who does a task, with what, how much work it is and what that costs."""

    task_id: str
    role: str
    """Who does it: somebody of the brief's, or a role of the library."""
    person: str = Field(default="", exclude_if=unsaid)
    """The role under which the brief names who does it; "" where it names nobody."""
    equipment: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    effort: float = 1.0
    """Person-days for each working day that the task lasts."""
    day_rate: float = Field(default=0.0, exclude_if=unsaid)
    """Pay, with overheads, for each working day that the task lasts; 0 where no rate is known."""
    currency: str = Field(default="", exclude_if=unsaid)
    """Of the pay; another than the plan's where nobody says what it is worth in that."""
    at_pace: bool = Field(default=False, exclude_if=unsaid)
    """Whether the task's days are counted at the pace of whoever does it, part-time as they are."""


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan has decided, as far as its tools compute with it or show it."""

    directions: tuple[ScoredDirection, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    """Weights of the decision between the directions, by criterion."""
    sizing: Arguments = field(default_factory=dict)
    """The study's design and the figures that its number of units follows from."""
    most_units: MostUnits | None = None
    screening: Arguments = field(default_factory=dict)
    """Inputs and formulas of a first model of the outcome; empty where the method has none."""
    conversions: tuple[Arguments, ...] = ()
    """Values of the brief with their unit and that of the SI."""
    currency: str = ""
    limit: float | None = None
    """What the work may cost, in the currency; None without a limit."""
    units: float = 0
    """How many sampled units are planned for."""
    deadline_days: float | None = None
    """Working days the brief allows."""
    start: date | None = None
    not_before: Mapping[str, date] = field(default_factory=dict)
    """The day on which a task can begin at the earliest, by its id."""
    risks: tuple[PlannedRisk, ...] = ()
    gates: tuple[PlannedGate, ...] = ()
    staffing: tuple[Assignment, ...] = ()
    """Who does each task."""

    def assignment(self, task_id: str) -> Assignment | None:
        """Return who does a task; None where nobody knows it, as of one that was added."""
        return next((a for a in self.staffing if a.task_id == task_id), None)

    def day_rate(self, task_id: str) -> float:
        """Return the pay for each working day of a task, in the plan's currency."""
        found = self.assignment(task_id)
        return found.day_rate if found and found.currency == self.currency else 0.0

    @property
    def scores(self) -> Mapping[str, Mapping[str, float]]:
        """The scores of each direction by its id."""
        return {d.id: d.scores for d in self.directions}


@dataclass(frozen=True, slots=True)
class CallContext:
    """What the arguments of a call are drawn from."""

    plan: PlanContext
    brief: Brief
    ledger: Ledger
    tasks: tuple[GraphTask, ...]
    """Every task of the plan."""
    task: GraphTask
    """The one that makes the call."""
    sought: tuple[str, ...]
    """What the tools of that task look for in documents."""
    per_unit: frozenset[str]
    """Ids of the tasks whose cost grows with the sampled units."""
    guessed: frozenset[str]
    """Ids of the tasks whose cost is the library's guess."""
    guessed_days: frozenset[str]
    """Ids of the tasks whose days are, and so what people are paid for them."""
    guesses_money: bool
    """Whether either is in what the plan costs, so that no odds say if it keeps its limit."""
    impacts: tuple[ThreePoint, ...]
    """What each risk of the plan costs if it happens."""
    expected_cost: float
    """What the tasks are expected to cost in all."""
    seed: int


def points(estimate: ThreePoint | None) -> dict[str, float]:
    """Return an estimate as an argument; none is one of nothing."""
    return estimate.model_dump() if estimate else {"low": 0, "mode": 0, "high": 0}

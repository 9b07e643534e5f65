"""The design of a plan: everything the planner decided, and why."""

from collections.abc import Mapping
from datetime import date

from pydantic import Field, JsonValue

from core.graph.state import GraphTask, ThreePoint
from core.values import Frozen, unsaid
from dr_rd.planning.choice import Match
from dr_rd.planning.directions import Direction
from dr_rd.planning.effects import NamedEffect
from dr_rd.planning.expertise import Expertise
from dr_rd.planning.layouts import Unsized
from dr_rd.planning.ruling import Declared, LeftOut, Ruling
from dr_rd.planning.scaling import Scaling
from dr_rd.planning.wording import Assumption
from dr_rd.tools.context import Assignment, MostUnits, PlannedGate, PlannedRisk

GENERIC_METHOD = "generic-study"
"""The method of a study whose design is chosen by its first step."""


class PlanFigures(Frozen):
    """What a plan comes to."""

    tasks: int
    cost: float
    """Direct costs at the plan's confidence."""
    guess_low: float = Field(default=0, exclude_if=unsaid)
    guess_high: float = Field(default=0, exclude_if=unsaid)
    """Between which the library guesses those that nobody priced; 0 where it guesses none."""
    days: float
    """Working days, as expected."""
    units: float | None
    """What it samples; None where it does not say."""
    fits: bool | None
    """Whether the brief's limit pays for it; None where guesses decide, or nothing limits it."""


class PlansCompared(Frozen):
    """A model's plan beside the library's for the same brief."""

    library: PlanFigures
    model: PlanFigures
    currency: str
    percentile: int
    """The confidence of both costs, such as 70 for P70."""
    limit: float | None
    affordable_units: int | None = None
    """What the limit pays for by the library's prices, where it does not pay for all."""


class Change(Frozen):
    """What a model plans otherwise than the library, and why."""

    what: str
    why: str


class MainDates(Frozen):
    """When the main work is done, where the brief's own times say it, and the limits that date it."""

    first: date
    last: date
    kept: tuple[str, ...] = ()
    """Ids of the ledger items that begin or end it, and that those days keep."""


def study_period(days: ThreePoint) -> str:
    """Return what is assumed of a study period whose length nobody named."""
    return f"{days.low:g} to {days.high:g} working days of study period, {days.mode:g} likely"


class Design(Frozen):
    """A plan before it is approved, with the reasons for it."""

    method_id: str
    method_title: str
    method_summary: str
    ranking: tuple[Match, ...]
    """All methods, the one that is planned first."""
    considered: tuple[Match, ...] = Field(default=(), exclude_if=unsaid)
    """The design families that stand closest, where none is sure; empty where one is."""
    slots: Mapping[str, str]
    """What the brief says, by slot."""
    directions: tuple[Direction, ...]
    chosen: str
    """Id of the recommended direction."""
    weights: Mapping[str, float]
    """Weights of the decision."""
    sizing: Mapping[str, JsonValue] = {}
    """Arguments of the sample-size calculation."""
    unsized: Unsized | None = Field(default=None, exclude_if=unsaid)
    """The analysis of the direction that no formula sizes, with what would tell what it can show."""
    effects: tuple[NamedEffect, ...] = Field(default=(), exclude_if=unsaid)
    """Those that the brief names, with what the sample size makes of each."""
    per: str = Field(default="", exclude_if=unsaid)
    """What the units are meant for each of, each a study of its own: "language"."""
    most_units: MostUnits | None = Field(default=None, exclude_if=unsaid)
    """The brief's cap on what is counted in it; None without one."""
    screening: Mapping[str, JsonValue] = {}
    """Arguments of the simulation; empty where the method has none."""
    conversions: tuple[Mapping[str, JsonValue], ...] = ()
    """Arguments of each conversion of a unit."""
    tasks: tuple[GraphTask, ...]
    unowned: tuple[str, ...]
    """Ids of ledger items that no task answers for."""
    scaling: Scaling
    months: float
    """Length of the study period that the estimates assume."""
    open_period: ThreePoint | None = Field(default=None, exclude_if=unsaid)
    """Its working days by the library's range, where the brief does not say how long it is and a task
    lasts as long."""
    grows: bool = Field(default=False, exclude_if=unsaid)
    """Whether the brief gives a pace, by which the days grow with the units."""
    deadline_days: float | None = None
    """Working days the brief allows; None if it sets no deadline that can be counted."""
    deadline_words: str = Field(default="", exclude_if=unsaid)
    """The same as the brief puts it."""
    on_time: bool = True
    """Whether the expected critical path, at the plan's confidence, keeps the deadline."""
    risks: tuple[PlannedRisk, ...]
    gates: tuple[PlannedGate, ...]
    questions: tuple[str, ...]
    demands: Mapping[str, str]
    """Checks the method demands, each with what satisfies it."""
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    techniques: tuple[str, ...]
    references: tuple[str, ...]
    names: tuple[str, ...]
    """Standards and guidelines named in the texts whose names hold digits."""
    assumptions: tuple[Assumption, ...]
    rulings: tuple[Ruling, ...] = Field(default=(), exclude_if=unsaid)
    """The actions that the brief's limits name."""
    declared: tuple[Declared, ...] = Field(default=(), exclude_if=unsaid)
    """The library's steps, and calls of tools, that take actions."""
    contradicted: tuple[Declared, ...] = Field(default=(), exclude_if=unsaid)
    """The tasks that are for what a limit rules out, each with its title and those actions."""
    left_out: tuple[LeftOut, ...]
    not_kept: tuple[str, ...] = ()
    """Ids of ledger items that the plan as asked cannot keep: its budget, its deadline."""
    start: date | None = Field(default=None, exclude_if=unsaid)
    """The first day of the work; None where the brief names none."""
    not_before: Mapping[str, date] = Field(default={}, exclude_if=unsaid)
    """The day on which a task can begin at the earliest, by its id, where the brief dates it."""
    main_dates: MainDates | None = Field(default=None, exclude_if=unsaid)
    """None where a guess decides when it ends, or the brief does not date it."""
    least_days: float | None = Field(default=None, exclude_if=unsaid)
    """Working days that the brief's own times take, without what the library guesses; None where nobody
    computed them."""
    impossible: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """What the brief asks for and the world does not allow, a clause each."""
    remarks: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """What the brief's author should put right before anything else, a sentence each."""
    last_day: date | None = Field(default=None, exclude_if=unsaid)
    """The day by which the work must be done; None where the brief or its start sets none."""
    staffing: tuple[Assignment, ...] = Field(default=(), exclude_if=unsaid)
    """Who does each task, and its effort."""
    planned_by: str = Field(default="", exclude_if=unsaid)
    """The model that planned the tasks; "" if none did."""
    amendments: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """What was changed in the plan before it was worked, by whom and why, a sentence each."""
    compared: PlansCompared | None = Field(default=None, exclude_if=unsaid)
    """What the library reckons, beside a model's plan; None where no model planned."""
    changes: tuple[Change, ...] = Field(default=(), exclude_if=unsaid)
    expertise: Expertise | None = Field(default=None, exclude_if=unsaid)
    """What the model that planned knows beside its tasks; nobody has checked it."""
    notes: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """What code put right or left out of what a model planned, a sentence each."""

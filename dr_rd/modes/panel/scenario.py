"""Who sits at a table: the seats of a scenario's file, or those that a plan calls for."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from core.modes.panel import CLOSE, HUMAN, NOBODY, SETTLE
from core.values import Frozen, Name
from dr_rd.files import read_yaml
from dr_rd.modes.panel.cautions import Caution, check_fields
from dr_rd.modes.spec import Material

Order = Literal["given", "risk", "priority"]

LINE_FIELDS = ("topic", "round", "last", "before")
"""What a line may name."""

MOST_SEATS = 8
"""Seats beside the lead."""


@cache
def builtin_names() -> tuple[str, ...]:
    """Return the ids of the built-in panellists, the chair's first."""
    return tuple(entry["id"] for entry in read_yaml("panel", "seats.yaml"))


class SeatSpec(Frozen):
    """One seat."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    label: Name = Field(default="", max_length=80)
    """What people call it."""
    rules: str = ""
    """The built-in panellist that speaks in it; "" is the one of its own name, if there is one."""
    cautions: tuple[Caution, ...] = Field(default=(), max_length=50)
    """Checks that it makes besides."""
    lines: tuple[str, ...] = Field(default=(), max_length=50)
    """What it says at a table without a plan, one of them a turn; {topic}, {round}, {last} and
    {before} stand for what the table is about, the round, the last words and who said them."""
    persona: str = Field(default="", max_length=4000)
    """Who it is, where a model speaks in it."""
    holds: str = ""
    """What it holds the plan against."""
    role: str = "principal-investigator"
    """The role of the library whose tools it calls."""
    phases: tuple[str, ...] = ()
    """The parts of the plan whose risks are its own."""
    priority: int = 0
    """Who speaks first where the order is by priority: the greatest."""
    silent: str = "nothing in the plan calls for it"
    """Why it has nothing to say, where it has not."""

    @field_validator("id")
    @classmethod
    def _no_node(cls, seat: str) -> str:
        if seat in (HUMAN, SETTLE, CLOSE, NOBODY):
            raise ValueError(f"{seat!r} is the name of a step; call the seat something else")
        return seat

    @field_validator("rules")
    @classmethod
    def _known(cls, rules: str) -> str:
        if rules and rules not in builtin_names():
            raise ValueError(
                f"no built-in panellist is called {rules!r}; choose from: {', '.join(builtin_names())}"
            )
        return rules

    @field_validator("lines")
    @classmethod
    def _fields(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for line in lines:
            check_fields(line, LINE_FIELDS)
        return lines


class PersonSpec(Frozen):
    """A person at the table."""

    seat: str = ""
    """The seat that the person holds from the start; "" for none."""
    name: Name = ""
    """The one who may answer; anybody may if empty."""
    ask: bool = False
    """Whether people are asked before each round which seat they take."""


class Scenario(Frozen):
    """A table: who sits there, in which order, for how many rounds."""

    title: str = ""
    objective: str = ""
    seats: tuple[SeatSpec, ...] = Field(default=(), max_length=MOST_SEATS + 1)
    """The lead first; none are chosen by what the plan lacks."""
    order: Order = "given"
    rounds: int = Field(default=1, ge=1, le=20)
    person: PersonSpec = PersonSpec()

    @model_validator(mode="after")
    def _told_apart(self) -> "Scenario":
        names = [seat.id for seat in self.seats]
        if twice := next((n for n in names if names.count(n) > 1), None):
            raise ValueError(f"two seats are called {twice!r}; give each its own id")
        held, choices = self.person.seat, names[1:] if names else builtin_names()[1:]
        if held and held not in choices:
            known = (
                f"choose from: {', '.join(choices)}" if choices else "the lead sits there alone"
            )
            raise ValueError(f"nobody can hold {held!r}; {known}")
        return self

    @property
    def scripted(self) -> bool:
        """Whether every seat has lines of its own, so that no plan is needed."""
        return bool(self.seats) and all(seat.lines for seat in self.seats)


def builtin_seats() -> tuple[SeatSpec, ...]:
    """Return the built-in panellists, the chair first."""
    found: Any = read_yaml("panel", "seats.yaml")
    return tuple(SeatSpec.model_validate(entry) for entry in found)


_TOUCHING = (
    "enrol-people", "enrol-minors", "survey-people", "interview-people", "take-human-samples",
    "use-identifiable-data", "link-records", "catch-wildlife", "use-animals", "record-people",
    "measure-bodies", "publish-data", "deceive-participants", "do-fieldwork", "build-hardware",
)  # fmt: skip


def called_for(material: Material, held: str = "") -> tuple[SeatSpec, ...]:
    """Return the built-in seats that have something in the plan to answer for, and the one *held*."""
    design = material.design
    needs = {
        "statistician": bool(design.sizing),
        "finance": any(t.cost and t.cost.high for t in material.tasks),
        "operations": any(t.duration_days for t in material.tasks),
        "ethics": any(set(d.actions) & set(_TOUCHING) for d in design.declared),
    }
    return tuple(seat for seat in builtin_seats() if seat.id == held or needs.get(seat.id, True))


def seated(scenario: Scenario, material: Material) -> tuple[SeatSpec, ...]:
    """Return who sits at the table, the lead first, in the order in which they speak.

    Each seat of a scenario takes what it leaves open from the built-in one it is named after.
    """
    known = {seat.id: seat for seat in builtin_seats()}
    seats = tuple(_completed(seat, known) for seat in scenario.seats) or called_for(
        material, scenario.person.seat
    )
    lead, others = seats[0], seats[1:]
    return (lead, *_ordered(others, scenario.order, material))


def _completed(seat: SeatSpec, known: dict[str, SeatSpec]) -> SeatSpec:
    base = known.get(seat.rules or seat.id)
    if base is None or seat.lines:
        return seat.model_copy(
            update={"label": seat.label or seat.id.replace("_", " ").capitalize()}
        )
    given = {k: getattr(seat, k) for k in seat.model_fields_set}
    return base.model_copy(update={**given, "rules": base.id})


def _ordered(seats: Sequence[SeatSpec], order: Order, material: Material) -> tuple[SeatSpec, ...]:
    if order == "given":
        return tuple(seats)
    if order == "priority":
        return tuple(sorted(seats, key=lambda seat: -seat.priority))
    return tuple(sorted(seats, key=lambda seat: -_risk(seat, material)))


def _risk(seat: SeatSpec, material: Material) -> float:
    """Return the share of the costs that the risks of a seat's part of the plan are expected to take."""
    mine = {t.id for t in material.tasks if t.phase in seat.phases}
    return sum(r.probability * r.share.mean for r in material.design.risks if r.task_id in mine)

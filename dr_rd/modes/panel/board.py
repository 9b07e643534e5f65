"""What lies on the table: amendments to named fields of the plan, and questions to the analyst."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from core.errors import CallerError
from core.graph.state import Acceptance, GraphTask, ThreePoint
from core.values import Frozen
from dr_rd.planning.design import Design
from dr_rd.planning.scaling import times

SIZER = "sample_size"
"""The tool whose arguments are the study's size."""

_ESTIMATES = ("duration_days", "cost")
_LISTS = ("steps", "stop_rules", "depends_on")


class Change(Frozen):
    """One change of one field of the plan."""

    path: str
    """Such as "tasks.T06.steps", "tasks.T09.cost" or "tasks.T03.tool_request.sample_size.given"."""
    old: JsonValue = None
    """What stood there; None where something is added."""
    new: JsonValue = None
    """What is to stand there; None where something is struck."""

    @model_validator(mode="after")
    def _changes(self) -> Self:
        if self.old is None and self.new is None:
            raise ValueError(f"{self.path} is given nothing to add and nothing to strike")
        return self


class Pair(Frozen):
    """A figure before and after an amendment; what cannot be computed is None."""

    before: float | None = None
    after: float | None = None


class Effect(Frozen):
    """What an amendment does, on top of all before it, as computed."""

    days: Pair
    """Working days at the percentile of the risk posture."""
    least: Pair = Pair()
    """Of these, what somebody set; None where nothing is guessed, or no deadline set."""
    money: Pair
    """Direct costs, and pay where a rate is known, at that percentile in the plan's currency."""
    joint: Pair = Pair()
    """The same with the plan's risks drawn together with the costs; None without a limit."""
    detectable: Pair = Pair()
    """The smallest effect that the study shows, in its design's unit."""
    why_null: str = ""
    """Why there is no detectable effect; "" where there is one."""
    held: Pair = Pair()
    """Chance that as many units as the brief asks for are left after losses."""
    ledger: Mapping[str, tuple[str, str]] = {}
    """Verdicts that the amendment turns, by item: before and after."""


Status = Literal["proposed", "replaced", "accepted", "declined"]


class Amendment(Frozen):
    """A change to the plan that a seat proposes."""

    id: str
    by: str
    rule: str = ""
    """The rule that found it; "" where a person or a model proposed it."""
    title: str
    """What changes, in a line."""
    changes: tuple[Change, ...] = Field(min_length=1)
    reason: str
    rests_on: tuple[str, ...] = ()
    """Ids of ledger items, assumptions, tasks and calls that it rests on."""
    answers: tuple[str, ...] = ()
    """The seats whose turns it answers."""
    on_top_of: tuple[str, ...] = ()
    effect: Effect
    support: tuple[str, ...] = ()
    oppose: tuple[str, ...] = ()
    status: Status = "proposed"
    replaced_by: str = ""


class Ask(Frozen):
    """What only the analyst can say, and what each answer does."""

    by: str
    text: str
    does: str


class Claimed(Frozen):
    """What a person said in a seat, as it is kept: an assumption under the person's name."""

    id: str
    seat: str
    by: str = ""
    """The person's name."""
    text: str
    answered_by: tuple[str, ...] = ()
    """The seats that held the plan against it."""


class Board(Frozen):
    """Everything on the table."""

    amendments: tuple[Amendment, ...] = ()
    asks: tuple[Ask, ...] = ()
    claimed: tuple[Claimed, ...] = ()
    named: Mapping[str, tuple[str, ...]] = {}
    """The rules that each seat has spoken on, so that no seat repeats itself or another."""

    @property
    def standing(self) -> tuple[Amendment, ...]:
        """Those that are neither replaced nor declined."""
        return tuple(a for a in self.amendments if a.status in ("proposed", "accepted"))

    def by_rule(self, seat: str, rule: str) -> bool:
        """Whether a seat has spoken on a rule."""
        return rule in self.named.get(seat, ())


class Plan(Frozen):
    """A plan as it stands: its tasks, and the arguments that its sample size is computed with."""

    tasks: tuple[GraphTask, ...]
    sizing: Mapping[str, JsonValue] = {}

    def task(self, task_id: str) -> GraphTask:
        """Return a task; raises CallerError if there is none of that id."""
        found = next((t for t in self.tasks if t.id == task_id), None)
        if found is None:
            raise CallerError(
                f"there is no task {task_id!r}; choose from: {', '.join(t.id for t in self.tasks)}"
            )
        return found

    def changed(self, changes: Iterable[Change]) -> "Plan":
        """Return the plan with the changes made.

        Raises CallerError for a path that no plan has, or a value that does not fit it.
        """
        plan = self
        for change in changes:
            plan = plan._changed(change)
        return plan

    def _changed(self, change: Change) -> "Plan":
        parts = change.path.split(".")
        if len(parts) < 3 or parts[0] != "tasks":
            raise CallerError(f"{change.path!r} names no field of a task, such as tasks.T01.steps")
        task, field = self.task(parts[1]), parts[2]
        if field == "tool_request":
            return self._resized(task, parts, change)
        task = task.model_copy(update={field: _value(task, field, change)})
        swapped = tuple(task if t.id == task.id else t for t in self.tasks)
        return self.model_copy(update={"tasks": swapped})

    def _resized(self, task: GraphTask, parts: Sequence[str], change: Change) -> "Plan":
        if len(parts) != 5 or parts[3] != SIZER:
            raise CallerError(f"{change.path!r} names no argument of {SIZER}")
        sizing = {**self.sizing, parts[4]: change.new}
        if change.new is None:
            del sizing[parts[4]]
        requests = tuple(
            r.model_copy(update={"args": sizing}) if r.name == SIZER else r
            for r in task.tool_request
        )
        task = task.model_copy(update={"tool_request": requests})
        swapped = tuple(task if t.id == task.id else t for t in self.tasks)
        return Plan(tasks=swapped, sizing=sizing)


def _value(task: GraphTask, field: str, change: Change) -> Any:  # noqa: ANN401 - as the field
    if field in _ESTIMATES:
        return ThreePoint.model_validate(change.new)
    if field == "acceptance":
        kept = tuple(a for a in task.acceptance if a.text != change.old)
        return kept if change.new is None else (*kept, Acceptance(text=str(change.new)))
    if field in _LISTS:
        items: tuple[str, ...] = getattr(task, field)
        if change.old is None:
            return (*items, str(change.new))
        if change.new is None:
            return tuple(item for item in items if item != change.old)
        return tuple(str(change.new) if item == change.old else item for item in items)
    raise CallerError(
        f"{change.path!r} cannot be changed; change steps, acceptance, stop_rules, depends_on, "
        f"duration_days, cost or an argument of {SIZER}"
    )


def added(task: GraphTask | str, field: str, text: str) -> Change:
    """Return the change that adds a text to a list of a task."""
    task_id = task if isinstance(task, str) else task.id
    return Change(path=f"tasks.{task_id}.{field}", new=text)


def struck(task_id: str, field: str, text: str) -> Change:
    """Return the change that takes a text out of a list of a task."""
    return Change(path=f"tasks.{task_id}.{field}", old=text)


def scaled(task: GraphTask, field: Literal["cost", "duration_days"], factor: float) -> Change:
    """Return the change that multiplies an estimate of a task."""
    old: ThreePoint = getattr(task, field)
    return Change(
        path=f"tasks.{task.id}.{field}",
        old=old.model_dump(mode="json"),
        new=times(old, factor).model_dump(mode="json"),
    )


def sized(task: GraphTask, argument: str, old: JsonValue, new: JsonValue) -> Change:
    """Return the change of an argument that the study's size follows from."""
    return Change(path=f"tasks.{task.id}.tool_request.{SIZER}.{argument}", old=old, new=new)


def without_choice(sizing: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the arguments of a size without the numbers that it was chosen among.

    Whoever amends the size chooses another one, which was not among them.
    """
    return {name: value for name, value in sizing.items() if name != "frontier"}


def redesigned(design: Design, plan: Plan) -> Design:
    """Return the design of a plan that was changed: its tasks, its sizing, and its number of units."""
    same = plan.sizing == without_choice(design.sizing)
    before, after = _units(design.sizing), _units(plan.sizing)
    factor = after / before if before and after else 1.0
    scaling = design.scaling.model_copy(update={"units": round(design.scaling.units * factor)})
    return design.model_copy(
        update={
            "tasks": plan.tasks,
            "sizing": design.sizing if same else dict(plan.sizing),
            "scaling": scaling,
        }
    )


def _units(sizing: Mapping[str, Any]) -> float:
    return float(sizing.get("given") or sizing.get("clusters") or 0)

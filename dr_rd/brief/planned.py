"""A plan that was printed and perhaps edited, as the brief that it is made again from."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from core.errors import CallerError
from core.graph.state import GraphTask
from dr_rd.brief.fields import value_kind
from dr_rd.brief.values import Brief, GivenTask

_MARKS = ("brief", "tasks", "method_id")


def is_plan(raw: Mapping[Any, Any]) -> bool:
    """Whether *raw* is a plan as `dr-rd plan --json` prints it."""
    return all(key in raw for key in _MARKS)


def brief_of_plan(raw: Mapping[Any, Any], brief: Brief, name: str) -> Brief:
    """Return *brief* with the tasks of the plan *raw*; raises CallerError where one cannot be read."""
    held = raw["tasks"]
    if not isinstance(held, list):
        raise CallerError(f"{name}: tasks is {value_kind(held)}; it must be a list of tasks")
    tasks = tuple(_given(task, f"{name}: task {n}") for n, task in enumerate(held, 1))
    return brief.model_copy(update={"tasks": tasks, "tasks_mode": "planned"})


def _given(raw: Any, where: str) -> GivenTask:  # noqa: ANN401 - whatever the file holds
    """A task of the plan as a person gives it: what the planner adds by itself is left to it."""
    try:
        task = GraphTask.model_validate(raw)
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = ".".join(str(part) for part in fault["loc"]) or "its form"
        raise CallerError(f"{where} is wrong at {place}: {fault['msg'].lower()}") from wrong
    return GivenTask(
        id=task.id,
        title=task.title,
        role=task.role,
        description=task.description,
        steps=task.steps,
        depends_on=task.depends_on,
        deliverable=task.deliverable,
        acceptance=tuple(a.text for a in task.acceptance if not a.ledger_ids),
        tools=tuple(call for call in task.tool_request if call.args),
        days=task.duration_days,
        cost=task.cost,
    )

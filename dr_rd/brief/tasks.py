"""The tasks that a brief prescribes."""

import re
from typing import Any

from pydantic import ValidationError

from core.errors import CallerError, nearest
from core.graph.state import TASK_ID, ToolRequest
from dr_rd.brief.fields import check_keys, mapping, value_kind, value_of
from dr_rd.brief.values import GivenTask


def tasks_of(
    raw: Any,  # noqa: ANN401 - whatever the file holds
    name: str,
    *,
    whole: bool = True,
) -> tuple[GivenTask, ...]:
    """Read the tasks of the brief *name*: each with its own id, and none that waits for itself.

    Unless they are the *whole* plan, they may wait for tasks which only the plan has.
    """
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raise CallerError(f"{name}: tasks is {value_kind(raw)}; it must be a list of tasks")
    given = {f"{name}: task {n}": r for n, r in enumerate(raw, 1) if isinstance(r, dict)}
    check_keys(given, GivenTask, {})
    tasks = tuple(_task(r, f"{name}: task {n}", whole=whole) for n, r in enumerate(raw, 1))
    _check_ids(tasks, name, whole=whole)
    _check_order(tasks, name)
    return tasks


def _task(raw: Any, where: str, *, whole: bool) -> GivenTask:  # noqa: ANN401 - whatever it holds
    given = mapping(raw, GivenTask, where, {})
    calls = _calls(given.pop("tools", None), where)
    fields = {k: value_of(k, v, f"{where}, {k}") for k, v in given.items()}
    for key in ("id", "title") if whole else ("id",):
        if not fields.get(key):
            raise CallerError(f"{where} has no {key}; every task needs an id and a title")
    if not re.match(TASK_ID, str(fields["id"])) or "\n" in str(fields["id"]):
        raise CallerError(
            f"{where} has the id {fields['id']!r}; use up to 31 letters, digits, '-' and '_', "
            "starting with a letter or digit"
        )
    return GivenTask(**{"title": "", **fields}, tools=calls)


def _calls(raw: Any, where: str) -> tuple[ToolRequest, ...]:  # noqa: ANN401 - whatever it holds
    """Read the tools of a task: names, each alone or with its arguments."""
    listed = [] if raw is None else raw if isinstance(raw, list) else [raw]
    return tuple(_call(r, f"{where}, tool {n}") for n, r in enumerate(listed, 1))


def _call(raw: Any, where: str) -> ToolRequest:  # noqa: ANN401 - whatever it holds
    try:
        return ToolRequest.model_validate({"name": raw} if isinstance(raw, str) else raw)
    except (ValidationError, TypeError) as wrong:
        raise CallerError(
            f"{where} is {value_kind(raw)}; write a tool's name, or its name and args that JSON can hold"
        ) from wrong


def _check_ids(tasks: tuple[GivenTask, ...], name: str, *, whole: bool) -> None:
    ids = [t.id for t in tasks]
    if twice := next((i for i in ids if ids.count(i) > 1), None):
        raise CallerError(f"{name} has two tasks with the id {twice!r}; give each its own id")
    for task in tasks if whole else ():
        if stranger := next((d for d in task.depends_on if d not in ids), None):
            raise CallerError(
                f"{name}: task {task.id!r} depends on {stranger!r}, which is not among its tasks"
                f"{nearest(stranger, ids) or '.'} They are {', '.join(ids)}"
            )


def _check_order(tasks: tuple[GivenTask, ...], name: str) -> None:
    """Take away tasks whose needs are met until none is left; what stays waits for itself."""
    waiting = {t.id: set(t.depends_on) for t in tasks}
    while free := [i for i, needs in waiting.items() if not needs & waiting.keys()]:
        for done in free:
            del waiting[done]
    if waiting:
        raise CallerError(
            f"{name}: the tasks {', '.join(waiting)} wait for each other in a ring; "
            "remove one of their dependencies"
        )

"""The plan as a table that a person edits, and back again."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from core.errors import CallerError, unknown
from core.graph.state import Acceptance, GraphTask, ThreePoint, checked
from core.modes.graph import PlanView
from core.runs import Snapshot

Row = Mapping[str, Any]
"""A line of the table; a cell that a person left empty is None."""

ANALYST = "analyst"
"""Who adds a task or a price that nobody planned."""
_POINTS = ("low", "mode", "high")
_WORDS = {"low": "low", "mode": "likely", "high": "high"}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,30}")


def seen(snapshot: Snapshot) -> PlanView:
    """Return the plan and answers of a run; empty where its mode has none."""
    return snapshot.view if isinstance(snapshot.view, PlanView) else PlanView()


def to_rows(tasks: Iterable[GraphTask]) -> list[dict[str, Any]]:
    """Return the table of *tasks*."""
    return [
        {
            "id": t.id,
            "title": t.title,
            "role": t.role,
            "depends_on": list(t.depends_on),
            "deliverable": t.deliverable,
            "acceptance": "\n".join(a.text for a in t.acceptance),
            **_cells("days", t.duration_days),
            **_cells("cost", t.cost),
        }
        for t in tasks
    ]


def to_tasks(
    rows: Sequence[Row], before: Sequence[GraphTask], roles: Collection[str]
) -> tuple[GraphTask, ...]:
    """Return the plan that the edited table describes.

    What the table does not show is kept from the task with that id in *before*.
    Raises CallerError with one sentence if the table is no plan.
    """
    known = {t.id: t for t in before}
    allowed = {*roles, *(t.role for t in before)}
    filled = [row for row in rows if any(_text(value) not in ("", "[]") for value in row.values())]
    if not filled:
        raise CallerError("the plan has no task; leave at least one")
    named = _with_ids(filled, known)
    return checked(tuple(_task(i, row, known.get(i), allowed) for i, row in named))


def _with_ids(rows: Iterable[Row], known: Collection[str]) -> list[tuple[str, Row]]:
    """Pair each line with its id; a new line without one gets the next number."""
    taken = {*known, *(_text(row["id"]) for row in rows)}
    named: list[tuple[str, Row]] = []
    for row in rows:
        task_id = _text(row["id"]) or _next(taken)
        taken.add(task_id)
        named.append((task_id, row))
    return named


def _next(taken: Collection[str]) -> str:
    numbers = [int(m[1]) for i in taken if (m := re.fullmatch(r"T(\d{1,6})", i))]
    return f"T{max(numbers, default=0) + 1:02d}"


def _task(task_id: str, row: Row, before: GraphTask | None, roles: Collection[str]) -> GraphTask:
    if not _ID.fullmatch(task_id):
        raise CallerError(
            f"task id {task_id!r} cannot be used; use up to 31 letters, digits, '-' and '_'"
        )
    title, role = _text(row["title"]), _text(row["role"])
    if not title:
        raise CallerError(f"task {task_id!r} has no title; say in a few words what is done")
    if role not in roles:
        raise unknown(f"role of task {task_id!r}:", role, roles)
    changed: dict[str, Any] = {
        "title": title,
        "role": role,
        "depends_on": _ids(row["depends_on"], before),
        "deliverable": _text(row["deliverable"]),
        "acceptance": _acceptance(row.get("acceptance"), before),
        "duration_days": _points(task_id, "days", row),
        "cost": _points(task_id, "cost", row),
    }
    kept = before or GraphTask(id=task_id, role=role, title=title, source=ANALYST)
    if before and changed["cost"] not in (None, before.cost):
        changed["priced_by"] = ANALYST
    if before and changed["duration_days"] not in (None, before.duration_days):
        changed["timed_by"] = ANALYST
    return kept.model_copy(update=changed)


def _ids(value: object, before: GraphTask | None) -> tuple[str, ...]:
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else _text(value)
    found = tuple(part for part in re.split(r"[\s,;]+", text) if part)
    return before.depends_on if before and before.depends_on == found else found


def _acceptance(value: object, before: GraphTask | None) -> tuple[Acceptance, ...]:
    """The tests that the lines of a cell are; one that was there keeps the limits it answers."""
    known = {a.text: a for a in before.acceptance} if before else {}
    lines = (line.strip() for line in _text(value).splitlines())
    return tuple(known.get(line, Acceptance(text=line)) for line in lines if line)


def _cells(name: str, points: ThreePoint | None) -> dict[str, float | None]:
    return {f"{name}_{p}": getattr(points, p) if points else None for p in _POINTS}


def _points(task_id: str, name: str, row: Row) -> ThreePoint | None:
    values = [_number(row[f"{name}_{p}"]) for p in _POINTS]
    given = [v for v in values if v is not None]
    if not given:
        return None
    if len(given) < len(values):
        raise CallerError(
            f"task {task_id!r} has {name} with a gap; give low, likely and high, or none of them"
        )
    low, mode, high = given
    if not 0 <= low <= mode <= high:
        shown = ", ".join(f"{_WORDS[p]} {v:g}" for p, v in zip(_POINTS, given, strict=True))
        raise CallerError(
            f"task {task_id!r} has {name} out of order ({shown}); they must rise from 0 or more"
        )
    return ThreePoint(low=low, mode=mode, high=high)


def _number(value: object) -> float | None:
    """A cell's number; an emptied number cell comes back as None or as not-a-number."""
    if not isinstance(value, (int, float)) or value != value:
        return None
    return float(value)


def _text(value: object) -> str:
    """A cell's text; an emptied cell comes back as None or as not-a-number."""
    return "" if value is None or value != value else str(value).strip()

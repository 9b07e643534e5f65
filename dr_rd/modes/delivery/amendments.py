"""What the analyst accepted of an earlier round table: changes to named fields of the plan."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, JsonValue, ValidationError

from core.graph.state import Acceptance, GraphTask, ThreePoint, ToolRequest
from core.values import Frozen
from dr_rd.modes.past import PastRun

_LISTS = ("steps", "stop_rules", "depends_on")
_ESTIMATES = ("duration_days", "cost")


class Change(Frozen, extra="ignore"):
    """One change of one field, such as "tasks.T06.steps"."""

    path: str
    old: JsonValue = None
    new: JsonValue = None


class Amendment(Frozen, extra="ignore"):
    """A change to the plan, with its reason."""

    id: str
    title: str = ""
    reason: str = ""
    changes: tuple[Change, ...] = Field(min_length=1)
    rests_on: tuple[str, ...] = ()
    status: str = ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it changes."""
        parts = [change.path.split(".") for change in self.changes]
        return tuple(dict.fromkeys(p[1] for p in parts if len(p) > 1))


def accepted(runs: Sequence[PastRun]) -> tuple[Amendment, ...]:
    """Return the accepted amendments of those runs, in their order."""
    return tuple(a for run in runs for a in _amendments(run.result) if a.status == "accepted")


_ITEM = re.compile(r"\b[CSB]\d\d\b")
_WORKED = re.compile(
    r"(?P<id>M\d+), [^:]+: (?P<title>.+) \((?P<paths>[^()]+)\)\. (?P<reason>.+)", re.DOTALL
)


def worked(lines: Sequence[str]) -> tuple[Amendment, ...]:
    """Return the amendments that a design says it was made with: the plan has them already."""
    found = (_WORKED.fullmatch(line) for line in lines)
    return tuple(
        Amendment(
            id=m["id"],
            title=m["title"],
            reason=m["reason"],
            changes=tuple(Change(path=f"tasks.{path}") for path in m["paths"].split(", ")),
            rests_on=tuple(_ITEM.findall(m["reason"])),
            status="accepted",
        )
        for m in found
        if m
    )


def _amendments(result: object) -> Iterator[Amendment]:
    listed = result.get("amendments") if isinstance(result, Mapping) else None
    for given in listed if isinstance(listed, list) else ():
        try:
            yield Amendment.model_validate(given)
        except ValidationError:
            continue  # another mode's entry of that name


def amended(
    tasks: Sequence[GraphTask], amendment: Amendment
) -> tuple[tuple[GraphTask, ...], tuple[str, ...]]:
    """Return the plan with an amendment made, and what of it cannot be made, a sentence each."""
    found, problems = {t.id: t for t in tasks}, []
    for change in amendment.changes:
        parts = change.path.split(".")
        task = found.get(parts[1]) if parts[0] == "tasks" and len(parts) in (3, 5) else None
        if task is None:
            problems.append(
                f"{amendment.id} changes {change.path}, which is no field of a task here"
            )
            continue
        try:
            value = _value(task, parts[2], change)
        except (ValidationError, KeyError, ValueError):
            problems.append(f"{amendment.id} gives {change.path} a value that does not fit it")
            continue
        found[task.id] = task.model_copy(update={parts[2]: value})
    return tuple(found.values()), tuple(problems)


def _called(request: ToolRequest, change: Change) -> ToolRequest:
    """Return a call of a task with one of its arguments changed, if it is the call of that name."""
    name, argument = change.path.split(".")[3:]
    if request.name != name:
        return request
    args = {k: v for k, v in {**request.args, argument: change.new}.items() if v is not None}
    return request.model_copy(update={"args": args})


def _value(task: GraphTask, field: str, change: Change) -> Any:  # noqa: ANN401 - as the field
    if field == "tool_request":
        return tuple(_called(request, change) for request in task.tool_request)
    if field in _ESTIMATES:
        return ThreePoint.model_validate(change.new)
    if field == "acceptance":
        kept = tuple(a for a in task.acceptance if a.text != change.old)
        return kept if change.new is None else (*kept, Acceptance(text=str(change.new)))
    if field not in _LISTS:
        raise KeyError(field)
    entries: tuple[str, ...] = getattr(task, field)
    if change.old is None:
        return (*entries, str(change.new))
    if change.new is None:
        return tuple(entry for entry in entries if entry != change.old)
    return tuple(str(change.new) if entry == change.old else entry for entry in entries)

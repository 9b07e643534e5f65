"""Everything in a plan that another number of units changes, and what it leaves as it is."""

import re
from collections.abc import Iterator
from math import ceil

from core.graph.state import GraphTask
from core.pluralize import amount, joined
from dr_rd.modes.panel.board import Change, scaled, sized
from dr_rd.modes.panel.floor import Floor, lines_of
from dr_rd.planning.estimates import AS_SIZED

RESIZING = (
    "number_of_the_direction",
    "too_few_for_the_effect",
    "too_few_after_losses",
    "too_few_usable",
)
"""The rules whose amendments change the number of units."""

_HANDLES = ("sourcing", "pilot", "execution", "processing")
"""The phases whose tasks handle units; others are of the study as a whole."""


def resized(at: Floor, given: float) -> tuple[Change, ...]:
    """Return every change that another number of units makes.

    The size itself, what is paid for each unit or each visit to them, and the days of the tasks
    that handle them, at the pace that the plan has; none where nothing is sized.
    """
    task, old = at.sizer, at.sizing.get("given")
    if task is None or not old:
        return ()
    factor = given / old
    paid, handling = set(_paid(at)), set(_handling(at))
    changes = [sized(task, "given", old, float(given))]
    for one in at.plan.tasks:
        if one.id in paid:
            changes.append(scaled(one, "cost", factor))
        if one.id in handling and one.duration_days:
            changes.append(scaled(one, "duration_days", factor))
        changes += [
            Change(path=f"tasks.{one.id}.steps", old=step, new=again)
            for step in one.steps
            if (again := _recounted(step, factor))
        ]
    return tuple(changes)


def _recounted(step: str, factor: float) -> str:
    """A step that says how many units there are in all, with the other number; "" for any other."""
    number, _, rest = step.partition(" ")
    if not step.endswith(AS_SIZED) or not number.replace(",", "").isdigit():
        return ""
    return f"{amount(ceil(int(number.replace(',', '')) * factor))} {rest}"


def carried(at: Floor) -> str:
    """Name the tasks that hold the number of units, by what of them it changes."""
    paid, handling = list(_paid(at)), list(_handling(at))
    parts = [f"{at.sizer.id} computes with it"] if at.sizer else []
    parts += [f"{joined(paid)} pay for it" if len(paid) > 1 else f"{paid[0]} pays for it"] * bool(
        paid
    )
    parts += [
        f"{joined(handling)} take days for it" if len(handling) > 1
        else f"{handling[0]} takes days for it"
    ] * bool(handling)  # fmt: skip
    return "; ".join(parts)


def left(at: Floor) -> str:
    """Say which paid tasks that speak of the units are left as they are; "" if there are none."""
    changed = {*_paid(at), *_handling(at)}
    unit = at.design.slots.get("unit", "")
    named = [
        t.id for t in at.of_phase(*_HANDLES)
        if t.id not in changed and t.cost and t.cost.high and unit and _speaks(t, unit)
    ]  # fmt: skip
    verb = "are" if len(named) > 1 else "is"
    return f" {joined(named)} {verb} left: priced once, whatever the number." if named else ""


def _paid(at: Floor) -> Iterator[str]:
    yield from (t.id for t in at.desk.growing(at.plan))
    yield from (t.id for t in at.desk.fixed_over_time(at.plan) if t.phase == "execution")


def _handling(at: Floor) -> Iterator[str]:
    """Yield the tasks that are paid by the unit and take days of their own; a wait grows with none."""
    for task in at.desk.growing(at.plan):
        package = at.desk.packages[task.id]
        if task.phase in _HANDLES and task.duration_days and package.duration.driver == "fixed":
            yield task.id


def _speaks(task: GraphTask, unit: str) -> bool:
    return any(re.search(rf"\b{re.escape(unit)}", line, re.IGNORECASE) for line in lines_of(task))

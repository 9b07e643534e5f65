"""What a plan's schedule is called with: its tasks, who does them, and the limits on time and money."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from core.graph.state import GraphTask
from dr_rd.brief import Resources
from dr_rd.schedule.activities import NOTHING, Activity, Resource
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH, Calendar, Closed
from dr_rd.tools.context import Arguments, Assignment, CallContext

_HELD = 0.5
"""Effort a day from which a task holds its person: whoever waits for a board does other work."""

_WEEK = 5
"""Days on which anything may be used that nobody restricts."""


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Simulate every task; with a first day, the days are dates."""
    plan, resources = context.plan, context.brief.resources
    planned = activities(context.tasks, {a.task_id: a for a in plan.staffing})
    rates = {t.id: plan.day_rate(t.id) for t in context.tasks}
    each = [
        {
            **a.model_dump(include={"id", "days", "cost"}),
            "depends_on": list(a.depends_on),
            **({"needs": dict(a.needs)} if a.needs else {}),
            **({"calendar": _from(plan.not_before[a.id])} if a.id in plan.not_before else {}),
            **({"day_rate": rates[a.id]} if rates[a.id] else {}),
        }
        for a in planned
    ]
    more = {
        "resources": [r.model_dump(exclude_defaults=True) for r in scheduled(resources)],
        "calendars": [
            c.model_dump(mode="json", exclude_defaults=True)
            for c in calendars(resources, plan.not_before.values())
        ],
    }
    return [
        {
            "activities": each,
            "seed": context.seed,
            "risk_posture": context.brief.risk_posture,
            "limit_cost": None
            if context.guesses_money
            else plan.limit,  # a guess keeps or breaks none
            "limit_days": plan.deadline_days,
            "days_a_month": WORKING_DAYS_A_MONTH,
            **({"start": plan.start.isoformat()} if plan.start else {}),
            **({"resources": more["resources"]} if more["resources"] else {}),
            **({"calendars": more["calendars"]} if more["calendars"] and plan.start else {}),
        }
    ]


def activities(tasks: Iterable[GraphTask], staffing: Mapping[str, Assignment]) -> list[Activity]:
    """Return *tasks* as a schedule takes them; *staffing*: who does each, by its id."""
    return [
        Activity(
            id=t.id,
            depends_on=t.depends_on,
            days=t.duration_days or NOTHING,
            cost=t.cost or NOTHING,
            needs=_needs(staffing.get(t.id)),
        )
        for t in tasks
    ]


def scheduled(resources: Resources | None) -> tuple[Resource, ...]:
    """Return people and equipment as a schedule takes them."""
    if resources is None:
        return ()
    people = (Resource(id=p.role, count=p.count, share=p.share) for p in resources.people)
    things = (
        Resource(id=e.what, count=e.count, calendar=e.what if len(e.weekdays) < _WEEK else None)
        for e in resources.equipment
    )
    return (*people, *things)


def calendars(
    resources: Resources | None, not_before: Iterable[date] = ()
) -> tuple[Calendar, ...]:
    """Return when work is done: first in general, then with each thing, or from a day on; none if always."""
    held = resources or Resources()
    own, days = (
        [e for e in held.equipment if len(e.weekdays) < _WEEK],
        [*dict.fromkeys(not_before)],
    )
    if not held.closed and not own and not days:
        return ()
    shut = tuple(Closed(first=c.first, last=c.last) for c in held.closed)
    early = {day: Closed(first=date.min, last=day - timedelta(days=1)) for day in days}
    return (
        Calendar(id="working days", closed=shut),
        *(Calendar(id=e.what, weekdays=e.weekdays, closed=shut) for e in own),
        *(Calendar(id=_from(day), closed=(*shut, until)) for day, until in early.items()),
    )


def _from(day: date) -> str:
    """The name of the calendar of what begins on a day at the earliest."""
    return f"from {day.isoformat()}"


def _needs(assignment: Assignment | None) -> dict[str, int]:
    """Return what a task holds of people and equipment."""
    if assignment is None:
        return {}
    held = assignment.effort >= _HELD and not assignment.at_pace
    person = [assignment.person] if assignment.person and held else []
    return dict.fromkeys([*person, *assignment.equipment], 1)

"""Effort and pay: who works how many days on what, and the sums that are kept apart."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from core.graph.state import GraphTask
from core.values import Frozen
from dr_rd.checks import Ledger
from dr_rd.planning.design import Design
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.text import stem
from dr_rd.tools.context import Assignment


class Effort(Frozen):
    """The work of one role."""

    role: str
    days: float
    """Expected person-days."""
    tasks: tuple[str, ...]


def efforts(tasks: Iterable[GraphTask], design: Design) -> tuple[Effort, ...]:
    """Return the expected work of each role, most first; of tasks that nobody was put to, none."""
    by = {a.task_id: a for a in design.staffing}
    days: dict[str, float] = defaultdict(float)
    named: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        if task.id in by and task.duration_days:
            days[by[task.id].role] += person_days(task, by[task.id])
            named[by[task.id].role].append(task.id)
    found = [Effort(role=r, days=d, tasks=tuple(named[r])) for r, d in days.items()]
    return tuple(sorted(found, key=lambda e: -e.days))


def person_days(task: GraphTask, assignment: Assignment) -> float:
    """Return the expected person-days of *task*."""
    return assignment.effort * task.duration_days.mean if task.duration_days else 0.0


def breaking_rate(limit: float, cost: float, days: float) -> float:
    """Return the day rate above which *limit* no longer pays *days* of work beside *cost*; two digits."""
    return float(f"{max(limit - cost, 0) / days:.2g}") if days > 0 else 0.0


def figures(tasks: Iterable[GraphTask], design: Design) -> dict[str, Any]:
    """Return every figure on people that a proposal shows."""
    planned = list(tasks)
    by, whole = {a.task_id: a for a in design.staffing}, efforts(planned, design)
    days = sum(e.days for e in whole)
    return {
        "tasks": [round(person_days(t, by[t.id])) for t in planned if t.id in by],
        "roles": [round(e.days) for e in whole],
        "total": round(days),
        "months": round(days / WORKING_DAYS_A_MONTH, 1),
        "apart": list(people(planned, design, design.scaling.currency)["apart_pay"].values()),
    }


_DOERS = re.compile(
    r"\b(?P<who>(?:(?:one|two|three|four|five|six|\d+|trained|blinded|independent|certified|same) ){0,2}"
    r"(?:instructors?|raters?|graders?|coders?|annotators?|radiologists?|pathologists?|"
    r"taxonomists?|entomologists?|botanists?|assessors?|interviewers?|operators?|technicians?|nurses?|teachers?|"
    r"reviewers?|sonographers?|dentists?|physicians?|therapists?|inspectors?|experts?))\b",
    re.IGNORECASE,
)
"""Those who do what the work hangs on, as lines and steps name them."""

_MOST_DOERS = 4


def named_people(ledger: Ledger, tasks: Iterable[GraphTask], roles: Iterable[str]) -> list[str]:
    """Return who does key work by the brief's limits, or else by the steps, and is in no role of the plan.

    Each with the item or the task that names them.
    """
    lines = [(i.text, i.id) for i in ledger.items if i.kind != "ban"]
    lines += [(step, t.id) for t in tasks for step in t.steps]
    known = {stem(w) for role in roles for w in role.lower().split()[-1:]}
    found: dict[str, str] = {}
    for text, mark in lines:
        for match in _DOERS.finditer(text):
            who = match["who"].lower() if mark[0] != "T" else match["who"].lower().split()[-1]
            key = stem(who.split()[-1])
            if key not in known and key not in found:
                found[key] = f"{who} ({mark})"
    return list(found.values())[:_MOST_DOERS]


def people(tasks: Iterable[GraphTask], design: Design, currency: str) -> Mapping[str, Any]:
    """Return what a proposal says of its people; sums in other currencies are kept apart."""
    planned = list(tasks)
    by = {a.task_id: a for a in design.staffing}
    apart: dict[str, float] = defaultdict(float)
    for task in planned:
        own = by.get(task.id)
        if own and own.day_rate and own.currency != currency and task.duration_days:
            apart[own.currency] += own.day_rate * task.duration_days.mean
    return {
        "efforts": efforts(planned, design),
        "apart_pay": dict(apart),
        "paid": any(a.day_rate for a in design.staffing),
    }

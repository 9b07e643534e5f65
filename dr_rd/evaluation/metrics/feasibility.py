"""Feasibility: the schedule holds together and ends within the time there is."""

from collections.abc import Iterator, Mapping
from graphlib import CycleError

from core.pluralize import noun, pluralize
from core.scores import Score
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.metrics.verdicts import Defect, faultless, not_applicable
from dr_rd.evaluation.subject import Subject
from dr_rd.evaluation.workplan import TIMES, Activity, Workplan
from dr_rd.quantity import Quantity, quantities
from dr_rd.schedule.cpm import critical_path_times

_HINT = (
    "Move, shorten or link these tasks so that the plan can be carried out in the time there is."
)
_SLACK = 1.03
"""How far the end may lie beyond the horizon: months are not all of one length."""
_ALONE = 0.05
"""Share of activities without any link that a plan may have (DCMA 14-point check, "logic")."""
_WORKING_DAYS = 22
"""Working days that a month has at most, on average."""


def feasibility(subject: Subject) -> Score:
    """Return 0 for a ring of dependencies; otherwise each fault of the schedule halves the score.

    Whether the durations are realistic it cannot see.
    """
    plan = subject.workplan
    own = list(_duration_defects(subject))
    if plan is None:
        if own:
            return faultless("feasibility", own, "", _HINT)
        return not_applicable(
            "feasibility",
            "the text has no work plan that code can read: a table or list of tasks with times or "
            "dependencies",
        )
    try:
        end = _end(plan)
    except CycleError as cycle:
        ring = " → ".join(str(c) for c in cycle.args[1])
        why = f"the tasks wait for each other in a ring ({ring}), so that none can begin"
        return Score(key="feasibility", score=0.0, rationale=why, fix_hint=_HINT)
    found = [*_link_defects(plan), *_late(plan, end, subject), *own]
    kept, end_ = pluralize(len(plan.activities), "task"), f"{end:g}" if end else ""
    clean = f"in order: {kept}" + (
        f", ending after {end_} {noun(end_, plan.unit)}" if end_ and plan.unit else ""
    )
    return faultless("feasibility", found, clean, _HINT)


def _link_defects(plan: Workplan) -> Iterator[Defect]:
    """What is wrong with the links of activities and their times."""
    by_id = {a.id: a for a in plan.activities}
    for one in plan.activities:
        for stranger in one.strangers:
            yield Defect(f"{one.id} waits for {stranger}, which is not in the plan", one.quote)
        if one.lead:
            yield Defect(f"{one.id} begins before what it waits for ends ({one.lead})", one.quote)
        yield from _time_defects(one)
        for name in one.needs:
            yield from _early(one, by_id.get(name))
    if alone := _alone(plan):
        shown = ", ".join(alone[:5])
        yield Defect(
            f"{len(alone)} of {len(plan.activities)} tasks are linked to no other: {shown}"
        )


def _time_defects(one: Activity) -> Iterator[Defect]:
    if one.lasts is not None and one.lasts < 0:
        yield Defect(f"{one.id} has a negative duration of {one.lasts:g}", one.quote)
    if one.start is None or one.finish is None:
        return
    if one.finish < one.start:
        yield Defect(f"{one.id} ends ({one.finish:g}) before it starts ({one.start:g})", one.quote)
    elif one.lasts and one.finish < 7000 and abs(one.finish - one.start - one.lasts) > 1.01:
        yield Defect(
            f"{one.id} lasts {one.lasts:g}, but {one.start:g} to {one.finish:g} is "
            f"{one.finish - one.start:g}",
            one.quote,
        )


def _early(one: Activity, before: Activity | None) -> Iterator[Defect]:
    if before is None or one.start is None or before.finish is None:
        return
    if one.start < before.finish - 1e-9:
        yield Defect(f"{one.id} starts before {before.id} ends", one.quote)


def _alone(plan: Workplan) -> list[str]:
    """Activities that wait for none and that none waits for, if they are too many."""
    if not plan.linked or len(plan.activities) < 4:
        return []
    needed = {n for a in plan.activities for n in a.needs}
    if not needed:
        return []
    alone = [
        a.id for a in plan.activities if not a.needs and not a.strangers and a.id not in needed
    ]
    return alone if len(alone) > _ALONE * len(plan.activities) else []


def _end(plan: Workplan) -> float | None:
    """When the last activity ends, in the plan's unit; None where its times do not say.

    Raises CycleError if activities wait for each other in a ring.
    """
    ids = {a.id for a in plan.activities}
    network = {a.id: [n for n in a.needs if n in ids] for a in plan.activities}
    lasts: Mapping[str, float] = {a.id: max(a.lasts or 0.0, 0.0) for a in plan.activities}
    times = critical_path_times(network, lasts)
    finishes = [a.finish for a in plan.activities if a.finish is not None]
    if finishes:
        first = min((a.start for a in plan.activities if a.start is not None), default=0.0)
        return max(finishes) - (first if max(finishes) > 7000 else 0.0)
    if not plan.linked or any(a.lasts is None for a in plan.activities):
        return None
    return max((t.finish for t in times.values()), default=None)


def _late(plan: Workplan, end: float | None, subject: Subject) -> Iterator[Defect]:
    """Say where the plan ends after the time that the brief or the text itself gives."""
    if not end or plan.unit not in TIMES:
        return
    working = plan.unit == "day" and cue("working_days").search(subject.visible) is not None
    for source, limit in _horizons(subject):
        days = _days(limit, working=working)
        if days is not None and end * TIMES[plan.unit] > days * _SLACK:
            yield Defect(
                f"the last task ends after {end:g} {plan.unit}s, but {source} gives {limit.text}"
            )


def _horizons(subject: Subject) -> Iterator[tuple[str, Quantity]]:
    """How long the work may take, by the brief's deadline and by the text's own words."""
    given = quantities(subject.brief.deadline) if subject.brief else ()
    for q in given:
        if q.unit in TIMES and q.high is not None:
            yield "the brief's deadline", q
    for one in subject.named_quantities:
        if one.whole and one.quantity.unit in TIMES and "durat" in one.label:
            yield "the text itself", one.quantity
    for sentence in subject.sentences:
        for q in sentence.quantities:
            lasting = q.unit in TIMES and q.high is not None and q.low == q.high
            if (
                lasting
                and not cue("than").match(sentence.after(q))
                and (
                    cue("lasting").search(sentence.before(q)[-60:]) or cue("project").match(q.noun)
                )
            ):
                yield "the text itself", q


def _days(limit: Quantity, *, working: bool) -> float | None:
    days = (limit.high or 0) * TIMES[limit.unit]
    if not working:
        return days or None
    if limit.unit == "day":
        return limit.high
    return days / TIMES["month"] * _WORKING_DAYS


def _duration_defects(subject: Subject) -> Iterator[Defect]:
    """Say where an answer gives its task more time than the plan does."""
    task = subject.task
    if task is None or task.duration_days is None:
        return
    for sentence in subject.sentences:
        for q in sentence.quantities:
            own = cue("this_task").search(sentence.before(q)[-60:])
            if (
                own
                and q.unit in TIMES
                and q.low
                and q.low * TIMES[q.unit] > 1.5 * task.duration_days.high
            ):
                yield Defect(
                    f"it takes {q.text}, but the plan gives it at most {task.duration_days.high:g} "
                    "working days",
                    sentence.text,
                )

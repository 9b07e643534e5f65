"""A design once a person has edited its plan: what was computed of the proposed tasks follows the edited ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.planning.design import Design, study_period
from dr_rd.planning.directions import Direction
from dr_rd.planning.guesses import guesses_days, is_guess, is_guessed_time, pay_parts
from dr_rd.planning.limits import days_at, is_late, not_kept, on_time
from dr_rd.planning.scaling import Scaling, TaskCost, scale
from dr_rd.planning.wording import Assumption
from dr_rd.schedule.activities import NOTHING, Activity, Resource
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.tools.schedule_risk.args import activities, scheduled


def edited_design(
    design: Design, tasks: Sequence[GraphTask], brief: Brief, ledger: Ledger
) -> Design:
    """Return *design* with its figures as the plan of those *tasks* gives them.

    Costs and days of the numbers of units to choose from move by as much as the whole plan did,
    which is exact for the number that is planned and near it for the others.
    """
    if tuple(tasks) == design.tasks:
        return design
    confidence = PERCENTILE[brief.risk_posture]
    resources = scheduled(brief.resources)
    before, after = _work(design, design.tasks), _work(design, tasks)
    limit = design.deadline_days
    kept = on_time(after, resources, limit, confidence)
    least = _least(design, tasks, resources, confidence)
    late = is_late(least, limit) if least is not None else not kept
    scaling = _scaling(design, tasks)
    days = days_at(after, resources, confidence) - days_at(before, resources, confidence)
    stands = _period_stands(design, tasks)
    return design.model_copy(
        update={
            "scaling": scaling,
            "sizing": _sizing(design, tasks, scaling, days, least),
            "directions": _directions(design, tasks),
            "assumptions": design.assumptions if stands else _closed(design),
            "open_period": design.open_period if stands else None,
            "on_time": kept,
            "least_days": least,
            "main_dates": None if _retimed(design, tasks) else design.main_dates,
            "not_kept": not_kept(
                ledger, scaling, late=late, start=design.start, closed=brief.closed_days
            ),
        }
    )


def _retimed(design: Design, tasks: Sequence[GraphTask]) -> bool:
    """Whether the main work is gone or lasts otherwise than the brief's own times have it."""
    lasts = {t.id: t.duration_days for t in tasks}
    main = (t for t in design.tasks if t.id in design.not_before)
    return any(lasts.get(t.id) != t.duration_days for t in main)


def _least(
    design: Design, tasks: Sequence[GraphTask], resources: Sequence[Resource], confidence: float
) -> float | None:
    """The working days that are no guess: those that the brief set, or that persons now did.

    What the brief's own times take of guessed tasks counts too, unless a person made a task shorter
    than it could be by the plan: nobody knows whether that was the one with a time of the brief.
    """
    if not guesses_days(tasks):
        return None
    least = {t.id: t.duration_days.low for t in design.tasks if t.duration_days}
    shorter = any(t.duration_days.mean < least.get(t.id, 0.0) for t in tasks if t.duration_days)
    fixed = [
        t.model_copy(update={"duration_days": NOTHING}) if is_guessed_time(t) else t for t in tasks
    ]
    floor = 0.0 if shorter else design.least_days or 0.0
    return max(floor, days_at(_work(design, fixed), resources, confidence))


def _work(design: Design, tasks: Sequence[GraphTask]) -> list[Activity]:
    return activities(tasks, {a.task_id: a for a in design.staffing})


def _scaling(design: Design, tasks: Sequence[GraphTask]) -> Scaling:
    """Add the costs up anew; what a unit adds stays as it was planned."""
    was = design.scaling
    costs = [(t, t.cost) for t in tasks if t.cost]
    lines = [TaskCost(key=t.id, full=c, guessed=is_guess(t)) for t, c in costs]
    found = scale(
        lines, limit=was.limit, share=was.percentile, units=was.units, currency=was.currency
    )
    whole = sum(cost.mean for _, cost in costs)
    kept = {"per_unit": was.per_unit, "fixed": round(whole - was.per_unit * was.units)}
    affordable = was.affordable_units if whole == _cost(design.tasks) else None
    return found.model_copy(update={**kept, "affordable_units": affordable})


def _cost(tasks: Sequence[GraphTask]) -> float:
    return sum(t.cost.mean for t in tasks if t.cost)


def _sizing(
    design: Design,
    tasks: Sequence[GraphTask],
    scaling: Scaling,
    days: float,
    least: float | None,
) -> Mapping[str, Any]:
    """Return the arguments of the sample size with what the options now take."""
    frontier: Any = design.sizing.get("frontier")
    if not frontier:
        return design.sizing
    was = design.scaling
    paid_before, open_before = pay_parts(design.tasks, design.staffing, was.currency)
    paid_after, open_after = pay_parts(tasks, design.staffing, was.currency)
    moves = {
        "cost": scaling.known - was.known + paid_after.mean - paid_before.mean,
        "guess_low": scaling.guess_low - was.guess_low + open_after.low - open_before.low,
        "guess_high": scaling.guess_high - was.guess_high + open_after.high - open_before.high,
        "days": days,
    }
    if least is not None and design.least_days is not None:
        moves["least_days"] = least - design.least_days
    gone = {"least_days"} - set(moves)
    if _retimed(design, tasks):
        gone |= {"main_days"}
        frontier = {k: v for k, v in frontier.items() if k != "most_main_days"}
    kept = [{k: v for k, v in o.items() if k not in gone} for o in frontier["options"]]
    options = [
        {**option, **{k: max(0.0, round(option[k] + move)) for k, move in moves.items()}}
        for option in kept
    ]
    return {**design.sizing, "frontier": {**frontier, "options": options}}


def _directions(design: Design, tasks: Sequence[GraphTask]) -> tuple[Direction, ...]:
    """The directions, the chosen one and those that its tasks do too with what the edited plan takes."""
    chosen = next(d for d in design.directions if d.id == design.chosen).outline
    return tuple(
        d.model_copy(update={"outline": d.outline.of_tasks(tasks)})
        if d.outline and d.outline.like(chosen)
        else d
        for d in design.directions
    )


def _closed(design: Design) -> tuple[Assumption, ...]:
    """The assumptions but that on a study period which nobody had named."""
    said = study_period(design.open_period) if design.open_period else ""
    return tuple(a for a in design.assumptions if a.text != said)


def _period_stands(design: Design, tasks: Sequence[GraphTask]) -> bool:
    """Whether a task still lasts as long as the library takes for the study period."""
    return any(t.duration_days == design.open_period for t in tasks)

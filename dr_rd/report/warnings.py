"""What a reader of a proposal must know before anything else."""

import re
from collections.abc import Iterable, Iterator, Sequence

from core.graph.state import GraphState, GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import LedgerVerdict
from dr_rd.planning.design import Design
from dr_rd.planning.directions import Direction
from dr_rd.quantity import TIME_UNITS, is_money, quantities
from dr_rd.report.answers import in_order
from dr_rd.report.calls import Results
from dr_rd.report.limits import deadline, improbable, too_dear, too_late, too_short


def warnings(
    brief: Brief,
    design: Design,
    state: GraphState,
    verdicts: Iterable[LedgerVerdict],
    units: str,
    results: Results,
) -> list[str]:
    """Return the warnings; *units* is the word for what is sampled."""
    schedule, tasks = results.first("schedule"), state.tasks
    found = [
        *design.remarks,
        improbable(brief, design, schedule, tasks),
        _unlisted_limits_warning(brief),
        _unpriced_tasks_warning(tasks, brief),
        _staff_cost_warning(brief),
        too_short(design, tasks),
        too_dear(results.first("budget"), units),
        _excluded_directions_warning(design.directions),
        too_late(deadline(brief, design, schedule)),
        *(f"{v.id} is violated: {v.reason}" for v in verdicts if v.verdict == "violated"),
        *results.failures(),
        *_holes(state),
    ]
    return [w for w in found if w]


_STAFFED = re.compile(
    r"\b(?:incl\.?|includes|including|with)\s(?:all\s|the\s)?(?:staff|personnel|salar(?:y|ies)|wages|labou?r|overheads?)",
    re.IGNORECASE,
)


def _staff_cost_warning(brief: Brief) -> str:
    """Say that a limit on money counts staff in, where the budget does not."""
    lines = (*brief.hard_constraints, brief.budget)
    counted = [
        t for t in lines if _STAFFED.search(t) and any(is_money(q.unit) for q in quantities(t))
    ]
    if not counted:
        return ""
    return (
        f"“{counted[0]}” counts staff in, and the budget here does not: it adds up direct costs only. "
        "Set the staff aside from the limit, or add their cost to the tasks"
    )


def _holes(state: GraphState) -> Iterator[str]:
    """Say which tasks gave no answer, and which answers do not pass the gate."""
    answers = [a for _, a in in_order(state)]
    if holes := [a.task_id for a in answers if not a.usable]:
        yield f"This proposal has holes: {', '.join(holes)} gave no answer."
    for answer in answers:
        if answer.status == "below_gate":
            yield (
                f"The answer to {answer.task_id} does not pass the checks on its form: a person reads it "
                "in the annex before anything is built on it."
            )


def _excluded_directions_warning(directions: Iterable[Direction]) -> str:
    if all(d.excluded for d in directions):
        return "Every direction breaks a limit of the brief: none can be recommended."
    return ""


def _unlisted_limits_warning(brief: Brief) -> str:
    """Say that limits which stand in the objective alone are held against nothing."""
    if brief.hard_constraints or brief.budget or brief.deadline:
        return ""
    bounds = [
        q.text
        for q in quantities(brief.objective)
        if is_money(q.unit) or (q.unit in TIME_UNITS and q.comparison in ("at_most", "less_than"))
    ]
    if not bounds:
        return ""
    return (
        f"The brief lists no limits. What its objective says of {' and '.join(bounds)} is not held "
        "against the plan; list it among the hard constraints."
    )


def _unpriced_tasks_warning(tasks: Sequence[GraphTask], brief: Brief) -> str:
    """Say that tasks which the brief prescribes have no price, so that a budget of 0 is none."""
    if not brief.prescribed or any(t.cost and t.cost.high for t in tasks):
        return ""
    return (
        "The brief prescribes its tasks without costs: what stands below of money, and of a limit "
        "on it, says nothing."
    )

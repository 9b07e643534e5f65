"""What a plan comes to while a person edits it: its dates, its money, its odds and its limits."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import CallerError
from core.graph.state import GraphTask, checked
from core.values import Frozen
from dr_rd.adherence import LedgerVerdict
from dr_rd.brief import Brief
from dr_rd.ledger import Ledger
from dr_rd.planning.context import call_context
from dr_rd.planning.design import Design
from dr_rd.planning.library import Library
from dr_rd.report.calls import results
from dr_rd.report.grounds import Grounds
from dr_rd.tools.schedule_risk.args import arguments
from dr_rd.tools.schedule_risk.tool import ScheduleRisk, schedule_risk

_ITERATIONS = 2_000
"""Draws of a preview: a percentile of the duration is then within about a fiftieth of its spread,
and twenty tasks take some ten milliseconds."""


class Preview(Frozen):
    """What a plan comes to."""

    problem: str = ""
    """Why it is no plan, in a sentence; all else is then empty."""
    critical_path: tuple[str, ...] = ()
    """The tasks that decide how long the work takes, in their order."""
    times: Mapping[str, Mapping[str, float]] = {}
    """Each task's start, finish and slack, in working days of its expected length."""
    days: Mapping[str, float] = {}
    """Working days in all, by percentile, such as P50."""
    cost: Mapping[str, float] = {}
    """Direct costs in all, in the plan's currency, by percentile."""
    currency: str = ""
    limit_days: float | None = None
    limit_cost: float | None = None
    chances: Mapping[str, Any] = {}
    """The odds of keeping each limit, as the schedule tool gives them."""
    ledger: tuple[LedgerVerdict, ...] = ()
    """What the plan says and declares, held against the brief's items; its money and time are told by the
    odds above."""


def preview(
    tasks: Sequence[GraphTask],
    *,
    design: Design,
    library: Library,
    brief: Brief,
    ledger: Ledger,
    seed: int,
) -> Preview:
    """Return what the plan of those *tasks* comes to; nothing is written and nobody is asked."""
    plan = tuple(tasks)
    try:
        checked(plan)
    except CallerError as mistake:
        return Preview(problem=str(mistake))
    context = call_context(
        design, library, brief=brief, ledger=ledger, tasks=plan, task=plan[-1], seed=seed
    )
    given = {**arguments(context)[0], "iterations": _ITERATIONS}
    found: Any = schedule_risk(ScheduleRisk.model_validate(given))
    no_calls = results((), library.tools, design)
    grounds = Grounds(brief, ledger, design, plan, no_calls)
    return Preview(
        critical_path=tuple(found["critical_path"]),
        times=found["times"],
        days=found["days"],
        cost=found["cost"],
        currency=design.scaling.currency,
        limit_days=design.deadline_days,
        limit_cost=design.scaling.limit,
        chances=found["chances"],
        ledger=grounds.verdicts(plan_text(plan)),
    )


def plan_text(tasks: Sequence[GraphTask]) -> str:
    """Return a plan as Markdown, a section a task."""
    return "\n".join(_section(task) for task in tasks)


def _section(task: GraphTask) -> str:
    lines = [f"## {task.id} {task.title}", "", task.description, ""]
    lines += [f"{number}. {step}" for number, step in enumerate(task.steps, 1)]
    lines += ["", task.deliverable, "", *(f"- {a.text}" for a in task.acceptance)]
    return "\n".join(lines) + "\n"

"""What a plan comes to while a person edits it: its dates, its money, its odds and its limits."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from core.errors import CallerError
from core.graph.state import GraphTask, ToolResult, checked
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerVerdict
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import index_with
from dr_rd.planning.context import call_context
from dr_rd.planning.design import Design
from dr_rd.planning.edited import edited_design
from dr_rd.planning.library import Library
from dr_rd.report.calls import Results
from dr_rd.report.grounds import Grounds
from dr_rd.tools import CallContext, Sources
from dr_rd.tools.registry import Registry

_ITERATIONS = 2_000
"""Draws of a preview: a percentile of the duration is then within about a fiftieth of its spread,
and twenty tasks take some ten milliseconds."""

_KINDS = ("schedule", "budget")
"""What a plan comes to, as the tools that compute it call it."""


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
    guess: tuple[float, float] | None = None
    """Between which the library guesses what nobody has priced; None if all has a price."""
    known: float = 0.0
    """What is priced of the costs, where the rest is a guess."""
    currency: str = ""
    start: date | None = None
    """The first day of the work; None where nobody named one."""
    limit_days: float | None = None
    least_days: float | None = None
    """Of its working days those that are no guess; None where nothing is guessed, or no deadline set."""
    limit_cost: float | None = None
    chances: Mapping[str, Any] = {}
    """The odds of keeping each limit, as the schedule tool gives them."""
    ledger: tuple[LedgerVerdict, ...] = ()
    """What the plan says, declares and comes to, held against the brief's items."""


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
    design = edited_design(design, plan, brief, ledger)
    context = call_context(
        design, library, brief=brief, ledger=ledger, tasks=plan, task=plan[-1], seed=seed
    )
    calls = tuple(_calls(context, library.tools))
    computed = Results(calls, library.tools, context.plan)
    grounds = Grounds(brief, ledger, design, plan, computed)
    schedule = computed.first("schedule")
    budget = computed.first("budget")
    found, spent = (schedule["out"] if schedule else {}), (budget["out"] if budget else {})
    return Preview(
        critical_path=tuple(found.get("critical_path", ())),
        times=found.get("times", {}),
        days=found.get("days", {}),
        cost=found.get("cost", {}),
        guess=(spent["guess_low"], spent["guess_high"]) if "guess_high" in spent else None,
        known=spent.get("known", 0.0),
        currency=design.scaling.currency,
        start=design.start,
        limit_days=design.deadline_days,
        least_days=None if design.deadline_days is None else design.least_days,
        limit_cost=design.scaling.limit,
        chances=found.get("chances", {}),
        ledger=grounds.verdicts(plan_text(plan)),
    )


def _calls(context: CallContext, tools: Registry) -> Iterator[ToolResult]:
    """Make the calls that a plan's days and money follow from, with fewer draws than a run."""
    sources = Sources(Corpus(), index_with(Corpus(), None), ())
    for spec in tools.by_order:
        tool = spec.open(sources) if spec.plan.gives in _KINDS else None
        if tool is None:
            continue
        for number, arguments in enumerate(spec.arguments(context), 1):
            few = {"iterations": _ITERATIONS} if "iterations" in spec.params.model_fields else {}
            given = {**arguments, **few}
            output = tool.run(spec.params.model_validate(given))
            yield ToolResult(id=f"{spec.name}-{number}", name=spec.name, args=given, output=output)


def plan_text(tasks: Sequence[GraphTask]) -> str:
    """Return a plan as Markdown, a section a task."""
    return "\n".join(_section(task) for task in tasks)


def _section(task: GraphTask) -> str:
    lines = [f"## {task.id} {task.title}", "", task.description, ""]
    lines += [f"{number}. {step}" for number, step in enumerate(task.steps, 1)]
    lines += ["", task.deliverable, "", *(f"- {a.text}" for a in task.acceptance)]
    return "\n".join(lines) + "\n"

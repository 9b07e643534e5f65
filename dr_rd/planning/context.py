"""What the tools of a plan are told of it."""

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.planning.design import Design
from dr_rd.planning.guesses import guesses_money, is_guess, is_guessed_time
from dr_rd.planning.library import Library
from dr_rd.planning.scaling import times
from dr_rd.tools import CallContext, PlanContext
from dr_rd.tools.context import ScoredDirection


def plan_context(design: Design) -> PlanContext:
    """Return what *design* has decided, as tools see it."""
    scaling = design.scaling
    return PlanContext(
        directions=tuple(
            ScoredDirection(id=d.id, scores=d.scores, excluded=d.excluded)
            for d in design.directions
        ),
        weights=design.weights,
        sizing=design.sizing,
        most_units=design.most_units,
        screening=design.screening,
        conversions=design.conversions,
        currency=scaling.currency,
        limit=scaling.limit,
        units=scaling.units,
        deadline_days=design.deadline_days,
        start=design.start,
        not_before=design.not_before,
        risks=design.risks,
        gates=design.gates,
        staffing=design.staffing,
    )


def call_context(
    design: Design,
    library: Library,
    *,
    brief: Brief,
    ledger: Ledger,
    tasks: tuple[GraphTask, ...],
    task: GraphTask,
    seed: int,
) -> CallContext:
    """Return what the calls of *task* are filled in from; *tasks*: all of the plan's."""
    total = sum(t.cost.mean for t in tasks if t.cost)
    packages = {f"{design.method_id}/{p.id}": p for p in library.method(design.method_id).packages}
    growing = {source for source, package in packages.items() if package.cost.driver == "units"}
    return CallContext(
        plan=plan_context(design),
        brief=brief,
        ledger=ledger,
        tasks=tasks,
        task=task,
        sought=library.tools.sought(task.tool_request),
        per_unit=frozenset(t.id for t in tasks if t.source in growing),
        guessed=frozenset(t.id for t in tasks if is_guess(t)),
        guessed_days=frozenset(t.id for t in tasks if is_guessed_time(t)),
        guesses_money=guesses_money(tasks, design.staffing, design.scaling.currency),
        impacts=tuple(times(r.share, total) for r in design.risks),
        expected_cost=total,
        seed=seed,
    )

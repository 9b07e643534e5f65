"""What a planning model is shown of the library: its plan, its prices, its pitfalls; and both compared."""

from collections.abc import Iterator, Sequence

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import amount
from core.values import Frozen
from dr_rd.planning.design import Design, PlanFigures, PlansCompared
from dr_rd.planning.library import Library
from dr_rd.planning.methods import Driven
from dr_rd.schedule.activities import NOTHING
from dr_rd.schedule.cpm import end_of


class Scaffold(Frozen):
    """Lines under three heads, each the worthiest first."""

    plan: tuple[str, ...] = ()
    """The library's tasks with days and costs, and what they come to."""
    prices: tuple[str, ...] = ()
    pitfalls: tuple[str, ...] = ()


def scaffold(design: Design, library: Library) -> Scaffold:
    """Return what the library holds for the brief that *design* was made for."""
    return Scaffold(
        plan=(_summary(design), *(_task(t, design.scaling.currency) for t in design.tasks)),
        prices=tuple(_prices(design, library)),
        pitfalls=tuple(_pitfalls(design, library)),
    )


def compared(ours: Design, theirs: Design, units: float | None) -> PlansCompared:
    """Hold a model's plan against the library's for the same brief; *units*: what the model samples."""
    return PlansCompared(
        library=_figures(ours, ours.scaling.units),
        model=_figures(theirs, units),
        currency=ours.scaling.currency,
        percentile=round(100 * ours.scaling.percentile),
        limit=ours.scaling.limit,
        affordable_units=None if ours.scaling.fits is not False else ours.scaling.affordable_units,
    )


def _figures(design: Design, units: float | None) -> PlanFigures:
    return PlanFigures(
        tasks=len(design.tasks),
        cost=design.scaling.planned,
        guess_low=design.scaling.guess_low,
        guess_high=design.scaling.guess_high,
        days=_length(design.tasks),
        units=units,
        fits=design.scaling.fits,
    )


def _length(tasks: Sequence[GraphTask]) -> float:
    """Working days from the first start to the last end, as expected."""
    network = {t.id: t.depends_on for t in tasks}
    expected = {t.id: (t.duration_days or NOTHING).mean for t in tasks}
    return round(end_of(network, expected))


def _summary(design: Design) -> str:
    held = design.scaling
    limit = "no limit" if held.limit is None else f"a limit of {amount(held.limit)}"
    short = "" if held.fits is not False else f", which is short by {amount(held.shortfall)}"
    return (
        f"{design.method_title}: {amount(held.units)} units, {_length(design.tasks):g} working days, "
        f"{amount(held.planned)} {held.currency} at P{100 * held.percentile:.0f} against {limit}{short}"
    )


def _task(task: GraphTask, currency: str) -> str:
    after = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
    days, cost = _points(task.duration_days), _points(task.cost)
    steps = " ".join(task.steps)
    return f"{task.id} {task.title} ({task.role}{after}; days {days}; {currency} {cost}): {steps}"


def _points(points: ThreePoint | None) -> str:
    return (
        "open" if points is None else "/".join(map(amount, (points.low, points.mode, points.high)))
    )


def _prices(design: Design, library: Library) -> Iterator[str]:
    for package in library.method(design.method_id).packages:
        if package.cost.high:
            yield f"{package.cost.basis}: {_driven(package.cost)}"


def _driven(cost: Driven) -> str:
    per = {"fixed": "in all", "units": "a unit", "horizon": "a month"}[cost.driver]
    return f"{_points(cost.points)} {per}"


def _pitfalls(design: Design, library: Library) -> Iterator[str]:
    yield from design.weaknesses
    for technique in library.techniques:
        if technique.title in design.techniques:
            yield f"{technique.title}: {technique.weakness}"
    for risk in design.risks:
        yield f"{risk.text.rstrip('. ')}: seen by {risk.sign.rstrip('. ')}; {risk.mitigation}"

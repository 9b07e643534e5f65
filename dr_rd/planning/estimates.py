"""What tasks last and cost: the library's figures times what scales them."""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import noun
from core.values import Frozen
from dr_rd.checks import first_day
from dr_rd.planning.design import Cut
from dr_rd.planning.draft import Draft
from dr_rd.planning.given import NOTHING_GIVEN, given, priced
from dr_rd.planning.library import Driven, Package
from dr_rd.planning.limits import deadline, money_limit
from dr_rd.planning.scaling import NOTHING, ScaledCost, Scaling, scale, times
from dr_rd.planning.wording import Assumptions
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.schedule.confidence import at_confidence

_GIVEN_DAYS = ThreePoint(low=5, mode=10, high=20)
"""Working days of a task that nobody has said how long it takes."""


class Drivers(Frozen):
    """What scales the library's figures."""

    units: float
    """How many units are sampled."""
    months: float
    """Length of the study period."""
    rate: float
    """Units of the plan's currency for one unit of the library's."""


def drivers(draft: Draft) -> Drivers:
    """Return what scales the library's figures: the brief's numbers, else the method's as assumed."""
    method, said = draft.method, draft.frame
    units = said.count or float(method.default_units)
    left = None if said.months else _months_left(draft, units)
    months = said.months or min(method.default_months, left or method.default_months)
    if said.count is None:
        words = f"{units:g} {draft.wording.slot('units')} in the estimates"
        draft.assumed.cite(words, "The brief does not say how many; costs scale with it.")
    if said.months is None and any(map(_is_period, draft.packages)):
        shown = f"{months:g}"
        words = f"{shown} {noun(shown, 'month')} of study period in the estimates"
        why = "The brief does not say how long; only tasks as long as the study use it."
        if months == left:
            why = "The brief does not say how long; it is what the deadline leaves for it."
        draft.assumed.cite(words, why)
    rate = draft.rates[money_limit(draft.ledger, draft.rates)[1]]
    return Drivers(units=units, months=months, rate=float(rate))


def _months_left(draft: Draft, units: float) -> float | None:
    """Return the whole months that the deadline leaves for a study period beside the other work.

    None where the brief sets no deadline, or one that leaves less than a month.
    """
    start = first_day(draft.brief, draft.ledger)
    allowed = deadline(draft.ledger, start, draft.brief.closed_days)
    if allowed is None:
        return None
    other = Drivers(units=units, months=0, rate=1)
    work = {p.id: days(p.duration, other) for p in draft.packages if not _is_period(p)}
    chains = _chains({p.id: p.depends_on for p in draft.packages}, work)
    longest = max(chains, key=lambda chain: sum(w.mean for w in chain))
    left = (allowed - at_confidence(longest, draft.confidence)) // WORKING_DAYS_A_MONTH
    return left if left >= 1 else None


def _chains(
    after: Mapping[str, Sequence[str]], work: Mapping[str, ThreePoint]
) -> list[tuple[ThreePoint, ...]]:
    """Return, for each package, the longest chain of work up to its end."""
    found = dict[str, tuple[ThreePoint, ...]]()
    for key in TopologicalSorter(after).static_order():
        before = (found[d] for d in after.get(key, ()))
        longest = max(before, key=lambda chain: sum(w.mean for w in chain), default=())
        found[key] = (*longest, work[key]) if key in work else longest
    return list(found.values())


def _is_period(package: Package) -> bool:
    return package.duration.driver == "horizon"


def estimated(
    draft: Draft, tasks: Sequence[GraphTask], scales: Drivers
) -> tuple[tuple[GraphTask, ...], Scaling]:
    """Return *tasks* with durations and costs, these cut to the brief's limit."""
    limit, currency = money_limit(draft.ledger, draft.rates)
    _cite_guesses(tasks, currency, draft.assumed)
    known = given(draft, tasks, currency)
    exchange = draft.brief.resources.exchange if draft.brief.resources else {}
    sums = {key: priced(found, exchange, currency) for key, found in known.items()}
    lines = [_line(t, draft.sources.get(t.source), scales, sums.get(t.id, 0.0)) for t in tasks]
    scaling = scale(
        lines, limit=limit, share=draft.confidence, units=scales.units, currency=currency
    )
    return tuple(
        t.model_copy(
            update={
                "cost": line.cut(scaling.cut),
                "duration_days": known.get(t.id, NOTHING_GIVEN).days(_days(draft, t, scales)),
                "steps": (*t.steps, *known.get(t.id, NOTHING_GIVEN).said),
            }
        )
        for t, line in zip(tasks, lines, strict=True)
    ), scaling


def cuts(draft: Draft, tasks: Iterable[GraphTask], scaling: Scaling) -> tuple[Cut, ...]:
    """What each task goes without, for the limit's sake."""
    sources = {t.id: t.source for t in tasks}
    return tuple(
        Cut(task_id=key, amount=saved, of=draft.sources[sources[key]].cost.basis)
        for key, saved in scaling.given_up.items()
    )


def days(driven: Driven, drivers: Drivers) -> ThreePoint:
    """Working days of a task; the study period itself has no spread, it is prescribed."""
    if driven.driver == "horizon":
        whole = float(round(drivers.months * WORKING_DAYS_A_MONTH))
        return ThreePoint(low=whole, mode=whole, high=whole)
    if driven.driver == "units":
        return times(driven.points, drivers.units)
    return times(driven.points, 1)


def money(driven: Driven, drivers: Drivers) -> ThreePoint:
    """Direct cost of a task in the plan's currency, before any cut."""
    factor = {"fixed": 1.0, "units": drivers.units, "horizon": drivers.months}[driven.driver]
    return times(driven.points, factor * drivers.rate)


def usual_days(draft: Draft, task: GraphTask, scales: Drivers) -> ThreePoint:
    """Return how long a task takes where the brief says nothing of it."""
    package = draft.sources.get(task.source)
    return days(package.duration, scales) if package else task.duration_days or _GIVEN_DAYS


def _line(
    task: GraphTask, package: Package | None, scales: Drivers, price: float = 0.0
) -> ScaledCost:
    """Return the cost of a task: the brief's *price* where it names one, in place of any guess."""
    if price:
        paid = ThreePoint(low=price, mode=price, high=price)
        return ScaledCost(key=task.id, full=paid, elastic=0, per_unit=False)
    if package is None:
        return ScaledCost(key=task.id, full=task.cost or NOTHING, elastic=0, per_unit=False)
    return ScaledCost(
        key=task.id,
        full=money(package.cost, scales),
        elastic=package.cost.elastic,
        per_unit=package.cost.driver == "units",
    )


def _days(draft: Draft, task: GraphTask, scales: Drivers) -> ThreePoint:
    if package := draft.sources.get(task.source):
        return days(package.duration, scales)
    if task.duration_days is None:
        draft.assumed.cite(
            f"{_three(_GIVEN_DAYS)} working days (low, likely, high) for each task that comes "
            "without a duration",
            f"The {task.source} gives no durations for them.",
        )
    return task.duration_days or _GIVEN_DAYS


def _cite_guesses(tasks: Iterable[GraphTask], currency: str, assumed: Assumptions) -> None:
    """Say what a model takes its tasks to last and to cost: nobody has checked it."""
    for task in tasks:
        known = [(task.duration_days, "working days"), (task.cost, currency)]
        said = [f"{_three(points)} {unit}" for points, unit in known if points]
        if said and task.source == "model":
            assumed.cite(
                f"{task.id}: {'; '.join(said)} (low, likely, high)",
                "The model that planned the task took it so; nobody has checked it.",
            )


def _three(points: ThreePoint) -> str:
    return f"{points.low:g}, {points.mode:g} and {points.high:g}"

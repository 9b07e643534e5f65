"""What tasks last and cost: the library's figures times what scales them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import amount
from core.values import Frozen
from dr_rd.brief import Price
from dr_rd.planning.anchoring import Anchor, dated_part
from dr_rd.planning.design import study_period
from dr_rd.planning.draft import Draft
from dr_rd.planning.given import (
    NOTHING_GIVEN,
    Given,
    given,
    is_per_unit,
    share_paid,
    taken_in,
    waited,
)
from dr_rd.planning.guesses import is_guessed_time
from dr_rd.planning.limits import days_at, deadline, lead, money_limit
from dr_rd.planning.methods import Driven, Package
from dr_rd.planning.scaling import Scaling, TaskCost, scale, times
from dr_rd.planning.wording import Assumptions
from dr_rd.schedule.activities import NOTHING, Activity
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH

AS_SIZED = "in all, as the sample size has it."
"""How the step ends that says how many units there are."""

_GIVEN_DAYS = ThreePoint(low=5, mode=10, high=20)
"""Working days of a task that nobody has said how long it takes."""


class Drivers(Frozen):
    """What scales the library's figures."""

    units: float
    """How many units are sampled."""
    months: float
    """Length of the study period; where the brief does not say it, what is likely by the library."""
    open: ThreePoint | None = None
    """Its working days by the library, where the brief does not say how long it is."""
    rate: float
    """Units of the plan's currency for one unit of the library's."""


def drivers(draft: Draft, units: float | None = None) -> Drivers:
    """Return what scales the library's figures: the brief's numbers, else the method's as assumed.

    *units*: how many are sampled, where the sample size says it.
    """
    method, said = draft.method, draft.frame
    chosen, units = units, units or said.count or float(method.default_units)
    period = next((p.duration.points for p in draft.packages if _is_period(p)), None)
    least, intake = waited(draft, units), taken_in(draft, units)
    settled = period is not None and (least >= period.high or bool(least and intake))
    open_ = (
        None
        if said.months or period is None or settled
        else _within(period, least, _months_left(draft, units))
    )
    waiting = (least + intake) / WORKING_DAYS_A_MONTH if settled else None
    months = said.months or waiting or _likely_months(open_, method.default_months)
    if said.count is None and chosen is None:
        words = f"{units:g} {draft.wording.slot('units')} in the estimates"
        draft.assumed.cite(words, "The brief does not say how many; costs scale with it.")
    if open_:
        draft.assumed.cite(
            study_period(open_),
            "The brief does not say how long it is; the library's range stands until somebody does.",
        )
    rate = draft.rates[money_limit(draft.ledger, draft.rates)[1]]
    return Drivers(units=units, months=months, rate=float(rate), open=open_)


def _likely_months(period: ThreePoint | None, usual: float) -> float:
    return period.mode / WORKING_DAYS_A_MONTH if period else usual


def _within(period: ThreePoint, least: float, months: float | None) -> ThreePoint:
    """Return the library's range of a study period, cut to the months that a deadline leaves for it.

    It holds the *least* working days that the brief prescribes.
    """
    most = period.high if months is None else float(round(months * WORKING_DAYS_A_MONTH))
    low, mode, high = (max(least, min(v, most)) for v in (period.low, period.mode, period.high))
    return ThreePoint(low=round(low), mode=round(mode), high=round(high))


def _months_left(draft: Draft, units: float) -> float | None:
    """Return the whole months that the deadline leaves for a study period beside the other work.

    None where the brief sets no deadline, or one that leaves less than a month.
    """
    allowed = deadline(draft.ledger, draft.start, draft.brief.closed_days)
    if allowed is None:
        return None
    other = days_at(_usual(draft, units), (), draft.confidence)
    left = (allowed - other) // WORKING_DAYS_A_MONTH
    return left if left >= 1 else None


def anchored(draft: Draft) -> Draft:
    """Return *draft* with what goes before its main work, where its brief dates that."""
    main, dated = draft.main, dated_part(draft.brief, draft.ledger)
    if main is None or dated is None:
        return draft
    units = draft.frame.count or float(draft.method.default_units)
    before = lead(_usual(draft, units), [main.id], (), draft.confidence)
    return replace(draft, anchor=Anchor(package=main.id, day=dated[0], lead=before, said=dated[1]))


def _usual(draft: Draft, units: float) -> list[Activity]:
    """The packages as the library estimates them, beside the study period and whoever does them."""
    known = {p.id for p in draft.packages}
    work = Drivers(units=units, months=0, rate=1)
    return [
        Activity(
            id=p.id,
            depends_on=tuple(d for d in p.depends_on if d in known),
            days=days(p.duration, work),
        )
        for p in draft.packages
    ]


def _is_period(package: Package) -> bool:
    return package.duration.driver == "horizon"


def estimated(
    draft: Draft, tasks: Sequence[GraphTask], scales: Drivers
) -> tuple[tuple[GraphTask, ...], Scaling]:
    """Return *tasks* with durations and costs, these held against the brief's limit."""
    limit, currency = money_limit(draft.ledger, draft.rates)
    _cite_guesses(tasks, currency, draft.assumed)
    known = given(draft, tasks, currency, scales.units)
    lines = _lines(draft, tasks, scales, known, currency)
    chosen = _of_direction(draft, tasks, scales)
    scaling = scale(
        lines, limit=limit, share=draft.confidence, units=scales.units, currency=currency
    )
    return tuple(
        t.model_copy(
            update={
                "cost": line.full,
                "duration_days": known.get(t.id, NOTHING_GIVEN).days(_days(draft, t, scales)),
                "steps": tuple(
                    dict.fromkeys(
                        (*t.steps, *known.get(t.id, NOTHING_GIVEN).said, *chosen.get(t.id, ()))
                    )
                ),
            }
        )
        for t, line in zip(tasks, lines, strict=True)
    ), scaling


def at_least(draft: Draft, tasks: Sequence[GraphTask], scales: Drivers) -> tuple[GraphTask, ...]:
    """Return planned *tasks* with the days that the brief's own figures give them, and no guess."""
    currency = money_limit(draft.ledger, draft.rates)[1]
    known = given(draft, tasks, currency, scales.units)
    return tuple(
        t.model_copy(update={"duration_days": _exactly(known.get(t.id, NOTHING_GIVEN).least)})
        if is_guessed_time(t)
        else t
        for t in tasks
    )


def main_days(draft: Draft, tasks: Sequence[GraphTask], scales: Drivers) -> float:
    """Return the working days that the brief's own times give the main work."""
    source = draft.source_of(draft.main) if draft.main else ""
    least = [t.duration_days for t in at_least(draft, tasks, scales) if t.source == source]
    return round(sum(days.mean for days in least if days), 6)


def _exactly(days: float) -> ThreePoint:
    return ThreePoint(low=days, mode=days, high=days)


def _of_direction(
    draft: Draft, tasks: Sequence[GraphTask], scales: Drivers
) -> Mapping[str, tuple[str, ...]]:
    """Return the steps that the chosen direction asks for, by the task that does its main work."""
    main = next((t for t in tasks if t.phase == "execution" and t.source in draft.sources), None)
    chosen = draft.chosen
    if main is None or not chosen.given or chosen.excluded:
        return {}
    said = [f"{chosen.id}, as chosen: {chosen.text.rstrip('. ')}."]
    if draft.frame.units and draft.sizing is not None:
        said.append(f"{amount(scales.units)} {draft.frame.units} {AS_SIZED}")
    return {main.id: tuple(said)}


def days(driven: Driven, drivers: Drivers) -> ThreePoint:
    """Working days of a task; a study period that is prescribed has no spread."""
    if driven.driver == "horizon" and drivers.open:
        return drivers.open
    if driven.driver == "horizon":
        whole = float(round(drivers.months * WORKING_DAYS_A_MONTH))
        return ThreePoint(low=whole, mode=whole, high=whole)
    if driven.driver == "units":
        return times(driven.points, drivers.units)
    return times(driven.points, 1)


def money(driven: Driven, drivers: Drivers) -> ThreePoint:
    """Direct cost of a task in the plan's currency, a guess of one digit."""
    factor = {"fixed": 1.0, "units": drivers.units, "horizon": drivers.months}[driven.driver]
    return times(driven.points, factor * drivers.rate, digits=1)


def usual_days(draft: Draft, task: GraphTask, scales: Drivers) -> ThreePoint:
    """Return how long a task takes where the brief says nothing of it."""
    package, own = draft.sources.get(task.source), {t.id for t in draft.brief.tasks if t.days}
    if package and task.id not in own:
        return days(package.duration, scales)
    return task.duration_days or _GIVEN_DAYS


def _lines(
    draft: Draft,
    tasks: Sequence[GraphTask],
    scales: Drivers,
    known: Mapping[str, Given],
    currency: str,
) -> list[TaskCost]:
    """Return the cost of each task: the brief's prices where it names some, else the library's guess.

    A price for each sampled unit stands for all that a unit costs, so that no guess is added to it.
    """
    for_each = any(is_per_unit(p, draft.frame) for k in known.values() for p in k.prices)
    found = []
    for task in tasks:
        package = draft.sources.get(task.source)
        each, once = _sums(draft, known.get(task.id, NOTHING_GIVEN).prices, currency)
        price = each * scales.units + once
        by_units = package is not None and package.cost.driver == "units"
        guess = money(package.cost, scales) if package else NOTHING
        if price or package is None or task.cost not in (None, guess):
            paid = ThreePoint(low=price, mode=price, high=price) if price else task.cost or NOTHING
            unsure = package is not None and paid.low < paid.high
            found.append(TaskCost(key=task.id, full=paid, each=each, guessed=unsure))
        elif for_each and by_units:
            found.append(TaskCost(key=task.id, full=NOTHING))
        else:
            share = guess.mean / scales.units if by_units and scales.units else 0.0
            found.append(TaskCost(key=task.id, full=guess, each=share, guessed=True))
    return found


def _sums(draft: Draft, prices: Iterable[Price], currency: str) -> tuple[float, float]:
    """Return what *prices* sum to in *currency*: for each sampled unit, and for all of them."""
    exchange = draft.brief.resources.exchange if draft.brief.resources else {}
    each = once = 0.0
    for price in prices:
        rate = 1 if price.currency == currency else exchange[price.currency]
        if is_per_unit(price, draft.frame):
            each += price.amount * rate * share_paid(price, draft)
        else:
            once += price.total * rate
    return each, once


def _days(draft: Draft, task: GraphTask, scales: Drivers) -> ThreePoint:
    package = draft.sources.get(task.source)
    if package and task.duration_days is None:
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

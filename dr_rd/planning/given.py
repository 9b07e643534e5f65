"""What the brief itself says of single tasks: how long they take, how fast they go, what they cost."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import amount
from core.values import as_name
from dr_rd.brief import Price, Resources, Span, Throughput
from dr_rd.brief.resources import MOST_DAYS
from dr_rd.planning.design import GENERIC_METHOD
from dr_rd.planning.draft import Draft
from dr_rd.planning.frame import Frame
from dr_rd.planning.methods import Package
from dr_rd.planning.placement import MAIN, collects, place_of
from dr_rd.planning.signals import stems
from dr_rd.quantity import quantities

_A_WEEK = 5 / 7
"""Working days to a day of the calendar."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the brief says of one task."""

    wait: float = 0.0
    """Working days that pass whatever anybody does; the work itself falls into them."""
    work: float = 0.0
    """Working days of work at the pace that the brief names."""
    intake: float = 0.0
    """Working days until the last unit is in, or done, at that pace; what is waited for follows."""
    settled: bool = False
    """Whether pace and waiting are all that the task takes, so that no guess is left."""
    strength: float = 0.0
    """Person-days of those whose pace it is for each working day of it; 0 where it is nobody's."""
    prices: tuple[Price, ...] = ()
    """In the plan's currency."""
    said: tuple[str, ...] = ()
    """A sentence each."""

    def days(self, usual: ThreePoint) -> ThreePoint:
        """Return how long the task takes; *usual*: what it takes where the brief says nothing.

        What the brief says is no guess and has no spread.
        """
        if self.work:
            usual = ThreePoint(low=self.work, mode=self.work, high=self.work)
        least = self.wait + self.intake
        if self.settled:
            return ThreePoint(low=least, mode=least, high=least)
        low, mode, high = (max(least, v) for v in (usual.low, usual.mode, usual.high))
        return ThreePoint(low=low, mode=mode, high=high)

    @property
    def least(self) -> float:
        """Working days that it takes at least, whatever the rest of it takes."""
        return max(self.wait + self.intake, self.work)

    def effort(self, usual: ThreePoint, share: float) -> float:
        """Return the person-days a working day of the task, of *share* where nothing is waited for."""
        whole = self.days(usual).mean
        if self.strength and whole:
            return round(self.strength * min(1.0, self.intake / whole), 3)
        worked = self.work or usual.mean
        return round(share * min(1.0, worked / whole), 3) if whole else share


NOTHING_GIVEN = Given()


def given(
    draft: Draft, tasks: Sequence[GraphTask], currency: str, units: float
) -> Mapping[str, Given]:
    """Return what the brief says of each of *tasks*, by its id; sums in other currencies stay out.

    *units*: how many are sampled.
    """
    resources = draft.brief.resources or Resources()
    main = _main_work(draft, tasks)
    found = _prescribed(draft, tasks, main, units) if main else {}
    spans = draft.spans_beside if main else resources.spans
    for span in (*spans, *_spans_of(draft)):
        key = _task_of(draft, span.what, tasks)
        before = found.get(key, NOTHING_GIVEN)
        wait = before.wait + span.days * span.times * _A_WEEK
        found[key] = _with(before, wait=wait, said=span.words)
    for pace in resources.throughput:
        if main and draft.is_pace_of_units(pace):
            continue
        key = _task_of(draft, pace.what, tasks)
        before = found.get(key, NOTHING_GIVEN)
        found[key] = _with(before, work=before.work + pace.days(units), said=_pace(pace, units))
    for price in draft.prices:
        if price.currency == currency or price.currency in resources.exchange:
            key = _task_of(draft, price.what, tasks)
            before = found.get(key, NOTHING_GIVEN)
            found[key] = _with(before, price=price, said=_price(price, draft))
    return found


def _prescribed(
    draft: Draft, tasks: Sequence[GraphTask], main: GraphTask, units: float
) -> dict[str, Given]:
    """Return the times that the brief prescribes: of the *main* work, and of a pilot that goes through it.

    What the brief says of the pace of its units is of the main work.
    """
    said = tuple(w.said for w in draft.waits)
    wait = waited(draft, units)
    pilots = (t for t in tasks if wait and (p := draft.sources.get(t.source)) and _is_pilot(p))
    found = {t.id: _piloted(wait, said) for t in pilots}
    intake = taken_in(draft, units)
    if paced := at_pace(draft, units):
        said = (*said, paced)
    if said:
        by_pace = bool(intake) and (wait > 0 or not _is_period(draft, main))
        found[main.id] = Given(
            wait=wait,
            intake=intake,
            said=said,
            settled=by_pace,
            strength=draft.pace.strength if draft.pace and intake else 0.0,
        )
    return found


def waited(draft: Draft, units: float) -> float:
    """Return the working days that the times prescribed by the brief take, one after the other.

    Groups of a stepped wedge change over while the longest of them runs: that is not added to it.
    """
    whole = sum(w.days for w in draft.waits) * _A_WEEK
    if draft.statistics.design != "stepped wedge" or not draft.waits:
        return whole
    longest = max(w.days for w in draft.waits) * _A_WEEK
    return whole - min(longest, taken_in(draft, units))


def taken_in(draft: Draft, units: float) -> float:
    """Return the working days that so many *units* take at the brief's pace; 0 where it gives none."""
    days = round(units / draft.pace.a_day, 6) if draft.pace else 0.0
    return days if days >= _LEAST_INTAKE else 0.0


_LEAST_INTAKE = 1.0
"""Working days below which a figure is no pace that the work is held up by."""


def at_pace(draft: Draft, units: float) -> str:
    """Return how long so many *units* take at the brief's pace, in words; "" where it gives none."""
    if draft.pace is None or not (days := taken_in(draft, units)):
        return ""
    pace = f"{amount(round(draft.pace.number, 1))} a {draft.pace.per}"
    return f"{amount(units)} {draft.frame.units} at {pace}: {amount(round(days, 1))} working days"


def _piloted(wait: float, said: Sequence[str]) -> Given:
    """What a pilot holds of what the main work waits for."""
    if wait > _PILOTED:
        return Given(said=tuple(f"The pilot ends before this: {s}" for s in said))
    return Given(wait=wait, said=tuple(f"The pilot waits as long: {s}" for s in said))


_PILOTED = 65.0
"""Working days, a quarter of a year, up to which a pilot goes through the whole of what is waited for."""


def _main_work(draft: Draft, tasks: Sequence[GraphTask]) -> GraphTask | None:
    """The task of the main package.

    None where nothing new is measured: what a brief says of times is then of data that exist.
    None too where the brief prescribes the tasks.
    """
    main = draft.main
    if main is None or draft.brief.prescribed:
        return None
    measured = draft.method.id == GENERIC_METHOD or collects(main)
    source = draft.source_of(main)
    return next((t for t in tasks if measured and t.source == source), None)


def _is_pilot(package: Package) -> bool:
    return "run-pilot" in package.actions or package.id == "pilot"


def _is_period(draft: Draft, task: GraphTask) -> bool:
    return draft.sources[task.source].duration.driver == "horizon"


def _spans_of(draft: Draft) -> list[Span]:
    """The times that the chosen direction names, each a floor of the task that it is closest to."""
    chosen = draft.chosen
    if not chosen.given or chosen.excluded:
        return []
    named = [
        (q, _DAYS_OF[q.unit])
        for q in quantities(chosen.text)
        if q.low and q.comparison == "stated" and q.unit in _DAYS_OF
    ]
    return [
        Span(
            what=as_name(f"{chosen.id}, {q.text}: {chosen.text}", _LONGEST),
            days=q.low * each,
            times=2 if _OF_EACH.match(chosen.text.partition(q.text)[2]) else 1,
        )
        for q, each in named
        if q.low is not None and _A_FEW_DAYS <= q.low * each <= MOST_DAYS
        if not any(isclose(q.low * each, w.days, rel_tol=0.05) for w in draft.waits)
    ]


_DAYS_OF = {"day": 1.0, "week": 7.0, "month": 365.25 / 12, "year": 365.25}
_A_FEW_DAYS = 5
"""Days of the calendar below which a time is no floor of a task of weeks."""
_LONGEST = 120
_OF_EACH = re.compile(r"\s*(?:of|in|on|under) (?:each|both)\b", re.IGNORECASE)
"""What shows that a time is spent twice, one condition after the other."""


def is_per_unit(price: Price, frame: Frame) -> bool:
    """Whether a price is paid for each sampled unit: "1,150 EUR for each church"."""
    return price.times == 1 and any(map(frame.is_unit, price.per.split()[-1:]))


def share_paid(price: Price, draft: Draft) -> float:
    """Return the share of the units that a price for each is paid for.

    Half, if it buys what one of two arms gets; all of it where each unit gets both.
    """
    if draft.method.id not in _IN_ARMS or (draft.statistics.design or "") in _GET_BOTH:
        return 1.0
    frame = draft.frame
    bought = stems(price.what)
    arms = [stems(arm) for arm in (frame.treatment, frame.comparator)]
    return 0.5 if all(arms) and sum(bought <= arm for arm in arms if bought) == 1 else 1.0


_IN_ARMS = ("controlled-trial", "field-trial", "land-trial")
"""Methods in which a unit gets one of what is compared."""
_GET_BOTH = ("paired", "mcnemar", "crossover", "equivalence crossover", "stepped wedge")
"""Designs in which it gets both after all."""


def _with(
    before: Given,
    *,
    said: str,
    wait: float | None = None,
    work: float | None = None,
    price: Price | None = None,
) -> Given:
    return Given(
        intake=before.intake,
        settled=before.settled,
        strength=before.strength,
        wait=before.wait if wait is None else wait,
        work=before.work if work is None else work,
        prices=(*before.prices, price) if price else before.prices,
        said=(*before.said, said),
    )


def _task_of(draft: Draft, what: str, tasks: Sequence[GraphTask]) -> str:
    """Return the id of the task whose own words *what* names, or else that of the main work."""
    written = {t.source: t for t in tasks}
    held = [p for source, p in draft.sources.items() if source in written]
    if draft.main in held and len(held) == len(tasks):
        return written[draft.source_of(place_of(what, held, draft.main))].id
    words = stems(what)

    def likeness(task: GraphTask) -> tuple[int, int]:
        titled = stems(f"{task.title} {task.description}")
        more = stems(" ".join((*task.steps, task.deliverable)))
        return 2 * len(words & titled) + len(words & more), int(task.phase == MAIN)

    return max(tasks, key=likeness).id


def _pace(pace: Throughput, units: float) -> str:
    return f"{pace.what}: {pace.count or units:g}, {pace.a_day:g} a working day"


def _price(price: Price, draft: Draft) -> str:
    per = f" a {price.per}" if price.per else ""
    times = f", {price.times:g} times" if price.times != 1 else ""
    half = is_per_unit(price, draft.frame) and share_paid(price, draft) < 1
    arm = ", for the half of them that get it" if half else ""
    return f"{price.what}: {price.amount:g} {price.currency}{per}{times}{arm}"

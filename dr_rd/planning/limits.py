"""The limits on money, time and units that a plan is held to, and which of them it cannot keep."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta

import numpy as np

from dr_rd.checks import LastDay, Ledger, LedgerItem, Limit, is_budget, last_days
from dr_rd.files import read_yaml
from dr_rd.planning.phrases import months_in, period_in
from dr_rd.planning.scaling import Scaling, times
from dr_rd.quantity import TIME_UNITS, Quantity
from dr_rd.schedule.activities import Activity, Resource
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.schedule.confidence import at_confidence
from dr_rd.schedule.cpm import Times, critical_path
from dr_rd.schedule.leveling import Leveling
from dr_rd.text import stem
from dr_rd.tools.context import MostUnits

_ROUNDED = 0.5
"""Of a day: estimates keep three digits, and a plan of whole days that just fits does."""

_DEADLINE = re.compile(
    r"\b(?:deadline|(?:finish|complet|deliver|report|conclud|end)\w* (?:with)?in|"
    r"(?:project|work|whole|everything|total) (?:duration|length|must \w+) |"
    r"(?:weeks|months|years) (?:in all|in total|all told|overall|from (?:[\w-]+ ){1,5}to (?:the |a )?(?:final )?"
    r"(?:report|result|publication|delivery|handover|answer))\b)",
    re.IGNORECASE,
)
"""A constraint that bounds the work as a whole, not its study period."""


def load_rates() -> dict[str, float]:
    """Units of each currency for one unit of the library's costs."""
    rates: dict[str, float] = read_yaml("planning", "currencies.yaml")
    return rates


_LEAST_DAY = 170.0
"""Of the library's costs, what a working day of a research assistant takes an employer at least: some
30,000 a year (the first point of that grade in the United Kingdom's pay spine of universities,
2024/25) and a quarter of on-costs, over 220 days."""


def least_day_rate(currency: str) -> float:
    """Return what a working day of a researcher costs at least; of a currency unknown here as a euro's."""
    return _LEAST_DAY * load_rates().get(currency, 1.0)


def money_limit(ledger: Ledger, rates: Mapping[str, float]) -> tuple[float | None, str]:
    """Return the tightest limit on money and its currency, the plan's ("EUR" where none is named)."""
    limits = [
        (c.quantity.high, c.quantity.unit)
        for item in ledger.items
        if item.kind == "constraint"
        for c in item.checks
        if is_budget(c) and c.quantity.unit in rates
    ]
    caps = [(high, unit) for high, unit in limits if high is not None]
    if caps:
        return min(caps)
    return None, limits[0][1] if limits else "EUR"


def deadline(
    ledger: Ledger, start: date | None = None, closed: Collection[date] = ()
) -> float | None:
    """Return the working days that the tightest deadline allows; None where nothing sets one.

    A day on which the work must end sets one where its *start* is known; *closed*: days without
    work.
    """
    return min(deadlines(ledger, start, closed).values(), default=None)


def deadlines(
    ledger: Ledger, start: date | None, closed: Collection[date] = ()
) -> dict[str, float]:
    """Return the working days that each item which bounds the whole work allows, by its id."""
    dated = {e.item.id: working_days(start, e.day, closed) for e in _ends(ledger, start) if start}
    found = {i.id: _months(i) for i in ledger.items if _bounds_all(i)}
    lengths = {k: _length(m, start, closed) for k, m in found.items() if m}
    return {**lengths, **dated}


def last_day(ledger: Ledger, start: date | None) -> date | None:
    """Return the day on which the tightest deadline ends; None without a start or a deadline."""
    if start is None:
        return None
    days = [e.day for e in _ends(ledger, start)]
    whole = (i for i in ledger.items if _bounds_all(i))
    return min([*days, *(_after(start, m) for i in whole if (m := _months(i)))], default=None)


def _bounds_all(item: LedgerItem) -> bool:
    """Whether a constraint says how long the whole work may take."""
    part = any(isinstance(c, Limit) and c.part for c in item.checks)
    said = _DEADLINE.search(item.text) is not None and not part
    return item.kind == "constraint" and (said or _bounded(item) is not None)


def _length(months: float, start: date | None, closed: Collection[date]) -> float:
    """Return the working days of so many *months*, from *start* where it is known."""
    if start is None:
        return float(round(months * WORKING_DAYS_A_MONTH))
    return working_days(start, _after(start, months), closed)


def _after(start: date, months: float) -> date:
    """Return the last day of so many *months* from *start*."""
    return start + timedelta(days=round(months * 365.25 / 12) - 1)


def working_days(start: date, last: date, closed: Collection[date] = ()) -> float:
    """Return the days from Monday to Friday, but those *closed*, from *start* to *last*; at least one."""
    after = [last + timedelta(days=1)]
    return max(1.0, float(np.busday_count([start], after, holidays=list(closed))[0]))


def deadline_words(
    ledger: Ledger, start: date | None = None, closed: Collection[date] = ()
) -> str:
    """The tightest deadline in the brief's words, such as "8 weeks"; "" where nothing sets one."""
    days = deadlines(ledger, start, closed)
    if not days:
        return ""
    tightest = min(days, key=lambda key: days[key])
    dated = (e.text for e in _ends(ledger, start) if e.item.id == tightest)
    item = ledger.item(tightest)
    bound = _bounded(item)
    return next(dated, "") or period_in(item.text) or (bound.text if bound else "")


def on_time(
    activities: Sequence[Activity],
    resources: Sequence[Resource],
    limit: float | None,
    confidence: float,
) -> bool:
    """Whether the expected critical path takes *limit* working days at most, at *confidence*."""
    return limit is None or not is_late(days_at(activities, resources, confidence), limit)


def is_late(days: float | None, limit: float | None) -> bool:
    """Whether so many working *days* are more than the *limit* allows; not where either is unknown."""
    return days is not None and limit is not None and days > limit + _ROUNDED


def days_at(
    activities: Sequence[Activity], resources: Sequence[Resource], confidence: float
) -> float:
    """Return the working days that the expected critical path takes, at *confidence*."""
    leveling = Leveling(tuple(activities), tuple(resources))
    work = np.array([[a.days.mean] for a in activities])
    found = leveling.passage(leveling.elapsed(work))
    linked = leveling.links(found)
    rows = zip(linked, found.start[:, 0].tolist(), found.finish[:, 0].tolist(), strict=True)
    path = critical_path(linked, {key: Times(s, f, 0.0) for key, s, f in rows})
    each = dict(zip(linked, (found.finish - found.start)[:, 0].tolist(), strict=True))
    by_id = {a.id: a.days for a in activities}
    slowed = [times(by_id[k], each[k] / by_id[k].mean) for k in path if by_id[k].mean]
    return at_confidence(slowed, confidence)


def lead(
    activities: Sequence[Activity],
    main: Iterable[str],
    resources: Sequence[Resource],
    confidence: float,
) -> float:
    """Return the working days of what the *main* ones of some activities wait for, at *confidence*."""
    waits = {a.id: a.depends_on for a in activities}
    ahead, before = [d for key in main for d in waits[key]], set[str]()
    while ahead:
        key = ahead.pop()
        if key in waits and key not in before:
            before.add(key)
            ahead += waits[key]
    held = [a for a in activities if a.id in before]
    return days_at(held, resources, confidence) if held else 0.0


def not_kept(
    ledger: Ledger,
    scaling: Scaling,
    *,
    late: bool,
    start: date | None = None,
    closed: Collection[date] = (),
) -> tuple[str, ...]:
    """Ids of the items on money and time that the plan as asked cannot keep."""
    bounds = [(i, c) for i in ledger.items for c in i.checks if is_budget(c)]
    spent = scaling.currency if scaling.fits is False else ""
    money = [i.id for i, c in bounds if c.quantity.unit == spent]
    time = list(deadlines(ledger, start, closed)) if late else []
    return (*dict.fromkeys([*money, *time]),)


def _bounded(item: LedgerItem) -> Quantity | None:
    """The length that an item bounds the whole work to, however its unit is written: "26 wks"."""
    bounds = (c.quantity for c in item.checks if isinstance(c, Limit) and c.whole)
    return next((q for q in bounds if q.high and q.unit in TIME_UNITS), None)


def _months(item: LedgerItem) -> float | None:
    """The months that an item allows the whole work; None where it sets no deadline."""
    bound = _bounded(item)
    return months_in(item.text) or (months_in(f"{bound.high:g} {bound.unit}") if bound else None)


def _ends(ledger: Ledger, start: date | None) -> list[LastDay]:
    """The last days of the whole work; none that can be counted to without its first one."""
    return [end for end in last_days(ledger) if end.whole] if start else []


def most_units(ledger: Ledger, about: str) -> MostUnits | None:
    """Return the tightest cap that the brief sets on how many there are in all of what *about* names."""
    caps = [
        MostUnits(ledger_id=item.id, text=item.text, count=c.quantity.high)
        for item in ledger.items
        if item.kind == "constraint"
        for c in item.checks
        if isinstance(c, Limit) and not c.scope and not c.quantity.unit
        if c.quantity.high is not None and _names(about, c.quantity.noun)
        if not PER_TIME.match(item.text.partition(c.quantity.text)[2])
    ]
    return min(caps, key=lambda cap: cap.count, default=None)


PER_TIME = re.compile(
    r"^\W*(?:per|an?|each|every|in an?)\s+(?:\w+\s)?(?:hour|day|night|evening|morning|shift|week|month|quarter|year)s?\b"
)
"""What follows a number that says how many can be done in a time, and not how many there are."""


def most_there_may_be(ledger: Ledger, about: str, there: float | None) -> float | None:
    """Return how many units a plan may sample: what the cap allows of those that are *there*."""
    cap = most_units(ledger, about)
    return min((n for n in (cap.count if cap else None, there) if n), default=None)


def _names(about: str, noun: str) -> bool:
    """Whether *about* names what *noun* counts, as its last word tells."""
    counted = [stem(w) for w in noun.lower().split()[-1:]]
    return bool(counted) and counted[0] in {stem(w) for w in re.findall(r"\w+", about.lower())}

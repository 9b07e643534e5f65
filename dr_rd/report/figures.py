"""A plan's own figures held against the limits on money, time and counts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from core.pluralize import amount, length
from dr_rd.brief import Brief
from dr_rd.checks import (
    Ledger,
    LedgerItem,
    Limit,
    Requirement,
    Verdict,
    is_budget,
    last_days,
)
from dr_rd.planning.design import Design
from dr_rd.planning.layouts import ARMS, LEVELS
from dr_rd.planning.limits import deadlines, is_late
from dr_rd.report.calls import Results
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.text import stem

_EACH = re.compile(r"\b(?:each|per|an? (?:day|week|month|year|hour|head|unit))\b|\d\s?\w*/", re.I)
"""What shows that a sum is not for the whole work, whatever else a limit says."""

_TOTAL = re.compile(r"\b(?:total|altogether|in all|overall|budget|all-in)\b", re.IGNORECASE)
"""What says that a sum is for the whole work."""

_COSTS = re.compile(r"(?:The total cost at|Priced by somebody are) .+?\.(?=\s|$)")
_LASTS = re.compile(r"The work finishes after .+?\.(?=\s|$)")
_ENDS = re.compile(r"The work ends on .+?\.(?=\s|$)")
"""The sentences of a proposal that state the figures."""


class Held(NamedTuple):
    """What a figure says of a limit."""

    verdict: Verdict
    reason: str
    sentence: re.Pattern[str]
    """The sentence that states the figure."""


def held(ledger: Ledger, brief: Brief, design: Design, calls: Results) -> dict[str, Held]:
    """Hold what *calls* computed against the items on money and time, by their ids.

    What only the library's guesses decide is neither kept nor broken.
    """
    budget, schedule = calls.first("budget"), calls.first("schedule")
    spent = _spent(ledger, budget) if budget else ()
    taken = _taken(ledger, brief, design, schedule) if schedule else ()
    dated = _of_main_work(design) if schedule else ()
    return {**dict(dated), **dict(taken), **dict(spent)}


def _of_main_work(design: Design) -> Iterator[tuple[str, Held]]:
    """Hold the days of the main work against the items that date nothing else."""
    if design.main_dates is None:
        return
    first, last = design.main_dates.first.isoformat(), design.main_dates.last.isoformat()
    reason = f"the main work is planned from {first} to {last}, by the brief's own times [plan]"
    sentence = re.compile(rf"the main work from {first}[^|;.]*")
    for key in design.main_dates.kept:
        yield key, Held("met", reason, sentence)


class Number(NamedTuple):
    """A number that an item asks for or allows, with what the plan has of it."""

    item: LedgerItem
    bound: Limit
    kept: bool
    planned: float


def numbers(ledger: Ledger, design: Design, calls: Results) -> Iterator[Number]:
    """Yield the counts in the constraints that the plan has numbers of its own for."""
    size = calls.first("size")
    chosen = size and size["out"].get("frontier", {}).get("recommended")
    units = design.slots.get("units", "")
    if not chosen or not units:
        return
    for item in ledger.items:
        for bound in item.checks if item.kind == "constraint" else ():
            if isinstance(bound, Limit):
                planned = _planned(bound, design, chosen, units)
                if planned is not None:
                    yield Number(item, bound, _within(bound, planned), planned)


def counted(ledger: Ledger, design: Design, calls: Results) -> dict[str, Held]:
    """Hold the plan's numbers against the items that ask for nothing but such numbers, by their ids."""
    size, units, found = calls.first("size"), design.slots.get("units", ""), {}
    held_ = list(numbers(ledger, design, calls))
    for item in {n.item.id: n.item for n in held_}.values():
        own = [n for n in held_ if n.item.id == item.id]
        alone = len(own) == len(item.checks) and _says_little_else(own)
        if size and alone and all(n.kept for n in own):
            chosen = amount(size["out"]["frontier"]["recommended"])
            reason = f"the plan is made for {chosen} {units} [{size['id']}]"
            sentence = re.compile(
                rf"{re.escape(f'{chosen} {units}')}[^|.]*\[{re.escape(size['id'])}"
            )
            found[item.id] = Held("met", reason, sentence)
    return found


_FEW = 3
"""Words besides its numbers that leave an item one of numbers alone."""


def _says_little_else(own: Sequence[Number]) -> bool:
    rest = own[0].item.text
    for number in own:
        rest = rest.replace(number.bound.quantity.text, " ")
    return len(re.findall(r"[^\W\d_]+", rest)) <= _FEW


def _planned(bound: Limit, design: Design, chosen: float, units: str) -> float | None:
    """The plan's own number of what a bound counts; None where it has none."""
    noun = (bound.quantity.noun.lower().split() or [""])[-1]
    groups = float(str(design.sizing.get("groups", 2)))
    compared = {stem(word) for word in (*ARMS, *LEVELS)}
    if bound.quantity.unit or not noun:
        return None
    scope = (bound.scope.lower().split() or [""])[-1]
    if stem(noun) in {stem(w) for w in units.lower().split()[-1:]}:
        each = stem(scope) in compared
        return chosen / groups if each else None if bound.scope else chosen
    members = design.sizing.get("cluster_size")
    if scope and members is not None and stem(scope) == stem(units.split()[-1]):
        return float(str(members))
    return groups if stem(noun) in compared else None


def _within(bound: Limit, number: float) -> bool:
    q = bound.quantity
    return (q.low is None or q.comparison in ("at_most", "less_than") or number >= q.low) and (
        q.high is None or q.comparison in ("at_least", "more_than") or number <= q.high
    )


def _spent(ledger: Ledger, budget: Mapping[str, Any]) -> Iterator[tuple[str, Held]]:
    out, key = budget["out"], budget["id"]
    guessed, currency = "guess_high" in out, out["currency"]
    cost = out["known"] if guessed else out["at_confidence"]
    said = f"the plan costs {amount(cost)} {currency} [{key}]"
    if guessed:
        said = (
            f"{amount(cost)} {currency} of it are priced, and the library guesses "
            f"{amount(out['guess_low'])} to {amount(out['guess_high'])} for the rest [{key}]"
        )
    for item in ledger.items:
        for bound in filter(is_budget, item.checks):
            most = bound.quantity.high
            if most is None or bound.quantity.unit != currency:
                continue
            limit = f"{said}, and the limit is {bound.quantity.text}"
            if cost <= most and guessed:
                continue  # what a guess decides is a promise of a task, and shown by nothing
            if cost <= most and _alone(item):
                yield item.id, Held("met", limit, _COSTS)
            elif cost <= most:
                rest = f"{limit}; whether the rest of it is kept, a person must say"
                yield item.id, Held("unclear", rest, _COSTS)
            elif (bound.whole or _TOTAL.search(item.text)) and not _of_each(item):
                yield item.id, Held("violated", limit, _COSTS)
            else:
                unsure = f"{said} in all; whether this limit is on all of it, a person must say"
                yield item.id, Held("unclear", unsure, _COSTS)


def _alone(item: LedgerItem) -> bool:
    """Whether an item bounds or rules out nothing besides the cost."""
    bounds = (c for c in item.checks if not isinstance(c, Requirement))
    return all(isinstance(c, Limit) and is_budget(c) for c in bounds)


def _of_each(item: LedgerItem) -> bool:
    """Whether an item bounds what a part costs; what stands in brackets only tells more."""
    return bool(_EACH.search(re.sub(r"\([^)]*\)", "", item.text)))


def _taken(
    ledger: Ledger, brief: Brief, design: Design, schedule: Mapping[str, Any]
) -> Iterator[tuple[str, Held]]:
    out, least = schedule["out"], design.least_days
    days = out["days"][f"P{round(PERCENTILE[brief.risk_posture] * 100)}"]
    dated = {end.item.id for end in last_days(ledger)}
    said = f"the plan takes {length(days, out['days_a_month'])} [{schedule['id']}]"
    if least is not None:
        said = f"the times that the brief sets take {length(least, out['days_a_month'])} [plan]"
    for key, allowed in deadlines(ledger, design.start, brief.closed_days).items():
        if least is not None and not is_late(least, allowed):
            continue
        kept: Verdict = "met" if least is None and days <= allowed else "violated"
        reason = f"{said}, and the limit is {ledger.item(key).text}"
        yield key, Held(kept, reason, _ENDS if key in dated else _LASTS)

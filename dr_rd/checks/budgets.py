"""What a text says that the work costs, held against a budget."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from dr_rd.checks.findings import Finding
from dr_rd.quantity import Quantity, is_money
from dr_rd.text import Fact, Page, cued, reported

Role = Literal["whole", "part"]


@dataclass(frozen=True, slots=True)
class _Cost:
    """An amount of money that is spent on the work: all of it, or a part."""

    value: float
    fact: Fact
    role: Role


def spending(bound: Quantity, page: Page) -> Finding | None:
    """Say whether what the work costs keeps within a budget; None where nothing is said of it.

    A total decides; without one the parts that are named near each other are added up.
    """
    costs = _totalled(list(_costs(bound, page)))
    wholes = [c for c in costs if c.role == "whole"]
    spent = wholes or [c for c in costs if cued("spending", c.fact.clause) or c.fact.part]
    if over := next((c for c in spent if _passes(c.value, bound)), None):
        found = _over([over], bound)
        kept = any(not _passes(c.value, bound) for c in wholes)
        return Finding("unclear", found.reason, found.sentence) if kept else found
    if not wholes:
        for parts in _runs(costs, page):
            if len(parts) > 1 and _passes(sum(c.value for c in parts), bound):
                return _over(parts, bound)
    if other := next((f for f in page.facts if _foreign(f, bound)), None):
        reason = f"it states {other.amount.text}, which cannot be held against {bound.text} without a rate"
        return Finding("unclear", reason, other.sentence) if not wholes else None
    if wholes:
        told = {c.value: c.fact for c in wholes}
        first = wholes[0].fact
        if len(told) > 1 and _passes(sum(told), bound):  # they may be parts, or tell one sum twice
            said = " and ".join(f.amount.text for f in told.values())
            return Finding("unclear", f"it states {said}, which may add up", first.sentence)
        return Finding("met", f"it states {first.amount.text}", first.sentence)
    sole = len({c.value for c in costs}) == 1 and not _passes(costs[0].value, bound)
    if sole and costs[0].value > _MOST * (bound.high or 0):
        return Finding("met", f"it states {costs[0].fact.amount.text}", costs[0].fact.sentence)
    if costs:
        part = costs[0].fact
        reason = f"it states {part.amount.text}, and no total"
        return Finding("unclear", reason, part.sentence)
    return None


_MOST = 0.5
"""Share of a budget from which the only sum that a text names is taken for what it all costs."""


def _totalled(costs: list[_Cost]) -> list[_Cost]:
    """Mark an amount as the whole that is the sum of those before it, or of those behind it."""
    out = list(costs)
    for ordered in (list(enumerate(costs)), list(enumerate(costs))[::-1]):
        row: list[float] = []
        for n, cost in ordered:
            total = 0.0
            for count, value in enumerate(reversed(row[-_ROW:]), 1):
                total += value
                if count > 1 and abs(total - cost.value) <= _ROUNDING * total:
                    out[n] = replace(cost, role="whole")
            row.append(cost.value)
    return out


_ROW = 40
"""Amounts of which one may be the sum; keeps reading linear."""
_ROUNDING = 1e-6


def _passes(value: float, bound: Quantity) -> bool:
    high = bound.high or 0
    return value >= high if bound.comparison == "less_than" else value > high


def _over(said: Sequence[_Cost], bound: Quantity) -> Finding:
    value = sum(c.value for c in said)
    told = " and ".join(dict.fromkeys(c.fact.amount.text for c in said))
    total = f", {value:,.0f} in all" if len(said) > 1 else ""
    sure = all(c.fact.polarity == "affirmed" for c in said)
    reason = f"it states {told}{total}, but the limit is {bound.text}"
    return Finding("violated" if sure else "unclear", reason, said[-1].fact.sentence)


def _costs(bound: Quantity, page: Page) -> Iterator[_Cost]:
    """The amounts of money that are spent on the work; a rate is none, what it comes to is."""
    seen: set[tuple[int, float]] = set()
    for fact in page.facts:
        q = fact.amount
        value = q.most
        if q.unit != bound.unit or not value or (q.start, value) in seen:
            continue
        if (
            fact.polarity not in ("affirmed", "perhaps")
            or reported(fact)
            or _RATE.match(fact.after)
        ):
            continue
        if cued("unspent", fact.clause) or (fact.per and not fact.part and not fact.whole):
            continue
        if _told_again(q, value, bound, fact):
            continue
        seen.add((q.start, value))
        yield _Cost(value, fact, _role(fact))


def _role(fact: Fact) -> Role:
    told = (
        cued("totals", fact.clause) or _PARTED.match(fact.after) or _LABELLED.search(fact.before)
    )
    return "whole" if fact.whole or (told and not fact.per) else "part"


_LABELLED = re.compile(r"\b(?:sum|total)\W*$", re.IGNORECASE)
_PARTED = re.compile(
    r"\s*,?\s*(?:of\s+(?:which|this|that|it)\b|in\s+(?:all|total)\b)", re.IGNORECASE
)
_RATE = re.compile(
    r"\s*(?:/|per\b|(?:an?|each|every)\s(?:hour|day|night|week|month|quarter|year|person|participant|patient|sample|head)\b"
    r"|each\b|apiece\b|hourly|daily|weekly|monthly|annually|yearly)",
    re.IGNORECASE,
)


def _told_again(q: Quantity, value: float, bound: Quantity, fact: Fact) -> bool:
    """Whether an amount is the limit told again, and nothing that is spent."""
    near = f"{fact.before[-40:]} {fact.after[:30]}"
    bounded = q.comparison in ("at_most", "less_than") and value == bound.high
    return bounded or (value == bound.high and cued("ceiling", near) and not fact.whole)


def _foreign(fact: Fact, bound: Quantity) -> bool:
    """Whether an amount is a total in another currency than the bound's."""
    money = is_money(fact.amount.unit) and fact.amount.unit != bound.unit
    return (
        money
        and fact.polarity == "affirmed"
        and (fact.whole or cued("totals", fact.sentence.text))
    )


_NEAR = 2
"""Sentences from one part of a cost to the next: farther apart they may say the same twice."""


def _runs(costs: Sequence[_Cost], page: Page) -> Iterator[list[_Cost]]:
    """The parts of the whole that are said in one place."""
    order = {s.start: n for n, s in enumerate(page.sentences)}
    run: list[_Cost] = []
    for before, cost in pairwise([None, *costs]):
        if cost is None:
            continue
        here = order.get(cost.fact.sentence.start, 0)
        if before and here - order.get(before.fact.sentence.start, 0) > _NEAR:
            yield run
            run = []
        run.append(cost)
    yield run

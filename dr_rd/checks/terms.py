"""Which of the sums, lengths and days of a brief bound the whole work: those that it names as such."""

from collections.abc import Callable, Iterable, Iterator

from dr_rd.brief import Brief
from dr_rd.checks.items import Check, LedgerItem, Limit
from dr_rd.checks.terse import LONG
from dr_rd.conversion import conversion
from dr_rd.quantity import DATE, Quantity, is_money, quantities

_ROUNDED = 0.02
"""By what share two lengths may differ that are told in different units."""


def with_terms(items: Iterable[LedgerItem], brief: Brief) -> Iterator[LedgerItem]:
    """Mark in the constraints what is the budget and the end of *brief*, and what bounds a part of it.

    Where the brief names neither, each line is taken for what it says alone.
    """
    money = _one(brief.budget, lambda q: is_money(q.unit))
    end = _one(brief.deadline, _is_end)
    for item in items:
        if item.kind != "constraint":
            yield item
            continue
        checks = tuple(_bound(c, money, end) for c in item.checks)
        yield item.model_copy(update={"checks": checks})


def _one(text: str, fits: Callable[[Quantity], bool]) -> Quantity | None:
    return next((q for q in quantities(text) if fits(q)), None)


def _is_end(q: Quantity) -> bool:
    return q.noun == DATE or q.unit in LONG


def _bound(found: Check, money: Quantity | None, end: Quantity | None) -> Check:
    if not isinstance(found, Limit):
        return found
    q = found.quantity
    if is_money(q.unit):
        term, same = money, money is not None and _same(q, money)
    elif _is_end(q):
        term, same = end, end is not None and _ends_alike(q, end)
    else:
        return found
    if term is None or found.whole or q.high is None:
        return found
    return found.model_copy(update={"whole": True} if same else {"part": True})


def _same(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit and one.most == other.most


def _ends_alike(one: Quantity, other: Quantity) -> bool:
    """Whether two ends are the same day, or two lengths the same time."""
    if DATE in (one.noun, other.noun):
        return one.noun == other.noun and one.most == other.most
    straight = conversion(one.unit, other.unit)
    said, meant = one.most, other.most
    if straight is None or said is None or meant is None:
        return False
    return abs(straight.at(said) - meant) <= _ROUNDED * meant

"""Who and what a plan may use, from what a Study says of people, closed periods, prices and the budget."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import get_args

from core.values import as_name
from dr_rd.brief import ClosedPeriod, Person, Price, Resources
from dr_rd.brief.resources import MOST_DAYS, Per
from dr_rd.study import Closure, Study
from dr_rd.study import Person as Named
from dr_rd.text import stem

_LONGEST = 80
"""Characters of a role, which is a name and no sentence."""


def resources_in(study: Study) -> Resources | None:
    """Return what *study* says that a plan may use; None where it says nothing.

    Of people only those count whose share or rate is stated: somebody who is merely mentioned, such
    as a reader or a patron, does not bind the work.
    """
    currency = study.budget.currency if study.budget else None
    covers = study.budget.covers if study.budget else "unsaid"
    people = {p.role: p for p in reversed([*_people(study.people, currency)])}
    closed, prices = tuple(_closed(study.closed)), tuple(prices_in(study))
    if not people and not closed and not prices and covers == "unsaid":
        return None
    return Resources(
        people=tuple(people.values())[::-1], closed=closed, prices=prices, covers=covers
    )


def prices_in(study: Study) -> Iterator[Price]:
    """Yield the prices of which *study* says how often they are paid, or that are for what it counts.

    That of the unit is paid once for each, however many a plan takes; that of other things as often
    as these are counted.
    """
    unit = stem(study.unit.split()[-1]) if study.unit else ""
    counted: dict[str, float] = {unit: 1.0} if unit else {}
    for count in study.counts:
        named = {stem(w) for w in count.what.partition(" per ")[0].split()} - {unit}
        number = count.low or count.high if unit and not count.per else None
        counted |= {w: max(counted.get(w, 1.0), number or 1.0) for w in named}
    for price in study.prices:
        often = price.times or counted.get(stem(price.per))
        if not often:
            continue
        yield Price(
            what=price.what or price.per,
            amount=price.amount,
            currency=price.currency,
            per=price.per,
            times=often,
        )


def _people(found: Iterable[Named], currency: str | None) -> Iterator[Person]:
    for person in found:
        paid = person.currency or currency
        rate = person.rate if paid and person.per in get_args(Per) else None
        if rate is None and person.share is None and person.days is None:
            continue
        role = as_name(person.role, _LONGEST)
        share = person.share if person.share and 0 < person.share <= 1 else 1.0
        terms = {} if rate is None else {"rate": rate, "currency": paid, "per": person.per}
        terms |= {"days": person.days} if person.days and person.days <= MOST_DAYS else {}
        if role:
            yield Person.model_validate(
                {"role": role, "count": max(1, int(person.count or 1)), "share": share, **terms}
            )


def _closed(found: Iterable[Closure]) -> Iterator[ClosedPeriod]:
    for period in found:
        first, last = date.fromisoformat(period.start), date.fromisoformat(period.end)
        if first <= last:
            yield ClosedPeriod(first=first, last=last, what=as_name(period.what))

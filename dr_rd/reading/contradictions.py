"""Passages of a brief that cannot both hold."""

from collections.abc import Iterator
from datetime import date

from dr_rd.reading.amounts import Amount
from dr_rd.reading.tagged import Tagged
from dr_rd.study.values import Budget, Contradiction, Deadline


def contradictions_of(
    found: Tagged,
    budget: tuple[Budget, Amount] | None,
    start: tuple[str, Amount] | None,
    end: tuple[Deadline, Amount] | None,
) -> Iterator[Contradiction]:
    """Yield what cannot both hold: an end before the start, two totals, parts above the whole."""
    if start and end and end[0].date and end[0].date < start[0]:
        quotes = (found.quote(start[1]), found.quote(end[1]))
        yield Contradiction(quotes=quotes, sentence="the work ends before it starts")
    if start and end and end[0].date:
        yield from _lengths(found, start, end)
    if budget:
        yield from _totals(found, budget)


def _lengths(
    found: Tagged, start: tuple[str, Amount], end: tuple[Deadline, Amount]
) -> Iterator[Contradiction]:
    """A duration that the two dates do not leave."""
    days = (date.fromisoformat(end[0].date or start[0]) - date.fromisoformat(start[0])).days
    for amount in found.amounts:
        q = amount.fact.amount
        if (
            amount.segment.kind != "duration"
            or not amount.segment.own
            or q.unit != "month"
            or not q.low
        ):
            continue
        if abs(q.low - days * 12 / 365) > max(1.0, 0.1 * q.low):
            sentence = (
                f"from {start[0]} to {end[0].date} are {days * 12 / 365:.1f} months, not {q.low:g}"
            )
            yield Contradiction(
                quotes=(found.quote(amount), found.quote(end[1])), sentence=sentence
            )


def _totals(found: Tagged, budget: tuple[Budget, Amount]) -> Iterator[Contradiction]:
    """Another sum that is as likely the budget, and not the same."""
    for amount, chances in found.amounts.items():
        q = amount.fact.amount
        value = q.most
        same = q.unit == budget[1].fact.amount.unit
        if (
            amount.kind == "money"
            and same
            and chances["budget"] > 0.6
            and value != budget[0].amount
        ):
            sentence = f"both may be the budget; {budget[0].amount:g} is taken"
            yield Contradiction(
                quotes=(found.quote(budget[1]), found.quote(amount)), sentence=sentence
            )

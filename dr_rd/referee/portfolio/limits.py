"""Which limits a bid breaks, each with by how much."""

from collections.abc import Iterator, Mapping

from core.pluralize import noun
from core.values import Frozen
from dr_rd.referee.portfolio.position import After, Limit, Setup, Workstream

_NOISE = 1e-6
"""Excess that is rounding."""


class Break(Frozen):
    """One limit that a bid breaks."""

    limit: str
    """The limit's name."""
    over: float
    """By how much, in *unit*; 0 where that cannot be counted."""
    unit: str = ""
    at: str = ""
    """The period; "" if it is no matter of one."""
    text: str
    """The same as a clause."""


def breaks(
    setup: Setup, starts: Mapping[str, int], stream: Workstream, start: int
) -> tuple[Break, ...]:
    """Return every limit that *stream* breaks if it starts in that period beside what is granted.

    Whether a commitment keeps a start is asked only of a bid that breaks nothing else.
    """
    found = (
        *_time(setup, stream, start),
        *_order(setup, starts, stream, start),
        *_apart(setup, starts, stream, start),
        *_amounts(setup, starts, stream, start),
    )
    return found or tuple(_commitments(setup, starts, stream, start))


def open_starts(setup: Setup, starts: Mapping[str, int], stream: Workstream) -> tuple[int, ...]:
    """Return the periods in which *stream* may start."""
    return tuple(s for s in range(len(setup.periods)) if not breaks(setup, starts, stream, s))


def used(setup: Setup, starts: Mapping[str, int], resource: str) -> tuple[float, ...]:
    """Return what the granted streams take of a resource, by period."""
    columns = [setup.uses(resource, setup.stream(key), start) for key, start in starts.items()]
    return tuple(sum(column[at] for column in columns) for at in range(len(setup.periods)))


def _time(setup: Setup, stream: Workstream, start: int) -> Iterator[Break]:
    last = len(setup.periods) - 1 if stream.latest is None else stream.latest
    if not stream.earliest <= start <= last:
        names = setup.periods
        until = names[min(last, len(names) - 1)]
        span = f"from {names[stream.earliest]} to {until}"
        why = f": {stream.window}" if stream.window else ""
        gap = stream.earliest - start if start < stream.earliest else start - last
        yield Break(
            limit=f"window of {stream.id}",
            over=gap,
            unit="periods",
            text=f"{stream.id} may start {span}{why}",
        )
    end = start * setup.period_days + stream.days
    if (over := end - setup.horizon_days) > _NOISE:
        yield Break(
            limit="deadline",
            over=round(over, 1),
            unit="days",
            text=f"it ends {over:,.0f} working days after the last day, {setup.horizon_days:,.0f}",
        )


def _order(
    setup: Setup, starts: Mapping[str, int], stream: Workstream, start: int
) -> Iterator[Break]:
    for rule in setup.after:
        why = f" ({rule.why})" if rule.why else ""
        if rule.stream == stream.id:
            yield from _too_early(setup, starts, rule, start, why)
        late = start + rule.lag - starts.get(rule.stream, len(setup.periods) + rule.lag)
        if rule.after == stream.id and late > 0:
            yield Break(
                limit=f"{rule.stream} after {rule.after}",
                over=late,
                unit="periods",
                text=f"{rule.stream} builds on it and starts in "
                f"{setup.periods[starts[rule.stream]]}{why}",
            )


def _too_early(
    setup: Setup, starts: Mapping[str, int], rule: After, start: int, why: str
) -> Iterator[Break]:
    name = f"{rule.stream} after {rule.after}"
    if rule.after not in starts:
        yield Break(
            limit=name, over=0, text=f"{rule.after} has no start, and it comes after it{why}"
        )
        return
    first = starts[rule.after] + rule.lag
    if start < first:
        may = f"from {setup.periods[first]}" if first < len(setup.periods) else "after the end"
        yield Break(
            limit=name,
            over=first - start,
            unit="periods",
            text=f"{rule.after} starts in {setup.periods[starts[rule.after]]}, so {rule.stream} "
            f"may {may}{why}",
        )


def _apart(
    setup: Setup, starts: Mapping[str, int], stream: Workstream, start: int
) -> Iterator[Break]:
    for rule in setup.apart:
        others = [s for s in rule.streams if s in starts and s != stream.id]
        if stream.id not in rule.streams or not others:
            continue
        why = f" ({rule.why})" if rule.why else ""
        for other in others:
            name = f"{' and '.join(rule.streams)} apart"
            if rule.when == "ever":
                yield Break(limit=name, over=0, text=f"{other} is granted{why}")
                continue
            theirs = setup.covers(setup.stream(other), starts[other])
            if both := [q for q in setup.covers(stream, start) if q in theirs]:
                shown = ", ".join(setup.periods[q] for q in both if q < len(setup.periods))
                yield Break(
                    limit=name,
                    over=len(both),
                    unit="periods",
                    text=f"{other} runs in {shown} too{why}",
                )


def _amounts(
    setup: Setup, starts: Mapping[str, int], stream: Workstream, start: int
) -> Iterator[Break]:
    for limit in setup.limits:
        before = used(setup, starts, limit.resource)
        own = setup.uses(limit.resource, stream, start)
        if limit.per == "total":
            # what a stream takes after the last period counts as well
            wanted = [sum(before) + sum(stream.use.get(limit.resource, ()))]
            yield from _over(limit, wanted, ("",))
        else:
            wanted = [b + o if o > _NOISE else 0.0 for b, o in zip(before, own, strict=True)]
            yield from _over(limit, wanted, setup.periods)


def _over(limit: Limit, wanted: list[float], periods: tuple[str, ...]) -> Iterator[Break]:
    for at, amount in zip(periods, wanted, strict=True):
        if (over := amount - limit.at_most) > _NOISE * max(1.0, limit.at_most):
            where = f" in {at}" if at else " in all"
            yield Break(
                limit=limit.id,
                over=round(over, 1),
                unit=limit.unit,
                at=at,
                text=f"{limit.resource}{where}: {quantity(over, limit.unit)} over "
                f"{quantity(limit.at_most, limit.unit)}",
            )


def _commitments(
    setup: Setup, starts: Mapping[str, int], stream: Workstream, start: int
) -> Iterator[Break]:
    after = {**starts, stream.id: start}
    free = setup.model_copy(update={"keep": ()})
    for kept in setup.keep:
        if kept in after:
            continue
        held = setup.stream(kept)
        if open_starts(free, after, held) or not open_starts(free, starts, held):
            continue
        tried = {
            b.text: b for s in range(len(setup.periods)) for b in breaks(free, after, held, s)
        }
        near = min(tried.values(), key=lambda b: (not b.unit, b.over))
        yield Break(
            limit=f"commitment to {kept}",
            over=near.over,
            unit=near.unit,
            text=f"it would leave {kept}, which is committed, no start ({near.text})",
        )


def quantity(amount: float, unit: str) -> str:
    """Write an amount with its unit; days to a tenth, money whole."""
    if unit == "days":
        shown = f"{amount:,.1f}".removesuffix(".0")
        return f"{shown} {noun(shown, 'day')}"
    digits = 0 if amount >= 1 or not amount else 2
    return f"{amount:,.{digits}f} {unit}".rstrip()

"""The setup of a portfolio: from plans and runs, or from what a scenario says in their place."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from core.errors import CallerError, unknown
from core.values import Amount, Frozen, Name
from dr_rd.referee.offer import Job, Offer, Stream
from dr_rd.referee.portfolio.limits import quantity
from dr_rd.referee.portfolio.position import (
    MONEY,
    After,
    Apart,
    Limit,
    NotAdmitted,
    Setup,
    Workstream,
)

_LENGTHS = {5: "W", 10: "F", 21: "M", 63: "Q", 126: "H", 252: "Y"}
"""Working days of a week, fortnight, month, quarter, half and whole year, with a letter for each."""

_MOST_PERIODS = 12
"""Periods that a horizon is parted into at most, where nobody says into how many."""

_SPARE = 1.5
"""The horizon as a multiple of the longest plan, where nobody sets a deadline."""

_SPARE_DAYS = 0.1
"""Share of a person's days that may be too many where nobody says how many people there are."""

_STEPS = 20
"""One step of loosening is one in so many parts of a limit."""


class GivenStream(Frozen):
    """A workstream as a scenario names it: a direction's or run's id, or figures of its own."""

    id: Name
    title: str = ""
    source: str = ""
    """The direction (O1) or the project whose run it is; the id if empty."""
    until: str = ""
    """The last task of the package, such as that of a gate; all of the plan if empty."""
    points: float | None = Field(default=None, ge=0)
    days: Amount | None = None
    money: tuple[Amount, ...] = ()
    """By period from its start; needs no source."""
    people: Mapping[str, tuple[Amount, ...]] = {}
    """Working days of each pool, by period from its start."""
    earliest: int = Field(default=1, ge=1)
    """The first period in which it may start, counted from 1."""
    latest: int | None = Field(default=None, ge=1)
    window: str = ""

    @property
    def has_figures(self) -> bool:
        """Whether it stands without a plan."""
        return bool(self.money or self.people or self.days)


class GivenLimit(Frozen):
    """A limit as a scenario names it."""

    resource: str
    """"money", or a pool of people."""
    per: Literal["period", "total"] = "period"
    at_most: Amount
    step: Amount | None = None


class Terms(Frozen):
    """What a scenario may say of a portfolio; what it leaves out is taken from plans or runs."""

    title: str = ""
    periods: tuple[Name, ...] | int | None = None
    """Their names, or how many there are."""
    period_days: Amount | None = None
    currency: Name = ""
    rates: Mapping[str, Amount] = {}
    """What a unit of another currency is worth in this one."""
    pools: Mapping[str, str] = {}
    """The pool that a role belongs to; a role without one is a pool of its own."""
    limits: tuple[GivenLimit, ...] | None = None
    streams: tuple[GivenStream, ...] | None = None
    after: tuple[After, ...] = ()
    apart: tuple[Apart, ...] = ()
    keep: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    """Who bids in which order; by points per share of the budget if empty."""


def read_terms(given: Mapping[str, JsonValue]) -> Terms:
    """Read a scenario's part; raises CallerError that names the first field that is wrong."""
    try:
        return Terms.model_validate(dict(given))
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "it"
        fields = ", ".join(Terms.model_fields)
        raise CallerError(
            f"the portfolio's setup cannot be used: {place}: {fault['msg'].lower()}; "
            f"its fields are {fields}"
        ) from wrong


def needs_offer(given: Mapping[str, JsonValue]) -> bool:
    """Whether the scenario leaves streams to be taken from plans or runs."""
    streams = read_terms(given).streams
    return streams is None or not all(stream.has_figures for stream in streams)


def commissioned(offer: Offer | None, given: Mapping[str, JsonValue]) -> Setup:
    """Return the setup; raises CallerError that names what does not fit."""
    terms = read_terms(given)
    plan = _Plan(offer or Offer(title=terms.title, streams=()), terms)
    streams = plan.streams()
    if not streams:
        reasons = "; ".join(f"{e.id}: {e.reason}" for e in plan.offer.excluded)
        raise CallerError(
            f"nothing is left that may bid ({reasons or 'no direction, run or stream is named'}); "
            "name finished runs with --from, or streams in a scenario"
        )
    limits = tuple(plan.limits(streams))
    ids = [stream.id for stream in streams]
    try:
        return Setup(
            title=terms.title or plan.offer.title,
            noun=plan.offer.noun,
            currency=plan.currency,
            periods=plan.names,
            period_days=plan.period_days,
            horizon_days=plan.horizon,
            horizon_from=plan.horizon_from,
            horizon_assumed=plan.horizon_assumed,
            streams=_ordered(streams, limits, terms.order),
            order_from="the scenario's" if terms.order else merit_words(limits),
            limits=limits,
            after=(*terms.after, *(a for a in plan.after() if a.stream in ids and a.after in ids)),
            apart=terms.apart,
            keep=terms.keep,
            not_admitted=tuple(NotAdmitted(**e.model_dump()) for e in plan.offer.excluded),
            notes=(*plan.offer.notes, *plan.notes),
        )
    except ValidationError as wrong:
        said = wrong.errors()[0]["msg"].removeprefix("Value error, ")
        raise CallerError(f"the portfolio's setup cannot be used: {said}") from wrong


class _Plan:
    """An offer under a scenario's terms."""

    def __init__(self, offer: Offer, terms: Terms) -> None:
        self.offer, self.terms = offer, terms
        self.notes: list[str] = []
        self.currency = terms.currency or offer.currency
        longest = max(
            [s.days for s in offer.streams] + [g.days or 0 for g in terms.streams or ()], default=0
        )
        self.horizon, self.horizon_from = self._horizon(longest)
        self.period_days = terms.period_days or self._period_days()
        self.names = self._names()
        self.horizon_assumed = terms.periods is None and offer.days is None
        if terms.periods is not None:
            self.horizon = len(self.names) * self.period_days
            self.horizon_from = "the scenario"

    def _horizon(self, longest: float) -> tuple[float, str]:
        if self.offer.days is not None:
            return self.offer.days, self.offer.days_from
        if self.terms.periods is None:
            self.notes.append(
                f"Nobody sets a deadline, so the portfolio ends after {_SPARE:g} times the longest "
                "plan."
            )
        return max(
            1.0, float(ceil(longest * _SPARE))
        ), "assumed, half as long again as the longest plan"

    def _period_days(self) -> float:
        fits = [days for days in _LENGTHS if self.horizon / days <= _MOST_PERIODS]
        return float(fits[0] if fits else list(_LENGTHS)[-1])

    def _names(self) -> tuple[str, ...]:
        given = self.terms.periods
        if isinstance(given, tuple):
            return given
        letter = _LENGTHS.get(int(self.period_days), "P")
        count = given or max(1, ceil(self.horizon / self.period_days))
        return tuple(f"{letter}{number}" for number in range(1, count + 1))

    def streams(self) -> tuple[Workstream, ...]:
        known = {stream.id: stream for stream in self.offer.streams}
        if self.terms.streams is None:
            return tuple(self._planned(stream) for stream in known.values())
        return tuple(self._given(stream, known) for stream in self.terms.streams)

    def _given(self, given: GivenStream, known: Mapping[str, Stream]) -> Workstream:
        window = {
            "earliest": given.earliest - 1,
            "latest": None if given.latest is None else given.latest - 1,
            "window": given.window,
        }
        if given.has_figures:
            length = max([len(given.money), *map(len, given.people.values())], default=1)
            return Workstream(
                id=given.id,
                title=given.title or given.id,
                points=1.0 if given.points is None else given.points,
                why="the scenario" if given.points is not None else "the scenario names no points",
                days=given.days or length * self.period_days,
                use={MONEY: given.money, **given.people} if given.money else dict(given.people),
                **window,
            )
        source = given.source or given.id
        if source not in known:
            raise unknown("direction or run", source, known)
        whole = known[source]
        planned = self._planned(whole.until(given.until) if given.until else whole)
        changes: dict[str, object] = {"id": given.id, **window}
        if given.title:
            changes["title"] = given.title
        if given.points is not None:
            share = given.points / planned.points if planned.points else 0.0
            changes |= {
                "points": given.points,
                "aims": {aim: points * share for aim, points in planned.aims.items()},
                "why": "the scenario",
            }
        return planned.model_copy(update=changes)

    def _planned(self, stream: Stream) -> Workstream:
        rate = self._rate(stream)
        use: dict[str, list[float]] = {}
        length = max(1, ceil(stream.days / self.period_days))
        for job in stream.jobs:
            amounts = {MONEY: job.cost * rate}
            if job.person:
                amounts[self._pool(job.person)] = job.days * job.load
            for at, share in _shares(job, self.period_days, length):
                for resource, amount in amounts.items():
                    if amount:
                        use.setdefault(resource, [0.0] * length)[at] += amount * share
        return Workstream(
            id=stream.id,
            title=stream.title,
            points=stream.value,
            why=stream.why,
            aims=stream.aims,
            days=round(stream.days, 1),
            use={key: tuple(round(v, 2) for v in amounts) for key, amounts in use.items()},
        )

    def _pool(self, role: str) -> str:
        title = self.offer.people.get(role, role)
        return self.terms.pools.get(role) or f"{title[:1].lower()}{title[1:]}"

    def _rate(self, stream: Stream) -> float:
        if not stream.currency or stream.currency == self.currency:
            return 1.0
        if stream.currency not in self.terms.rates:
            raise CallerError(
                f"{stream.id} is priced in {stream.currency} and the portfolio in {self.currency}; "
                f"give a rate in the scenario, such as setup: {{rates: {{{stream.currency}: 0.9}}}}"
            )
        return self.terms.rates[stream.currency]

    def after(self) -> Iterator[After]:
        for stream in self.offer.streams:
            for other in stream.after:
                yield After(
                    stream=stream.id, after=other, lag=0, why="it uses what is settled there"
                )

    def limits(self, streams: Sequence[Workstream]) -> Iterator[Limit]:
        if self.terms.limits is not None:
            for given in self.terms.limits:
                yield self._limit(
                    given.resource, given.per, given.at_most, "the scenario", given.step
                )
            return
        if self.offer.budget is not None:
            yield self._limit(MONEY, "total", self.offer.budget, self.offer.budget_from)
        yield from self._assumed_people(streams)

    def _assumed_people(self, streams: Sequence[Workstream]) -> Iterator[Limit]:
        """Yield a limit for each pool that more than one stream wants at once."""
        pools = dict.fromkeys(key for s in streams for key in s.use if key != MONEY)
        found = []
        for pool in pools:
            peaks = [max(s.use[pool]) for s in streams if pool in s.use]
            heads = max(1, ceil(max(peaks) / self.period_days - 1e-6))
            days = round(heads * self.period_days * (1 + _SPARE_DAYS), 1)
            if sum(peaks) > days:
                found.append(f"{heads} {pool}")
                yield self._limit(
                    pool,
                    "period",
                    days,
                    f"assumed: {heads} at work, and a tenth to spare",
                    self.period_days,
                    assumed=True,
                )
        if found:
            self.notes.append(
                f"Nobody says how many people there are. Assumed: {', '.join(found)}, as many as "
                f"one plan alone needs, and {_SPARE_DAYS:.0%} more, since no estimate of days is "
                "surer; other roles never bind."
            )

    def _limit(
        self,
        resource: str,
        per: Literal["period", "total"],
        at_most: float,
        source: str,
        step: float | None = None,
        *,
        assumed: bool = False,
    ) -> Limit:
        unit = self.currency if resource == MONEY else "days"
        what = resource if resource == MONEY else f"{resource} days"
        span = "in all" if per == "total" else f"a {_period_word(self.period_days)}"
        return Limit(
            id=f"{what} {span}",
            resource=resource,
            per=per,
            at_most=at_most,
            unit=unit,
            step=step or max(at_most / _STEPS, 1e-6),
            source=source,
            assumed=assumed,
        )


def _period_word(days: float) -> str:
    words = {5: "week", 10: "fortnight", 21: "month", 63: "quarter", 126: "half-year", 252: "year"}
    return words.get(int(days), "period")


def _shares(job: Job, period: float, length: int) -> Iterator[tuple[int, float]]:
    """Yield each period that a job touches, with the share of the job that falls into it."""
    if job.days <= 0:
        yield min(int(job.start // period), length - 1), 1.0
        return
    for at in range(length):
        part = min(job.start + job.days, (at + 1) * period) - max(job.start, at * period)
        if part > 0:
            yield at, part / job.days


def _ordered(
    streams: Sequence[Workstream], limits: Sequence[Limit], order: Sequence[str]
) -> tuple[Workstream, ...]:
    """Return the streams as they bid: what others build on first, then by points per money."""
    ids = [stream.id for stream in streams]
    if strangers := [name for name in order if name not in ids]:
        raise unknown("workstream", strangers[0], ids)
    if order:
        rest = [name for name in ids if name not in order]
        return tuple(streams[ids.index(name)] for name in (*order, *rest))
    return tuple(sorted(streams, key=lambda s: (s.points > 0, -_merit(s, limits))))


def _merit(stream: Workstream, limits: Sequence[Limit]) -> float:
    """Return points per share of what is scarce: of the money in all, or else of the days."""
    totals = [limit for limit in limits if limit.per == "total" and limit.at_most]
    shares = [sum(stream.use.get(limit.resource, ())) / limit.at_most for limit in totals]
    share = max(shares, default=0.0) or stream.days / 1e4
    return stream.points / share if share else stream.points


def merit_words(limits: Sequence[Limit]) -> str:
    """Say by what the streams are put in order."""
    totals = [limit for limit in limits if limit.per == "total"]
    if totals:
        named = " or ".join(quantity(limit.at_most, limit.unit) for limit in totals)
        return f"points per share of {named}, the best first"
    return "points per working day, the best first"

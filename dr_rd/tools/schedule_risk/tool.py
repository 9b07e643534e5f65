"""Schedule and cost as distributions: critical path, percentiles, what drives them, the odds."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from graphlib import CycleError
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, JsonValue, model_validator

from core.errors import TaskError, nearest
from core.tool_router import Tool
from core.values import MOST, Amount, Frozen
from dr_rd.schedule.activities import Activity, Driver, Resource, Risk
from dr_rd.schedule.calendar import Calendar, Opened, Steady, Working
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.schedule.cpm import TIE, Network, Times, critical_path, order
from dr_rd.schedule.leveling import Leveling
from dr_rd.schedule.montecarlo import Simulation, percentile, simulate
from dr_rd.schedule.passage import Passage, passage
from dr_rd.schedule.spread import Draws, mean
from dr_rd.simulation.sensitivity import rank_correlation, ranks

_SHOWN = (0.1, 0.5, 0.7, 0.8, 0.9)
"""Percentiles that a reader asks for."""

_LATE = 0.8
"""The percentile of each task's end that is shown beside the expected one."""

_TORNADO = 10
"""Bars of a tornado: what lies below moves nothing."""

_FEEBLE = 0.05
"""Rank correlations below this are noise at some thousand iterations."""

_CELLS = 5_000_000
"""Activities times iterations, so that a call stays below about half a gigabyte."""

_MOST_FACTOR = 1e6
"""By which all drivers together may multiply, so that what is drawn stays a number."""


class ScheduleRisk(Frozen):
    """What is simulated."""

    activities: tuple[Activity, ...] = Field(min_length=1, max_length=500)
    drivers: tuple[Driver, ...] = Field(default=(), max_length=50)
    risks: tuple[Risk, ...] = Field(default=(), max_length=200)
    resources: tuple[Resource, ...] = Field(
        default=(), max_length=40, description="Who and what activities need; none: no limit."
    )
    iterations: int = Field(default=10_000, ge=100, le=100_000)
    seed: int = Field(default=0, ge=0, lt=2**63, description="The same seed, the same result.")
    risk_posture: Literal["low", "medium", "high"] | None = Field(
        default=None, description="Picks the percentile to plan by: P80, P70, P50."
    )
    days_a_month: int = Field(default=21, ge=1, le=31, description="Working days in a month.")
    limit_days: float | None = Field(
        default=None,
        gt=0,
        le=MOST,
        description="Working days, of the first calendar if there is one.",
    )
    limit_cost: Amount | None = None
    start: date | None = Field(default=None, description="Gives dates; calendars need it.")
    limit_date: date | None = None
    calendars: tuple[Calendar, ...] = Field(
        default=(),
        max_length=20,
        description="With a start and none of these, Monday to Friday are worked.",
    )

    @model_validator(mode="after")
    def _bounded(self) -> "ScheduleRisk":
        if len(self.activities) * self.iterations > _CELLS:
            most = _CELLS // len(self.activities)
            raise ValueError(
                f"{len(self.activities)} activities allow at most {most:,} iterations"
            )
        return self

    @model_validator(mode="after")
    def _tame(self) -> "ScheduleRisk":
        if prod(max(1.0, d.factor.high) for d in self.drivers) > _MOST_FACTOR:
            raise ValueError(
                f"the drivers together multiply by more than {_MOST_FACTOR:,.0f}; "
                "give factors such as 0.9, 1 and 1.5"
            )
        return self

    @model_validator(mode="after")
    def _dated(self) -> "ScheduleRisk":
        if self.start is None and (self.calendars or self.limit_date):
            raise ValueError("calendars and a limit_date need a start")
        return self

    @model_validator(mode="after")
    def _named(self) -> "ScheduleRisk":
        _distinct([*self.activities, *self.drivers, *self.risks])
        _distinct(self.calendars)
        calendars = {c.id for c in self.calendars}
        for activity in self.activities:
            if activity.calendar is not None and activity.calendar not in calendars:
                raise ValueError(_strange("calendar", activity.calendar, calendars))
        return self

    @model_validator(mode="after")
    def _resourced(self) -> "ScheduleRisk":
        _distinct(self.resources)
        counts, calendars = {r.id: r.count for r in self.resources}, {c.id for c in self.calendars}
        for name in (r.calendar for r in self.resources if r.calendar is not None):
            if name not in calendars:
                raise ValueError(_strange("calendar", name, calendars))
        for activity in self.activities:
            for name, amount in activity.needs.items():
                if name not in counts:
                    raise ValueError(_strange("resource", name, counts))
                if amount > counts[name]:
                    raise ValueError(
                        f"activity {activity.id!r} needs {amount} of {name!r}, and there are "
                        f"{counts[name]}; raise its count or lower the need"
                    )
        return self


def schedule_risk(params: ScheduleRisk) -> JsonValue:
    """Simulate the network; days and costs are rounded to whole numbers, shares to 0.01."""
    _check(params)
    network = {a.id: a.depends_on for a in params.activities}
    axis = _Axis(params)
    run = simulate(
        params.activities,
        drivers=params.drivers,
        risks=params.risks,
        resources=params.resources,
        working=axis.each,
        iterations=params.iterations,
        seed=params.seed,
    )
    duration = axis.worked(run.end)
    days, cost = _percentiles(duration), _percentiles(run.cost)
    leveling = Leveling(params.activities, params.resources, axis.each)
    expected = leveling.passage(leveling.elapsed(_expected_days(params)))
    times, linked = _times(network, axis, expected), leveling.links(expected)
    alone = passage(network, run.days, axis.each).end
    return {
        "days": dict(days),
        "months": {k: round(v / params.days_a_month, 1) for k, v in days.items()},
        "weeks": {k: round(v / (params.days_a_month * 12 / 52), 1) for k, v in days.items()},
        "days_a_month": params.days_a_month,
        "cost": dict(cost),
        **_dates(run, axis, network, expected),
        **_loads(params, axis, expected),
        **_planned(params, days, cost),
        "criticality": {k: round(v, 2) for k, v in run.criticality.items()},
        "critical_path": list(critical_path(linked, times)),
        "times": {
            k: {"start": round(t.start), "finish": round(t.finish), "slack": round(t.slack)}
            for k, t in times.items()
        },
        "merge_bias_days": round(float(np.mean(duration)) - float(axis.worked(alone)[0]), 1),
        "tornado": {
            "days": _tornado(run, duration, "days"),
            "cost": _tornado(run, run.cost, "cost"),
        },
        "chances": _chances(run, duration, params),
        "iterations": params.iterations,
        "seed": params.seed,
    }


@dataclass(frozen=True)
class _Axis:
    """The days that the network is passed along: working days, or dates with calendars."""

    params: ScheduleRisk

    @cached_property
    def each(self) -> tuple[Working, ...]:
        """When each activity is worked on: by its own calendar and those of what it needs."""
        theirs = {r.id: r.calendar for r in self.params.resources}
        return tuple(
            self._both([a.calendar, *(c for n in a.needs if (c := theirs[n]) is not None)])
            for a in self.params.activities
        )

    def _both(self, names: Sequence[str | None]) -> Working:
        first, *others = (self._by_id[name] for name in dict.fromkeys(names))
        for other in others:
            if isinstance(first, Opened) and isinstance(other, Opened):
                first = first.within(other)
        return first

    @property
    def first(self) -> Working:
        """What days are counted in."""
        return self._by_id[None]

    @cached_property
    def _by_id(self) -> Mapping[str | None, Working]:
        start = self.params.start
        if start is None:
            return {None: Steady()}
        rules = self.params.calendars or (Calendar(id="Monday to Friday"),)
        opened: list[Opened] = [rule.opened(start) for rule in rules]
        return {None: opened[0], **{o.id: o for o in opened}}

    def worked(self, end: Draws) -> Draws:
        """Return the working days from the start to *end*."""
        return self.first.between(np.zeros_like(end), end)


def _check(params: ScheduleRisk) -> None:
    """Refuse names of activities that are not among them."""
    known = [a.id for a in params.activities]
    strangers = sorted({d for a in params.activities for d in a.depends_on} - set(known))
    if strangers:
        raise TaskError(f"activity {strangers[0]!r} is waited for but not among the activities")
    named = [n for d in params.drivers for n in d.activities] + [r.activity for r in params.risks]
    if unknown := [n for n in named if n not in known]:
        raise TaskError(_strange("activity", unknown[0], known))
    if ring := _ring({a.id: a.depends_on for a in params.activities}):
        raise TaskError(ring)


def _ring(network: Network) -> str:
    try:
        order(network)
    except CycleError as error:
        return f"activities wait for each other in a ring: {' → '.join(error.args[1])}"
    return ""


def _strange(what: str, name: str, known: Collection[str]) -> str:
    return (
        f"{what} {name!r} is none{nearest(name, known)}; choose from: "
        f"{', '.join(sorted(known)) or 'none is given'}"
    )


def _distinct(named: Iterable[Activity | Driver | Risk | Calendar | Resource]) -> None:
    twice = [key for key, times in Counter(n.id for n in named).items() if times > 1]
    if twice:
        raise ValueError(f"two of them have the id {twice[0]!r}")


def _expected_days(params: ScheduleRisk) -> Draws:
    """Return the days of work of each activity if everything takes its mean, in one column."""
    return np.array([[_expected(a, params)] for a in params.activities])


def _times(network: Network, axis: _Axis, found: Passage) -> dict[str, Times]:
    """When each activity can and must happen, in working days; *found*: one iteration."""
    start, finish = axis.worked(found.start[:, 0]), axis.worked(found.finish[:, 0])
    rows = zip(network, start.tolist(), finish.tolist(), found.slack[:, 0].tolist(), strict=True)
    return {key: Times(s, f, slack) for key, s, f, slack in rows}


def _expected(activity: Activity, params: ScheduleRisk) -> float:
    """Mean days of an activity, with its drivers and risks."""
    days = mean(activity.days, activity.shape)
    for driver in params.drivers:
        if activity.id in driver.activities and driver.scales != "cost":
            days *= 1 + driver.probability * (driver.factor.mean - 1)
    mine = (r for r in params.risks if r.activity == activity.id)
    return days + sum(r.probability * r.days.mean for r in mine)


def _percentiles(draws: Draws) -> dict[str, int]:
    found = {f"P{round(share * 100)}": round(percentile(draws, share)) for share in _SHOWN}
    return found | {"mean": round(float(np.mean(draws)))}


def _dates(
    run: Simulation, axis: _Axis, network: Network, expected: Passage
) -> dict[str, JsonValue]:
    if not isinstance(axis.first, Opened):
        return {}
    first = axis.first
    ends = {f"P{round(s * 100)}": first.date(percentile(run.end, s)) for s in _SHOWN}
    late = np.quantile(run.finish, _LATE, axis=1)
    return {
        "dates": {key: day.isoformat() for key, day in ends.items()},
        "task_dates": {
            key: {
                "start": opened.begin(float(start)).isoformat(),
                "finish": first.date(float(finish)).isoformat(),
                f"P{round(_LATE * 100)}": first.date(float(end)).isoformat(),
            }
            for key, opened, start, finish, end in zip(
                network, axis.each, expected.start[:, 0], expected.finish[:, 0], late, strict=True
            )
            if isinstance(opened, Opened)
        },
    }


def _loads(params: ScheduleRisk, axis: _Axis, expected: Passage) -> dict[str, JsonValue]:
    """Return the share of the whole time that each resource is in use."""
    found: dict[str, JsonValue] = {}
    spans = axis.worked(expected.finish[:, 0]) - axis.worked(expected.start[:, 0])
    whole = float(axis.worked(expected.end)[0])
    for resource in params.resources:
        used = sum(
            float(span) * a.needs.get(resource.id, 0)
            for a, span in zip(params.activities, spans, strict=True)
        )
        if used and whole:
            found[resource.id] = round(used / (whole * resource.count), 2)
    return {"busy": found} if found else {}


def _planned(
    params: ScheduleRisk, days: Mapping[str, int], cost: Mapping[str, int]
) -> dict[str, JsonValue]:
    """Return what the risk posture plans by."""
    if params.risk_posture is None:
        return {}
    key = f"P{round(PERCENTILE[params.risk_posture] * 100)}"
    return {"planned": {"percentile": key, "days": days[key], "cost": cost[key]}}


def _tornado(run: Simulation, outcome: Draws, what: str) -> list[JsonValue]:
    """Rank correlations (Spearman) of what was drawn with what came out, strongest first."""
    likely = _screened(run.causes[what], outcome)
    found = rank_correlation({k: ranks(v) for k, v in likely.items()}, outcome)
    strongest = sorted(found.items(), key=lambda kv: -abs(kv[1]))[:_TORNADO]
    return [{"id": k, "correlation": round(r, 2)} for k, r in strongest if abs(r) >= _FEEBLE]


def _screened(causes: Mapping[str, Draws], outcome: Draws) -> dict[str, Draws]:
    """Leave to the ranks, which take a sort each, what moves with the outcome at all."""
    centred = outcome - outcome.mean()
    moved = {k: abs(float(v @ centred)) / (float(v.std()) or np.inf) for k, v in causes.items()}
    likely = sorted(moved, key=lambda k: -moved[k])[: 3 * _TORNADO]
    return {k: causes[k] for k in likely}


def _chances(run: Simulation, duration: Draws, params: ScheduleRisk) -> dict[str, JsonValue]:
    """Share of the iterations that keep each limit, and all of them together."""
    kept: dict[str, NDArray[np.bool_]] = {}
    if params.limit_days is not None:
        kept["deadline"] = duration <= params.limit_days + TIE
    if params.limit_date is not None and params.start is not None:
        kept["date"] = run.end <= (params.limit_date - params.start).days + 1 + TIE
    if params.limit_cost is not None:
        kept["budget"] = run.cost <= params.limit_cost
    if len(kept) > 1:
        kept["both"] = np.all(list(kept.values()), axis=0)
    return {k: round(float(np.mean(v)), 2) for k, v in kept.items()}


TOOL = Tool(
    name="schedule_risk",
    description="Critical path, float and Monte Carlo of duration and cost: percentiles, what is "
    "critical, what drives them, merge bias, and the chance of keeping deadline and budget.",
    params=ScheduleRisk,
    run=schedule_risk,
    heavy=True,
    of_plan=True,
)

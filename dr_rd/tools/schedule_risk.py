"""Schedule and cost as distributions: critical path, float, percentiles, what is critical."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, JsonValue

from core.errors import TaskError
from core.graph.state import ThreePoint
from core.tool_router import Tool
from core.values import Frozen
from dr_rd.schedule.cpm import critical_path, critical_path_times
from dr_rd.schedule.montecarlo import Draws, Simulation, percentile, simulate

_SHOWN = (0.1, 0.5, 0.7, 0.8, 0.9)
"""Percentiles that a reader asks for."""


class Activity(Frozen):
    """One task of the network."""

    id: str
    depends_on: tuple[str, ...] = ()
    days: ThreePoint
    """Working days."""
    cost: ThreePoint


class ScheduleRisk(Frozen):
    """What is simulated."""

    activities: tuple[Activity, ...] = Field(min_length=1, max_length=500)
    iterations: int = Field(default=5000, ge=100, le=100_000)
    seed: int = Field(default=0, ge=0)
    days_a_month: int = Field(default=21, ge=1, le=31)
    """Working days in a month."""
    limit_days: float | None = Field(default=None, gt=0)
    limit_cost: float | None = Field(default=None, ge=0)


def schedule_risk(params: ScheduleRisk) -> JsonValue:
    """Simulate the network; days and costs are rounded to whole numbers, shares to 0.01."""
    network = {a.id: a.depends_on for a in params.activities}
    strangers = sorted({d for a in params.activities for d in a.depends_on} - set(network))
    if strangers:
        raise TaskError(f"activity {strangers[0]!r} is waited for but not among the activities")
    run = simulate(
        network,
        {a.id: a.days for a in params.activities},
        {a.id: a.cost for a in params.activities},
        iterations=params.iterations,
        seed=params.seed,
    )
    days = _percentiles(run.duration)
    means = {a.id: a.days.mean for a in params.activities}
    times = critical_path_times(network, means)
    end = max(t.finish for t in times.values())
    return {
        "days": dict(days),
        "months": {k: round(v / params.days_a_month, 1) for k, v in days.items()},
        "days_a_month": params.days_a_month,
        "cost": dict(_percentiles(run.cost)),
        "criticality": {k: round(v, 2) for k, v in run.criticality.items()},
        "critical_path": list(critical_path(network, times)),
        "times": {
            k: {"start": round(t.start), "finish": round(t.finish), "slack": round(t.slack)}
            for k, t in times.items()
        },
        "merge_bias_days": round(float(np.mean(run.duration)) - end, 1),
        "chances": _chances(run, params),
        "iterations": params.iterations,
        "seed": params.seed,
    }


def _percentiles(draws: Draws) -> dict[str, int]:
    found = {f"P{round(share * 100)}": round(percentile(draws, share)) for share in _SHOWN}
    return found | {"mean": round(float(np.mean(draws)))}


def _chances(run: Simulation, params: ScheduleRisk) -> dict[str, JsonValue]:
    """Share of the iterations that keep each limit, and all of them together."""
    kept: dict[str, NDArray[np.bool_]] = {}
    if params.limit_days is not None:
        kept["deadline"] = run.duration <= params.limit_days
    if params.limit_cost is not None:
        kept["budget"] = run.cost <= params.limit_cost
    if len(kept) > 1:
        kept["both"] = kept["deadline"] & kept["budget"]
    return {k: round(float(np.mean(v)), 2) for k, v in kept.items()}


TOOL = Tool(
    name="schedule_risk",
    description="Critical path, float and Monte Carlo percentiles of duration and cost.",
    params=ScheduleRisk,
    run=schedule_risk,
    heavy=True,
)

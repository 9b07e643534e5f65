"""Schedule and cost as distributions, by Monte Carlo over three-point estimates."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.state import ThreePoint
from dr_rd.schedule.cpm import Network, order

Draws = NDArray[np.float64]
"""One value an iteration."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What the iterations gave."""

    duration: Draws
    """Working days from start to end."""
    cost: Draws
    """Total, in the plan's currency."""
    criticality: Mapping[str, float]
    """Share of the iterations in which a task was on the longest path."""


def pert(points: ThreePoint, size: int, rng: np.random.Generator) -> Draws:
    """Draw from the PERT-beta distribution (Malcolm et al. 1959; shape 4) of *points*."""
    span = points.high - points.low
    if span == 0:
        return np.full(size, points.mode)
    a = 1 + 4 * (points.mode - points.low) / span
    b = 1 + 4 * (points.high - points.mode) / span
    return points.low + span * rng.beta(a, b, size)


def simulate(
    network: Network,
    duration: Mapping[str, ThreePoint],
    cost: Mapping[str, ThreePoint],
    *,
    iterations: int,
    seed: int,
) -> Simulation:
    """Draw every task's days and cost *iterations* times and add them up along the network.

    Tasks are drawn independently, in the network's order, so one seed gives one result.
    """
    rng = np.random.default_rng(seed)
    days = {t: pert(duration[t], iterations, rng) for t in network}
    total = sum((pert(cost[t], iterations, rng) for t in network), np.zeros(iterations))
    finish, longest = _forward(network, days, iterations)
    return Simulation(longest, total, _criticality(network, days, finish, longest))


def percentile(draws: Draws, share: float) -> float:
    """Value that *share* (0..1) of the draws do not exceed."""
    return float(np.quantile(draws, share))


def _forward(
    network: Network, days: Mapping[str, Draws], size: int
) -> tuple[dict[str, Draws], Draws]:
    finish: dict[str, Draws] = {}
    for task in order(network):
        start = np.zeros(size)
        for before in network[task]:
            start = np.maximum(start, finish[before])
        finish[task] = start + days[task]
    return finish, np.max(np.stack(list(finish.values())), axis=0)


def _criticality(
    network: Network, days: Mapping[str, Draws], finish: Mapping[str, Draws], longest: Draws
) -> dict[str, float]:
    latest = {t: longest.copy() for t in network}
    for task in reversed(order(network)):
        for before in network[task]:
            latest[before] = np.minimum(latest[before], latest[task] - days[task])
    return {t: float(np.mean(latest[t] - finish[t] < 1e-9)) for t in network}

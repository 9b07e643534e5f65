"""Draws from three-point estimates, many estimates at a time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.graph.state import ThreePoint

Draws = NDArray[np.float64]
"""One row an estimate, one column an iteration; or one value an iteration."""

Shape = Literal["pert", "triangular", "lognormal"]

Rng = np.random.Generator


def draw(points: Sequence[ThreePoint], shape: Shape, size: int, rng: Rng) -> Draws:
    """Draw *size* values of each estimate; one without a spread keeps its value."""
    table = np.array([(p.low, p.mode, p.high) for p in points], dtype=np.float64).reshape(-1, 3)
    found = np.repeat(table[:, 1:2], size, axis=1)
    wide = table[:, 0] < table[:, 2]
    if wide.any():
        low, mode, high = (column[:, None] for column in table[wide].T)
        found[wide] = SAMPLERS[shape](low, mode, high, size, rng)
    return found


def mean(points: ThreePoint, shape: Shape) -> float:
    """Return the mean of what `draw` draws."""
    if shape == "triangular":
        return (points.low + points.mode + points.high) / 3
    return points.mean


def _pert(low: Draws, mode: Draws, high: Draws, size: int, rng: Rng) -> Draws:
    """Draw from the PERT-beta distribution (Malcolm et al. 1959; shape 4)."""
    span = high - low
    a, b = 1 + 4 * (mode - low) / span, 1 + 4 * (high - mode) / span
    return low + span * rng.beta(a, b, (len(low), size))


def _triangular(low: Draws, mode: Draws, high: Draws, size: int, rng: Rng) -> Draws:
    return rng.triangular(low, mode, high, (len(low), size))


def _lognormal(low: Draws, mode: Draws, high: Draws, size: int, rng: Rng) -> Draws:
    """Draw with the mean and the sd of PERT, (high - low) / 6, and no upper end.

    For work that may overrun what anybody calls the worst case; low and high are no bounds.
    """
    average = (low + 4 * mode + high) / 6
    variance = np.log1p(((high - low) / 6 / average) ** 2)
    return rng.lognormal(np.log(average) - variance / 2, np.sqrt(variance), (len(low), size))


SAMPLERS: Mapping[Shape, Callable[[Draws, Draws, Draws, int, Rng], Draws]] = {
    "pert": _pert,
    "triangular": _triangular,
    "lognormal": _lognormal,
}
"""By shape: columns of lows, modes and highs to one row of draws each."""

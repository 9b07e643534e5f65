"""Draws from named distributions, one stream of chance for each input.

The stream hangs on the seed and the input's name alone: another input, another order or a sweep
leaves an input's draws as they were.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from math import hypot, log, sqrt

import numpy as np

from dr_rd.simulation.formula import Array

Rng = np.random.Generator


def draw(kind: str, numbers: Mapping[str, object], size: int, rng: Rng) -> Array:
    """Draw *size* values from the distribution *kind* with those parameters, as float64."""
    return SAMPLERS[kind](size, rng, **numbers)


def stream(seed: int, name: str) -> Rng:
    """Return the generator of the input *name*; PCG64, which NumPy keeps the same for ever."""
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16])
    return np.random.Generator(np.random.PCG64([seed, key]))


def _fixed(size: int, _: Rng, *, value: float) -> Array:
    return np.full(size, value, dtype=np.float64)


def _normal(size: int, rng: Rng, *, mean: float, sd: float) -> Array:
    return rng.normal(mean, sd, size)


def _lognormal(size: int, rng: Rng, *, mean: float, sd: float) -> Array:
    """Draw so that the values, not their logarithms, have this mean and sd."""
    variance = 2 * log(hypot(1, sd / mean))  # log(1 + (sd / mean)²), without overflow
    return rng.lognormal(log(mean) - variance / 2, sqrt(variance), size)


def _uniform(size: int, rng: Rng, *, low: float, high: float) -> Array:
    return rng.uniform(low, high, size)


def _triangular(size: int, rng: Rng, *, low: float, mode: float, high: float) -> Array:
    return _fixed(size, rng, value=low) if low == high else rng.triangular(low, mode, high, size)


def _pert(size: int, rng: Rng, *, low: float, mode: float, high: float) -> Array:
    """Draw from the PERT-beta distribution (Malcolm et al. 1959; shape 4)."""
    if low == high:
        return _fixed(size, rng, value=low)
    span = high - low
    return low + span * rng.beta(1 + 4 * (mode - low) / span, 1 + 4 * (high - mode) / span, size)


def _empirical(size: int, rng: Rng, *, values: Sequence[float]) -> Array:
    """Draw from the observed values, each as likely as the others, with replacement."""
    return rng.choice(np.asarray(values, dtype=np.float64), size)


SAMPLERS: Mapping[str, Callable[..., Array]] = {
    "fixed": _fixed,
    "normal": _normal,
    "lognormal": _lognormal,
    "uniform": _uniform,
    "triangular": _triangular,
    "pert": _pert,
    "empirical": _empirical,
}
"""By kind: (size, generator, parameters) to draws."""

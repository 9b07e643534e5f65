"""How far raters agree beyond chance, and how sure that is.

Ratings are numbers on one scale; None where a rater gave none. Levels that are only ordered are
given as equally spaced numbers. Intervals are 95 % percentile intervals over texts drawn with
replacement: ratings of one text depend on each other, so texts are drawn and not ratings.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

Rows = Sequence[Sequence[float | None]]
"""One row for each text, one rating in it for each rater."""

Interval = tuple[float, float]

_Z = 1.959964
"""The 97.5 % quantile of the normal distribution."""

_DRAWS = 1000


def weighted_kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cohen's kappa of two raters with quadratic weights; None where no chance of error is left.

    Cohen (1968), Psychological Bulletin 70: one less the observed over the expected mean square
    of the difference.
    """
    return _finite_or_none(_kappas(first, second, np.ones((1, len(first)))))


def kappa_interval(first: Sequence[float], second: Sequence[float], seed: int) -> Interval | None:
    """Return the interval of `weighted_kappa`; None where most draws leave it undefined."""
    return _interval(_kappas(first, second, _bootstrap_weights(len(first), seed)))


def alpha(rows: Rows, *, nominal: bool = False) -> float | None:
    """Krippendorff's alpha for any number of raters and missing ratings; None if undefined.

    Krippendorff (2004), Content Analysis, chapter 11: one less the observed over the expected
    disagreement, with interval differences, or nominal ones if *nominal*.
    """
    return _finite_or_none(_alphas(rows, np.ones((1, len(rows))), nominal=nominal))


def alpha_interval(rows: Rows, seed: int) -> Interval | None:
    """Return the interval of `alpha`; None where most draws leave it undefined."""
    return _interval(_alphas(rows, _bootstrap_weights(len(rows), seed), nominal=False))


def wilson(found: int, of: int) -> Interval:
    """Return the interval of a share, by Wilson's score (1927, JASA 22); (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    share, z2 = found / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return (max(0.0, middle - half) if found else 0.0), (
        min(1.0, middle + half) if found < of else 1.0
    )


def _kappas(first: Sequence[float], second: Sequence[float], weights: Array) -> Array:
    """Return kappa for each row of *weights*, which say how often each text counts."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    levels = np.unique(np.concatenate([a, b]))
    observed = weights @ (a - b) ** 2
    seen = [weights @ (held[:, None] == levels) for held in (a, b)]
    expected = np.einsum("dl,lm,dm->d", seen[0], _steps(levels), seen[1])
    return _beyond(observed * weights.sum(1), expected)


def _alphas(rows: Rows, weights: Array, *, nominal: bool) -> Array:
    """Return alpha for each row of *weights*, which say how often each text counts."""
    levels = np.unique([r for row in rows for r in row if r is not None])
    steps = (_steps(levels) != 0).astype(float) if nominal else _steps(levels)
    tally = np.array([[row.count(level) for level in levels] for row in map(list, rows)], float)
    tally = tally.reshape(len(rows), len(levels))
    raters = tally.sum(1)
    tally[raters < 2] = 0  # a rating beside no other agrees with nobody
    within = np.einsum("nl,lm,nm->n", tally, steps, tally) / np.maximum(raters - 1, 1)
    seen = weights @ tally
    expected = np.einsum("dl,lm,dm->d", seen, steps, seen)
    return _beyond((weights @ within) * (seen.sum(1) - 1), expected)


def _steps(levels: Array) -> Array:
    """Return the squared difference of every two levels."""
    found: Array = (levels[:, None] - levels[None, :]) ** 2
    return found


def _beyond(observed: Array, expected: Array) -> Array:
    """Return agreement beyond chance; not a number where chance never disagrees."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def _bootstrap_weights(texts: int, seed: int) -> Array:
    """Draw as many texts as there are, again and again: how often each one comes."""
    if not texts:
        return np.ones((_DRAWS, 0))
    chance = np.random.default_rng(seed)
    return chance.multinomial(texts, np.full(texts, 1 / texts), _DRAWS).astype(float)


def _finite_or_none(found: Array) -> float | None:
    return None if np.isnan(found[0]) else float(found[0])


def _interval(found: Array) -> Interval | None:
    known = found[~np.isnan(found)]
    if len(known) < len(found) / 2:
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)

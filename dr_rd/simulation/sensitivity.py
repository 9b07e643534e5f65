"""Which input an outcome hangs on: by rank correlation, or by shares of the variance."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dr_rd.simulation.formula import Array


@dataclass(frozen=True, slots=True)
class Shares:
    """An input's shares of the variance of an outcome."""

    first: float
    """What the input explains alone (first order)."""
    total: float
    """What it explains alone and in company (total order)."""
    error: float
    """Standard error of *first*, from the spread of its terms."""


def rank_correlation(inputs: Mapping[str, Array], outcome: Array) -> dict[str, float]:
    """Spearman's rank correlation of each input with *outcome*, over its finite draws.

    Args:
        inputs: The ranks of each input, which are the same for every outcome.
        outcome: What came out.

    Returns:
        An input that does not vary, or an outcome that does not, has none and is left out.

    """
    kept = np.isfinite(outcome)
    own = ranks(outcome[kept])
    if not len(own):
        return {}
    off, wide = own - np.mean(own), np.std(own)
    found: dict[str, float] = {}
    for name, given in inputs.items():
        among = given if kept.all() else ranks(given[kept])
        spread = float(np.std(among) * wide)
        if spread > 0:
            moment = float(np.mean((among - np.mean(among)) * off))
            found[name] = moment / spread
    return found


def ranks(values: Array) -> Array:
    """Return ranks from 0; equal values share the mean of theirs."""
    by_size = np.argsort(values)
    climbing = values[by_size]
    first = np.flatnonzero(np.append(True, climbing[1:] != climbing[:-1])[: len(values)])
    counts = np.diff(np.append(first, len(values)))
    found = np.empty(len(values))
    found[by_size] = np.repeat(first + (counts - 1) / 2, counts)
    return found


def variance_shares(a: Array, b: Array, mixed: Array) -> Shares | None:
    """Sobol' indices of one input from three runs of a model with independent inputs.

    First order by Saltelli et al. (2010), Comput. Phys. Commun. 181, 259-270, table 2 (b);
    total order by Jansen (1999), Comput. Phys. Commun. 117, 35-43, table 2 (f) there.

    Args:
        a: The outcome with the inputs' first draws.
        b: The outcome with their second, independent draws.
        mixed: The outcome with the first draws, but this input's second ones.

    Returns:
        None where the outcome does not vary; draws that are not finite in all three are left out.

    """
    kept = np.isfinite(a) & np.isfinite(b) & np.isfinite(mixed)
    a, b, mixed = a[kept], b[kept], mixed[kept]
    both = np.concatenate([a, b])
    variance = float(np.var(both)) if len(a) > 1 else 0.0
    if not 0 < variance < np.inf:
        return None
    # measured from the mean: the sum is the same on average, and far less noisy
    terms = (b - np.mean(both)) * (mixed - a) / variance
    return Shares(
        first=float(np.mean(terms)),
        total=float(np.mean((a - mixed) ** 2)) / (2 * variance),
        error=float(np.std(terms)) / float(np.sqrt(len(terms))),
    )

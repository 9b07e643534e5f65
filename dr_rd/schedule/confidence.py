"""How sure a total is: percentiles by risk posture, and of a sum of independent costs."""

from collections.abc import Iterable, Mapping
from math import sqrt
from statistics import NormalDist

from core.graph.state import ThreePoint

PERCENTILE: Mapping[str, float] = {"low": 0.8, "medium": 0.7, "high": 0.5}
"""The confidence a plan is held to, by risk posture: a cautious one plans at P80."""


def at_confidence(costs: Iterable[ThreePoint], share: float) -> float:
    """Total that *share* (0..1) of the outcomes do not exceed.

    Independent PERT estimates, each of the variance of its beta distribution; their sum is taken
    as normal. Quick enough to try a hundred cuts; what is reported is simulated.
    """
    points = list(costs)
    # of three points that are one, rounding may leave less than nothing
    spread = sqrt(max(0.0, sum((c.mean - c.low) * (c.high - c.mean) / 7 for c in points)))
    return sum(c.mean for c in points) + NormalDist().inv_cdf(share) * spread

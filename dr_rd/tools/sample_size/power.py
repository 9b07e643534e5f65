"""What a design reads of a call, and the chance that its test finds an effect."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isinf, sqrt
from statistics import NormalDist
from typing import Literal

from pydantic import Field

from core.values import Frozen
from dr_rd.tools.sample_size.tails import f_above, f_tail, normal_tail, t_above, t_tail

MOST = 10_000_000
"""Units beyond which no study is planned."""

LARGEST = 20.0
"""Standard deviations, or times, beyond which no effect lies."""

_NEARLY = 1 - 1e-6


class Asked(Frozen):
    """What a design reads of a call."""

    alpha: float = Field(default=0.05, ge=1e-9, lt=0.5)
    """Error of the first kind; an interval has the confidence 1 - alpha. Two-sided, so that a test
    of non-inferiority takes half of it on its one side; equivalence and a test of discrimination,
    one-sided by nature, take all of it."""
    sides: Literal[1, 2] = 2
    """1 where alpha is the error on one side alone."""
    power: float = Field(default=0.8, gt=0.5, lt=1)
    ratio: float = Field(default=1.0, ge=0.001, le=1000)
    """Units of the second group for each of the first."""
    groups: int = Field(default=3, ge=2, le=50)
    """Of an analysis of variance."""
    factors: int = Field(default=3, ge=1, le=50)
    """Of a two-level factorial."""
    base: float | None = Field(default=None, gt=0, lt=1)
    """Proportion in the comparator, or expected where its precision is sized (0.5, the worst,
    where it is unknown); in a test of discrimination the chance of a right guess; the area under
    a curve that a better one is held against, or whose precision is sized."""
    difference: float = Field(default=0.0, gt=-1, lt=1)
    """True difference under which non-inferiority, in favour of the new, or equivalence is to be
    shown: of proportions, or in standard deviations."""
    correlation: float = Field(default=0.5, ge=0, lt=1)
    """Of two measurements of one unit."""
    before: int = Field(default=1, ge=1, le=100)
    """Measurements of a unit before the treatment starts."""
    after: int = Field(default=1, ge=1, le=100)
    continuity: bool = False
    """Whether the test of two proportions is corrected for continuity."""
    population: int | None = Field(default=None, ge=2, le=10**12)
    """Units there are in all, where precision is sized for a finite number of them."""
    discordant: float | None = Field(default=None, gt=0, lt=1)
    """Share of pairs whose members differ, in both directions together."""
    rate: float | None = Field(default=None, gt=0, le=1e6)
    """Events in the comparator per unit of time."""
    follow_up: float = Field(default=1.0, gt=0, le=1e6)
    """Time that a unit is followed, in that of the rate."""
    freedman: bool = False
    """Whether events are counted by Freedman's formula, not by that of Schoenfeld."""
    event_share: float | None = Field(default=None, gt=0, le=1)
    """Share of all participants who have the event while they are followed."""
    steps: int = Field(default=4, ge=2, le=50)
    """Of a stepped wedge: times at which clusters change over."""
    cluster_size: float | None = Field(default=None, ge=1, le=MOST)
    """Members of a cluster, where clusters are allocated or drawn; in a stepped wedge those
    measured in each period."""
    icc: float = Field(default=0.0, ge=0, le=1)
    """Intracluster correlation."""
    attrition: float = Field(default=0.0, ge=0, lt=0.9)
    """Share of the units expected to be lost."""
    response: float = Field(default=1.0, ge=0.01, le=1)
    """Share of those invited that takes part."""

    @property
    def tail(self) -> float:
        """Error on one side."""
        return self.alpha / self.sides

    @property
    def kept(self) -> float:
        """Share of the units enrolled, or invited, that is left for the analysis."""
        return self.response * (1 - self.attrition)


@dataclass(frozen=True, slots=True)
class Units:
    """What a group brings to the analysis."""

    count: float
    """Independent units a group (pairs, runs or units in all where there is one group)."""
    clusters: float | None = None
    """Clusters a group, where clusters were allocated; they set the degrees of freedom."""

    def freedom(self, plain: float, groups: float) -> float:
        """Degrees of freedom: *plain*, or clusters less one a group (Donner & Klar 2000, ch. 6)."""
        return plain if self.clusters is None else groups * (self.clusters - 1)


@dataclass(frozen=True, slots=True)
class Scale:
    """The effects that a design can have."""

    low: float
    high: float
    """Open bounds."""
    most: float
    """The one that is shown most easily."""
    none: float = 0.0
    """What an effect is where there is none."""
    least: float = 0.001
    """Distance from it below which nothing is sized."""
    digits: int = 2

    def holds(self, effect: float) -> bool:
        """Whether it can be sized."""
        return self.low < effect < self.high and abs(effect - self.none) >= self.least


def deviations(asked: Asked) -> Scale:
    """Standard deviations, or another measure that has no bound."""
    del asked
    return Scale(0, inf, LARGEST)


def share(asked: Asked) -> Scale:
    """A share of its own, such as a margin."""
    del asked
    return Scale(0, 1, _NEARLY, digits=3)


def from_base(asked: Asked) -> Scale:
    """A difference from the base; the one most easily shown points to the half."""
    first = base(asked)
    return Scale(-first, 1 - first, (1 - first if first <= 0.5 else -first) * _NEARLY, digits=3)


def times(asked: Asked) -> Scale:
    """A ratio, 1 without an effect."""
    del asked
    return Scale(0, inf, 1 - _NEARLY, none=1.0, least=0.01)


def times_above(asked: Asked) -> Scale:
    """A ratio of which the larger is the one most easily shown."""
    del asked
    return Scale(0, inf, LARGEST, none=1.0, least=0.01)


Reach = Callable[[Asked, float, Units], float]
"""By how much units go beyond what an effect asks for; below 0 they are too few."""


def fixed(*effects: float) -> Callable[[Asked], tuple[float, ...]]:
    """Return the same effects for every call."""
    return lambda _: effects


@dataclass(frozen=True, slots=True)
class Design:
    """One design."""

    title: str
    """In a few words, as a reader meets it."""
    effect: str
    """What an effect is, with its unit."""
    unit: str
    """What is counted: "per group", "pairs", "runs"."""
    customary: Callable[[Asked], tuple[float, ...]]
    """Sized where the call names none: small, medium and large by Cohen (1988) where he has them."""
    reach: Reach
    note: str
    """What the figures rest on, in a sentence."""
    scale: Callable[[Asked], Scale] = deviations
    compared: bool = True
    """Whether several groups are enrolled, so that the total is more than one group's number."""
    step: Callable[[Asked], int] = lambda _: 1
    """The number of units is a multiple of this."""
    fewest: int = 2
    made_up: bool = True
    """Whether losses are made up by more of the units that are counted."""


def chance(shift: float, df: float, asked: Asked, *, null_scale: float = 1.0) -> float:
    """Power of a test whose statistic has noncentrality *shift*, on the sides that are asked for.

    Args:
        shift: The effect over its standard error.
        df: Degrees of freedom; infinite for a normal statistic.
        asked: Says the error of the first kind and its sides.
        null_scale: Standard error without an effect over that with it (normal statistics only).

    """
    if asked.sides == 1:
        return upper_chance(shift, df, asked.tail, null_scale=null_scale)
    if isinf(df):
        bound = NormalDist().inv_cdf(1 - asked.tail) * null_scale
        return normal_tail(bound - shift) + normal_tail(bound + shift)
    return f_tail(f_above(asked.alpha, 1, df), 1, df, shift**2)


def upper_chance(shift: float, df: float, tail: float, *, null_scale: float = 1.0) -> float:
    """Power of a test that looks to one side alone, with the error *tail* there."""
    if isinf(df):
        return normal_tail(NormalDist().inv_cdf(1 - tail) * null_scale - shift)
    return t_tail(t_above(tail, df), df, shift)


def pair_of_groups(asked: Asked, units: Units) -> tuple[float, float]:
    """Root of the harmonic size of two groups, and the degrees of freedom of their difference."""
    n, ratio = units.count, asked.ratio
    root = sqrt(n * ratio / (1 + ratio))
    return root, units.freedom(n * (1 + ratio) - 2, 2)


def half_width(asked: Asked, error: float, df: float) -> float:
    """Half-width of an interval whose estimate has the standard *error*."""
    bound = (
        NormalDist().inv_cdf(1 - asked.alpha / 2) if isinf(df) else t_above(asked.alpha / 2, df)
    )
    return bound * error


def base(asked: Asked) -> float:
    """Return the base; raises ValueError without one."""
    if asked.base is None:
        raise ValueError("a design of proportions needs its base")
    return asked.base


def spread(part: float) -> float:
    """Variance of one answer, where *part* of them are yes."""
    return part * (1 - part)


def sampling_error(asked: Asked, deviation: float, n: float) -> float:
    """Standard error of a mean; of a whole population it is 0 (Cochran 1977, 2.6)."""
    total = asked.population
    left = 1.0 if total is None else max(0.0, (total - n) / max(1, total - 1))
    return deviation * sqrt(left / n)

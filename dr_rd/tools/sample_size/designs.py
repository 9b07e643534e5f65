"""The designs that can be sized: what an effect is in each, and how many units show it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import asin, atanh, ceil, inf, isinf, sin, sqrt
from statistics import NormalDist
from typing import Literal

from pydantic import Field

from core.values import Frozen
from dr_rd.tools.sample_size.tails import (
    binomial_power,
    f_above,
    f_tail,
    normal_tail,
    t_above,
    t_tail,
)

Name = Literal[
    "two_means", "paired_means", "one_mean", "two_proportions", "one_proportion", "correlation",
    "anova", "factorial", "difference_in_differences", "baseline_adjusted",
    "non_inferiority_means", "non_inferiority_proportions", "mean_precision",
    "proportion_precision", "discrimination",
]  # fmt: skip


class Asked(Frozen):
    """What a design reads of a call."""

    alpha: float = Field(default=0.05, ge=1e-9, lt=0.5)
    """Two-sided error of the first kind; non-inferiority takes half of it on its one side, a test
    of discrimination, one-sided by nature, all of it, and an interval has the confidence 1 - alpha."""
    power: float = Field(default=0.8, gt=0.5, lt=1)
    ratio: float = Field(default=1.0, ge=0.1, le=10)
    """Units of the second group for each of the first."""
    groups: int = Field(default=3, ge=2, le=50)
    """Of an analysis of variance."""
    factors: int = Field(default=3, ge=1, le=50)
    """Of a two-level factorial."""
    base: float | None = Field(default=None, gt=0, lt=1)
    """Proportion in the comparator, or expected where its precision is sized (0.5, the worst,
    where it is unknown); in a test of discrimination the chance of a right guess."""
    difference: float = Field(default=0.0, gt=-1, lt=1)
    """True difference under which non-inferiority is to be shown, in favour of the new."""
    correlation: float = Field(default=0.5, ge=0, lt=1)
    """Of two measurements of one unit."""
    before: int = Field(default=1, ge=1, le=100)
    """Measurements of a unit before the treatment starts."""
    after: int = Field(default=1, ge=1, le=100)
    continuity: bool = False
    """Whether the test of two proportions is corrected for continuity."""
    population: int | None = Field(default=None, ge=2, le=10**12)
    """Units there are in all, where precision is sized for a finite number of them."""


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


Reach = Callable[[Asked, float, Units], float]
"""By how much units go beyond what an effect asks for; below 0 they are too few."""


@dataclass(frozen=True, slots=True)
class Design:
    """One design."""

    title: str
    """In a few words, as a reader meets it."""
    effect: str
    """What an effect is, with its unit."""
    unit: str
    """What is counted: "per group", "pairs", "runs"."""
    effects: tuple[float, ...]
    """Sized where the call names none: small, medium and large by Cohen (1988) where he has them."""
    reach: Reach
    note: str
    """What the figures rest on, in a sentence."""
    compared: bool = True
    """Whether several groups are enrolled, so that the total is more than one group's number."""
    step: int = 1
    """The number of units is a multiple of this."""
    fewest: int = 2


def chance(
    shift: float, df: float, alpha: float, *, sided: int = 2, null_scale: float = 1.0
) -> float:
    """Power of a test whose statistic has noncentrality *shift*.

    Args:
        shift: The effect over its standard error.
        df: Degrees of freedom; infinite for a normal statistic.
        alpha: Two-sided error of the first kind; a one-sided test takes half of it.
        sided: 2, or 1 where only one direction counts.
        null_scale: Standard error without an effect over that with it (normal statistics only).

    """
    if isinf(df):
        bound = NormalDist().inv_cdf(1 - alpha / 2) * null_scale
        other = normal_tail(bound + shift) if sided == 2 else 0.0
        return normal_tail(bound - shift) + other
    if sided == 1:
        return t_tail(t_above(alpha / 2, df), df, shift)
    return f_tail(f_above(alpha, 1, df), 1, df, shift**2)


def _pair_of_groups(asked: Asked, units: Units) -> tuple[float, float]:
    """Root of the harmonic size of two groups, and the degrees of freedom of their difference."""
    n, ratio = units.count, asked.ratio
    root = sqrt(n * ratio / (1 + ratio))
    return root, units.freedom(n * (1 + ratio) - 2, 2)


def two_means(asked: Asked, effect: float, units: Units) -> float:
    """Two-sample t test (Cohen 1988, ch. 2)."""
    root, df = _pair_of_groups(asked, units)
    return chance(effect * root, df, asked.alpha) - asked.power


def one_mean(asked: Asked, effect: float, units: Units) -> float:
    """One-sample t test, also of differences within pairs (Cohen 1988, 2.3.4 and 2.5)."""
    df = units.freedom(units.count - 1, 1)
    return chance(effect * sqrt(units.count), df, asked.alpha) - asked.power


def difference_in_differences(asked: Asked, effect: float, units: Units) -> float:
    """Means after less means before, compared between two groups.

    Under one correlation ρ of any two measurements of a unit, the variance of its change is
    (1 - ρ)(1/before + 1/after) that of one measurement (Frison & Pocock 1992; McKenzie 2012).
    """
    spread = (1 - asked.correlation) * (1 / asked.before + 1 / asked.after)
    return two_means(asked, effect / sqrt(spread), units)


def baseline_adjusted(asked: Asked, effect: float, units: Units) -> float:
    """Means after, adjusted for the mean before by analysis of covariance.

    The variance is (1 + (after - 1)ρ)/after - before ρ²/(1 + (before - 1)ρ) that of one
    measurement (Frison & Pocock 1992; McKenzie 2012), and one degree of freedom goes to the slope.
    """
    rho, before, after = asked.correlation, asked.before, asked.after
    gain = before * rho**2 / (1 + (before - 1) * rho)
    spread = (1 + (after - 1) * rho) / after - gain
    root, df = _pair_of_groups(asked, units)
    df -= 0 if units.clusters else 1
    return chance(effect / sqrt(spread) * root, df, asked.alpha) - asked.power


def two_proportions(asked: Asked, effect: float, units: Units) -> float:
    """Difference of two proportions: pooled variance without, separate with an effect (Fleiss).

    With `continuity`, n is first taken back to what it would be without the correction
    (Fleiss, Tytun & Ury 1980).
    """
    first, second, ratio = _base(asked), _base(asked) + effect, asked.ratio
    root = sqrt(units.count)
    if asked.continuity:
        root -= (1 + ratio) / (ratio * abs(effect)) / (2 * root)
    if root <= 0:
        return -asked.power
    pooled = (first + ratio * second) / (1 + ratio)
    null = sqrt(_spread(pooled) * (1 + 1 / ratio))
    true = sqrt(_spread(first) + _spread(second) / ratio)
    return _proportions(asked, abs(effect) * root, null, true, units)


def one_proportion(asked: Asked, effect: float, units: Units) -> float:
    """Difference of one proportion from a fixed one (Fleiss, Levin & Paik 2003, ch. 2)."""
    base = _base(asked)
    null, true = sqrt(_spread(base)), sqrt(_spread(base + effect))
    return _proportions(asked, abs(effect) * sqrt(units.count), null, true, units)


def _proportions(asked: Asked, signal: float, null: float, true: float, units: Units) -> float:
    df = units.freedom(inf, 2)
    if isinf(df):
        found = chance(signal / true, df, asked.alpha, null_scale=null / true)
    else:
        found = chance(signal / max(null, true), df, asked.alpha)
    return found - asked.power


def discrimination(asked: Asked, effect: float, units: Units) -> float:
    """Exact one-sided binomial test of right answers against chance, as in ISO 4120.

    The effect is the share of those who can tell; the others guess. Power falls back a little each
    time one more right answer is asked for: enough is what has it at this number or just below.
    """
    base = _base(asked)
    right, n = base + (1 - base) * effect, int(units.count)
    span = range(max(1, n - ceil(4 / base)), n + 1)
    return max(binomial_power(m, base, right, asked.alpha) for m in span) - asked.power


def correlation(asked: Asked, effect: float, units: Units) -> float:
    """Correlation against none, by Fisher's z with its bias (Cohen 1988, ch. 3)."""
    n = units.count
    shift = (atanh(abs(effect)) + abs(effect) / (2 * (n - 1))) * sqrt(n - 3)
    return chance(shift, units.freedom(inf, 1), asked.alpha) - asked.power


def anova(asked: Asked, effect: float, units: Units) -> float:
    """One-way analysis of variance of groups of one size (Cohen 1988, ch. 8)."""
    groups, total = asked.groups, asked.groups * units.count
    df1, df2 = groups - 1, units.freedom(total - groups, groups)
    return f_tail(f_above(asked.alpha, df1, df2), df1, df2, effect**2 * total) - asked.power


def factorial(asked: Asked, effect: float, units: Units) -> float:
    """A main effect of a two-level design: one half of the runs against the other.

    The model holds the mean and the main effects; what remains of the runs estimates the error
    (Box, Hunter & Hunter 2005, ch. 5).
    """
    df = units.freedom(units.count - asked.factors - 1, 2)
    return chance(effect * sqrt(units.count) / 2, df, asked.alpha) - asked.power


def non_inferiority_means(asked: Asked, effect: float, units: Units) -> float:
    """One-sided t test against a margin (Chow, Shao & Wang 2008, 3.2.2)."""
    root, df = _pair_of_groups(asked, units)
    shift = (effect + asked.difference) * root
    return chance(shift, df, asked.alpha, sided=1) - asked.power


def non_inferiority_proportions(asked: Asked, effect: float, units: Units) -> float:
    """One-sided test of two proportions against a margin (Chow, Shao & Wang 2008, 4.2.2)."""
    control = _base(asked)
    true = sqrt(_spread(control) + _spread(control + asked.difference) / asked.ratio)
    shift = (effect + asked.difference) * sqrt(units.count) / true
    return chance(shift, units.freedom(inf, 2), asked.alpha, sided=1) - asked.power


def mean_precision(asked: Asked, effect: float, units: Units) -> float:
    """Half-width of the t interval of a mean."""
    df = units.freedom(units.count - 1, 1)
    return effect - t_above(asked.alpha / 2, df) * _error(asked, 1.0, units.count)


def proportion_precision(asked: Asked, effect: float, units: Units) -> float:
    """Half-width of the normal interval of a proportion (Cochran 1977, 4.4)."""
    df = units.freedom(inf, 1)
    bound = (
        NormalDist().inv_cdf(1 - asked.alpha / 2) if isinf(df) else t_above(asked.alpha / 2, df)
    )
    base = 0.5 if asked.base is None else asked.base
    return effect - bound * _error(asked, sqrt(_spread(base)), units.count)


def _error(asked: Asked, spread: float, n: float) -> float:
    """Standard error of a mean; of a whole population it is 0 (Cochran 1977, 2.6)."""
    total = asked.population
    left = 1.0 if total is None else max(0.0, (total - n) / max(1, total - 1))
    return spread * sqrt(left / n)


def _base(asked: Asked) -> float:
    if asked.base is None:
        raise ValueError("a design of proportions needs its base")
    return asked.base


def _spread(share: float) -> float:
    return share * (1 - share)


def shares_apart(base: float, h: float) -> float:
    """Difference from *base* whose arcsine effect is *h* (Cohen 1988, ch. 6), towards a half."""
    sign = 1 if base <= 0.5 else -1
    return sin(asin(sqrt(base)) + sign * h / 2) ** 2 - base


_COHEN_D = (0.2, 0.5, 0.8)
_COHEN_H = (0.2, 0.5, 0.8)
"""Of proportions; turned into differences by `shares_apart`."""

_D = "Standardised difference (Cohen's d)"

DESIGNS: Mapping[Name, Design] = {
    "two_means": Design(
        "two groups", _D, "per group", _COHEN_D, two_means,
        "It sizes one plain comparison of two means by the t test.",
    ),
    "paired_means": Design(
        "paired", "Standardised difference (d of pairs)", "pairs", _COHEN_D, one_mean,
        "It sizes the mean difference within pairs, in standard deviations of that difference.",
        compared=False,
    ),
    "one_mean": Design(
        "one group against a fixed value", _D, "units", _COHEN_D, one_mean,
        "It sizes one mean against a fixed value by the t test.", compared=False,
    ),
    "two_proportions": Design(
        "two proportions", "Difference of proportions", "per group", _COHEN_H, two_proportions,
        "It sizes the difference of two proportions by the normal approximation.",
    ),
    "one_proportion": Design(
        "one proportion against a fixed one", "Difference from it", "units", _COHEN_H,
        one_proportion, "It sizes one proportion by the normal approximation.", compared=False,
    ),
    "correlation": Design(
        "a correlation", "Correlation", "units", (0.1, 0.3, 0.5), correlation,
        "It sizes the correlation of two measurements of a unit, by Fisher's z: one straight line, "
        "without covariates.",
        compared=False, fewest=4,
    ),
    "anova": Design(
        "one-way analysis of variance", "Effect (Cohen's f)", "per group", (0.1, 0.25, 0.4), anova,
        "It sizes the F test that all means are equal, not any one comparison behind it.",
    ),
    "factorial": Design(
        "two-level factorial", "Main effect (standard deviations of a run)", "runs",
        (0.5, 0.8, 1.0, 2.0), factorial,
        "It sizes a main effect, half of the runs against the other half; interactions and "
        "curvature take more runs.",
        compared=False, step=4, fewest=4,
    ),
    "difference_in_differences": Design(
        "difference in differences", "Difference of changes (standard deviations)", "per group",
        _COHEN_D, difference_in_differences,
        "It sizes the change of two groups of independent units under one correlation of any two "
        "measurements; a shock that a whole group shares is not in it.",
    ),
    "baseline_adjusted": Design(
        "two groups adjusted for the measurement before", _D, "per group", _COHEN_D,
        baseline_adjusted,
        "It sizes the comparison of two groups by analysis of covariance.",
    ),
    "non_inferiority_means": Design(
        "non-inferiority of means", "Margin (standard deviations)", "per group", _COHEN_D,
        non_inferiority_means,
        "It sizes a one-sided test at half of alpha against the margin.",
    ),
    "non_inferiority_proportions": Design(
        "non-inferiority of proportions", "Margin", "per group", (0.05, 0.1, 0.15),
        non_inferiority_proportions,
        "It sizes a one-sided test at half of alpha against the margin.",
    ),
    "discrimination": Design(
        "right answers against guessing", "Share of those who can tell", "assessors",
        (0.2, 0.3, 0.5), discrimination,
        "It sizes the exact one-sided binomial test of right answers, one by each assessor, against "
        "the chance of guessing right.",
        compared=False, fewest=5,
    ),
    "mean_precision": Design(
        "precision of a mean", "Half-width (standard deviations)", "units", (0.1, 0.2, 0.5),
        mean_precision,
        "It sizes the interval of one mean by its expected half-width; no test is made.",
        compared=False,
    ),
    "proportion_precision": Design(
        "precision of a proportion", "Half-width", "units", (0.025, 0.05, 0.1),
        proportion_precision,
        "It sizes the interval of one proportion by its half-width; no test is made.",
        compared=False,
    ),
}  # fmt: skip

PRECISION: tuple[Name, ...] = ("mean_precision", "proportion_precision")
OF_SHARES: tuple[Name, ...] = ("two_proportions", "one_proportion")
NEED_BASE: tuple[Name, ...] = (*OF_SHARES, "non_inferiority_proportions", "discrimination")

"""Power of designs whose outcome is a mean."""

from math import atanh, inf, isinf, sqrt
from statistics import NormalDist

from dr_rd.tools.sample_size.power import (
    Asked,
    Units,
    chance,
    half_width,
    pair_of_groups,
    sampling_error,
    upper_chance,
)
from dr_rd.tools.sample_size.tails import between_tails, f_above, f_tail, t_above


def two_means(asked: Asked, effect: float, units: Units) -> float:
    """Two-sample t test (Cohen 1988, ch. 2)."""
    root, df = pair_of_groups(asked, units)
    return chance(effect * root, df, asked) - asked.power


def one_mean(asked: Asked, effect: float, units: Units) -> float:
    """One-sample t test, also of differences within pairs (Cohen 1988, 2.3.4 and 2.5)."""
    df = units.freedom(units.count - 1, 1)
    return chance(effect * sqrt(units.count), df, asked) - asked.power


def difference_in_differences(asked: Asked, effect: float, units: Units) -> float:
    """Means after less means before, compared between two groups.

    Under one correlation ρ of any two measurements of a unit, the variance of its change is
    (1 - ρ)(1/before + 1/after) that of one measurement (Frison & Pocock 1992; McKenzie 2012).
    """
    variance = (1 - asked.correlation) * (1 / asked.before + 1 / asked.after)
    return two_means(asked, effect / sqrt(variance), units)


def baseline_adjusted(asked: Asked, effect: float, units: Units) -> float:
    """Means after, adjusted for the mean before by analysis of covariance.

    The variance is (1 + (after - 1)ρ)/after - before ρ²/(1 + (before - 1)ρ) that of one
    measurement (Frison & Pocock 1992; McKenzie 2012), and one degree of freedom goes to the slope.
    """
    rho, before, after = asked.correlation, asked.before, asked.after
    gain = before * rho**2 / (1 + (before - 1) * rho)
    variance = (1 + (after - 1) * rho) / after - gain
    root, df = pair_of_groups(asked, units)
    df -= 0 if units.clusters else 1
    return chance(effect / sqrt(variance) * root, df, asked) - asked.power


def correlation(asked: Asked, effect: float, units: Units) -> float:
    """Correlation against none, by Fisher's z with its bias (Cohen 1988, ch. 3)."""
    n = units.count
    shift = (atanh(abs(effect)) + abs(effect) / (2 * (n - 1))) * sqrt(n - 3)
    return chance(shift, units.freedom(inf, 1), asked) - asked.power


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
    return chance(effect * sqrt(units.count) / 2, df, asked) - asked.power


def interaction(asked: Asked, effect: float, units: Units) -> float:
    """The interaction of a 2x2 design: the difference between two differences of its four cells.

    Of cells of n units its variance is four times that of a mean of n (Cohen 1988, ch. 8).
    """
    df = units.freedom(4 * (units.count - 1), 4)
    return chance(effect * sqrt(units.count) / 2, df, asked) - asked.power


def non_inferiority_means(asked: Asked, effect: float, units: Units) -> float:
    """One-sided t test against a margin (Chow, Shao & Wang 2008, 3.2.2)."""
    root, df = pair_of_groups(asked, units)
    shift = (effect + asked.difference) * root
    return upper_chance(shift, df, asked.tail) - asked.power


def equivalence_means(asked: Asked, effect: float, units: Units) -> float:
    """Two one-sided t tests against a margin in both directions (Schuirmann 1987)."""
    root, df = pair_of_groups(asked, units)
    return _within(asked, effect, root, df)


def equivalence_crossover(asked: Asked, effect: float, units: Units) -> float:
    """The same in a 2x2 crossover, in standard deviations within a unit (Julious 2004)."""
    return _within(asked, effect, sqrt(units.count / 2), units.freedom(units.count - 2, 2))


def _within(asked: Asked, margin: float, root: float, df: float) -> float:
    """Chance, less the power asked for, that both tests reject (Owen 1965)."""
    apart = abs(asked.difference)
    bound = NormalDist().inv_cdf(1 - asked.alpha) if isinf(df) else t_above(asked.alpha, df)
    upper, lower = (margin - apart) * root, (margin + apart) * root
    return between_tails(upper, lower, bound, df) - asked.power


def mean_precision(asked: Asked, effect: float, units: Units) -> float:
    """Half-width of the t interval of a mean."""
    df = units.freedom(units.count - 1, 1)
    return effect - half_width(asked, sampling_error(asked, 1.0, units.count), df)


def stepped_wedge(asked: Asked, effect: float, units: Units) -> float:
    """Wald test of a stepped wedge with one baseline period (Hussey & Hughes 2007, equation 8).

    The outcome has the variance 1, of which the intracluster correlation lies between clusters; as
    many clusters change over at each step, and new members are measured in each period.
    """
    clusters, steps, between = units.count, asked.steps, asked.icc
    error = (1 - between) / ((asked.cluster_size or 1) * asked.kept)
    each, periods = clusters / steps, steps + 1
    squares = steps * (steps + 1) * (2 * steps + 1) / 6
    treated = each * steps * (steps + 1) / 2
    by_period, by_cluster = each**2 * squares, each * squares
    information = (clusters * treated - by_period) * error + between * (
        treated**2 + clusters * periods * treated - periods * by_period - clusters * by_cluster
    )
    variance = clusters * error * (error + periods * between) / information
    return chance(effect / sqrt(variance), inf, asked) - asked.power

"""Power of designs whose outcome is a proportion, a count or a time to an event."""

from math import asin, ceil, inf, isinf, log, sin, sqrt
from statistics import NormalDist

from dr_rd.tools.sample_size.power import (
    Asked,
    Scale,
    Units,
    base,
    chance,
    half_width,
    sampling_error,
    spread,
    upper_chance,
)
from dr_rd.tools.sample_size.tails import between_tails, binomial_power, t_above


def two_proportions(asked: Asked, effect: float, units: Units) -> float:
    """Difference of two proportions: pooled variance without, separate with an effect (Fleiss).

    With `continuity`, n is first taken back to what it would be without the correction
    (Fleiss, Tytun & Ury 1980).
    """
    first, second, ratio = base(asked), base(asked) + effect, asked.ratio
    root = sqrt(units.count)
    if asked.continuity:
        root -= (1 + ratio) / (ratio * abs(effect)) / (2 * root)
    if root <= 0:
        return -asked.power
    pooled = (first + ratio * second) / (1 + ratio)
    null = sqrt(spread(pooled) * (1 + 1 / ratio))
    return _found(asked, abs(effect) * root, null, _error(asked, first, second), units)


def one_proportion(asked: Asked, effect: float, units: Units) -> float:
    """Difference of one proportion from a fixed one (Fleiss, Levin & Paik 2003, ch. 2)."""
    first = base(asked)
    null, true = sqrt(spread(first)), sqrt(spread(first + effect))
    return _found(asked, abs(effect) * sqrt(units.count), null, true, units)


def _found(asked: Asked, signal: float, null: float, true: float, units: Units) -> float:
    df = units.freedom(inf, 2)
    if isinf(df):
        return chance(signal / true, df, asked, null_scale=null / true) - asked.power
    return chance(signal / max(null, true), df, asked) - asked.power


def _error(asked: Asked, first: float, second: float) -> float:
    """Standard error of a difference of proportions, times the root of the first group's size."""
    return sqrt(spread(first) + spread(second) / asked.ratio)


def discrimination(asked: Asked, effect: float, units: Units) -> float:
    """Exact one-sided binomial test of right answers against chance, as in ISO 4120.

    The effect is the share of those who can tell; the others guess. Power falls back a little each
    time one more right answer is asked for: enough is what has it at this number or just below.
    """
    guess = base(asked)
    right, n = guess + (1 - guess) * effect, int(units.count)
    span = range(max(1, n - ceil(4 / guess)), n + 1)
    return max(binomial_power(m, guess, right, asked.alpha) for m in span) - asked.power


def mcnemar(asked: Asked, effect: float, units: Units) -> float:
    """McNemar's test of paired proportions (Connor 1987); the effect is their difference."""
    discordant = asked.discordant or 0.0
    true = sqrt(discordant - effect**2)
    signal = abs(effect) * sqrt(units.count)
    return _found(asked, signal, sqrt(discordant), true, units)


def of_discordant(asked: Asked) -> Scale:
    """A difference of paired proportions is at most the share of the pairs that differ."""
    most = asked.discordant or 0.0
    return Scale(-most - 1e-9, most + 1e-9, most, digits=3)


def parts_of_discordant(asked: Asked) -> tuple[float, ...]:
    """Differences that are a fifth, two and three fifths of the pairs that differ."""
    return tuple(round(part * (asked.discordant or 0.0), 3) for part in (0.2, 0.4, 0.6))


def non_inferiority_proportions(asked: Asked, effect: float, units: Units) -> float:
    """One-sided test of two proportions against a margin (Chow, Shao & Wang 2008, 4.2.2)."""
    first = base(asked)
    shift = (effect + asked.difference) * sqrt(units.count)
    shift /= _error(asked, first, first + asked.difference)
    return upper_chance(shift, units.freedom(inf, 2), asked.tail) - asked.power


def equivalence_proportions(asked: Asked, effect: float, units: Units) -> float:
    """Two one-sided tests of two proportions against a margin in both directions.

    By the normal approximation, with the chance that both reject, not the bound of it by half the
    error of the second kind that Chow, Shao & Wang (2008, 4.2.3) give.
    """
    first, apart, df = base(asked), abs(asked.difference), units.freedom(inf, 2)
    root = sqrt(units.count) / _error(asked, first, first + asked.difference)
    bound = NormalDist().inv_cdf(1 - asked.alpha) if isinf(df) else t_above(asked.alpha, df)
    return between_tails((effect - apart) * root, (effect + apart) * root, bound, df) - asked.power


def proportion_precision(asked: Asked, effect: float, units: Units) -> float:
    """Half-width of the normal interval of a proportion (Cochran 1977, 4.4)."""
    expected = 0.5 if asked.base is None else asked.base
    error = sampling_error(asked, sqrt(spread(expected)), units.count)
    return effect - half_width(asked, error, units.freedom(inf, 1))


def survival(asked: Asked, effect: float, units: Units) -> float:
    """Log-rank test of two groups with proportional hazards; what counts is events, in all.

    Schoenfeld (1981), by the logarithm of the hazard ratio; with `freedman` by that ratio itself
    (Freedman 1982), which asks for a few more.
    """
    ratio, root = asked.ratio, sqrt(units.count * asked.ratio)
    by_log = abs(log(effect)) / (1 + ratio)
    by_ratio = abs(1 - effect) / (1 + ratio * effect)
    shift = root * (by_ratio if asked.freedman else by_log)
    return chance(shift, units.freedom(inf, 2), asked) - asked.power


def survival_by_exposure(asked: Asked, effect: float, units: Units) -> float:
    """Cox regression on a continuous exposure; the effect is the ratio for one standard deviation.

    What counts is events: the share of the units that has one (Hsieh & Lavori 2000, equation 1).
    """
    events = units.count * (asked.event_share or 1.0)
    shift = abs(log(effect)) * sqrt(events)
    return chance(shift, units.freedom(inf, 2), asked) - asked.power


def rates(asked: Asked, effect: float, units: Units) -> float:
    """Difference of two Poisson rates (Hayes & Bennett 1999, equation 1); the effect is their ratio."""
    first = asked.rate or 0.0
    error = sqrt((first + first * effect / asked.ratio) / asked.follow_up)
    shift = abs(first - first * effect) * sqrt(units.count) / error
    return chance(shift, units.freedom(inf, 2), asked) - asked.power


def area(asked: Asked, effect: float, units: Units) -> float:
    """Area under one curve against a smaller one (Hanley & McNeil 1982); units are the positive."""
    null = 0.5 if asked.base is None else asked.base
    with_effect = area_error(effect, units.count, asked.ratio)
    scale = area_error(null, units.count, asked.ratio) / with_effect
    shift = (effect - null) / with_effect
    return chance(shift, units.freedom(inf, 1), asked, null_scale=scale) - asked.power


def area_precision(asked: Asked, effect: float, units: Units) -> float:
    """Half-width of the interval of an area under a curve (Hanley & McNeil 1982)."""
    error = area_error(base(asked), units.count, asked.ratio)
    return effect - half_width(asked, error, units.freedom(inf, 1))


def area_error(area: float, positive: float, ratio: float) -> float:
    """Standard error of an area, from so many positive and *ratio* times as many negative.

    Hanley & McNeil (1982), equation 1, with the negative exponential model of their equation 2.
    """
    negative = positive * ratio
    one, two = area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2
    variance = area * (1 - area) + (positive - 1) * one + (negative - 1) * two
    return sqrt(variance / (positive * negative))


def above_base(asked: Asked) -> Scale:
    """An area above the one that it is held against."""
    null = 0.5 if asked.base is None else asked.base
    return Scale(null, 1, 1 - 1e-6, none=null, digits=3)


def areas_above(asked: Asked) -> tuple[float, ...]:
    """Areas a fifth, two and three fifths of the way to 1."""
    null = 0.5 if asked.base is None else asked.base
    return tuple(round(null + part * (1 - null), 3) for part in (0.2, 0.4, 0.6))


def _shares_apart(first: float, h: float) -> float:
    """Difference from *first* whose arcsine effect is *h* (Cohen 1988, ch. 6), towards a half."""
    sign = 1 if first <= 0.5 else -1
    return sin(asin(sqrt(first)) + sign * h / 2) ** 2 - first


def shares_apart(asked: Asked) -> tuple[float, ...]:
    """Differences from the base that are small, medium and large by Cohen (1988)."""
    return tuple(round(_shares_apart(base(asked), h), 3) for h in (0.2, 0.5, 0.8))

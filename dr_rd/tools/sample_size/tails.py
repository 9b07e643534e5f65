"""Tails of the normal, binomial, t and F distributions, the last two also noncentral.

Written here because nothing else needs scipy, which is 140 MB and two seconds to import; the tests
hold these against its values to nine digits.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import erfc, exp, fsum, inf, isinf, lgamma, log, log1p, sqrt
from statistics import NormalDist

_LEAST = 1e-17
"""Share of a sum below which its next terms are left away."""

_MOST_TERMS = 20_000

_FAR = 20_000.0
"""Noncentrality above which a sum over it takes too long, and an approximation is as good."""

_HALVINGS = 60
"""Bisections of a share; more would not change a double."""


def normal_tail(z: float) -> float:
    """P(Z > z)."""
    return 0.5 * erfc(z / sqrt(2))


_LARGE = 1000
"""Trials from which the normal distribution tells a binomial one well enough."""


def binomial_power(n: int, base: float, share: float, alpha: float) -> float:
    """Power of the one-sided binomial test of *n* trials against *base* where *share* is true.

    Exact to a thousand trials, beyond that by the normal approximation with its correction.
    """
    if n > _LARGE:
        bound = NormalDist().inv_cdf(1 - alpha) * sqrt(base * (1 - base) * n) + n * base + 1
        return normal_tail((bound - 0.5 - n * share) / sqrt(share * (1 - share) * n))
    needed, tail = n + 1, 0.0
    while needed > 0 and (tail := tail + binomial(needed - 1, n, base)) <= alpha:
        needed -= 1
    return fsum(binomial(k, n, share) for k in range(needed, n + 1))


def binomial(k: int, n: int, share: float) -> float:
    """P(X = k) of *n* trials."""
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(share) + (n - k) * log1p(-share))


def t_tail(t: float, df: float, shift: float = 0.0) -> float:
    """P(T > t) for Student's t with noncentrality *shift*; normal where *df* is infinite.

    The normal tail is averaged over the scale estimate s, whose log has a density that falls off
    on both sides, so that the trapezoid rule converges faster than any power of its step.
    """
    if isinf(df):
        return normal_tail(t - shift)
    if shift**2 > _FAR and t > 0:
        return f_tail(t**2, 1, df, shift**2) if shift > 0 else 0.0
    step = min(1 / sqrt(2 * df), 1 / (1 + abs(shift)), 0.5) / 8
    weighted = [(w, normal_tail(t * exp(u) - shift)) for u, w in _scales(df, step)]
    return sum(w * p for w, p in weighted) / sum(w for w, _ in weighted)


def between_tails(upper: float, lower: float, bound: float, df: float) -> float:
    """Chance that two one-sided tests reject, one against each margin.

    Args:
        upper: Distance of the true value from the upper margin, in standard errors.
        lower: The same from the lower margin.
        bound: Critical value of each test.
        df: Degrees of freedom; infinite for a normal statistic.

    """

    def inside(scale: float) -> float:
        low, high = bound * scale - lower, upper - bound * scale
        return max(0.0, normal_tail(low) - normal_tail(high))

    if isinf(df):
        return inside(1.0)
    step = min(1 / sqrt(2 * df), 1 / (1 + abs(upper)), 0.5) / 8
    weighted = [(w, inside(exp(u))) for u, w in _scales(df, step)]
    return sum(w * p for w, p in weighted) / sum(w for w, _ in weighted)


def _scales(df: float, step: float) -> Iterator[tuple[float, float]]:
    """Log of the scale estimate on a grid, each with its density relative to the mode."""
    for sign in (1, -1):
        n = 0 if sign > 0 else 1
        weight = 1.0
        while weight > _LEAST:
            u = sign * n * step
            weight = exp(df * (u - exp(2 * u) / 2 + 0.5))
            yield u, weight
            n += 1


def f_tail(f: float, df1: float, df2: float, shift: float = 0.0) -> float:
    """P(F > f) for F with noncentrality *shift* (0: Fisher's F).

    A Poisson mixture of incomplete beta functions (Johnson, Kotz & Balakrishnan 1995, ch. 30),
    summed downwards from its last term, the direction in which the recurrence only adds. Far out,
    the noncentral chi-square is a scaled central one with the same mean and variance (Patnaik
    1949).
    """
    if shift > _FAR:
        alike = (df1 + shift) ** 2 / (df1 + 2 * shift)
        return f_tail(f * df1 / (df1 + shift), alike, df2)
    x = df1 * f / (df1 * f + df2)
    if isinf(df2) or x <= 0:
        raise ValueError(f"f_tail needs a finite df2 and f above 0, not {df2} and {f}")
    if x >= 1:
        return 0.0  # so far out that a double cannot tell it from the end
    a, b, mean = df1 / 2, df2 / 2, shift / 2
    last = int(mean + 10 * sqrt(mean) + 20) if mean else 0
    below, total = beta_share(x, a + last, b), 0.0
    for j in range(last, -1, -1):
        total += _poisson(j, mean) * below
        if j:
            below += _beta_term(x, a + j - 1, b) / (a + j - 1)
    return 1 - total


@lru_cache(maxsize=1024)
def f_above(tail: float, df1: float, df2: float) -> float:
    """F that leaves *tail* above it."""
    low, high = 0.0, 1.0  # of y = df2 / (df2 + df1 F), which falls as F grows
    for _ in range(_HALVINGS):
        y = (low + high) / 2
        low, high = (y, high) if beta_share(y, df2 / 2, df1 / 2) < tail else (low, y)
    y = (low + high) / 2
    return df2 * (1 - y) / (df1 * y)


def t_above(tail: float, df: float) -> float:
    """T that leaves *tail*, below a half, above it."""
    return sqrt(f_above(2 * tail, 1, df))


def beta_share(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    fraction, c, d, change, m = 1.0, 1.0, 0.0, inf, 0
    while abs(change - 1) > 1e-15 and m < _MOST_TERMS:
        m += 1
        term = _odd(x, a, b, m // 2) if m % 2 else _even(x, a, b, m // 2)
        d = 1 / (1 + term * d)
        c = 1 + term / c
        change = c * d
        fraction *= change
    return _beta_term(x, a, b) / (a * fraction)


def _even(x: float, a: float, b: float, m: int) -> float:
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))


def _odd(x: float, a: float, b: float, m: int) -> float:
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))


def _beta_term(x: float, a: float, b: float) -> float:
    """x^a (1 - x)^b / B(a, b)."""
    return exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b))


def _poisson(j: int, mean: float) -> float:
    return exp(j * log(mean) - mean - lgamma(j + 1)) if mean else float(j == 0)

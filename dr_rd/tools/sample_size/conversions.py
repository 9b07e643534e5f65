"""Effects in one measure from those in another, each by a published formula."""

from math import sqrt


def f_of_explained(share: float) -> float:
    """Return Cohen's f of eta squared, or of R squared (Cohen 1988, eq. 8.2.22 and 9.2.2)."""
    return sqrt(share / (1 - share))


def f_of_d(difference: float, groups: int) -> float:
    """Return the least f of *groups* whose extremes are *difference* SDs apart (Cohen 1988, sec. 8.2.1).

    The other means are then half-way between the two.
    """
    return abs(difference) * sqrt(1 / (2 * groups))


def d_of_f(f: float) -> float:
    """Return the standardised difference of two groups of one size (Cohen 1988, eq. 8.2.8)."""
    return 2 * f


def d_of_correlation(r: float) -> float:
    """Return the standardised difference of two groups of one size (Borenstein et al. 2009, eq. 7.5)."""
    return 2 * r / sqrt(1 - r**2)


def share_by_odds(share: float, ratio: float) -> float:
    """Return the share whose odds are *ratio* times those of *share*: the definition of the odds ratio."""
    return ratio * share / (1 - share + ratio * share)

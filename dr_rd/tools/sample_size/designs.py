"""The designs that can be sized: what an effect is in each, and how many units show it."""

from collections.abc import Mapping
from typing import Literal

from dr_rd.tools.sample_size import means, proportions
from dr_rd.tools.sample_size.power import (
    Asked,
    Design,
    Scale,
    fixed,
    from_base,
    share,
    times,
    times_above,
)

Name = Literal[
    "two_means", "paired_means", "one_mean", "two_proportions", "one_proportion", "correlation",
    "anova", "factorial", "difference_in_differences", "baseline_adjusted",
    "non_inferiority_means", "non_inferiority_proportions", "equivalence_means",
    "equivalence_crossover", "equivalence_proportions", "mean_precision",
    "proportion_precision", "discrimination", "mcnemar", "survival", "rates", "area",
    "area_precision", "stepped_wedge", "interaction", "survival_by_exposure",
]  # fmt: skip

_COHEN_D = fixed(0.2, 0.5, 0.8)
_D = "Standardised difference (Cohen's d)"


def _correlated(asked: Asked) -> Scale:
    del asked
    return Scale(-1, 1, 1 - 1e-6, least=0.01)


def _able(asked: Asked) -> Scale:
    del asked
    return Scale(0, 1, 1 - 1e-6, least=0.01, digits=3)


DESIGNS: Mapping[Name, Design] = {
    "two_means": Design(
        "two groups", _D, "per group", _COHEN_D, means.two_means,
        "It sizes one plain comparison of two means by the t test.",
    ),
    "paired_means": Design(
        "paired", "Standardised difference (d of pairs)", "pairs", _COHEN_D, means.one_mean,
        "It sizes the mean difference within pairs, in standard deviations of that difference.",
        compared=False,
    ),
    "one_mean": Design(
        "one group against a fixed value", _D, "units", _COHEN_D, means.one_mean,
        "It sizes one mean against a fixed value by the t test.", compared=False,
    ),
    "two_proportions": Design(
        "two proportions", "Difference of proportions", "per group", proportions.shares_apart,
        proportions.two_proportions,
        "It sizes the difference of two proportions by the normal approximation.",
        scale=from_base,
    ),
    "one_proportion": Design(
        "one proportion against a fixed one", "Difference from it", "units",
        proportions.shares_apart, proportions.one_proportion,
        "It sizes one proportion by the normal approximation.", scale=from_base, compared=False,
    ),
    "correlation": Design(
        "a correlation", "Correlation", "units", fixed(0.1, 0.3, 0.5), means.correlation,
        "It sizes the correlation of two measurements of a unit, by Fisher's z: one straight line, "
        "without covariates.",
        scale=_correlated, compared=False, fewest=4,
    ),
    "anova": Design(
        "one-way analysis of variance", "Effect (Cohen's f)", "per group", fixed(0.1, 0.25, 0.4),
        means.anova, "It sizes the F test that all means are equal, not any one comparison behind it.",
    ),
    "factorial": Design(
        "two-level factorial", "Main effect (standard deviations of a run)", "runs",
        fixed(0.5, 0.8, 1.0, 2.0), means.factorial,
        "It sizes a main effect, half of the runs against the other half; interactions and "
        "curvature take more runs.",
        compared=False, step=lambda _: 4, fewest=4,
    ),
    "interaction": Design(
        "the interaction of a 2x2 design", "Interaction (difference of two differences, in standard deviations)",
        "per cell", fixed(0.5, 0.8, 1.0, 2.0), means.interaction,
        "It sizes the difference between two differences, which takes four times the units of a "
        "difference of that size between two of the cells.",
    ),
    "difference_in_differences": Design(
        "difference in differences", "Difference of changes (standard deviations)", "per group",
        _COHEN_D, means.difference_in_differences,
        "It sizes the change of two groups of independent units under one correlation of any two "
        "measurements; a shock that a whole group shares is not in it.",
    ),
    "baseline_adjusted": Design(
        "two groups adjusted for the measurement before", _D, "per group", _COHEN_D,
        means.baseline_adjusted,
        "It sizes the comparison of two groups by analysis of covariance.",
    ),
    "non_inferiority_means": Design(
        "non-inferiority of means", "Margin (standard deviations)", "per group", _COHEN_D,
        means.non_inferiority_means,
        "It sizes a one-sided test against the margin, at half of a two-sided alpha.",
    ),
    "non_inferiority_proportions": Design(
        "non-inferiority of proportions", "Margin", "per group", fixed(0.05, 0.1, 0.15),
        proportions.non_inferiority_proportions,
        "It sizes a one-sided test against the margin, at half of a two-sided alpha.", scale=share,
    ),
    "equivalence_means": Design(
        "equivalence of means", "Margin (standard deviations)", "per group", _COHEN_D,
        means.equivalence_means, "It sizes two one-sided t tests, each at alpha.",
    ),
    "equivalence_crossover": Design(
        "equivalence in a 2x2 crossover", "Margin (standard deviations within a unit)", "units",
        _COHEN_D, means.equivalence_crossover,
        "It sizes two one-sided t tests, each at alpha, where each unit has both treatments, one "
        "half of them in each order.",
        compared=False, step=lambda _: 2, fewest=4,
    ),
    "equivalence_proportions": Design(
        "equivalence of proportions", "Margin", "per group", fixed(0.05, 0.1, 0.15),
        proportions.equivalence_proportions,
        "It sizes two one-sided tests, each at alpha, by the normal approximation.", scale=share,
    ),
    "discrimination": Design(
        "right answers against guessing", "Share of those who can tell", "assessors",
        fixed(0.2, 0.3, 0.5), proportions.discrimination,
        "It sizes the exact one-sided binomial test of right answers, one by each assessor, against "
        "the chance of guessing right.",
        scale=_able, compared=False, fewest=5,
    ),
    "mcnemar": Design(
        "paired proportions", "Difference of paired proportions", "pairs",
        proportions.parts_of_discordant, proportions.mcnemar,
        "It sizes McNemar's test; what decides is the share of pairs whose members differ.",
        scale=proportions.of_discordant, compared=False,
    ),
    "survival": Design(
        "times to an event", "Hazard ratio", "events", fixed(0.5, 0.7, 0.8), proportions.survival,
        "It sizes the log-rank test under proportional hazards; how many must be enrolled for that "
        "many events follows from how long they are followed.",
        scale=times, compared=False, made_up=False,
    ),
    "survival_by_exposure": Design(
        "times to an event by a continuous exposure",
        "Hazard ratio for one standard deviation of the exposure", "participants",
        fixed(1.1, 1.2, 1.3), proportions.survival_by_exposure,
        "It sizes the slope of a Cox regression on the exposure; what counts is events, and an exposure "
        "that goes with the covariates takes more of them.",
        scale=times_above, compared=False,
    ),
    "rates": Design(
        "two rates of events", "Ratio of rates", "per group", fixed(0.5, 0.7, 0.8),
        proportions.rates,
        "It sizes the difference of two Poisson rates; where events of one unit come together, "
        "more are needed.",
        scale=times,
    ),
    "area": Design(
        "area under a ROC curve", "Area", "positive cases", proportions.areas_above,
        proportions.area,
        "It sizes one curve's area against a smaller one; negative cases come on top, as the ratio "
        "says.",
        scale=proportions.above_base,
    ),
    "area_precision": Design(
        "precision of an area under a ROC curve", "Half-width", "positive cases",
        fixed(0.025, 0.05, 0.1), proportions.area_precision,
        "It sizes the interval of one curve's area by its half-width; no test is made.",
        scale=share,
    ),
    "stepped_wedge": Design(
        "stepped wedge", _D, "clusters", _COHEN_D, means.stepped_wedge,
        "It sizes the Wald test of a stepped wedge in which as many clusters change over at each "
        "step, new members are measured in each period, and no time trend differs between clusters.",
        compared=False, step=lambda asked: asked.steps, made_up=False,
    ),
    "mean_precision": Design(
        "precision of a mean", "Half-width (standard deviations)", "units", fixed(0.1, 0.2, 0.5),
        means.mean_precision,
        "It sizes the interval of one mean by its expected half-width; no test is made.",
        compared=False,
    ),
    "proportion_precision": Design(
        "precision of a proportion", "Half-width", "units", fixed(0.025, 0.05, 0.1),
        proportions.proportion_precision,
        "It sizes the interval of one proportion by its half-width; no test is made.",
        scale=share, compared=False,
    ),
}  # fmt: skip

PRECISION: tuple[Name, ...] = ("mean_precision", "proportion_precision", "area_precision")
OF_SHARES: tuple[Name, ...] = ("two_proportions", "one_proportion")
ONE_SIDED: tuple[Name, ...] = (
    "discrimination", "equivalence_means", "equivalence_crossover", "equivalence_proportions",
)  # fmt: skip
"""Designs that take all of alpha on each side that they test."""

NEEDS: Mapping[Name, tuple[str, ...]] = {
    "two_proportions": ("base",),
    "one_proportion": ("base",),
    "non_inferiority_proportions": ("base",),
    "equivalence_proportions": ("base",),
    "discrimination": ("base",),
    "area_precision": ("base",),
    "mcnemar": ("discordant",),
    "rates": ("rate",),
    "stepped_wedge": ("cluster_size",),
}
"""Arguments that a design cannot do without."""

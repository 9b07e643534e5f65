"""Sample sizes against published tables, worked examples and other programs' documentation."""

from math import comb, inf, isclose, sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import TaskError
from dr_rd.tools import PlanContext
from dr_rd.tools.sample_size import SPEC, SampleSize, sample_size, tails
from dr_rd.tools.sample_size.designs import DESIGNS
from dr_rd.tools.sample_size.power import Units
from dr_rd.tools.sample_size.proportions import area_error
from dr_rd.tools.sample_size.tails import beta_share, f_above, f_tail, t_above, t_tail
from dr_rd.tools.sample_size.tool import units_needed

NEEDED = {
    "two_proportions": {"base": 0.3}, "one_proportion": {"base": 0.3},
    "non_inferiority_proportions": {"base": 0.3}, "discrimination": {"base": 1 / 3},
    "equivalence_proportions": {"base": 0.3}, "area_precision": {"base": 0.8},
    "mcnemar": {"discordant": 0.4}, "rates": {"rate": 0.5},
    "stepped_wedge": {"cluster_size": 10, "icc": 0.05},
}  # fmt: skip
"""Arguments that a design cannot do without."""


def asked(design="two_means", **arguments):
    return SampleSize(design=design, **{**NEEDED.get(design, {}), **arguments})


def power(params, effect, units, clusters=None):
    return DESIGNS[params.design].reach(params, effect, Units(units, clusters)) + params.power


def sized(design, effect, **arguments):
    return sample_size(asked(design, effects=(effect,), **arguments))["rows"][0]


# --- published answers of the designs

PUBLISHED = yaml.safe_load((Path(__file__).parent / "published_sizes.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda c: f"{c['design']}: {c['source'][:40]}")
def test_sizes_and_powers_agree_with_what_is_published(case):
    params, effect = asked(case["design"], **case.get("arguments", {})), case["effect"]
    if "n" in case:
        assert units_needed(params, effect) == pytest.approx(case["n"], abs=case.get("within", 0))
    else:
        assert power(params, effect, case["units"]) == pytest.approx(case["power"], abs=6e-6)


# --- distributions


@pytest.mark.parametrize(
    ("found", "scipy"),
    [
        (lambda: f_tail(3.91, 1, 126, 8), 0.8019034517915374),
        (lambda: f_tail(3.05, 2, 150, 9.5), 0.7862577876126937),
        (lambda: t_tail(1.66, 98, 2.5), 0.7990905489959083),
        (lambda: t_tail(12.7, 1, 2.8), 0.1740147501610531),
        (lambda: t_tail(2.0, 5, 8), 0.9999997231119628),
        (lambda: f_above(0.05, 1, 18), 4.413873419170566),
        (lambda: f_above(0.01, 3, 40), 4.312569212492143),
        (lambda: beta_share(0.3, 2.5, 7), 0.6412224629717214),
    ],
)
def test_tails_agree_with_scipy_to_nine_digits(found, scipy):
    """scipy 1.17: ncf.sf, nct.sf, f.isf and betainc at the same arguments."""
    assert found() == pytest.approx(scipy, rel=1e-9)


def test_critical_values_are_those_of_the_printed_tables():
    """Student's t with 10 degrees of freedom: 2.228; with 1: 12.706; normal: 0.025 above 1.96."""
    assert round(t_above(0.025, 10), 3) == 2.228
    assert round(t_above(0.025, 1), 3) == 12.706
    assert t_tail(1.959964, inf) == pytest.approx(0.025, abs=1e-7)


# --- means


@pytest.mark.parametrize(("effect", "n"), [(0.2, 393), (0.5, 64), (0.8, 26)])
def test_two_group_sizes_agree_with_the_textbook_table(effect, n):
    """Cohen (1988), table 2.4.1, two-sided 0.05, power 0.8; his 393 is 394 by exact power."""
    assert units_needed(asked(), effect) == pytest.approx(n, abs=1)


def test_power_of_two_groups_agrees_with_the_table_and_with_r():
    """Cohen (1988), table 2.3.5: d 0.5, n 30 gives 0.47. R: power.t.test(n = 20, delta = 1) gives
    0.8689528, power.t.test(power = .90, delta = 1) n = 22.02."""
    assert power(asked(), 0.5, 30) == pytest.approx(0.47, abs=0.01)
    assert power(asked(), 1.0, 20) == pytest.approx(0.8689528, abs=1e-6)
    assert units_needed(asked(power=0.9), 1.0) == 23


def test_one_group_and_pairs_agree_with_gpower():
    """Wuensch, G*Power: t tests: 25 people, d 1/3, two tails: power 0.360.

    Faul et al. (2007), and every G*Power course: pairs for dz 0.5, power 0.8: 34.
    """
    assert power(asked("one_mean"), 1 / 3, 25) == pytest.approx(0.360, abs=5e-4)
    assert units_needed(asked("paired_means"), 0.5) == 34


def test_unequal_groups_have_the_power_of_their_harmonic_size():
    """Cohen (1988), 2.3.2: n' = 2 n1 n2 / (n1 + n2)."""
    uneven = sized("two_means", 0.5, ratio=2.0)
    first, second = uneven["per_group"], uneven["total"] - uneven["per_group"]
    assert second == 2 * first
    assert 2 * first * second / (first + second) == pytest.approx(64, abs=1)


# --- proportions


def test_two_proportions_agree_with_r():
    """R: power.prop.test(p1 = .50, p2 = .75, power = .90) gives n = 76.7."""
    assert units_needed(asked("two_proportions", base=0.5, power=0.9), 0.25) == 77


def test_the_correction_for_continuity_agrees_with_fleiss():
    """Fleiss (1981), 3.2: 0.60 against 0.70, alpha 0.01, power 0.95: 827 a group."""
    call = asked("two_proportions", base=0.6, alpha=0.01, power=0.95, continuity=True)
    assert units_needed(call, 0.1) == 827


def test_one_proportion_agrees_with_the_textbook():
    """Rosner, Fundamentals of Biostatistics, ch. 7: 0.02 against 0.05, power 0.9: 341 women."""
    assert units_needed(asked("one_proportion", base=0.02, power=0.9), 0.03) == 341


@pytest.mark.parametrize(("share", "power_wanted"), [(0.3, 0.95), (0.3, 0.8), (0.5, 0.9)])
def test_a_triangle_test_takes_the_fewest_assessors_of_the_exact_binomial(share, power_wanted):
    right = 1 / 3 + 2 / 3 * share

    def tail(n, p, k):
        return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))

    def found(n):
        needed = next(k for k in range(n + 2) if tail(n, 1 / 3, k) <= 0.05)
        return tail(n, right, needed)

    fewest = next(n for n in range(5, 200) if found(n) >= power_wanted)
    assert sized("discrimination", share, power=power_wanted)["per_group"] == fewest


def test_far_out_a_binomial_test_goes_on_as_it_was(monkeypatch):
    near = tails.binomial_power(1500, 1 / 3, 0.36, 0.05)
    monkeypatch.setattr(tails, "_LARGE", 2000)
    assert near == pytest.approx(tails.binomial_power(1500, 1 / 3, 0.36, 0.05), abs=0.02)


def test_unknown_effects_of_proportions_are_cohens_h():
    """Cohen (1988), table 6.2.2: the arcsine of 0.5 is 1.571; h 0.2 above it is about 0.60."""
    rows = sample_size(asked("two_proportions", base=0.5))["rows"]
    assert [round(r["share"], 2) for r in rows] == [0.6, 0.74, 0.86]


# --- correlation and variance


@pytest.mark.parametrize(("effect", "n"), [(0.1, 782), (0.3, 84), (0.5, 29)])
def test_correlations_agree_with_gpower(effect, n):
    """G*Power 3.1, exact bivariate normal model; Cohen (1992), table 2 has 783, 85 and 28."""
    assert units_needed(asked("correlation"), effect) == n


def test_power_of_a_correlation_agrees_with_webpower():
    """Manual of WebPower: wp.correlation(n = 50, r = 0.3) gives 0.5728731."""
    assert power(asked("correlation"), 0.3, 50) == pytest.approx(0.5728731, abs=5e-4)


@pytest.mark.parametrize(
    ("groups", "table"), [(3, (322, 52, 21)), (4, (274, 45, 18)), (5, (240, 39, 16))]
)
def test_analyses_of_variance_agree_with_the_textbook_table(groups, table):
    """Cohen (1992), table 2, f 0.10, 0.25 and 0.40, two-sided 0.05, power 0.8."""
    call = asked("anova", groups=groups)
    for effect, n in zip((0.1, 0.25, 0.4), table, strict=True):
        assert units_needed(call, effect) == pytest.approx(n, abs=1)


def test_an_analysis_of_variance_agrees_with_gpower():
    """Wuensch, G*Power: one-way ANOVA: f 0.0996126, 3 groups, power 0.8: 975 in all, 0.8004."""
    assert sized("anova", 0.0996126)["total"] == 975
    assert power(asked("anova"), 0.0996126, 325) == pytest.approx(0.8004415, abs=1e-6)


# --- designed experiments


def test_a_main_effect_agrees_with_the_rule_of_seven():
    """Wheeler (1974): about (7 σ / Δ)² runs for power 0.9 at 0.05, that is 49 and 12."""
    call = asked("factorial", power=0.9)
    assert units_needed(call, 1.0) == pytest.approx(49, abs=4)
    assert units_needed(call, 2.0) == pytest.approx(12, abs=4)


def test_a_main_effect_is_the_contrast_of_half_the_runs():
    """Minitab, methods for 2-level factorials: noncentral F(1, ν), λ = N Δ² / (4 σ²)."""
    assert power(asked("factorial", factors=1), 1.0, 40) == power(asked(), 1.0, 20)
    found = f_tail(f_above(0.05, 1, 16 - 8), 1, 16 - 8, 16 * 4 / 4)
    assert power(asked("factorial", factors=7), 2.0, 16) == pytest.approx(found)


def test_runs_come_in_fours_and_leave_some_for_the_error():
    for factors in (1, 3, 7, 11):
        runs = units_needed(asked("factorial", factors=factors), 2.0)
        assert runs % 4 == 0
        assert runs > factors + 1


# --- clusters


def test_the_power_of_allocated_clusters_agrees_with_webpower():
    """Manual of WebPower (Liu 2013; Raudenbush 1997): wp.crt2arm(f = 0.6, n = 20, J = 10,
    icc = 0.1) gives 0.5901684."""
    call = asked(cluster_size=20, icc=0.1)
    assert power(call, 0.6, 100 / call.inflation(20), 5) == pytest.approx(0.5901684, abs=1e-6)


def test_a_trial_of_practices_agrees_with_its_published_size():
    """Sedgwick (2013), BMJ 346: f2839: 50 % against 65 % takes 340 patients; with an intracluster
    correlation of 0.05 and 46 a practice 1104 in 24 practices, by the normal distribution; one or
    two practices a group more for t (Hayes & Bennett 1999)."""
    assert sized("two_proportions", 0.15, base=0.5)["total"] == 340
    call = asked("two_proportions", base=0.5, effects=(0.15,), cluster_size=46, icc=0.05)
    assert call.inflation(46) == pytest.approx(3.25)
    assert pytest.approx(340 * 3.25, abs=1) == 24 * 46
    assert 12 < sample_size(call)["rows"][0]["clusters"] <= 14


def test_clusters_of_unequal_size_inflate_more():
    """Eldridge, Ashby & Kerry (2006): 1 + ((1 + cv²) m - 1) ICC."""
    found = asked(cluster_size=21, icc=0.05, cluster_spread=0.65).inflation(21)
    assert found == pytest.approx(1 + ((1 + 0.4225) * 21 - 1) * 0.05)


def test_few_clusters_may_not_be_enough_however_large_they_are():
    """Donner & Klar (2000), 5.2: a group of k clusters is worth at most k / ICC members."""
    call = asked(cluster_size=20, icc=0.2, clusters=4, effects=(0.3, 1.5))
    small, large = sample_size(call)["rows"]
    assert small["members"] is None
    assert large["members"] > 1
    kept = large["members"]
    assert power(call, 1.5, 4 * kept / call.inflation(kept), 4) >= 0.8
    assert power(call, 1.5, 4 * (kept - 1) / call.inflation(kept - 1), 4) < 0.8


def test_losses_are_enrolled_on_top():
    assert sized("two_means", 0.5, attrition=0.2)["per_group"] == 80


# --- non-inferiority


def test_non_inferior_means_agree_with_chow():
    """Chow, Shao & Wang (2008), 3.2: margin 0.05, deviation 0.1, one-sided 0.05, power 0.8: 50 by
    the normal distribution, 51 by t."""
    assert units_needed(asked("non_inferiority_means", alpha=0.1), 0.5) == 51


def test_non_inferior_proportions_agree_with_chow():
    """Chow, Shao & Wang (2008), p. 90: 0.85 against 0.65, margin 0.10, one-sided 0.05: 25."""
    call = asked("non_inferiority_proportions", alpha=0.1, base=0.65, difference=0.2)
    assert units_needed(call, 0.1) == 25


# --- equivalence


def test_equivalence_of_proportions_lies_below_the_bound_of_chow():
    """Chow, Shao & Wang (2008), 4.2.3: 0.75 and 0.80, margin 0.20: 133 by half of beta; by all of
    it, as if the other side could not fail, 95.5."""
    call = asked("equivalence_proportions", base=0.75, difference=0.05)
    assert 95.5 < units_needed(call, 0.2) < 133


@pytest.mark.parametrize(("base", "margin"), [(0.5, 0.1), (0.75, 0.2), (0.9, 0.05)])
def test_equivalence_without_a_difference_takes_what_chow_says(base, margin):
    """Chow, Shao & Wang (2008), 4.2.3, where half of beta is exact: 2 p (1 - p) (z + z)² / δ²."""
    wanted = 2 * base * (1 - base) * (1.644854 + 1.281552) ** 2 / margin**2
    call = asked("equivalence_proportions", base=base)
    assert units_needed(call, margin) == pytest.approx(wanted, abs=1)


# --- areas under a curve


@pytest.mark.parametrize(
    ("area", "positive", "negative", "error"),
    [(0.85, 40, 40, 0.0437), (0.85, 60, 60, 0.0356), (0.893, 51, 58, 0.0325)],
)
def test_errors_of_an_area_agree_with_hanley_and_mcneil(area, positive, negative, error):
    """Hanley & McNeil (1982): 0.85 with 40 and 60 of each, and their 51 and 58 images."""
    assert area_error(area, positive, negative / positive) == pytest.approx(error, abs=5e-5)


def test_areas_take_the_cases_of_hanley_and_mcneil():
    """Hanley & McNeil (1982), table 3: 0.70 against 0.75 in two samples takes 652, one-sided."""
    large = 1e7
    first, second = (area_error(a, large, 1) * sqrt(large) for a in (0.7, 0.75))
    root = 1.644854 * sqrt(2) * first + 0.841621 * sqrt(first**2 + second**2)
    assert (root / 0.05) ** 2 == pytest.approx(652, abs=1.5)
    alone = 1.644854 * first + 0.841621 * second
    assert units_needed(asked("area", base=0.7, sides=1), 0.75) == pytest.approx(
        (alone / 0.05) ** 2, rel=0.01
    )


def test_negative_cases_come_on_top_of_the_positive_ones():
    row = sized("area", 0.7, ratio=4.0)
    assert row["total"] == 5 * row["per_group"]


# --- stepped wedges


def woertman(steps, size, icc):
    """Woertman et al. (2013): the design effect of a wedge with one baseline and one measurement
    after each step, in members a period."""
    within = steps * size + size - 1
    gain = (1 + icc * within) / (1 + icc * (steps * size / 2 + size - 1))
    return gain * 3 * (1 - icc) / (2 * (steps - 1 / steps))


@pytest.mark.parametrize(
    ("steps", "size", "icc", "effect"),
    [(3, 20, 0.05, 0.3), (4, 30, 0.01, 0.2), (5, 10, 0.1, 0.25), (6, 50, 0.02, 0.15)],
)
def test_a_stepped_wedge_takes_what_woertman_says(steps, size, icc, effect):
    """His clusters are the individually randomised sample times the effect, over their members."""
    plain = 4 * (1.959964 + 0.841621) ** 2 / effect**2
    wanted = plain * woertman(steps, size, icc) / size
    found = units_needed(asked("stepped_wedge", steps=steps, cluster_size=size, icc=icc), effect)
    assert found % steps == 0
    assert wanted <= found < wanted + steps


def test_the_variance_of_a_stepped_wedge_is_that_of_its_linear_model():
    """Hussey & Hughes (2007), equation 8, against least squares of the cluster means: their 24
    counties in four steps, 100 each, 5 % against 3.2 %."""
    clusters, steps, size, icc = 24, 4, 100, 0.015**2 / (0.015**2 + 0.041 * 0.959)
    periods = steps + 1
    treated = np.array(
        [[float(t > c % steps) for t in range(periods)] for c in range(clusters)]
    ).ravel()
    design = np.column_stack([treated, np.tile(np.eye(periods), (clusters, 1))])
    block = icc * np.ones((periods, periods)) + (1 - icc) / size * np.eye(periods)
    weight = np.kron(np.eye(clusters), np.linalg.inv(block))
    error = sqrt(np.linalg.inv(design.T @ weight @ design)[0, 0])
    effect = 0.018 / sqrt(0.041 * 0.959 + 0.015**2)
    call = asked("stepped_wedge", steps=steps, cluster_size=size, icc=icc)
    wanted = NormalDist().cdf(effect / error - NormalDist().inv_cdf(0.975))
    assert power(call, effect, clusters) == pytest.approx(wanted, abs=1e-6)


def test_losses_in_a_stepped_wedge_are_members_and_not_clusters():
    full = asked("stepped_wedge", cluster_size=8, icc=0.05)
    lossy = asked("stepped_wedge", cluster_size=10, icc=0.05, attrition=0.2)
    assert sized("stepped_wedge", 0.3, cluster_size=10, attrition=0.2, icc=0.05) == sized(
        "stepped_wedge", 0.3, cluster_size=8, icc=0.05
    )
    assert units_needed(full, 0.3) == units_needed(lossy, 0.3)


# --- refusals and losses


@pytest.mark.parametrize(
    ("population", "share", "answers", "invited"),
    [(1200, 0.6, 292, 487), (500, 0.5, 218, 436), (None, 0.25, 385, 1540)],
)
def test_those_who_do_not_answer_are_invited_on_top(population, share, answers, invited):
    """Krejcie & Morgan (1970), half-width 0.05, over the share that answers."""
    row = sized("proportion_precision", 0.05, population=population, response=share)
    assert (row["analysed"], row["per_group"]) == (answers, invited)


@pytest.mark.parametrize(
    ("design", "effect", "arguments", "said"),
    [
        ("proportion_precision", 0.05, {"population": 1200, "response": 0.6},
         ("with a share of 0.6 that takes part", "| Half-width | Units | Analysed |", "| 0.05 | 487 | 292 |")),
        ("survival", 0.7, {"event_share": 0.35, "attrition": 0.1},
         ("two-sided alpha 0.05", "| Hazard ratio | Events | Participants |", "| 0.7 | 247 | 785 |")),
        ("equivalence_means", 0.5, {}, ("equivalence of means, one-sided alpha 0.05",)),
        ("two_means", 0.5, {"sides": 1}, ("one-sided alpha 0.05", "| 0.5 | 51 | 102 |")),
        ("stepped_wedge", 0.3, {"steps": 5}, ("5 steps, 10 members of a cluster in each period",)),
    ],
)  # fmt: skip
def test_a_reader_sees_sides_refusals_and_participants(design, effect, arguments, said):
    out = sample_size(asked(design, effects=(effect,), **arguments))
    text = SPEC.shown("T01-1", out, PlanContext(), short=False)
    for words in said:
        assert words in text


def test_participants_are_the_events_over_the_share_that_has_them():
    """Schoenfeld (1983): 247 events where 35 % have one, a tenth lost: 785 in all."""
    row = sized("survival", 0.7, event_share=0.35, attrition=0.1)
    assert (row["per_group"], row["participants"]) == (247, 785)


# --- precision


@pytest.mark.parametrize(
    ("population", "n"),
    [(None, 385), (100, 80), (500, 218), (1000, 278), (2000, 323), (10_000, 370)],
)
def test_samples_of_finite_populations_agree_with_the_table(population, n):
    """Krejcie & Morgan (1970), table 1, half-width 0.05; they round 79.5, 322.4 and so on."""
    call = asked("proportion_precision", population=population)
    assert units_needed(call, 0.05) == pytest.approx(n, abs=1)


def test_a_whole_population_has_no_sampling_error():
    found = sample_size(asked("mean_precision", population=40, given=40, effects=(0.01,)))
    assert found["detectable"] == 0
    assert found["rows"][0]["per_group"] <= 40


def test_the_interval_of_a_mean_agrees_with_the_textbook():
    """Any table of t: t(0.975; 17) / √18 = 2.110 / 4.243 = 0.497."""
    assert units_needed(asked("mean_precision"), 0.5) == 18
    assert power(asked("mean_precision", power=0.8), 0.5, 18) - 0.8 == pytest.approx(
        0.5 - 2.110 / sqrt(18), abs=1e-4
    )


# --- before and after


def test_changes_break_even_with_plain_means_at_a_correlation_of_a_half():
    """Simonsohn, Data Colada 39: the change has the smaller variance if and only if r > 0.5."""
    plain = units_needed(asked(), 0.5)
    sizes = [
        units_needed(asked("difference_in_differences", correlation=r), 0.5)
        for r in (0.4, 0.5, 0.6)
    ]
    assert sizes[0] > plain == sizes[1] > sizes[2]


@pytest.mark.parametrize("rho", [0.0, 0.25, 0.5, 0.75])
def test_adjustment_saves_what_mckenzie_says_over_changes(rho):
    """McKenzie (2012): with one measurement before and one after, the sample of difference
    in differences is 2 / (1 + ρ) times that of analysis of covariance."""
    changes = units_needed(asked("difference_in_differences", correlation=rho), 0.05)
    adjusted = units_needed(asked("baseline_adjusted", correlation=rho), 0.05)
    assert changes / adjusted == pytest.approx(2 / (1 + rho), rel=2e-3)


def test_measurements_average_out_as_frison_and_pocock_say():
    """Frison & Pocock (1992): the variance of the change is (1 - ρ)(1/p + 1/r): 3 before and 3
    after take a third of the sample of 1 and 1."""
    one = units_needed(asked("difference_in_differences", correlation=0.7), 0.05)
    three = units_needed(
        asked("difference_in_differences", correlation=0.7, before=3, after=3), 0.05
    )
    assert one / three == pytest.approx(3, rel=2e-3)


# --- crossed factors and continuous exposures


def test_an_interaction_takes_twice_the_units_a_cell_of_a_difference_between_two():
    """A difference of two differences has twice the variance of one of them."""
    plain = units_needed(asked(), 0.05)
    assert units_needed(asked("interaction"), 0.05) / plain == pytest.approx(2, rel=2e-3)
    found = sample_size(SampleSize(design="interaction", effects=(1.5,)))["rows"][0]
    assert found["total"] == 4 * found["per_group"] == 60


def test_events_of_an_exposure_are_those_of_groups_that_are_as_far_apart():
    """Hsieh & Lavori (2000): halves of a group stand one deviation of 0.5 from their mean."""
    ratio = 0.6
    assert units_needed(asked("survival_by_exposure"), ratio**-0.5) == units_needed(
        asked("survival"), ratio
    )


def test_people_are_as_many_as_have_enough_events_among_them():
    call = SampleSize(design="survival_by_exposure", effects=(1.13,), event_share=0.1, given=5_300)
    found = sample_size(call)
    assert found["rows"][0]["events"] == pytest.approx(found["rows"][0]["total"] / 10, abs=1)
    assert found["detectable"] == 1.13


# --- laws that hold for every design

_EFFECTS = {"one_proportion": (0.03, 0.6), "two_proportions": (0.03, 0.6)}
_EFFECTS |= {"correlation": (0.03, 0.9), "non_inferiority_proportions": (0.03, 0.9)}
_EFFECTS |= {"proportion_precision": (0.01, 0.4), "discrimination": (0.05, 0.9)}
_EFFECTS |= {"equivalence_proportions": (0.03, 0.9), "mcnemar": (0.03, 0.38)}
_EFFECTS |= {"area": (0.55, 0.95), "area_precision": (0.01, 0.2)}
_EFFECTS |= {"survival": (0.2, 0.9), "rates": (0.2, 0.9), "survival_by_exposure": (1.1, 3.0)}


def smaller(design, effect):
    """An effect that is harder to show, by the design's own scale."""
    none = DESIGNS[design].scale(asked(design)).none
    return none + (effect - none) * 0.8


@st.composite
def calls(draw):
    """A design, an effect that it can have, and a power."""
    design = draw(st.sampled_from(sorted(DESIGNS)))
    effect = round(draw(st.floats(*_EFFECTS.get(design, (0.05, 2.0)))), 3)
    return asked(design, power=draw(st.sampled_from((0.7, 0.8, 0.9, 0.95)))), effect


@given(calls())
def test_the_size_found_is_enough_and_one_step_less_is_not(case):
    params, effect = case
    design, n = DESIGNS[params.design], units_needed(params, effect)
    least = max(design.fewest, params.factors + 2 if params.design == "factorial" else 0)
    assert design.reach(params, effect, Units(n)) >= 0
    step = design.step(params)
    if n - step >= least:
        assert design.reach(params, effect, Units(n - step)) < 0


@given(calls())
def test_more_power_and_smaller_effects_never_take_fewer_units(case):
    params, effect = case
    n = units_needed(params, effect)
    assert units_needed(params.model_copy(update={"power": 0.97}), effect) >= n
    assert units_needed(params, smaller(params.design, effect)) >= n


@given(calls())
def test_the_detectable_effect_of_a_size_inverts_it(case):
    params, effect = case
    n = units_needed(params, effect)
    found = sample_size(params.model_copy(update={"effects": (effect,), "given": float(n)}))
    assert found["short_of"] == []
    none = DESIGNS[params.design].scale(params).none
    assert abs(found["detectable"] - none) <= abs(effect - none) + 0.0051


# --- what the brief asks for


def test_a_given_number_is_held_against_each_effect():
    found = sample_size(SampleSize(given=40))
    assert found["short_of"] == [0.2, 0.5]
    assert found["detectable"] == 0.63


def test_a_sample_too_small_to_estimate_an_error_shows_no_effect():
    assert sample_size(SampleSize(design="correlation", given=3))["detectable"] is None


def test_a_number_of_clusters_gives_its_members():
    found = sample_size(SampleSize(clusters=8, cluster_size=25, icc=0.05))
    assert found["given"] == 200
    assert found["rows"][1]["clusters"] >= 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"design": "two_proportions"}, "needs base"),
        ({"design": "two_proportions", "base": 0.9, "effects": (0.2,)}, r"effects \[0.2\]"),
        ({"design": "correlation", "effects": (1.0,)}, r"effects \[1.0\]"),
        ({"effects": (0.0,)}, r"effects \[0.0\]"),
        ({"clusters": 8}, "needs cluster_size"),
        ({"design": "three_means"}, "two_means"),
        ({"paired": True}, "paired"),
    ],
)
def test_what_cannot_be_sized_is_refused_with_what_is_wrong(arguments, said):
    with pytest.raises(ValidationError, match=said):
        SampleSize(**arguments)


def test_an_effect_that_no_study_could_show_is_refused():
    with pytest.raises(TaskError, match="more than 10,000,000 units"):
        sample_size(SampleSize(effects=(0.001,)))


def test_every_design_gives_a_table_with_what_it_rests_on():
    for name, design in DESIGNS.items():
        found = sample_size(asked(name))
        assert [r["effect"] for r in found["rows"]]
        assert found["note"] == design.note
        assert isclose(found["confidence"], 0.95)


# --- large numbers


@pytest.mark.parametrize(
    ("t", "df", "size"), [(141.0, 30, 0.6), (150.0, 8, 0.5), (160.0, 200, 0.0)]
)
def test_far_out_the_tails_go_on_as_they_were(t, df, size, monkeypatch):
    """The approximation against the sum and the integral that it stands for."""
    shift = 145.0
    near = (f_tail(t**2, 1, df, shift**2), t_tail(t, df, shift))
    monkeypatch.setattr(tails, "_FAR", inf)
    summed = (f_tail(t**2, 1, df, shift**2), t_tail(t, df, shift))
    assert near == pytest.approx(summed, abs=1e-5)


@pytest.mark.parametrize("design", DESIGNS)
def test_millions_of_units_show_a_small_effect(design):
    """Summed term by term, as for few units, this would take hours."""
    found = sample_size(asked(design, given=1e7))
    assert abs(found["detectable"] - DESIGNS[design].scale(asked(design)).none) <= 0.01
    assert found["short_of"] == []


@pytest.mark.parametrize("design", DESIGNS)
def test_the_smallest_error_that_may_be_asked_for_computes(design):
    effect = 0.7 if design == "area" else 0.3
    assert sample_size(asked(design, alpha=1e-9, effects=[effect]))["rows"][0]["per_group"] > 1
    with pytest.raises(ValidationError, match="alpha"):
        asked(design, alpha=1e-17)


def test_less_than_two_clusters_show_nothing():
    found = sample_size(asked("non_inferiority_means", cluster_size=99.99, given=100))
    assert found["detectable"] is None


def test_a_few_large_clusters_are_sized():
    found = sample_size(asked(clusters=2, cluster_size=5e6, effects=[0.5, 20]))
    assert found["rows"][1]["clusters"] == 2

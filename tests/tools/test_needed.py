"""Sizes that follow from what a brief states, against published examples of the same figures."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.study import Layout, Statistics
from dr_rd.tools.sample_size import SampleSize, needed, sample_size

CASES = yaml.safe_load((Path(__file__).parent / "needed.yaml").read_text("utf-8"))
LABELLED = Path(__file__).parents[3] / "shared/data/reading/visible.jsonl"


def found(**figures):
    return needed(Statistics(**figures))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["source"][:60])
def test_figures_of_published_examples_give_their_size(case):
    answer = found(**case["statistics"])
    if case["n"] is None:
        assert answer.n is None
        assert case["why"] in answer.why_not
    else:
        low, high = case["accept"]
        assert low <= answer.n <= high
        assert answer.per == case["per"]


@pytest.mark.skipif(not LABELLED.is_file(), reason="the labelled briefs are not there")
def test_labelled_briefs_have_the_size_that_an_expert_gives():
    """One label counts people where it has them in pairs, so the unit is not held against it."""
    wrong = []
    for line in LABELLED.read_text("utf-8").splitlines():
        gold = json.loads(line)["gold"]
        if not gold.get("statistics"):
            continue
        stated = {k: v for k, v in gold["statistics"].items() if v is not None}
        answer, wanted = needed(Statistics(**stated)), gold.get("needed")
        low, high = wanted.get("accept") or [wanted["n"]] * 2 if wanted else (None, None)
        fits = low <= answer.n <= high if wanted and answer.n else answer.n is wanted
        wrong += [] if fits else [(stated, wanted, answer)]
    assert wrong == []


def test_a_share_of_a_small_population_is_answered_and_invited():
    answer = found(
        design="one proportion", margin=0.05, margin_kind="precision", confidence=0.95,
        population=1200, response=0.6,
    )  # fmt: skip
    assert (answer.analysed, answer.n, answer.per) == (292, 487, "total")


def test_a_cure_rate_is_held_against_its_margin():
    answer = found(
        base_rate=0.85, margin=0.1, margin_kind="non-inferiority", alpha=0.025, sides=1, power=0.9
    )
    assert (answer.n, answer.per, answer.design) == (268, "group", "non_inferiority_proportions")


def test_a_drop_of_pressure_is_sized_before_and_after_losses():
    answer = found(effect=5, effect_kind="mean difference", sd=10, loss=0.2)
    assert (answer.analysed, answer.n, answer.per) == (64, 80, "group")
    assert {"two-sided", "error of the first kind 0.05", "power 80 %"} <= set(answer.assumed)


def test_a_hazard_ratio_is_sized_by_events():
    stated = {
        "effect": 0.7,
        "effect_kind": "hazard ratio",
        "alpha": 0.05,
        "sides": 2,
        "power": 0.8,
    }
    answer = found(**stated)
    assert (answer.n, answer.per, answer.assumed) == (247, "events", ())
    enrolled = found(**stated, base_rate=0.4, second_rate=0.3, loss=0.1)
    assert (enrolled.n, enrolled.participants) == (247, 785)


def test_the_call_is_what_the_calculation_takes():
    answer = found(base_rate=0.5, second_rate=0.65, icc=0.05, cluster_size=46)
    row = sample_size(SampleSize.model_validate(answer.call))["rows"][0]
    assert (answer.per, answer.n) == ("clusters per arm", row["clusters"])


def test_figures_that_are_not_used_are_named_with_the_reason():
    answer = found(
        design="one proportion", margin=0.05, margin_kind="precision", power=0.8, sd=3, sides=2
    )
    unused = {u.field: u for u in answer.unused}
    assert set(unused) == {"power", "sd", "sides"}
    assert "no test is made" in unused["power"].why
    assert unused["sd"].value == 3


def test_where_no_size_follows_every_figure_is_named():
    answer = found(sd=10, power=0.9, loss=0.1, population=400)
    assert answer.n is None
    assert {u.field for u in answer.unused} == {"sd", "power", "loss", "population"}
    late = found(design="cluster means", sd=10, effect=2, cluster_size=20)
    assert {u.field for u in late.unused} == {"sd", "effect", "cluster_size"}


def test_a_population_that_is_too_small_for_its_answers_gives_none():
    answer = found(
        base_rate=0.5, margin=0.05, margin_kind="precision", population=300, response=0.5
    )
    assert answer.n is None
    assert "more than the 300" in answer.why_not


def test_a_margin_makes_groups_a_trial_of_that_margin():
    stated = {"design": "two means", "sd": 10, "margin": 5}
    assert found(**stated, margin_kind="equivalence").design == "equivalence_means"
    assert found(**stated, margin_kind="non-inferiority").design == "non_inferiority_means"
    paired = found(design="paired", sd=10, margin=5, margin_kind="equivalence")
    assert "'equivalence paired' is not offered" in paired.why_not


@pytest.mark.parametrize(
    ("alpha", "sides", "on_one_side"),
    [
        (0.05, 2, 0.025),
        (0.05, 1, 0.05),
        (0.025, None, 0.025),
        (0.05, None, 0.025),
        (None, None, 0.025),
    ],
)
def test_non_inferiority_is_tested_on_one_side(alpha, sides, on_one_side):
    """ICH E9: 0.025 on one side, or 0.05 on two, where nothing else is said."""
    stated = {"base_rate": 0.85, "margin": 0.1, "margin_kind": "non-inferiority", "power": 0.9}
    plain = found(**stated, alpha=on_one_side, sides=1)
    answer = found(**stated, alpha=alpha, sides=sides)
    assert answer.n == plain.n
    assert bool(sides) != any("on one side" in said for said in answer.assumed)


def test_the_direction_of_a_difference_is_named():
    said = found(base_rate=0.12, effect=0.03, effect_kind="proportion difference").assumed
    assert "a rate of 0.15 against 0.12" in said
    said = found(base_rate=0.12, effect=-0.03, effect_kind="proportion difference").assumed
    assert "a rate of 0.09 against 0.12" in said


def test_clusters_that_are_drawn_for_an_estimate_are_not_compared():
    answer = found(
        design="cluster proportions",
        margin=0.05,
        margin_kind="precision",
        icc=0.02,
        cluster_size=20,
    )
    assert (answer.design, answer.per) == ("proportion_precision", "total")
    assert 385 * (1 + 19 * 0.02) <= answer.n <= 385 * (1 + 19 * 0.02) + 60


def test_a_stepped_wedge_needs_its_steps():
    stated = Statistics(design="stepped wedge", effect=0.3, effect_kind="standardised", icc=0.05,
                        cluster_size=20, alpha=0.05, power=0.8)  # fmt: skip
    assert "number of steps" in needed(stated).why_not
    answer = needed(stated, Layout(steps=4))
    assert answer.per == "clusters"
    assert answer.n % 4 == 0


def test_layout_says_the_ratio_of_the_groups():
    stated = Statistics(effect=0.5, effect_kind="standardised", design="two means")
    row = sample_size(SampleSize(**needed(stated, Layout(ratio=2)).call))["rows"][0]
    assert row["total"] == 3 * row["per_group"]


_SHARES = st.none() | st.sampled_from((0.0, 0.001, 0.05, 0.5, 0.9, 1.0))
_VALUES = st.none() | st.sampled_from((-3.0, -0.2, 0.0, 0.001, 0.3, 0.7, 1.0, 2.5, 40.0))
_AMOUNTS = st.none() | st.sampled_from((0.0, 0.001, 0.05, 0.5, 1.0, 3.0))
_NAMES = (
    "one proportion", "one mean", "two proportions", "two means", "paired", "mcnemar",
    "correlation", "cluster means", "cluster proportions", "stepped wedge", "factorial",
    "non-inferiority", "equivalence", "equivalence crossover", "survival", "rates", "auc", "none",
)  # fmt: skip


@given(
    st.builds(
        Statistics, alpha=_SHARES, power=_SHARES, confidence=_SHARES, icc=_SHARES, loss=_SHARES,
        response=_SHARES, effect=_VALUES, sd=st.none() | st.sampled_from((0.01, 1.0, 50.0)),
        base_rate=_AMOUNTS, second_rate=_AMOUNTS, margin=_AMOUNTS,
        cluster_size=st.none() | st.sampled_from((1.0, 20.0)),
        population=st.none() | st.sampled_from((1, 300)),
        sides=st.sampled_from((None, 1, 2)), design=st.none() | st.sampled_from(_NAMES),
    )
)  # fmt: skip
def test_any_figures_give_a_size_or_the_reason_why_none_follows(stated):
    answer = needed(stated, Layout(steps=3))
    assert (answer.n is None) == bool(answer.why_not)
    assert (answer.call is None) == (answer.n is None)

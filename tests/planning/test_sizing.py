"""Which calculation a plan's sample size is, and what it takes from the brief."""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.context import plan_context
from dr_rd.planning.designs import SizingInput
from dr_rd.planning.sizing import sizing
from dr_rd.planning.wording import Assumptions
from dr_rd.reading import words_of
from dr_rd.tools import PlanContext
from dr_rd.tools.sample_size import SPEC, SampleSize, sample_size


@pytest.fixture(scope="module")
def planner():
    return load_planner()


@pytest.fixture(scope="module")
def library(planner):
    return planner.library


def sized(library, method, constraints=(), criteria=(), *, sample="", units="", count=40.0,
          statistics=None):  # fmt: skip
    """Arguments of the call, and the texts of the assumptions it named."""
    brief = Brief(
        id="b", objective="Test it.", hard_constraints=constraints, success_criteria=criteria
    )
    assumed = Assumptions()
    slots = {"sample": sample, "units": units}
    planned = library.method(method)
    words = words_of(brief)
    figures = words.study.statistics if statistics is None else statistics
    asked = SizingInput(
        brief, planned, "", slots, count, SampleSize, planned.sizing, figures, words.factors
    )
    return sizing(asked, assumed), [a.text for a in assumed.all()]


def test_every_method_names_a_design_that_the_tool_has_but_those_where_none_is_known(library):
    """One chooses its design, one reads all there is, two stop when nothing new is heard or seen."""
    without = ["document-review", "generic-study", "qualitative-study", "usability-study"]
    assert [m.id for m in library.methods if not m.sizing] == without
    for method in (m for m in library.methods if m.sizing):
        found, _ = sized(library, method.id)
        assert sample_size(SampleSize(**found))["rows"], method.id


def test_every_figure_that_the_brief_does_not_give_is_an_assumption(library):
    found, assumed = sized(library, "quasi-experiment")
    assert found["design"] == "difference_in_differences"
    assert found["correlation"] == 0.5
    assert {"power: 80 %", "alpha: two-sided 0.05", "correlation: 0.5"} <= set(assumed)
    _, customary = sized(library, "software-system")
    assert "power in the sample size: 80 %" in customary


def test_periods_before_and_after_are_measurements(library):
    found, assumed = sized(
        library, "quasi-experiment",
        ("window must span exactly 5 years pre-enactment and 4 years post-enactment",),
    )  # fmt: skip
    assert (found["before"], found["after"]) == (5, 4)
    assert any("each year" in text for text in assumed)


def test_a_baseline_that_is_controlled_for_is_adjusted_for(library):
    line = "final score analysed with a linear model controlling for baseline ability"
    assert sized(library, "quasi-experiment", (), (line,))[0]["design"] == "baseline_adjusted"
    both = sized(library, "quasi-experiment", ("difference-in-differences only",), (line,))[0]
    assert both["design"] == "difference_in_differences"


def test_an_analysis_of_variance_takes_levels_alpha_and_effect_from_the_brief(library):
    found, assumed = sized(
        library, "laboratory-experiment",
        ("Minimum 5 specimens per temperature condition",),
        ("ANOVA, alpha=0.01, over at least 4 annealing temperatures",
         "Effect size (eta-squared) exceeds 0.14"),
        sample="minimum 5 specimens", units="specimens", count=20,
    )  # fmt: skip
    assert (found["design"], found["groups"], found["alpha"]) == ("anova", 4, 0.01)
    assert found["effects"] == [0.4035]
    assert found["given"] == 5
    assert "alpha: two-sided 0.05" not in assumed


def test_an_effect_and_a_power_that_the_brief_names_replace_the_assumed_ones(library):
    found, assumed = sized(
        library, "human-experiment", ("between-subjects", "at least 95 % power"),
        ("Cohen's d of the primary comparison exceeds 0.4",),
    )  # fmt: skip
    assert found["effects"] == [0.4]
    assert found["power"] == 0.95
    assert not any(text.startswith("power") for text in assumed)


def test_designed_experiments_are_sized_by_runs_and_not_by_samples(library):
    found, _ = sized(
        library, "process-development", ("screen 5 factors", "at least 5 samples"),
        sample="at least 5 samples", units="samples",
    )  # fmt: skip
    assert (found["design"], found["factors"]) == ("factorial", 5)
    assert "given" not in found


def test_archives_are_sized_by_planted_cases(library):
    found, assumed = sized(
        library, "archival-analysis", ("at least 4 cities",), sample="at least 4 cities"
    )
    assert (found["design"], found["base"], found["unit"]) == (
        "proportion_precision", 0.8, "planted cases",
    )  # fmt: skip
    assert "given" not in found
    assert "recovery: 80 %" in assumed


def test_a_survey_of_a_whole_register_draws_from_a_finite_population(library):
    found, _ = sized(
        library, "survey", ("draw from all 1,200 licensed dentists", "margin of error of 4 %")
    )
    assert (found["population"], found["effects"]) == (1200, [0.04])
    assert (found["alpha"], found["attrition"]) == (0.05, 0.7)


def test_sites_along_a_gradient_are_sized_as_a_correlation_of_them_all(library):
    found, _ = sized(
        library, "observational-monitoring", ("must sample at least 30 sites",),
        sample="at least 30 sites", units="sites", count=30,
    )  # fmt: skip
    assert (found["design"], found["given"], found["unit"]) == ("correlation", 30, "sites")


def test_clusters_that_the_brief_counts_are_kept(library):
    found, assumed = sized(
        library, "controlled-trial", ("cluster-randomised with at least 8 schools per arm",),
        sample="at least 8 schools", units="schools", count=16,
    )  # fmt: skip
    assert (found["clusters"], found["cluster_size"], found["icc"]) == (8, 25, 0.05)
    assert "icc: 0.05" in assumed


def test_a_trial_of_non_inferiority_is_sized_against_a_margin(library):
    found, _ = sized(library, "controlled-trial", ("show that it is non-inferior",))
    assert found["design"] == "non_inferiority_means"


def test_the_text_holds_the_number_asked_for_against_the_one_needed(library):
    found, _ = sized(
        library, "laboratory-experiment", ("at least 5 specimens per group",),
        sample="at least 5 specimens", units="specimens", count=10,
    )  # fmt: skip
    out = sample_size(SampleSize(**found))
    text = SPEC.shown("T01-1", out, PlanContext(), short=False)
    assert (
        "| Standardised difference (Cohen's d) | Per group | In all |\n|---|---|---|\n| 0.2"
        in text
    )
    assert "With the 5 per group that the brief names" in text
    assert "fall short of what is needed for 0.2, 0.5, 0.8" in text


def test_a_plan_without_a_sample_size_task_assumes_nothing_for_one(planner):
    brief = Brief(
        id="given",
        objective="Test whether shade lowers heat compared with none in schools.",
        tasks=({"id": "T1", "title": "Do it", "role": "engineer"},),
    )
    design = planner.design(brief, build_ledger(brief), documents=False)
    assert design.sizing == {}


def test_members_of_clusters_are_not_put_into_the_briefs_mouth(library):
    found, _ = sized(
        library, "controlled-trial", ("cluster-randomised with at least 8 schools per arm",),
        sample="at least 8 schools", units="schools", count=16,
    )  # fmt: skip
    out = sample_size(SampleSize(**found))
    text = SPEC.shown("T01-1", out, PlanContext(), short=False)
    assert (
        "With the 200 members per group in the clusters that the brief names, at the size "
        "taken for each, the smallest" in text
    )


def test_a_triangle_test_is_sized_against_guessing_one_of_three_whatever_the_method(planner):
    brief = Brief(
        objective="Find out in a triangle test whether drinkers can tell two lagers apart.",
        hard_constraints=("at most 60 tasters",),
    )
    design = planner.design(brief, build_ledger(brief), documents=False)
    assert design.sizing["design"] == "discrimination"
    assert design.sizing["base"] == pytest.approx(1 / 3)
    assert (design.most_units.ledger_id, design.most_units.count) == ("C01", 60)
    texts = [a.text for a in design.assumptions]
    assert "one sided alpha: one-sided 0.05" in texts
    assert sum(t.startswith("chance: ") for t in texts) == 1


TRIAL = "Test whether a garden course helps lonely tenants"


@pytest.mark.parametrize(
    ("objective", "limits", "units", "expected"),
    [
        (
            "Does ten minutes of daily retrieval practice help 7th graders remember fractions better "
            "than homework does? We have 9 classes in 3 schools.",
            (),
            "classes",
            {"clusters": 4, "cluster_size": 25},
        ),
        (
            "Raise hand hygiene on 12 wards that start a reminder system one after another.",
            (),
            "wards",
            {"clusters": 6},
        ),
        (
            "Does a weekly reading hour improve the fluency of second graders?",
            ("20 classes in 8 schools", "about 22 pupils in each class"),
            "classes",
            {"clusters": 10, "cluster_size": 22},
        ),
        (f"{TRIAL} in 16 nursing homes with 640 residents.", (), "nursing homes", {"cluster_size": 40}),
        (f"{TRIAL}.", ("400 patients in 3 hospitals",), "patients", {"given": 200}),
        (f"{TRIAL}.", ("at most 60 tenants",), "tenants", {"given": 30}),
    ],
)  # fmt: skip
def test_what_a_brief_counts_is_what_its_sample_is_held_against(
    planner, objective, limits, units, expected
):
    brief = Brief(objective=objective, hard_constraints=limits)
    design = planner.design(brief, build_ledger(brief), documents=False)
    assert design.slots["units"] == units
    assert {k: design.sizing.get(k) for k in expected} == expected
    assert ("clusters" in design.sizing) == ("given" not in expected)


def test_members_that_the_brief_states_are_not_assumed(planner):
    brief = Brief(objective=f"{TRIAL} in 12 villages with 30 tenants each.")
    design = planner.design(brief, build_ledger(brief), documents=False)
    assert design.sizing["cluster_size"] == 30
    assert not any(a.text.startswith("cluster size") for a in design.assumptions[-6:])


def test_a_cap_on_groups_is_held_against_groups_and_not_against_their_members(planner):
    brief = Brief(
        objective="Does a weekly reading hour improve the fluency of second graders?",
        hard_constraints=("at most 8 classes",),
    )
    design = planner.design(brief, build_ledger(brief), documents=False)
    out = sample_size(SampleSize(**design.sizing))
    text = SPEC.shown("T01-1", out, plan_context(design), short=False)
    assert design.most_units.groups
    assert "allows 8 groups in all" in text
    assert "With the 100 members per group in the clusters that the brief names" in text


@pytest.mark.parametrize(
    ("limits", "told", "remedy"),
    [
        (("at least 50 % power",), "the power of 0.5 ", "give more than 0.5"),
        (("alpha = 0.00",), "the alpha of 0 ", "give more than 0."),
        (("show Cohen's d of 0.0001",), "the effect of 0.0001 ", "give one that the design"),
        (("at least 40000000 people",), "the number of 20,000,000 ", "give at most 10,000,000"),
    ],
)
def test_a_figure_that_cannot_be_sized_is_told_with_what_to_give_and_sizes_nothing(
    planner, limits, told, remedy
):
    brief = Brief(
        objective="Does sand from recycled glass weaken mortar?", hard_constraints=limits
    )
    design = planner.design(brief, build_ledger(brief), documents=False)
    assert sample_size(SampleSize(**design.sizing))["rows"]
    said = next(a for a in design.assumptions if "that the brief names is not used" in a.text)
    assert said.text.startswith(told)
    assert remedy in said.why


def test_an_effect_that_explains_everything_is_no_effect_to_size_by(planner):
    brief = Brief(
        objective="Does sand from recycled glass weaken mortar?",
        hard_constraints=("anova with 4 groups, eta squared 1.0",),
    )
    design = planner.design(brief, build_ledger(brief), documents=False)
    assert "effects" not in design.sizing

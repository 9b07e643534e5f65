"""A plan's sample size follows from the figures that were read in its brief."""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.stated import figures_for
from dr_rd.reading import words_of
from dr_rd.study import Statistics
from dr_rd.tools.sample_size import SampleSize, needed, sample_size


@pytest.fixture(scope="module")
def planner():
    return load_planner()


def designed(planner, objective, *limits, **figures):
    brief = Brief(objective=objective, hard_constraints=limits)
    stated = Statistics(**figures)
    return planner.design(brief, build_ledger(brief), documents=False, statistics=stated)


def row(design):
    return sample_size(SampleSize(**design.sizing))["rows"][0]


FARMERS = "Estimate by a survey the share of farmers in the valley who irrigate at night."
PRESSURE = "Test in a randomised trial whether a salt substitute lowers blood pressure in adults."


def test_a_survey_is_sized_by_its_precision_population_and_response(planner):
    design = designed(
        planner, FARMERS, design="one proportion", margin=0.05, margin_kind="precision",
        confidence=0.95, population=1200, response=0.6,
    )  # fmt: skip
    assert (row(design)["analysed"], row(design)["per_group"]) == (292, 487)
    texts = [a.text for a in design.assumptions]
    assert "a share of a half, the worst for its precision in the sample size" in texts
    assert not any(t.startswith("response:") for t in texts)
    steps = [step for task in design.tasks for step in task.steps]
    assert any("expected response of 60 %" in str(step) for step in steps)


def test_a_trial_is_sized_by_its_difference_and_loses_what_is_stated(planner):
    design = designed(planner, PRESSURE, effect=5, effect_kind="mean difference", sd=10, loss=0.2)
    assert (row(design)["analysed"], row(design)["per_group"]) == (64, 80)
    texts = [a.text for a in design.assumptions]
    assert "two means of separate groups are compared in the sample size" in texts
    assert "attrition: 15 %" not in texts


def test_power_and_error_that_nobody_states_are_the_methods_as_its_texts_say(planner):
    figures = {"effect": 0.5, "effect_kind": "standardised", "design": "two means"}
    design = designed(
        planner,
        "Test whether sleep loss lowers the memory of students in a laboratory.",
        **figures,
    )
    texts = [a.text for a in design.assumptions]
    assert design.method_id == "human-experiment"
    assert (design.sizing["power"], design.sizing["alpha"]) == (0.9, 0.05)
    assert {"power: 90 %", "alpha: two-sided 0.05"} <= set(texts)
    assert not any("80 %" in t and "power" in t for t in texts)


def test_a_loss_that_nobody_states_is_the_methods_and_is_named(planner):
    figures = {"effect": 5, "effect_kind": "mean difference", "sd": 10, "design": "two means"}
    design = designed(planner, PRESSURE, **figures)
    assert row(design)["analysed"] == needed(Statistics(**figures)).n == 64
    assert row(design)["per_group"] == 76
    assert "attrition: 15 %" in [a.text for a in design.assumptions]


@pytest.mark.parametrize(
    ("figures", "name", "size"),
    [
        ({"base_rate": 0.85, "margin": 0.1, "margin_kind": "non-inferiority", "alpha": 0.025,
          "sides": 1, "power": 0.9, "loss": 0.0}, "non_inferiority_proportions", 268),
        ({"effect": 0.7, "effect_kind": "hazard ratio", "power": 0.8, "loss": 0.0}, "survival", 247),
        ({"design": "mcnemar", "base_rate": 0.09, "second_rate": 0.04, "loss": 0.0}, "mcnemar", 406),
    ],
)  # fmt: skip
def test_the_design_follows_from_the_figures_and_not_from_the_method(planner, figures, name, size):
    design = designed(planner, PRESSURE, "at least 100 adults", **figures)
    assert (design.sizing["design"], row(design)["per_group"]) == (name, size)
    assert ("given" in design.sizing) == (name != "survival")


def test_a_stated_figure_that_is_not_used_is_named_in_the_plan(planner):
    design = designed(
        planner, FARMERS, design="one proportion", margin=0.05, margin_kind="precision", power=0.9
    )
    said = next(a for a in design.assumptions if "that the brief names is not used" in a.text)
    assert said.text.startswith("the power of 0.9")
    assert "no test is made" in said.why


def test_where_no_size_follows_the_plan_says_why_and_sizes_customary_effects(planner):
    design = designed(planner, PRESSURE, design="structural equation model", power=0.9)
    said = next(a for a in design.assumptions if "customary effects" in a.text)
    assert "not offered" in said.why
    found = sample_size(SampleSize(**design.sizing))
    assert (found["power"], len(found["rows"])) == (0.9, 3)


def test_figures_without_an_effect_replace_those_of_the_method(planner):
    design = designed(planner, PRESSURE, power=0.9, alpha=0.01, loss=0.25)
    assert [design.sizing[k] for k in ("power", "alpha", "attrition")] == [0.9, 0.01, 0.25]
    assert not {"power: 80 %", "attrition: 15 %"} & {a.text for a in design.assumptions}
    steps = " ".join(str(s) for task in design.tasks for s in task.steps)
    assert "90 % power" in steps.replace("\xa0", " ") or "at 90 %" in steps


def test_a_design_of_changes_stays_where_the_figures_name_no_other():
    figures = Statistics(effect=0.4, effect_kind="standardised", power=0.9)
    assert figures_for("difference_in_differences", figures) == {"power": 0.9, "effects": [0.4]}
    assert "effects" not in figures_for("anova", figures)


def test_limits_say_power_error_effect_precision_and_whole_in_so_many_words():
    brief = Brief(
        objective="Test it.",
        hard_constraints=("at least 90 % power", "alpha = 0.01", "all 1,200 farms"),
        success_criteria=("margin of error of 4 %",),
    )
    assert words_of(brief).study.statistics == Statistics(
        power=0.9, alpha=0.01, population=1200, margin=0.04, margin_kind="precision",
        design="one proportion",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rate", "base"),
    [("the share of bellows that leak, which is about 8 %", None), ("the share of pipes that squeak, which is about 8 %", 0.08)],
)  # fmt: skip
def test_the_rate_of_one_target_goes_with_no_margin_of_another(rate, base):
    asked = f"{rate}, and the share of pipes that speak late, to within 4 percentage points"
    found = words_of(Brief(objective=f"Find out {asked} at 95 % confidence.")).study.statistics
    assert (found.base_rate, found.margin, found.design) == (base, 0.04, "one proportion")

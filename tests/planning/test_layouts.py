"""The layout that a size hangs on, as briefs and their directions say it."""

import pytest

from dr_rd.brief import Brief
from dr_rd.planning.layouts import (
    by_layout,
    is_gradient,
    is_interaction,
    is_share,
    levels_of,
    tried_in_both,
    unsized,
)
from dr_rd.study import Statistics


def brief(objective="Test whether a filter lowers the noise.", *limits, criteria=()):
    return Brief(objective=objective, hard_constraints=limits, success_criteria=criteria)


@pytest.mark.parametrize(
    ("direction", "levels"),
    [
        ("bracket of 10-50 bar in 10 bar steps", 5),
        ("six pressures at 1, 2, 4, 8, 16 and 32 bar", 6),
        ("three doses of the dye", 3),
        ("one long ramp", 0),
    ],
)
def test_levels_are_read_from_the_direction(direction, levels):
    assert levels_of(direction) == levels


@pytest.mark.parametrize(
    ("direction", "kind"),
    [
        ("synthetic control for each town", "synthetic control"),
        ("stacked difference-in-differences", "staggered"),
        ("propensity score matching of towns", "matching"),
        ("multilevel model of streets in towns", "multilevel"),
        ("difference-in-differences of two groups of towns", None),
        ("randomised comparison of two groups", None),
    ],
)
def test_an_analysis_that_no_formula_sizes_is_named_with_what_would_tell(direction, kind):
    found = unsized(brief(), direction, {"units": "towns"})
    assert (found and found.id) == kind
    assert found is None or ("{" not in found.why + found.asks)


def test_cells_of_a_panel_are_no_units_but_their_clusters_are():
    limits = ("unit of analysis is the port-month", "14 ports over 60 months")
    found = unsized(brief("Estimate the effect of a fee on delays.", *limits), "fixed effects", {})
    assert found is not None
    assert found.id == "panel"
    assert "14 ports" in found.why


def test_allocated_clusters_are_sized_whatever_model_analyses_them():
    limits = ("villages are randomised, not people",)
    assert unsized(brief("Test a pump.", *limits), "multilevel model", {}) is None


def test_a_gradient_is_one_only_where_no_groups_are_compared():
    asked = "Determine whether moss cover rises with rainfall on rock faces."
    assert is_gradient(brief(asked), "linear regression")
    assert not is_gradient(brief(asked, "faces are randomised to irrigation"), "two groups")


def test_an_interaction_is_asked_for_by_name_or_by_a_perturbation_under_two_conditions():
    assert is_interaction(brief("Test whether salt and heat interact on growth."), "")
    assert is_interaction(brief("Test whether factor X acts on gene Y."),
                          "siRNA knockdown under rest vs stretch")  # fmt: skip
    assert not is_interaction(brief(), "two groups")


def test_tries_of_one_unit_are_no_units():
    limits = ("12 doors, each opened 20 times with either gripper",)
    study = brief("Test whether a soft gripper opens more doors.", *limits)
    assert tried_in_both(study, "")
    points = Statistics(effect=0.1, effect_kind="proportion difference", design="two proportions")
    assert by_layout(points, study, "").design == "paired"


def test_a_prevalence_is_a_share_of_those_who_are_measured():
    assert is_share(brief(), "prevalence of myopia")
    assert not is_share(brief(), "mean score")


@pytest.mark.parametrize(
    ("limits", "count"),
    [
        (("at least 4 treated lakes and at least 5 control lakes",), 9),
        (("three arms with at least 12 barns per arm",), 36),
        (("at least 6 jars in each of the four combinations",), 24),
    ],
)
def test_minima_of_arms_are_added_up(workbench, limits, count):
    study = brief("Test whether aeration lowers the algae of lakes.", *limits)
    named = study.model_copy(update={"family": "lab_experiment"})
    design = workbench.design(named, ())
    sizes = design.sizing.get("frontier") or {}
    asked = design.unsized.count if design.unsized else sizes.get("asked")
    assert asked == count

"""Directions decided: held against limits, sized, tied or not, and carried into the tasks."""

import json
from functools import cache

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.directions import Direction, assess, load_decision, settling_question, tied
from dr_rd.planning.library import load_library
from dr_rd.reading import parse_brief

library, decision = cache(load_library), cache(load_decision)

LOT = "churches drawn by lot: half get cassettes, half get nothing"
WITHIN = "within one organ, cassettes in one chest for 12 weeks of each and none in the other"
RECORDS = "compare the season with last season's parish records of repairs"


def asked(*directions, **more):
    return parse_brief(json.dumps({
        "objective": "Does a passive humidity buffer in the wind chest reduce crack opening in the wind "
        "chests of church organs, compared with chests left as they are?",
        "family": "field_trial",
        "hard_constraints": [
            "each church costs 1,150 EUR",
            "no more than 36 churches can be visited by one conservator",
            *more.get("limits", ()),
        ],
        "success_criteria": [
            "the standard deviation between chests is about 120 micrometres",
            "a difference of 80 micrometres would change the diocese's advice",
        ],
        "plausible_directions": list(directions),
    }))  # fmt: skip


def by_id(design):
    return {d.id: d for d in design.directions}


def test_the_direction_that_the_limits_allow_to_answer_is_chosen_whatever_its_place(workbench):
    design = workbench.design(asked(LOT, WITHIN, RECORDS), ())
    found = by_id(design)
    assert design.chosen == "O2"
    assert "it needs 74 churches in all, and the limits allow 36" in found["O1"].reasons["sound"]
    assert "two periods" in found["O3"].weaknesses[0]
    assert found["O3"].needs
    assert all(d.excluded == "" for d in design.directions)


def test_the_chosen_directions_design_counts_and_durations_stand_in_the_tasks(workbench):
    chosen = workbench.design(asked(LOT, WITHIN), ())
    assert chosen.sizing["design"] == "paired_means"
    main = next(t for t in chosen.tasks if any("O2, as chosen" in s for s in t.steps))
    assert any(s == f"{chosen.scaling.units:g} churches in all, as the sample size has it." for s in main.steps)  # fmt: skip
    waits = [t for t in chosen.tasks if any("84 days, 2 times" in s for s in t.steps)]
    assert len(waits) == 1
    assert waits[0].duration_days.low >= 2 * 84 * 5 / 7
    other = workbench.design(asked(LOT), ())
    assert other.sizing["design"] == "two_means"
    assert not any("in one chest" in s for t in other.tasks for s in t.steps)
    assert any(LOT in s for t in other.tasks for s in t.steps)


def test_an_action_that_a_limit_rules_out_excludes_a_direction_that_names_it(workbench):
    brief = asked("survey the organists by questionnaire", LOT, limits=["no new data collection"])
    design = workbench.design(brief, ())
    assert "breaks C03" in by_id(design)["O1"].excluded
    assert design.chosen == "O2"


def test_a_tie_is_said_with_the_question_that_settles_it(workbench):
    brief = asked("cassettes from Bremen", "cassettes from Linz")
    design = workbench.design(brief, ())
    first = tied(design.directions, design.weights)
    assert [d.id for d in first] == ["O1", "O2"]
    assert settling_question(first).endswith("which is wanted, “Bremen” (O1) or “Linz” (O2)")
    assert tied(design.directions[:1], design.weights) == []


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("teams drawn by lot to blank training or usual training", {"random"}),
        ("every team does four weeks of each, order drawn by lot", {"random", "within"}),
        ("one association trains with blanks, the other as usual", {"one-against-one"}),
        ("difference-in-differences with before-and-after images of treated wards", set()),
        ("train a domain-randomized policy in a simulator", set()),
        ("use the hospital's register of falls", {"records"}),
    ],
)
def test_how_a_comparison_comes_about_is_read_from_the_words(text, kinds):
    assert {k.id for k in decision().kinds if k.holds(text)} == kinds


def test_a_figure_of_another_thing_says_nothing_against_a_direction(workbench):
    """A furnace's 450 C breaks no limit of the room; what is named and barred is excluded."""
    brief = parse_brief(json.dumps({
        "objective": "Does firing temperature change the flexural strength of stoneware tiles?",
        "hard_constraints": ["Testing performed at 21 +/- 2 C ambient temperature", "no lead glazes"],
        "plausible_directions": ["coarse sweep of 3 temperatures (450, 550, 650 C)", "fire with lead glazes"],
    }))  # fmt: skip
    fired, glazed = workbench.design(brief, ()).directions
    assert (fired.conflicts, fired.scores["sound"]) == ((), 1)
    assert "breaks C02" in glazed.excluded


def test_a_limit_that_two_actions_of_a_direction_break_counts_once(workbench):
    limits = ["No surveys, no interviews"]
    once, twice = (
        by_id(workbench.design(asked(text, LOT, limits=limits), ()))["O1"]
        for text in ("interviews with organists", "interviews and a survey of organists")
    )
    assert [len(d.conflicts) for d in (once, twice)] == [1, 1]
    assert twice.scores["limits"] == once.scores["limits"] > 0


def test_a_direction_whose_words_no_name_may_hold_is_planned_with_its_time(workbench):
    design = workbench.design(asked("cassettes [in one chest] | `none` for 12 weeks of each"), ())
    assert any("84 days, 2 times" in s for t in design.tasks for s in t.steps)


def test_a_direction_that_names_centuries_is_no_wait_of_them(workbench):
    design = workbench.design(asked("crack widths in churches that have stood for 400 years"), ())
    assert all(t.duration_days.high < 1000 for t in design.tasks)


def looked_at(limits, criteria, direction):
    brief = Brief(
        objective="Does a shorter briefing change the near misses of dredger crews?",
        hard_constraints=limits,
        success_criteria=criteria,
        plausible_directions=(direction,),
    )
    (found,) = assess(brief, {}, build_ledger(brief), library(), decision())
    return found


@pytest.mark.parametrize(
    ("limit", "direction", "reason"),
    [
        ("quasi-experimental design with two crews", "random assignment of the crews", "by lot"),
        (
            "each crew works under both briefings",
            "parallel groups of six crews each",
            "one condition",
        ),
        ("crews allocated individually", "allocate ports as a whole to one briefing", ""),
        ("crews allocated individually", "whole farms get one briefing", "whole groups"),
        ("only archived logs, no new measurements", "install loggers on ten dredgers", "gathered"),
        ("one-factor experiment", "response surface over length and wording", "several factors"),
        (
            "crew fixed effects in the model",
            "synthetic control for the first crew",
            "weighted mean",
        ),
        ("exposure at the home address", "mean of the ZIP code", "of an area"),
        ("at least 5 lengths of briefing", "two lengths, short and long", "2 lengths"),
        ("at most 12 crews", "compare 20 crews by their logs", "20 crews"),
    ],
)
def test_a_design_or_a_count_against_what_a_constraint_demands_is_the_verdict(
    limit, direction, reason
):
    found = looked_at((limit,), (), direction)
    assert bool(found.excluded) == bool(reason)
    assert reason in found.excluded


@pytest.mark.parametrize(
    ("limit", "direction"),
    [
        ("no random assignment of crews", "randomisation inference on the logs"),
        ("at least 12 crews in each port", "compare 6 crews of Bremen"),
        ("2-week rest between briefings", "rest of 36 hours after the last shift"),
        ("an observational study", "apply a propensity score to the logs"),
        ("two-group comparison", "hybrid of online and lab briefing"),
    ],
)
def test_what_may_be_of_another_thing_is_no_verdict(limit, direction):
    assert looked_at((limit,), (), direction).conflicts == ()


def test_one_fact_is_held_against_every_direction_that_has_it():
    directions = ("anneal at 450, 550 and 650 C", "anneal at 470 C and 490 C", "anneal at 440 C")
    brief = Brief(
        objective="Does annealing between 400 and 700 C change the toughness of AA7075?",
        plausible_directions=directions,
    )
    found = assess(brief, {}, build_ledger(brief), library(), decision())
    melts = [sum("begins to melt" in w for w in d.weaknesses) for d in found]
    assert melts == [1, 1, 0]
    assert [d.scores["sound"] for d in found] == sorted(d.scores["sound"] for d in found)
    (said,) = decision().objector.impossible(brief)
    assert "liquid from 635 °C" in said


def test_what_a_result_must_hold_bars_no_way_to_it():
    criteria = ("includes a parallel-trends check of six months",)
    assert (
        looked_at((), criteria, "regression discontinuity at the roster's cutoff").conflicts == ()
    )


def test_a_line_that_bars_a_thing_and_sets_a_figure_excludes_by_either():
    limits = ("no interviews, and at most 12 crews",)
    assert "20 crews" in looked_at(limits, (), "compare 20 crews by their logs").excluded
    assert "breaks C01" in looked_at(limits, (), "interviews with 10 crews").excluded


def test_a_reference_for_part_of_the_cases_counts_against_a_direction(workbench):
    both = "every woman has the strip and the laboratory test on the same day"
    part = "all women have the strip and a random half has the laboratory test"
    brief = Brief(
        objective="How often is a strip for iron deficiency right beside the laboratory?",
        family="measurement_validation",
        plausible_directions=(part, both),
    )
    found = by_id(workbench.design(brief, ()))
    assert found["O1"].scores["sound"] < found["O2"].scores["sound"] == 1
    assert "only part of the cases has the reference" in found["O1"].reasons["sound"].lower()


def scored(number, given=True, **scores):
    return Direction(id=f"O{number}", text=f"way {number}", given=given, scores=scores)


def test_a_lead_that_words_alone_may_make_is_a_tie():
    weights = {"sound": 0.3, "simplicity": 0.1, "asked": 0.05}
    plain = scored(1, sound=1.0, simplicity=1.0, asked=0.20)
    worded = scored(2, sound=1.0, simplicity=0.75, asked=0.68)
    flawed = scored(3, sound=0.25, simplicity=1.0, asked=1.0)
    assert [d.id for d in tied((plain, worded, flawed), weights)] == ["O1", "O2"]
    assert settling_question(tied((plain, flawed), weights)) == ""


def test_a_method_that_fits_much_worse_is_level_with_none():
    weights = {"sound": 0.3, "asked": 0.05}
    first, rival = (
        scored(n, given=False, sound=1.0, asked=fit) for n, fit in ((1, 1.0), (2, 0.5))
    )
    assert tied((first, rival), weights) == []

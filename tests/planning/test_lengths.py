"""What a brief says of times and paces, and what a plan makes of a number it leaves open."""

import pytest

from dr_rd.brief import Brief
from dr_rd.reading import words_of
from dr_rd.report.frontier import held_against, open_effect, rows, size_line
from dr_rd.tools.sample_size import SampleSize, sample_size

_OBJECTIVE = (
    "Does a harness with a chest ring lower the pulling force of sled dogs, against a plain one?"
)


def brief(*lines, criteria=(), family="randomised_trial"):
    return Brief(
        objective=_OBJECTIVE, family=family, hard_constraints=lines, success_criteria=criteria
    )


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("force read again 21 days after the first run", [21]),
        ("each dog wears its harness for 8 weeks", [56]),
        ("a six-month follow-up of every dog", [182.6]),
        ("varnish cured 72 hours before the test", [3]),
        ("worn for 4 weeks, then a follow-up 10 days later", [28, 10]),
        ("snow depth is read every 14 days", []),
        ("the whole project within 6 months", []),
        ("use data of the past 10 years", []),
    ],
)
def test_a_time_that_must_pass_is_told_from_one_that_need_not(line, days):
    assert [w.days for w in words_of(brief(line)).waits] == days


def test_a_number_in_a_time_is_a_pace_and_no_sample():
    found = words_of(brief("the track is ours for 4 dogs a day")).pace(("dog", "dogs"))
    assert found is not None
    assert found.a_day == 4


def days_of(design):
    return {t.phase: t.duration_days for t in design.tasks if t.phase in ("pilot", "execution")}


def test_an_interval_is_a_floor_of_the_main_work_and_of_the_pilot(workbench):
    plain = days_of(workbench.design(brief("at least 40 dogs"), ()))
    asked = brief("at least 40 dogs", "force read again 70 days after the first run")
    held = days_of(workbench.design(asked, ()))
    assert plain["pilot"].high < 50 <= held["pilot"].low
    assert held["execution"].low >= 50


def test_at_a_pace_the_days_grow_with_the_number(workbench):
    asked = brief("between 400 and 4,000 dogs", "the vet sees 5 dogs a day")
    options = workbench.design(asked, ()).sizing["frontier"]["options"]
    assert options[0]["units"] == 400
    assert options[-1]["units"] == 4000
    assert options[-1]["days"] > options[0]["days"] + 300


def test_a_period_that_nobody_names_stands_as_an_open_range(workbench):
    design = workbench.design(brief("at least 40 dogs"), ())
    period = design.open_period
    assert period is not None
    assert period.low < period.high
    assert "12 months" not in " ".join(a.text for a in design.assumptions)
    named = workbench.design(brief("at least 40 dogs", "trial period of 9 months"), ())
    assert (named.open_period, named.months) == (None, 9)


def frontier_of(design):
    out = sample_size(SampleSize.model_validate(design.sizing))
    return {**out["frontier"], "id": "T1", "size": out}


def test_a_range_of_the_brief_is_the_grid_and_both_ends_are_told(workbench):
    design = workbench.design(brief("between 80 and 200 dogs"), ())
    frontier = frontier_of(design)
    assert [frontier["rows"][n]["units"] for n in (0, -1)] == [80, 200]
    low, high = (frontier["rows"][n]["detectable"] for n in (0, -1))
    line = size_line(frontier, "dogs", design)
    assert f"80 detect {low:.3g} and 200 detect {high:.3g}" in line
    assert low == pytest.approx(0.69, abs=0.01)  # 68 of 80 are left


def test_an_effect_without_its_spread_is_never_denied_and_says_what_it_takes(workbench):
    asked = brief("80 dogs in all", criteria=("pulling force is at least 15 % lower",))
    design = workbench.design(asked, ())
    frontier, named = frontier_of(design), open_effect(design)
    assert named is not None
    line = size_line(frontier, "dogs", design)
    assert "a fall of at least 15 %, which the brief names" in line
    assert "it is enough if the standard deviation of" in line
    assert "nobody names" not in line
    row = next(r for r in frontier["rows"] if r["units"] == frontier["recommended"])
    assert row["spread"] == pytest.approx(0.15 / row["detectable"], rel=0.05)
    assert "please give the standard deviation" in held_against(named)


def test_an_effect_that_nothing_here_computes_gives_no_number_for_another_estimator(workbench):
    asked = brief("80 dogs in all", criteria=("ICC of at least 0.9 against an unacceptable 0.7",))
    design = workbench.design(asked, ())
    assert design.sizing == {}
    named = open_effect(design)
    assert named is not None
    assert "not offered" in named.why


def test_test_items_are_counted_within_their_language(workbench):
    asked = Brief(
        objective="Does a small tagger reach the accuracy of a large one in Frisian, Ladin and Sorbian?",
        family="ml_benchmark",
        hard_constraints=("at least 800 test sentences per language",),
    )
    design = workbench.design(asked, ())
    assert (design.sizing["given"], design.per) == (800, "language")


def test_pay_that_nobody_prices_leaves_a_row_open():
    row = {"units": 8, "detectable": 1.0, "outcome": None, "power": None, "cost": 100, "days": 9,
           "guess_low": 0, "guess_high": 0, "over": []}  # fmt: skip
    limits = {"most_cost": 800, "pay_open": True}
    size = {"design": "two_means"}
    shown = rows({"rows": [row], "recommended": 9, "limits": limits, "size": size})
    assert shown[0]["kept"] == "depends on who pays the staff"


@pytest.mark.parametrize(
    ("lines", "a_day"),
    [
        (("the farrier fits 12 dogs a day", "the kennels take in 15 dogs a week"), 12),
        (("the register takes up 400 dogs a month", "the vet sees 5 dogs a day"), 5),
        (("the shop sells 2 dogs a day", "we weigh 30 dogs a day"), 30),
        (("the club registers 60 dogs a month",), None),
        (("the kennels admit 20 dogs a week",), 4),
        (("the vet sees 5 dogs a day, and the track takes 3 dogs a day"), 3),
    ],
)
def test_the_pace_is_that_of_the_work_and_of_nothing_beside_it(lines, a_day):
    said = (lines,) if isinstance(lines, str) else lines
    found = words_of(brief(*said)).pace(("dog", "dogs"))
    assert (found and found.a_day) == a_day

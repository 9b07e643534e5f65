"""The number of units that a plan takes: what it detects, what is priced, what limits it."""

import pytest

from dr_rd.brief import Brief, Price, Resources
from dr_rd.checks import build_ledger
from dr_rd.reading import parse_brief
from dr_rd.report.frontier import rows
from dr_rd.study import Statistics
from dr_rd.tools.sample_size import SampleSize, sample_size

_CHURCHES = """\
objective: >-
  Does a passive humidity buffer in the wind chest reduce crack opening in the wind chests of church
  organs over one heating season, compared with chests left as they are?
family: field_trial
hard_constraints:
  - budget under {budget} EUR
  - each church costs 1,150 EUR (two crack gauges, one logger, travel)
  - no more than {most} churches can be visited by one conservator
success_criteria:
  - the standard deviation between chests is about 120 micrometres
  - a difference of 80 micrometres would change the diocese's advice
"""


def churches(budget="42,000", most=36) -> Brief:
    """Return the brief of a study that needs more units than its limits allow."""
    return parse_brief(_CHURCHES.format(budget=budget, most=most))


def designed(workbench, **limits):
    return workbench.design(churches(**limits), ())


def found(design):
    return sample_size(SampleSize.model_validate(design.sizing))["frontier"]


def test_a_price_in_the_text_drives_the_number_that_is_taken_and_costed(workbench):
    design = designed(workbench)
    frontier = found(design)
    assert (frontier["recommended"], frontier["why"]) == (36, "falls short")
    assert (design.scaling.units, design.scaling.known) == (36, 36 * 1150)
    assert (frontier["target_outcome"], frontier["needed"]) == (80, 88)


def test_where_the_limits_allow_it_the_fewest_that_detect_the_effect_are_taken(workbench):
    frontier = found(designed(workbench, budget="150,000", most=130))
    assert (frontier["recommended"], frontier["why"]) == (88, "detects")
    row = next(r for r in frontier["rows"] if r["units"] == 88)
    assert (row["over"], row["cost"]) == ([], 88 * 1150)
    assert row["power"] >= 0.8


def test_a_budget_that_pays_for_no_number_leaves_none(workbench):
    frontier = found(designed(workbench, budget="5,000"))
    assert frontier["recommended"] is None
    assert all("cost" in r["over"] for r in frontier["rows"])


def test_a_deadline_that_no_number_keeps_is_said_beside_each_and_decides_nothing(workbench):
    text = _CHURCHES.format(budget="150,000", most=130)
    text += "deadline: 2 weeks\ncontext: Each chest keeps its buffer for 20 weeks before the second reading.\n"
    frontier = found(workbench.design(parse_brief(text), ()))
    assert all("days" in row["over"] for row in frontier["rows"])
    assert (frontier["recommended"], frontier["why"]) == (88, "detects")
    kept = [row["kept"].strip("*") for row in rows({**frontier, "size": {}})]
    assert all(words.endswith("too late") for words in kept)


def test_what_a_guess_may_break_is_not_called_kept():
    row = {"units": 8, "detectable": 1.0, "outcome": None, "power": None, "cost": 100, "days": 9,
           "guess_low": 500, "guess_high": 900, "over": []}  # fmt: skip
    shown = rows(
        {
            "rows": [row, {**row, "guess_high": 300}],
            "recommended": 8,
            "limits": {"most_cost": 800},
            "size": {"design": "two_means"},
        }
    )
    assert [r["kept"].strip("*") for r in shown] == ["depends on quotes", "yes"]


def option(units, **more):
    return {"units": units, **more}


@pytest.mark.parametrize(
    ("limits", "effects", "taken"),
    [
        ({"asked": 30}, (), (40, "as asked")),
        ({"most_units": 60}, (), (40, "as allowed")),
        ({"assumed": 40}, (), (40, "as assumed")),
        ({"most_cost": 100}, (0.3,), (None, None)),
        ({"most_days": 25}, (0.3,), (20, "falls short")),
        ({}, (0.3,), (400, "detects")),
    ],
)
def test_what_settles_the_number(limits, effects, taken):
    options = [
        option(n, cost=10 * n, days=days) for n, days in ((20, 20), (40, 30), (80, 40), (400, 90))
    ]
    params = SampleSize.model_validate(
        {"design": "two_means", "effects": effects, "frontier": {"options": options, **limits}}
    )
    out = sample_size(params)["frontier"]
    assert (out["recommended"], out["why"]) == taken


def test_more_units_detect_less_and_a_fall_is_looked_for_downwards():
    options = [option(n) for n in (20, 40, 80, 160)]
    asked = {"design": "two_proportions", "base": 0.3, "effects": (-0.15,)}
    params = SampleSize.model_validate({**asked, "frontier": {"options": options}})
    rows = sample_size(params)["frontier"]["rows"]
    shown = [r["detectable"] for r in rows if r["detectable"] is not None]
    assert shown == sorted(shown)  # from far below 0 towards it
    assert all(-0.3 < value < 0 for value in shown)


def test_a_price_of_each_unit_stands_for_all_that_one_costs(workbench):
    price = Price(what="a site with its samples", amount=500, currency="GBP", per="site")
    brief = Brief(
        objective="Test whether hedgerow planting increases ground beetle abundance relative to "
        "bare margins in a field trial on arable farms over a 2-year period.",
        hard_constraints=("minimum of 20 paired sites", "budget under 12000 GBP"),
        statistics=Statistics(effect=0.8, effect_kind="standardised", design="paired"),
        resources=Resources(prices=(price,)),
    )
    design = workbench.planner.design(brief, build_ledger(brief), documents=False)
    assert design.scaling.known == 500 * design.scaling.units == 10_000
    assert design.scaling.per_unit == 500

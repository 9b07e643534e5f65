"""Figures of a plan that a person edited: they are the edited plan's, and without an edit the planned ones."""

import pytest

from core.graph.state import ThreePoint
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.edited import edited_design
from dr_rd.reading import parse_brief
from dr_rd.tools.sample_size import SampleSize, sample_size

_CHURCHES = """\
objective: >-
  Does a passive humidity buffer in the wind chest reduce crack opening in the wind chests of church
  organs, compared with chests left as they are?
family: field_trial
hard_constraints:
  - budget under 150,000 EUR
  - deadline 3 months
  - each chest keeps its buffer for 20 weeks before the second reading
success_criteria:
  - the standard deviation between chests is about 120 micrometres
  - a difference of 80 micrometres would change the diocese's advice
"""


@pytest.fixture(scope="module")
def brief() -> Brief:
    return parse_brief(_CHURCHES)


@pytest.fixture(scope="module")
def late(workbench, brief):
    """A design whose plan takes too long, whatever the number of churches."""
    return workbench.design(brief, ())


def frontier(design):
    return sample_size(SampleSize.model_validate(design.sizing))["frontier"]["rows"]


def shortened(design):
    day = ThreePoint(low=1, mode=1, high=1)
    return [t.model_copy(update={"duration_days": day}) for t in design.tasks]


def test_without_an_edit_nothing_changes(late, brief):
    assert edited_design(late, late.tasks, brief, build_ledger(brief)) is late


def test_a_plan_cut_to_keep_its_deadline_is_late_with_no_number_of_units(late, brief):
    cut = edited_design(late, shortened(late), brief, build_ledger(brief))
    assert all("days" in row["over"] for row in frontier(late))
    assert not any("days" in row["over"] for row in frontier(cut))
    assert (late.on_time, cut.on_time) == (False, True)
    assert (late.not_kept, cut.not_kept) == (("C02",), ())


def test_a_study_period_that_the_person_set_is_open_no_more(late, brief):
    assert late.open_period
    assert edited_design(late, shortened(late), brief, build_ledger(brief)).open_period is None


def test_a_price_that_the_person_typed_moves_known_and_guess(late, brief):
    guessed = max((t for t in late.tasks if t.cost), key=lambda t: t.cost.high)
    price = ThreePoint(low=500, mode=500, high=500)
    tasks = [t.model_copy(update={"cost": price}) if t is guessed else t for t in late.tasks]
    found = edited_design(late, tasks, brief, build_ledger(brief)).scaling
    assert found.known == late.scaling.known + 500
    assert found.guess_high < late.scaling.guess_high


def typed_days(design, days):
    """The tasks as a person leaves them who types how long each takes."""
    said = {"duration_days": days, "timed_by": "analyst"}
    return [t.model_copy(update=said) for t in design.tasks]


def test_days_that_a_person_typed_with_a_range_are_no_guess(late, brief):
    days = ThreePoint(low=20, mode=30, high=40)
    typed = edited_design(late, typed_days(late, days), brief, build_ledger(brief))
    assert late.least_days is not None
    assert (typed.least_days, typed.on_time, typed.not_kept) == (None, False, ("C02",))


def test_a_time_of_the_brief_that_a_person_shortened_is_no_floor_any_more(late, brief):
    day = ThreePoint(low=1, mode=1, high=1)
    longest = max(late.tasks, key=lambda t: t.duration_days.low)
    plan = [
        t.model_copy(update={"duration_days": day, "timed_by": "analyst"}) if t is longest else t
        for t in late.tasks
    ]
    cut = edited_design(late, plan, brief, build_ledger(brief))
    assert cut.least_days is not None
    assert cut.least_days < late.least_days


def test_what_is_said_of_the_chosen_direction_is_the_edited_plan_s(late, brief):
    five = ThreePoint(low=5, mode=5, high=5)
    plan = [t.model_copy(update={"cost": five, "priced_by": "analyst"}) for t in late.tasks]
    free = edited_design(late, plan, brief, build_ledger(brief))
    outline = next(d.outline for d in free.directions if d.id == free.chosen)
    assert outline.cost == 5 * len(late.tasks)
    assert outline.days == next(d.outline for d in late.directions if d.id == late.chosen).days


def test_a_period_that_a_person_set_is_assumed_no_more(late, brief):
    assumed = [a.text for a in late.assumptions if "days of study period" in a.text]
    cut = edited_design(late, shortened(late), brief, build_ledger(brief))
    assert len(assumed) == 1
    assert not any("days of study period" in a.text for a in cut.assumptions)

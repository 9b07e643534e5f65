"""Steps of techniques find the task they belong to."""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.library import load_library
from dr_rd.planning.steps import home


@pytest.fixture(scope="module")
def packages():
    return load_library().method("computational-ml").packages


def test_a_framing_step_stays_out_of_the_sample_size(packages):
    step = (
        "Write the success test as an operation, and list what counts as an attempt or a failure."
    )
    assert "sample_size" not in home("framing", step, packages).satisfies


def test_a_step_about_size_goes_to_the_sample_size(packages):
    step = "Compute the number of test items for the power wanted at the resolvable difference."
    assert "sample_size" in home("framing", step, packages).satisfies


def test_what_a_method_says_already_is_not_said_again():
    planner = load_planner()
    brief = Brief(
        objective="Review the evidence on night splints, with a meta-analysis of trials."
    )
    design = planner.design(brief, build_ledger(brief), documents=False)
    said = {s for t in design.tasks for s in t.steps}
    covered = [t for t in planner.library.techniques if t.title in design.techniques]
    assert covered
    assert not said & {s for t in covered for steps in t.phases.values() for s in steps}


def test_a_method_says_how_long_its_study_is_where_the_brief_does_not():
    planner = load_planner()
    brief = Brief(objective="Build a handheld sensor prototype that measures soil moisture.")
    design = planner.design(brief, build_ledger(brief), documents=False)
    assert design.method_id == "device-prototype"
    period = design.open_period
    assert period is not None
    assert (period.low, period.high) == (10, 40)
    assert any("does not say how long" in a.why for a in design.assumptions)

"""What the statistician finds in how a study is sized, where a brief asks for something else."""

from dataclasses import replace

from dr_rd.checks import build_ledger
from dr_rd.modes.panel.scenario import Scenario
from dr_rd.modes.panel.voices import Table
from tests.modes.panel.test_voices import (
    KIT,
    by_rule,
    held,
    material,
    material_of,
    panel,
    said_by,
    sample_of,
)


def test_a_study_sized_for_another_measure_than_the_brief_names_gives_no_figure() -> None:
    own = material("cogsci_01")
    wanted = (*own.brief.success_criteria, "reports a hazard ratio for the first forgotten pair")
    asked = own.brief.model_copy(update={"success_criteria": wanted})
    found = held(Table(replace(own, brief=asked, ledger=build_ledger(asked)), KIT, Scenario()))
    one = by_rule(found, "sized_unlike_the_brief")
    assert one.title == "Size for what the brief calls “hazard ratio”"
    [change] = one.changes
    assert change.path == "tasks.T07.acceptance"
    assert "computed for what the brief calls “hazard ratio”" in str(change.new)
    assert "No number of T07 is used here." in said_by(found, "statistician")
    assert all(a.effect.detectable.after is None for a in found.amendments)


def test_a_brief_that_caps_the_number_allows_what_the_effect_needs_up_to_it() -> None:
    capped = sample_of("at least 80", "at most 200 undergraduate participants")
    found = held(Table(material_of(capped), KIT, Scenario()))
    one = by_rule(found, "too_few_for_the_effect")
    assert (one.changes[0].old, one.changes[0].new) == (40, 96)
    assert one.effect.detectable.after == 0.5


def test_another_number_changes_the_step_that_says_it() -> None:
    one = by_rule(panel("agri_01"), "too_few_after_losses")
    steps = [(c.old, c.new) for c in one.changes if c.path == "tasks.T07.steps"]
    assert steps == [
        (
            "8 paired sites in all, as the sample size has it.",
            "10 paired sites in all, as the sample size has it.",
        )
    ]

"""Phrases found in briefs, and what they are found for."""

from dr_rd.brief import Brief
from dr_rd.planning.signals import match_signals, phrase, requested_text
from dr_rd.planning.techniques import Signals


def test_hyphen_plural_and_spelling_do_not_hide_a_phrase():
    assert phrase("cluster-randomised trial").search("two Cluster randomized trials")


def test_a_phrase_is_not_found_inside_a_word():
    assert not phrase("arm").search("a farm")


def test_what_a_limit_rules_out_speaks_for_nothing():
    brief = Brief(
        objective="Count newts.", hard_constraints=("no randomised allocation, only counts",)
    )
    assert "randomised" not in requested_text(brief)
    assert "only counts" in requested_text(brief)


def test_what_is_not_needed_speaks_for_nothing():
    brief = Brief(
        objective="Count newts.",
        hard_constraints=("parental consent is not needed, schools agree",),
    )
    assert "consent" not in requested_text(brief)
    assert "schools agree" in requested_text(brief)


def test_a_household_water_filter_is_no_measuring_instrument(workbench):
    brief = Brief(
        objective="Develop a household water filter from local clay and sawdust that brings "
        "fluoride in well water down to drinking water guidelines.",
        hard_constraints=(
            "fluoride is measured by colorimetry; an ion-selective electrode may not be used",
            "no electrode is allowed in the household unit",
        ),
    )
    design = workbench.design(brief, ())
    assert design.method_id == "process-development"
    assert not any("lectro" in t for t in design.techniques)


def test_one_phrase_in_two_spellings_counts_once():
    signals = Signals(strong=("field trial", "field-trial", "farm trial"))
    assert match_signals(signals, "a field-trial on farms")[0] == ("field-trial",)

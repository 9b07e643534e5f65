"""Phrases found in briefs, and what they are found for."""

import re

import pytest

from dr_rd.brief import Brief
from dr_rd.planning.library import Signals, load_library
from dr_rd.planning.signals import match_signals, phrase, rank_methods, requested_text

OBJECTIVES = [
    ("Synthesise published trials of zinc lozenges for colds in a systematic review.", "systematic-review"),
    ("Build a web service that assigns hospital porters to jobs.", "software-system"),
    ("Develop a wearable sensor prototype that measures sweat sodium.", "device-prototype"),
    ("Compare two image classifiers on held-out radiographs.", "computational-ml"),
    ("Assess the techno-economic case and levelised cost of green ammonia.", "techno-economic"),
    ("Analyse how five statutes define ownership of genetic data.", "policy-legal"),
    ("Survey teachers' attitudes with a validated questionnaire.", "survey"),
    ("Simulate evacuation of a stadium with an agent-based model.", "simulation-study"),
    ("Optimise sintering temperature and pressure of a ceramic by design of experiments.", "process-development"),
    ("Randomised controlled trial of a text-message reminder on clinic attendance.", "controlled-trial"),
]  # fmt: skip


@pytest.fixture(scope="module")
def library():
    return load_library()


@pytest.mark.parametrize(("objective", "method"), OBJECTIVES)
def test_the_method_fits_the_objective(objective, method, library):
    assert rank_methods(Brief(objective=objective), library)[0].id == method


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


@pytest.mark.parametrize(
    "ban",
    ["no {} is allowed", "the {} may not be used", "work without any {}", "{} is forbidden"],
)
def test_the_words_of_a_ban_speak_for_no_method(ban, library):
    plain = Brief(objective="Count newts in garden ponds.")
    for method in library.methods:
        lines = tuple(ban.format(p) for p in method.signals.strong if not _CHOICE.search(p))
        banned = plain.model_copy(update={"hard_constraints": lines})
        assert rank_methods(banned, library) == rank_methods(plain, library)


_CHOICE = re.compile(
    r"\b(?:no|not|non|versus|vs|against|compar\w+|that|whether|or|and|to|literature)\b"
)
"""What makes a phrase more than the name of a thing; of literature others are told to speak."""


@pytest.mark.parametrize(("objective", "method"), OBJECTIVES)
def test_the_words_of_limits_turn_no_method_that_the_objective_names(objective, method, library):
    for other in library.methods:
        brief = Brief(
            objective=objective,
            hard_constraints=tuple(
                f"the work must keep to {p}"
                for p in (*other.signals.weak, "an electrode", "serum")
            ),
        )
        assert rank_methods(brief, library)[0].id == method


def test_a_limit_that_names_a_method_decides_where_the_objective_names_none(library):
    brief = Brief(objective="Test whether feedback raises exam scores.")
    asked_for = brief.model_copy(update={"hard_constraints": ("quasi-experimental design",)})
    assert rank_methods(asked_for, library)[0].id == "quasi-experiment"


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


def test_an_objective_is_like_an_example_only_if_more_than_common_words_are_the_same(library):
    satellites = Brief(
        objective="Assess whether urban green infrastructure reduces local surface temperature "
        "more effectively than high-albedo roofing in mid-latitude cities."
    )
    assert [m.exemplar for m in rank_methods(satellites, library) if m.exemplar] == []
    method = library.method("archival-analysis")
    same = rank_methods(Brief(objective=method.exemplars[0]), library)
    assert next(m for m in same if m.id == method.id).exemplar == method.exemplars[0]

"""Objectives taken apart: who does what to whom, against what."""

from pathlib import Path

import pytest
import yaml

from dr_rd.brief import Brief
from dr_rd.planning.frame import frame
from dr_rd.planning.grammar import load_grammar
from dr_rd.planning.phrases import briefly, months_in

CASES = [
    (
        "Test whether hourly standing breaks reduce knee pain compared with usual seating "
        "over a 6-month period among office workers.",
        {
            "treatment": "hourly standing breaks",
            "comparator": "usual seating",
            "outcome": "knee pain",
            "horizon": "6-month period",
            "population": "office workers",
        },
    ),
    (
        "Does biochar amendment raise maize yield in smallholder fields relative to no amendment?",
        {
            "treatment": "biochar amendment",
            "comparator": "no amendment",
            "outcome": "maize yield",
            "population": "smallholder fields",
        },
    ),
    (
        "Estimate the effect of a plastic bag levy on litter counts using shoreline surveys.",
        {"treatment": "plastic bag levy", "outcome": "litter counts", "source": "shoreline surveys"},
    ),
    (
        "Determine whether night shifts are associated with higher blood pressure among nurses.",
        {"treatment": "night shifts", "outcome": "blood pressure", "population": "nurses"},
    ),
    (
        "Quantify whether increasing night lighting, measured as sky brightness, reduces moth counts.",
        {"treatment": "night lighting", "outcome": "moth counts", "measure": None},
    ),
    (
        "Develop a casting process that reaches a flexural strength of at least 90 MPa.",
        {"outcome": "flexural strength"},
    ),
    (
        "Develop a process that strips zinc from galvanised scrap with at least 95 percent recovery.",
        {"outcome": "recovery"},
    ),
    (
        "Estimate the levelised cost of biomethane relative to natural gas.",
        {
            "treatment": "biomethane",
            "outcome": "levelised cost",
            "comparator": "natural gas",
        },
    ),
    (
        "Build a service that plans shifts for hospitals and reports every clash.",
        {"population": "hospitals"},
    ),
    (
        "Develop a handheld reader that detects melamine in milk.",
        {"artefact": "handheld reader that detects melamine in milk"},
    ),
    ("Review the evidence on green roofs and storm runoff.", {"topic": "green roofs and storm runoff"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def grammar():
    return load_grammar()


@pytest.mark.parametrize(("objective", "expected"), CASES)
def test_an_objective_is_taken_apart(objective, expected, grammar):
    slots = frame(Brief(objective=objective), grammar).slots()
    assert {k: slots.get(k) for k in expected} == expected


@pytest.mark.parametrize(
    ("objective", "made"),
    [
        ("Develop and field-test a bone-char cartridge.", "bone-char cartridge"),
        ("Design, build and test a low-cost spectrometer.", "low-cost spectrometer"),
        ("Develop a sensor and test it in barns.", "sensor"),
        ("Build the tool.", "tool"),
    ],
)
def test_what_is_made_is_the_thing_and_not_what_else_is_done(objective, made, grammar):
    assert frame(Brief(objective=objective), grammar).artefact == made


def test_the_sampled_unit_is_not_a_count_of_the_design(grammar):
    brief = Brief(
        objective="Test whether x reduces y.",
        hard_constraints=("exactly 2 conditions", "at least 24 paired orchards in one region"),
    )
    found = frame(brief, grammar)
    assert (found.units, found.unit, found.count) == ("paired orchards", "paired orchard", 24)


def test_the_sampled_unit_is_named_without_what_is_done_with_it(grammar):
    brief = Brief(
        objective="Test whether x reduces y.", hard_constraints=("at least 3 batches tested",)
    )
    found = frame(brief, grammar)
    assert (found.units, found.unit, found.sample) == ("batches", "batch", "at least 3 batches")


@pytest.mark.parametrize(
    ("limit", "count"),
    [
        ("minimum 30 gardens per arm", 60),
        ("at least 30 gardens in each of the shaded and open groups", 60),
        ("at least 30 gardens per year", 30),
    ],
)
def test_a_number_for_each_group_counts_for_both(limit, count, grammar):
    brief = Brief(objective="Test whether x reduces y.", hard_constraints=(limit,))
    assert frame(brief, grammar).count == count


def test_units_of_one_group_are_units_of_the_other_too(grammar):
    brief = Brief(
        objective="Test whether x reduces y.", hard_constraints=("at least 4 treated harbours",)
    )
    assert frame(brief, grammar).units == "harbours"


def test_the_unit_of_analysis_is_the_unit_where_nothing_is_counted(grammar):
    brief = Brief(
        objective="Test whether x reduces y.",
        hard_constraints=("unit of analysis is harbour-month, not single ships",),
    )
    assert frame(brief, grammar).units == "harbour-months"


def test_units_per_level_are_counted_over_the_levels_asked_for(grammar):
    brief = Brief(
        objective="Test whether pH reduces yield.",
        hard_constraints=("at least 6 flasks per pH level",),
        success_criteria=("compares at least 5 levels",),
    )
    assert frame(brief, grammar).count == 30


@pytest.mark.parametrize(
    "objective",
    [
        "是否可以用廉价传感器监测室内空气质量？",
        "Untersuchen, ob Blühstreifen am Feldrand die Zahl der Wildbienen erhöhen.",
        "¿Reduce el riego por goteo el consumo de agua en olivares?",
    ],
)
def test_an_objective_in_another_language_is_not_taken_apart(objective, grammar):
    assert frame(Brief(objective=objective), grammar).slots() == {}


@pytest.mark.parametrize(
    ("text", "months"),
    [("18 months", 18), ("two years", 24), ("3-year rotation", 36), ("soon", None)],
)
def test_periods_are_counted_in_months(text, months):
    assert months_in(text) == months


def test_a_long_phrase_is_cut_to_its_head_and_a_short_one_is_kept():
    assert briefly("annealing temperature in the 400-800 C range") == "annealing temperature"
    assert briefly("36 hours of total sleep") == "36 hours of total sleep"
    assert briefly("XRF with a helium flush within one hour") == "XRF"
    assert briefly("kiln that fires bricks with waste heat") == "kiln"


OBJECTIVES = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "objectives.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", OBJECTIVES, ids=lambda c: c["objective"][:40])
def test_an_objective_as_people_type_it_is_spoken_of_in_nouns(case, grammar):
    slots = frame(Brief(objective=case["objective"]), grammar).slots()
    said = {k: v for k, v in case.items() if k not in ("objective", "method")}
    assert {k: slots.get(k) for k in said} == said


@pytest.mark.parametrize(
    "objective",
    [
        "Is it worth it?",
        "We think there must be a way.",
        "Show that it works.",
        "How, when and why?",
        "That depends.",
        "What now",
    ],
)
def test_an_objective_that_names_nothing_leaves_the_topic_to_the_method(objective, grammar):
    assert frame(Brief(objective=objective), grammar).slots() == {}


@pytest.mark.parametrize(
    ("text", "gerund"),
    [
        ("Map the noise", "mapping the noise"),
        ("Model the flow and work out what it costs", "modelling the flow"),
        ("Noise can be cut at night", "cutting Noise at night"),
        ("Leaks are to be found by sound", "finding Leaks by sound"),
        ("Bring down the cost", "bringing down the cost"),
        ("Model predictive control", None),
        ("Increase in sea level", None),
    ],
)
def test_an_act_is_named_by_its_gerund(text, gerund, grammar):
    act = grammar.acts.act(text)
    assert (act.gerund if act else None) == gerund


@pytest.mark.parametrize(
    "limit",
    [
        "spray rating >= 90 after washing",
        "survives 20k Martindale rubs",
        "no fee above 20 eur",
        "at least 99999999999999999999 people",
    ],
)
def test_what_is_no_unit_is_not_sampled(limit, grammar):
    brief = Brief(objective="A water-repellent coating for cotton.", hard_constraints=(limit,))
    assert frame(brief, grammar).count is None


@pytest.mark.parametrize(
    "asked",
    [
        "The growers' association wants to know whether ",
        "Our client asks whether ",
        "The board needs to decide if ",
        "I was asked to check if ",
        "The ministry has commissioned us to establish whether ",
        "Management wonders whether ",
    ],
)
def test_who_asks_is_no_part_of_what_is_asked(asked, grammar):
    found = frame(
        Brief(objective=f"{asked}a shorter handover form reduces missed medication."), grammar
    )
    assert (found.treatment, found.outcome) == ("shorter handover form", "missed medication")

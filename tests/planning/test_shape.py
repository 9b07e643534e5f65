"""Where no words speak for a method, the kind of question and the place decide; bans rule cards out."""

from pathlib import Path

import pytest
import yaml

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.ruling import ruled_out, rulings


@pytest.fixture(scope="module")
def planner():
    return load_planner()


def design(planner, objective, **said):
    brief = Brief(objective=objective, **said)
    return planner.design(brief, build_ledger(brief), documents=False)


def test_a_change_tried_in_homes_is_no_device_to_be_built(planner):
    found = design(
        planner,
        "Test whether draught-proofing visits lower the heating energy used by rented homes in "
        "Leeds compared with homes on the waiting list over one winter.",
    )
    assert (found.method_id, found.ranking[0].kind) == ("controlled-trial", "effect")


def test_words_that_speak_for_a_method_go_before_its_kind(planner):
    found = design(
        planner,
        "Test whether a winter cover crop increases soil organic carbon relative to bare fallow in "
        "a field trial on working farms with children at home.",
    )
    assert (found.method_id, found.ranking[0].kind) == ("field-trial", "")


ASTHMA = (
    "Estimate whether air pollution exposure from the nearest monitor goes with childhood asthma."
)


def test_a_card_that_rests_on_what_a_ban_rules_out_is_shown_as_left_out_by_it(planner):
    free = design(planner, ASTHMA)
    barred = design(planner, ASTHMA, banned_moves=("use personal data such as home addresses",))
    title = "Residential PM2.5 exposure assignment"
    assert title in free.techniques
    assert title not in barred.techniques
    assert ("B01", f"technique: {title}") in [(x.ledger_id, x.text) for x in barred.left_out]


def test_a_card_that_only_borders_on_a_ban_stays(planner):
    brief = Brief(
        objective="Test whether annealing temperature changes grain boundary toughness of an alloy.",
        banned_moves=("varying hold time across conditions",),
    )
    cards = {t.id: t for t in planner.library.techniques}
    by = rulings(build_ledger(brief), planner.library.reader)
    for name in ("heat-treatment-annealing", "chevron-notch-fracture", "anova-design"):
        assert ruled_out(name, cards[name].actions, by) is None, name


OBJECTIVES = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "objectives.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    "case", [c for c in OBJECTIVES if "method" in c], ids=lambda c: c["objective"][:40]
)
def test_what_is_asked_for_outright_decides_of_the_method(planner, case):
    assert design(planner, case["objective"]).method_id == case["method"]


def test_the_word_that_tells_the_method_is_named(planner):
    found = design(planner, "Predict hospital readmission from discharge letters.").ranking[0]
    assert "predict" in found.strong


@pytest.mark.parametrize(
    ("objective", "quoted"),
    [
        ("Did the congestion levy reduce traffic in the old town?", "did the congestion levy"),
        (
            "Raise hand hygiene on 12 wards that start a reminder system one after another.",
            "wards that … one after another",
        ),
    ],
)
def test_of_what_tells_the_method_the_briefs_own_words_are_quoted(planner, objective, quoted):
    assert quoted in design(planner, objective).ranking[0].strong


def test_desk_work_is_chosen_only_where_a_word_speaks_of_it(planner):
    found = design(planner, "How can small bakeries cut their food waste?").method_id
    assert found == "quasi-experiment"


def test_of_directions_that_the_library_proposes_the_one_that_fits_best_is_chosen(planner):
    found = design(planner, "Predict hospital readmission from discharge letters.")
    assert found.chosen == "O1"
    assert found.method_title in found.directions[0].text
    known = [d.scores["known"] for d in found.directions]
    assert known[0] == 1.0
    assert all(score < 1 for score in known[1:])
    assert found.directions[0].reasons["known"].endswith("fits better than any other")

"""Words mean one thing in one field and another in the next: methods and cards of many fields."""

from pathlib import Path

import pytest
import yaml

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner

DATA = Path(__file__).parents[1] / "data"
METHODS = yaml.safe_load((DATA / "methods.yaml").read_text(encoding="utf-8"))
CARDS = yaml.safe_load((DATA / "cards.yaml").read_text(encoding="utf-8"))

RIGHT = 54
"""Objectives that were never tuned upon and whose method is right; more is better."""


@pytest.fixture(scope="module")
def planner():
    return load_planner()


def design(planner, case):
    brief = Brief(objective=case["objective"], hard_constraints=tuple(case.get("limits", ())))
    return planner.design(brief, build_ledger(brief), documents=False)


def offered(planner, case):
    titles = design(planner, case).techniques
    return {t.id for t in planner.library.techniques if t.title in titles}


@pytest.mark.parametrize(
    "case", [c for c in METHODS if c["part"] == "tuned"], ids=lambda c: c["objective"][:40]
)
def test_the_method_is_one_of_the_field(planner, case):
    assert design(planner, case).method_id in case["methods"]


def test_most_objectives_that_nothing_was_tuned_upon_get_a_method_of_their_field(planner):
    cases = [c for c in METHODS if c["part"] == "counted"]
    assert sum(design(planner, c).method_id in c["methods"] for c in cases) >= RIGHT


@pytest.mark.parametrize("case", CARDS, ids=lambda c: c["objective"][:40])
def test_a_card_of_another_field_is_not_offered_for_a_shared_word(planner, case):
    found = offered(planner, case)
    assert found & set(case.get("not", ())) == set()
    assert found >= set(case.get("should", ()))
    assert found <= {*case.get("should", ()), *case.get("may", ())}


def test_every_card_that_is_spoken_of_exists(planner):
    known = {t.id for t in planner.library.techniques}
    spoken = {i for c in CARDS for k in ("not", "may", "should") for i in c.get(k, ())}
    assert spoken <= known

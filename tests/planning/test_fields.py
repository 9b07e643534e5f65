"""Words mean one thing in one field and another in the next: methods and cards of many fields."""

from pathlib import Path

import pytest
import yaml

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.families import GENERIC
from dr_rd.planning.builtin import load_planner

DATA = Path(__file__).parents[1] / "data"
METHODS = yaml.safe_load((DATA / "methods.yaml").read_text(encoding="utf-8"))
CARDS = yaml.safe_load((DATA / "cards.yaml").read_text(encoding="utf-8"))

LEAST = {"tuned": 110, "counted": 50}
"""Objectives whose likeliest method is right; the ranker was trained on those that are tuned."""


@pytest.fixture(scope="module")
def planner():
    return load_planner()


def design(planner, case):
    brief = Brief(objective=case["objective"], hard_constraints=tuple(case.get("limits", ())))
    return planner.design(brief, build_ledger(brief), documents=False)


def offered(planner, case):
    titles = design(planner, case).techniques
    return {t.id for t in planner.library.techniques if t.title in titles}


def first(planner, case):
    """The likeliest method, whether or not it is sure enough to be planned."""
    brief = Brief(objective=case["objective"], hard_constraints=tuple(case.get("limits", ())))
    return next(m for m in planner.choose(brief).ranking if m.family != GENERIC)


@pytest.mark.parametrize(
    ("part", "least"),
    [
        pytest.param("tuned", LEAST["tuned"], marks=pytest.mark.exhaustive),
        ("counted", LEAST["counted"]),
    ],
)
def test_most_objectives_get_a_method_of_their_field(planner, part, least):
    cases = [c for c in METHODS if c["part"] == part]
    assert sum(first(planner, c).id in c["methods"] for c in cases) >= least


@pytest.mark.sampled(3)
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

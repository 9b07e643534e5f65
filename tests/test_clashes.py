"""What is said of a brief's limits as a whole: which contradict each other, and which cannot be meant."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger, remarks
from dr_rd.checks.clashes import clashing
from dr_rd.checks.refused import refusals
from dr_rd.reading import read_brief

ROOT = Path(__file__).parents[1]
SAMPLES = [
    *(ROOT / "dr_rd" / "data" / "briefs").iterdir(),
    *(ROOT / "tests" / "data" / "briefs").glob("*.yaml"),
]
FIELD = {
    "constraint": "hard_constraints",
    "criterion": "success_criteria",
    "ban": "banned_moves",
}


def said(constraints: Sequence[str], bans: Sequence[str] = (), **given: Any) -> tuple[str, ...]:
    """Return the remarks on a brief with such limits."""
    asked = Brief(
        objective="x", hard_constraints=tuple(constraints), banned_moves=tuple(bans), **given
    )
    return remarks(build_ledger(asked))


CLASHING: Sequence[tuple[Sequence[str], dict[str, Any]]] = [
    (["at least 20,000 EUR", "under 5,000 EUR"], {}),
    (["budget at least 20,000 EUR"], {"budget": "5000 EUR"}),
    (["spend at least 20 kEUR", "the total cost must not exceed 5,000 EUR"], {}),
    (["at most 3 months", "at least 12 months"], {}),
    (["the study runs at least one year"], {"deadline": "3 months"}),
    (["minimum 52 weeks"], {"deadline": "6 months"}),
    (["at least 12 schools", "no more than 10 schools"], {}),
    (["recruit at least 40 participants", "use at most 20 participants"], {}),
    (["at least 20 paired sites", "at most 10 sites"], {}),
    (["minimum 50 students per section", "at most 40 students"], {}),
    (["exactly 12 schools", "exactly 10 schools"], {}),
    (["three sites", "at least 5 sites"], {}),
    (["at least 5 sites"], {"bans": ["more than 3 sites"]}),
    (["exactly 3 arms"], {"bans": ["add a third arm"]}),
    (["fewer than 10 patients", "at least 10 patients"], {}),
    (["between 80 and 200 participants", "at most 50 participants"], {}),
    (["sessions of at least 30 minutes", "sessions of at most 20 minutes"], {}),
    (["3 sites and 40 participants, 12 months max", "at least 50 participants"], {}),
    (["start not before 1 October 2027", "finish by 31 August 2027"], {}),
    (["the work must not start before March 2028", "it must end before 2027"], {}),
]


@pytest.mark.parametrize(("limits", "others"), CLASHING)
def test_figures_that_no_plan_can_keep_together_are_told_with_their_lines(limits, others):
    (remark,) = said(limits, **others)
    assert "contradict each other: no plan can keep both. Change one of them" in remark
    assert all(limit in remark for limit in limits)


APART: Sequence[tuple[Sequence[str], dict[str, Any]]] = [
    (["at least 20,000 EUR for equipment", "under 50,000 EUR"], {}),
    (["savings of at least 20,000 EUR", "under 5,000 EUR"], {}),
    (["at least 20,000 EUR", "under 5,000 GBP"], {}),
    (["under 5000 EUR"], {"budget": "8000 EUR"}),
    (["at least 12 months of follow-up", "at most 3 months"], {}),
    (["data of at least 10 years", "at most 3 months"], {}),
    (["wait at least 12 months"], {"deadline": "6 months"}),
    (["pause of at least 2 weeks", "at most 1 week between visits"], {}),
    (["at least 12 months", "at most 52 weeks"], {}),
    (["start not before 1 March 2027", "finish by 31 August 2027"], {}),
    (["data from 1 January 2028", "finish by 31 August 2027"], {}),
    (["at least 40 participants", "at most 10 participants per session"], {}),
    (["at least 40 participants", "at most 10 participants at a time"], {}),
    (["at least 40 participants", "no more than 5 participants each"], {}),
    (["at least 40 participants", "at most 10 participants in the pilot"], {}),
    (["at least 100 pupils", "classes of at most 25 pupils"], {}),
    (["each teacher has at most 25 pupils", "at least 200 pupils"], {}),
    (["at least 30 sites", "at most 5 sites in nature reserves"], {}),
    (["at least 20 schools", "at most 10 rural schools"], {}),
    (["at least 3 visits before surgery", "at most 2 visits after surgery"], {}),
    (["at least 3 coders", "no more than 2 coders disagree"], {}),
    (["participants aged at least 65 years", "participants aged under 30 years"], {}),
    (["temperature above 20 C by day", "temperature below 10 C at night"], {}),
]


@pytest.mark.parametrize(("limits", "others"), APART)
def test_figures_of_other_things_contradict_nothing(limits, others):
    assert said(limits, **others) == ()


REFUSED = [
    (["interview teachers"], ["no interviews"]),
    (["interview at least 10 teachers"], ["do not interview"]),
    (["interviews with teachers"], ["interviews"]),
    (["interviews with teachers"], ["interviews with teachers"]),
    (["conduct interviews"], ["interviews"]),
    (["at least 20 interviews"], ["interviews"]),
    (["must use video recording"], ["video recording"]),
    (["attendance measured by video recording"], ["no video recording"]),
    (["eye tracking of all participants"], ["use eye tracking"]),
    (["recruit 20 patients"], ["recruit patients"]),
    (["use drones"], ["don't use drones"]),
    (["interview teachers", "no interviews"], []),
    (["questionnaires, not interviews", "interview nurses"], []),
    (["no pilot"], ["skip the pilot"]),
]


@pytest.mark.parametrize(("limits", "bans"), REFUSED)
def test_what_one_line_asks_for_and_another_refuses_is_told(limits, bans):
    (remark,) = said(limits, bans)
    assert "no plan can keep both. Strike one of them" in remark
    assert all(line in remark for line in (*limits, *bans))


ALLOWED = [
    (["interview teachers"], ["no interviews with pupils"]),
    (["interviews only where parents agree"], ["interviews with pupils"]),
    (["interviews or surveys"], ["interviews"]),
    (["interviews with pupils are ruled out"], ["no interviews"]),
    (["interview transcripts are kept"], ["no interviews"]),
    (["questionnaires instead of interviews"], ["no interviews"]),
    (["replace interviews by diaries"], ["interviews"]),
    (["avoid interviews"], ["interviews"]),
    (["no interviews"], ["interviews"]),
    (["travel diaries of commuters"], ["no travel"]),
    (["materials safe for animals"], ["no animals"]),
    (["animal-free feed"], ["animals"]),
    (["test kits of one lot"], ["no tests"]),
    (["use data from registers"], ["collect data"]),
    (["use blood from a biobank"], ["collect blood"]),
    (["patients from a registry"], ["recruit patients"]),
    (["same tillage in all plots"], ["add a tillage treatment"]),
]


@pytest.mark.parametrize(("limits", "bans"), ALLOWED)
def test_what_is_refused_of_others_or_not_asked_for_is_no_contradiction(limits, bans):
    assert said(limits, bans) == ()


IMPOSSIBLE = {
    "-3 days": "leaves no time: write a length above zero",
    "deadline: 0 days": "leaves no time",
    "budget: 0 EUR": "leaves no money: write a sum above zero",
    "budget: -500 EUR": "leaves no money",
    "150 percent of pupils must take part": "more than all there is: write a share of 100 percent",
    "response rate of at least 120 percent": "more than all there is",
    "accuracy above 100 percent": "more than all there is",
    "at least 0 people": "every plan has that many: write the least that will do",
    "-5 schools": "counts below zero",
    "at least 9 billion people": "more than a billion: check the figure",
    "budget: 40k": "is held against nothing, since its sum has no currency: write",
    "done by end of June": "is held against nothing, since its date has no year: write",
}


@pytest.mark.parametrize("limit", IMPOSSIBLE)
def test_a_figure_that_cannot_be_meant_is_told_with_what_to_write(limit):
    (remark,) = said([limit])
    assert remark.startswith(f"C01 (“{limit}”) ")
    assert IMPOSSIBLE[limit] in remark


@pytest.mark.parametrize(
    "limit",
    [
        "growth of 150 percent",
        "increase attendance by 150 percent",
        "yield at least 150 percent of the control",
        "throughput 150 % of today",
        "150 percent of the current participants",
        "at least 100 percent of participants",
        "no more than 0 animals",
        "0 adverse events",
        "temperature at least -20 C",
        "lag between -3 and 3 days",
        "z-score below -2 SD",
        "at most 2 billion people",
        "corpus of at least 5 billion words",
    ],
)
def test_an_odd_figure_that_may_be_meant_is_left_alone(limit):
    assert said([limit]) == ()


def test_the_gravest_is_said_first_and_a_long_line_is_cut():
    found = said(["budget: 40k", "at least 0 people", "at most 2 sites", "at least 9 sites " * 40])
    assert [r.split(" ")[0] for r in found] == ["C03", "C02", "C01"]
    assert max(map(len, found)) < 400


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_no_sample_brief_is_accused(path):
    assert remarks(build_ledger(read_brief(path))) == ()


def test_no_limit_alone_is_accused():
    """The limits of the labelled plans, as people write them."""
    lines = (ROOT / "tests/data/plans_labelled.jsonl").read_text("utf-8").splitlines()
    briefs = [json.loads(line)["brief"] for line in lines]
    limits = [limit for b in briefs for limit in (*b["hard_constraints"], *b["success_criteria"])]
    told = {t: remarks(build_ledger(Brief(objective="x", hard_constraints=(t,)))) for t in limits}
    undated = {t for t, said in told.items() if said and "no year" in said[0]}
    assert len(limits) > 100
    assert {t: said for t, said in told.items() if said and t not in undated} == {}


def test_the_lines_are_given_as_items():
    ledger = build_ledger(
        Brief(
            objective="x",
            hard_constraints=("at least 9 sites", "interviews with nurses"),
            banned_moves=("more than 3 sites", "interviews"),
        )
    )
    assert [(a.id, b.id) for a, b in clashing(ledger)] == [("C01", "B01")]
    assert [(a.id, b.id) for a, b in refusals(ledger)] == [("C02", "B02")]

"""Steps are left out by what they declare, and by nothing that they or a limit happen to say."""

import json

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.ruling import ruled_out, rulings
from dr_rd.reading import read_brief
from dr_rd.report.calls import results
from dr_rd.report.grounds import Grounds
from dr_rd.tools import load_tools
from tests.conftest import ROOT, SAMPLE_BRIEFS

MULCH = "Test whether mulch reduces weeding time relative to bare soil in a field trial."
LABEL = (
    "Does a nutrition label change what users choose, in an online experiment with participants?"
)


@pytest.fixture(scope="module")
def planner():
    return load_planner()


def planned(planner, objective=MULCH, **said):
    brief = Brief(objective=objective, **said)
    return brief, planner.design(brief, build_ledger(brief), documents=False)


def verdicts(brief, design, tasks=None):
    no_calls = results((), load_tools(), design)
    grounds = Grounds(brief, build_ledger(brief), design, tasks or design.tasks, no_calls)
    return {v.id: v for v in grounds.verdicts("")}


def steps(design):
    return {s for t in design.tasks for s in t.steps}


def test_a_step_is_left_out_by_its_declared_action_and_says_which(planner):
    _, free = planned(planner)
    brief, barred = planned(planner, banned_moves=("randomise the treatments",))
    gone = steps(free) - steps(barred)
    assert any("witnessed seeded draw" in s for s in gone)
    assert {x.text for x in barred.left_out if x.text[:10] != "technique:"} == gone
    assert {(x.ledger_id, x.does) for x in barred.left_out} == {
        ("B01", "assigns treatments, or an order, at random")
    }
    assert verdicts(brief, barred)["B01"].reason == (
        "no step declares that it assigns treatments, or an order, at random"
    )


@pytest.mark.parametrize(
    "ban",
    [
        "add a tillage treatment",  # "tillage history"
        "add a cover crop mixture",  # "mixed model"
        "rely on self-reported yields",  # "report"
        "use seed mixtures",  # "seeded draw"
        "interview former owners of the land",  # a part of an action only
    ],
)
def test_shared_words_and_narrower_bans_leave_every_step(ban, planner):
    _, free = planned(planner)
    _, design = planned(planner, banned_moves=(ban,))
    assert design.left_out == ()
    assert steps(design) == steps(free)


def test_a_part_of_an_action_that_steps_take_is_for_a_person_to_judge(planner):
    brief, design = planned(
        planner, LABEL, banned_moves=("recruit people under medical treatment",)
    )
    found = verdicts(brief, design)["B01"]
    assert found.verdict == "unclear"
    assert found.reason.endswith("enrols people; whether that is ruled out, a person must say")
    assert found.quote in steps(design)


def test_a_task_that_is_for_what_is_ruled_out_is_told_at_the_top(planner):
    brief, design = planned(
        planner, LABEL, family="human_experiment", banned_moves=("any human participants",)
    )
    told = [r for r in design.remarks if "it enrols people" in r]
    assert told
    assert told[0].startswith("B01 rules out what T")
    assert verdicts(brief, design)["B01"].verdict == "unclear"


def test_a_tool_is_not_called_for_what_is_ruled_out(planner):
    brief, design = planned(planner, banned_moves=("no sample size calculation",))
    assert not [r for t in design.tasks for r in t.tool_request if r.name == "sample_size"]
    assert "tool: sample_size" in {x.text for x in design.left_out}
    assert verdicts(brief, design)["B01"].verdict in ("not_shown", "unclear")


def test_a_step_that_does_what_is_asked_for_shows_it(planner):
    brief, design = planned(planner, hard_constraints=("include a sensitivity analysis",))
    found = verdicts(brief, design)["C01"]
    assert found.verdict == "met"
    assert found.quote in steps(design)


def test_silence_and_the_librarys_words_show_nothing(planner):
    brief, design = planned(planner, banned_moves=("repaint the barn", "guard strips of grass"))
    assert {v.verdict for k, v in verdicts(brief, design).items() if k[0] == "B"} == {"not_shown"}


def test_a_persons_words_in_a_plan_are_still_read(planner):
    brief, design = planned(planner, banned_moves=("use herbicides",))
    first, *rest = design.tasks
    edited = first.model_copy(update={"steps": (*first.steps, "Each plot gets a herbicide.")})
    found = verdicts(brief, design, (edited, *rest))["B01"]
    assert (found.verdict, found.quote) == ("violated", "Each plot gets a herbicide.")


ASTHMA = (
    "Estimate whether air pollution exposure from the nearest monitor goes with childhood asthma."
)


def test_a_card_that_rests_on_what_a_ban_rules_out_is_shown_as_left_out_by_it(planner):
    _, free = planned(planner, ASTHMA)
    _, barred = planned(
        planner, ASTHMA, banned_moves=("use personal data such as home addresses",)
    )
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


def labelled():
    """Briefs of many hands, as an expert takes them apart; every sixth of them."""
    lines = (ROOT / "bench/families/data/briefs.jsonl").read_text("utf-8").splitlines()
    for gold in (json.loads(line)["gold"] for line in lines[::6]):
        limits = gold.get("limits") or []
        by = {
            r: tuple(x["quote"] for x in limits if x["role"] == r) for r in ("constraint", "ban")
        }
        if objective := gold.get("objective"):
            yield Brief(
                objective=objective, hard_constraints=by["constraint"], banned_moves=by["ban"]
            )


def samples():
    return [read_brief(str(p)) for p in sorted(SAMPLE_BRIEFS.glob("*.yaml"))]


SOME = pytest.param(lambda: [*samples()[::9], *list(labelled())[::9]], id="each ninth brief")
ALL = pytest.param(lambda: [*samples(), *labelled()], id="every", marks=pytest.mark.exhaustive)


@pytest.mark.parametrize("briefs", [SOME, ALL])
def test_no_plan_breaks_a_limit_by_the_librarys_words_or_goes_without_a_step_for_them(
    planner, briefs
):
    library = {
        s.text: s.actions for m in planner.library.methods for p in m.packages for s in p.steps
    }
    library |= {s.text: s.actions for t in planner.library.techniques for s in t.steps}
    for brief in briefs():
        ledger = build_ledger(brief)
        design = planner.design(brief, ledger, documents=False)
        found = verdicts(brief, design).values()
        assert not [v for v in found if v.verdict == "violated"], brief.objective
        whole = {
            (r.ledger_id, r.does)
            for r in rulings(ledger, planner.library.reader)
            if r.banned and r.whole
        }
        for left in design.left_out:
            assert (left.ledger_id, left.does) in whole

"""The main job on every brief: finished, owned, kept to the ledger, every number sourced."""

import re

import pytest

from core.graph.files import read_answers, read_plan
from core.trace import verify
from dr_rd.evaluation.metrics.numbers import unsourced
from tests.conftest import BRIEFS

EACH = [
    pytest.param(path, id=path.stem, marks=[] if n % 7 == 0 else pytest.mark.exhaustive)
    for n, path in enumerate(BRIEFS)
]
"""Each brief, of which each seventh is worked in `make test`."""


@pytest.fixture(scope="module", params=EACH)
def runs(request, finish):
    return finish(request.param), finish(request.param, run_id="r2", mode="classic")


def test_a_run_finishes_sound_and_both_modes_say_the_same(runs):
    graph, classic = runs
    assert graph.outcome.status == "finished", graph.outcome.reason
    assert classic.outcome.status == "finished", classic.outcome.reason
    assert graph.body == classic.body
    assert verify(graph.folder.path).problems == ()


def test_the_plan_is_a_plan_in_the_briefs_own_terms(runs):
    run, _ = runs
    tasks = read_plan(run.folder).tasks
    assert 6 <= len(tasks) <= 16
    assert len({t.title for t in tasks}) == len(tasks)
    assert not any("{" in t.title + t.description + "".join(t.steps) for t in tasks)


def test_every_ledger_item_has_an_owner_or_is_listed_as_unowned(runs):
    run, _ = runs
    owned = {i for t in read_plan(run.folder).tasks for a in t.acceptance for i in a.ledger_ids}
    for item in run.bench.ledger.items:
        assert item.id in owned or f"No task answers for {item.id}" in run.body or re.search(
            rf"No task answers for [^;]*\b{item.id}\b", run.body
        )  # fmt: skip


def test_the_proposal_breaks_no_ledger_item(runs):
    run, _ = runs
    broken = [v for v in run.bench.verdicts(run.proposal) if v.verdict == "violated"]
    assert broken == []


def test_what_shows_an_item_to_be_met_is_work_and_nothing_that_the_proposal_tells_of_itself(runs):
    run, _ = runs
    table = run.body.split("## Constraint ledger")[1].split("## Work plan")[0]
    plan, annexes = run.body.split("## Annexes")
    told = re.split(r"## (?:What the money buys|Work plan)\n", plan, maxsplit=1)[1]
    told += annexes.split("## Tasks\n")[1]
    work = " ".join(told.replace("**", "").split())
    quotes = re.findall(r"\| met \| “(.*?)…?” \|$", table, re.MULTILINE)
    assert [q for q in quotes if q not in work] == []


def test_every_number_of_the_proposal_has_a_source(runs):
    run, _ = runs
    answers = read_answers(run.folder, read_plan(run.folder).tasks)
    orphans = unsourced(run.bench.proposal_subject(run.body, answers))
    assert [n.text for n in orphans] == []


def test_what_is_decided_on_is_short(runs):
    run, _ = runs
    plan = run.body.split("## Annexes")[0]
    assert len(plan.split()) <= 2500
    table = plan.split("## Decision")[1].split("\n\n")[1].splitlines()
    assert len(table) - 2 <= 11
    assert len(" ".join(table).split()) <= 400


def test_no_direction_is_dropped_silently(runs):
    run, _ = runs
    for direction in run.bench.brief.plausible_directions:
        assert direction in run.body
    assert "Verdict: carried into the work plan" in run.body

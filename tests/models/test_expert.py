"""A strong model's run: its insight is on page one, its words stand, and it takes few calls."""

import re

import pytest

from core.events import CallEnded
from core.graph.files import read_answers, read_plan
from core.replay import replay
from dr_rd.workbench import EVIDENCE, SERVERS
from tests import expert


@pytest.fixture(scope="module")
def ran(run_once):
    return run_once(expert.EXPERT, expert.NOTE, brief=expert.BRIEF, context=128_000, server="vllm")


def first_page(proposal: str) -> str:
    return proposal.split("## Objective")[0]


def test_it_ends_well_in_few_calls(ran):
    tasks = read_plan(ran.folder).tasks
    calls = [e for e in ran.events if isinstance(e, CallEnded)]
    answers = read_answers(ran.folder, tasks)
    assert {k: a.reason for k, a in answers.items() if a.status != "done"} == {}
    assert ran.outcome.exit_code == 0, ran.outcome.reason
    assert len(calls) <= 1.2 * len(tasks) + 4, [e.purpose for e in calls]


def test_its_objections_stand_on_the_first_page(ran):
    page = first_page(ran.proposal)
    assert expert.OBJECTION in page
    assert "Three years are too short" in page
    assert "**Fund if:** the objections below are answered." in page or "Do not fund" in page


def test_both_plans_stand_there_with_the_difference(ran):
    row = next(r for r in first_page(ran.proposal).splitlines() if "**Two plans**" in r)
    cost = re.search(r"cost ([\d,]+) EUR, by the library ([\d,]+) \(P70; ([\d,]+) less\)", row)
    theirs, ours, apart = (int(n.replace(",", "")) for n in cost.groups())
    assert theirs < 30_000 < ours
    assert abs(ours - theirs - apart) <= 1
    assert re.search(r"time [\d.]+ working days, by the library [\d.]+ \(", row)
    assert "sample 20, by the library 20 (no difference)" in row
    assert "the library's do not: it pays for" in row


def test_nothing_that_it_says_is_lost_but_what_is_listed(ran):
    flat = " ".join(ran.proposal.replace("\\|", "|").split())
    listed = [
        t
        for a in read_answers(ran.folder, read_plan(ran.folder).tasks).values()
        for t in a.left_out
    ]
    lost = [
        t for t in expert.said() if _bare(t) not in flat and not any(t[:12] in n for n in listed)
    ]
    assert lost == []


def _bare(text: str) -> str:
    text = text.replace("(Poeplau and Don 2015)", "(Poeplau and Don 2015, unverified)")
    return " ".join(text.rstrip(". ").split())


def test_it_replays(ran, workbench, tmp_path):
    found = replay(ran.folder.path, workbench.parts, tmp_path / "again", given=(EVIDENCE, SERVERS))
    assert found.identical, found.first_difference

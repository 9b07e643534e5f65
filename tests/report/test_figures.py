"""What the proposal says of odds, costs, directions, risks and failed calls; each number once."""

import asyncio
import re

import pytest

from core.clock import SystemClock
from core.driving import drive
from core.errors import TaskError
from core.graph.files import read_answers, read_plan, read_scorecard
from core.settings import RunOptions
from core.store import RunStore
from core.trace import read_events
from dr_rd.brief import Brief
from dr_rd.ui.tables import calls
from dr_rd.workbench import load_workbench

TIGHT = Brief(
    objective="Test whether hedgerow planting increases ground beetle abundance relative to bare "
    "margins in a field trial on arable farms over a 2-year period.",
    hard_constraints=(
        "minimum of 20 paired sites", "budget under 30000 GBP", "no pesticide on any plot",
    ),
    plausible_directions=(
        "pesticide treatment of half of each margin with paired plots",
        "paired plots on working farms, adding both pitfall traps and botanical recording jointly",
    ),
    deadline="29 months",
    risk_posture="low",
)  # fmt: skip


@pytest.fixture(scope="module")
def tight(finish):
    return finish(TIGHT)


def summary(run):
    return run.body.split("## Objective")[0]


def test_limits_that_are_improbable_are_told_at_the_top_with_what_drives_them(finish):
    late = finish(TIGHT.model_copy(update={"deadline": "20 months"}))
    odds = r"P\(≤ 20 months\) is below 1 % \[T\d+-\d\]"
    assert re.search(odds, summary(late))
    assert "a low risk posture asks for 80 %" in summary(late)
    assert "What drives the duration: T" in summary(late)
    assert "**Do not fund as asked.**" in summary(late)


def test_a_deadline_that_only_the_librarys_guesses_miss_is_neither_broken_nor_kept(tight):
    assert "improbable" not in summary(tight)
    assert "**Fund if:** the team shows that all else fits into the " in summary(tight)
    assert re.search(r"chance of (below 1|\d+) % by the library's guess", summary(tight))
    deadline = next(
        v for v in tight.bench.verdicts(tight.proposal) if v.text.endswith("29 months")
    )
    assert deadline.verdict not in ("met", "violated")


def test_a_direction_that_breaks_a_limit_is_excluded_with_the_reason_however_simple(tight):
    assert tight.bench.design.chosen == "O2"
    assert "**O1 (excluded).** Not recommended" in tight.body
    assert "- Breaks C03: it takes in “pesticide”" in tight.body
    assert "; O2: paired plots on working farms" in summary(tight)


def test_where_every_direction_breaks_a_limit_none_is_recommended(finish):
    only = TIGHT.plausible_directions[:1]
    run = finish(TIGHT.model_copy(update={"plausible_directions": only}))
    assert "None of the directions can be recommended" in summary(run)
    assert "**Do not fund as asked.** Every direction" in summary(run)


def test_the_plan_has_one_cost_at_the_percentile_of_its_posture(tight):
    results = {
        r.name: r.output for a in read_answers(tight.folder, read_plan(tight.folder).tasks).values()
        for r in a.tool_result
    }  # fmt: skip
    assert results["budget"]["at_confidence"] == results["schedule_risk"]["planned"]["cost"]
    assert results["schedule_risk"]["planned"]["percentile"] == "P80"


def test_a_guess_is_a_range_of_one_digit_and_neither_keeps_nor_breaks_the_budget(tight):
    said = re.search(r"([\d,]+) to ([\d,]+) GBP by the library's one-digit guess", summary(tight))
    assert all(len(n.replace(",", "").rstrip("0")) == 1 for n in said.groups())
    assert "of 30,000: a guess cannot say if it is kept" in summary(tight)
    assert {v.id: v.verdict for v in tight.bench.verdicts(tight.body)}["C02"] == "promised"
    assert "less than the library holds right" not in tight.body


@pytest.mark.parametrize(
    "part",
    ["(tornado)", "**Risk register** [", "**Which test first** [", "| Share of draws in which it"],
)
def test_the_proposal_shows(part, tight):
    assert part in tight.body


async def _refused(function, /, *args):
    raise TaskError("the child was killed")


def test_a_tool_that_fails_is_seen_in_the_answer_the_score_and_on_the_page(tmp_path):
    workbench = load_workbench(_refused)
    brief = TIGHT.model_dump(mode="json")
    folder = RunStore(tmp_path).create("run", RunOptions(project_id="p"), brief)
    asyncio.run(drive(folder, workbench.parts(folder), SystemClock()))
    answers = read_answers(folder, read_plan(folder).tasks).values()
    failed = next(a for a in answers if any(not r.ok for r in a.tool_result))
    assert "was not computed: the child was killed" in failed.content
    assert failed.evaluation.by_key()["support"].score < 1
    assert "was not computed: the child was killed" in folder.read_text("proposal.md")
    page = calls(read_events(folder.trace_path))
    assert any("the child was killed" in str(row) for row in page)


def test_a_deadline_of_its_own_field_counts_as_the_briefs_words(tight):
    scores = read_scorecard(tight.folder).by_key()
    assert scores["support"].score == 1

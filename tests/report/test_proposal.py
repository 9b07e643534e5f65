"""What a reader must know before anything else stands at the top of the proposal."""

import re

import pytest

from core.graph.files import read_answers, read_plan, read_scorecard
from core.graph.state import Answer, Claim, GraphState, ThreePoint
from dr_rd.brief import Brief, GivenTask
from dr_rd.checks import build_ledger
from dr_rd.evidence.ingest import read_documents
from dr_rd.report.proposal import Synthesizer
from dr_rd.tools import load_tools
from dr_rd.ui import charts
from dr_rd.ui.result import lasts


def test_a_brief_of_which_no_design_is_sure_is_told_so_at_the_top(finish):
    summary, rest = finish(Brief(objective="Cure cancer")).body.split("## Objective", 1)
    assert "which design the brief asks for is not sure" in summary
    assert "**Fund if:** it is settled which design is meant" in summary
    assert "What came second" not in rest


def test_a_deadline_that_cannot_be_kept_is_told_at_the_top_and_violated_in_the_ledger(finish):
    brief = Brief(
        objective="Test whether mulch reduces weeding time relative to bare soil in a field trial.",
        deadline="2 weeks",
    )
    run = finish(brief)
    assert "does not fit the deadline of 2 weeks" in run.body.split("## Objective")[0]
    row = next(x for x in run.body.splitlines() if x.startswith("| C01 |"))
    assert "| violated |" in row
    assert run.outcome.status == "failed_gate"


@pytest.mark.parametrize(
    ("last", "verdict"), [("30 June 2027", "violated"), ("30 June 2037", "met")]
)
def test_with_a_first_day_the_proposal_is_held_against_the_last_one(last, verdict, finish):
    brief = Brief(
        objective="Test whether mulch reduces weeding time relative to bare soil in a field trial.",
        hard_constraints=(f"finish by {last}",),
        start="1 March 2027",
    )
    run = finish(brief)
    row = next(x for x in run.body.splitlines() if x.startswith("| C01 |"))
    assert f"| {verdict} | “The work ends on 20" in row
    late = f"The work does not fit the deadline of {last}"
    assert (late in run.body.split("## Objective")[0]) == (verdict == "violated")
    assert read_scorecard(run.folder).by_key()["numbers"].score > 0.99  # the date has its source


def test_the_scorecard_of_a_proposal_judges_no_part_as_missing_and_no_number_as_unsourced(finish):
    brief = Brief(
        objective="Test whether mulch reduces weeding time relative to bare soil in a field trial."
    )
    scores = read_scorecard(finish(brief).folder).by_key()
    assert scores["completeness"].score == 1
    assert scores["numbers"].score == 1


def test_a_handful_of_countries_is_not_halved_into_groups(finish):
    brief = Brief(
        objective="Test whether disclosure laws reduce violations compared with no law using records.",
        hard_constraints=("sample must include at least 3 treated jurisdictions",),
    )
    assert "1.5 per group" not in finish(brief).body


def test_a_claim_that_its_source_does_not_bear_out_is_named_with_its_place(workbench, tmp_path):
    brief = Brief(objective="Test whether mulch reduces weeding time in a field trial.")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pilot.md").write_text("# Pilot\n\nMulch reduced weeding time by 31 % on loam.\n")
    corpus = read_documents([docs])
    design = workbench.design(brief, (docs,))
    task = design.tasks[0]
    claim = Claim(kind="quoted", text="Mulch increased weeding time by 31 %.", source="E001")
    answer = Answer(task_id=task.id, content=f"### {task.id}\n", claims=(claim,))
    library, ledger = workbench.planner.library, build_ledger(brief)
    compose = Synthesizer(brief, ledger, design, library, corpus)
    body = compose.body(
        GraphState(idea=brief.objective, tasks=design.tasks, answers={task.id: answer})
    )
    assert "0 of 1 claim is supported by what it cites" in body.split("## Objective")[0]
    evidence = body.split("## Evidence")[1].split("## Open questions")[0]
    assert f"- {task.id} [E001], contradicted: “{claim.text}”" in evidence


def test_a_task_below_the_gate_is_named_at_the_top_with_its_weakest_points(workbench):
    brief = Brief(objective="Test whether mulch reduces weeding time in a field trial.")
    design = workbench.design(brief, ())
    task, reason = design.tasks[0], "its one attempt scores 0.40, below 0.60; weakest: units 0.20"
    answer = Answer(task_id=task.id, content="### Text\n", status="below_gate", reason=reason)
    compose = Synthesizer(
        brief, build_ledger(brief), design, workbench.planner.library, read_documents([])
    )
    body = compose.body(
        GraphState(idea=brief.objective, tasks=design.tasks, answers={task.id: answer})
    )
    assert f"The answer to {task.id} does not pass the checks" in body.split("## Objective")[0]


def test_limits_in_the_objective_alone_are_said_not_to_be_held(finish):
    asked = Brief(objective="Measure how heat affects pellets with a budget of 25,000 EUR.")
    summary = finish(asked).body.split("## Objective")[0]
    assert (
        "The brief lists no limits. What its objective says of 25,000 EUR is not held" in summary
    )


def test_tasks_without_costs_make_no_budget(finish):
    task = GivenTask(id="T1", title="Weigh the pellets")
    done = finish(Brief(objective="Compare pellets.", budget="under 9000 EUR", tasks=(task,)))
    assert "The brief prescribes its tasks without costs" in done.body
    assert read_answers(done.folder, read_plan(done.folder).tasks)["T1"].status == "done"


def test_a_plan_that_is_over_long_before_the_study_is_told_so(finish):
    objective = "Test whether mulch reduces weeding time relative to bare soil over 3 years."
    tasks = (GivenTask(id="T1", title="Sow"), GivenTask(id="T2", title="Weed", depends_on=("T1",)))
    summary = finish(Brief(objective=objective, tasks=tasks)).body.split("## Objective")[0]
    assert "3 years" in summary
    assert "are over after 22 working days [plan]" in summary
    slow = tasks[1].model_copy(update={"days": ThreePoint(low=500, mode=700, high=800)})
    body = finish(Brief(objective=objective, tasks=(tasks[0], slow))).body
    assert "are over after" not in body


CALLS = Brief(
    objective="Test whether a weekly phone call reduces missed clinic visits of adult patients "
    "compared with usual reminders over six months.",
    hard_constraints=("at most 60 patients in total", "patients are randomised individually"),
    plausible_directions=("randomised controlled trial with patients as the unit",),
)


@pytest.fixture(scope="module")
def calls(finish):
    """The proposal for CALLS."""
    return finish(CALLS).body


def test_a_table_that_asks_for_more_than_the_brief_allows_says_so(calls, finish):
    design, answers = calls.split("## Design")[1].split("## Work plan")[0], calls
    said = (
        "**C01 (“at most 60 patients in total”) allows 60 in all**: what the table needs for 0.2"
    )
    assert said in design
    assert answers.count(said) == 2  # in the design, and where the table stands
    roomy = CALLS.model_copy(update={"hard_constraints": ("at most 6000 patients in total",)})
    assert "in all**: what the table needs" not in finish(roomy).body


def test_every_score_of_a_direction_has_its_reason(calls):
    body = compared(calls)
    for name in ("Limits", "Sound", "Criteria", "Simplicity", "Asked"):
        (line,) = (x for x in body.splitlines() if x.startswith(f"- {name} "))
        assert len(line.partition(": ")[2].split()) >= 4, line
    assert "names no success criterion" in body


def test_what_the_library_adds_to_tasks_that_it_did_not_write_is_said_to_be_its_own(calls, finish):
    task = GivenTask(
        id="T1", title="Call the patients each week", days=ThreePoint(low=5, mode=9, high=20)
    )
    given = finish(CALLS.model_copy(update={"tasks": (task,)})).body
    for said in ("The risks are the method library's", "The gates are the method library's too"):
        assert (said in given, said in calls) == (True, False)


def test_nobody_owns_nothing(finish):
    task = GivenTask(id="T1", title="Sow")
    brief = Brief(objective="Compare pellets.", hard_constraints=("zebras only",), tasks=(task,))
    body = finish(brief).body
    assert "nobody |" not in body and "of nobody" not in body


def test_nothing_that_there_is_one_of_is_written_as_many(finish):
    task = GivenTask(id="T1", title="Mount it", days=ThreePoint(low=1, mode=1, high=1))
    body = finish(
        Brief(
            objective="Build a small weather station for a school roof.",
            hard_constraints=("budget under 100 EUR",),
            tasks=(task,),
        )
    ).body
    assert "1 person-day expected" in body
    assert re.search(r"\| [01] of 1 item could be checked", body)
    assert (
        re.findall(r"(?<![\d.,/])1 (?:[a-z]+ )?(?:task|day|item|claim|point|month|limit)s\b", body)
        == []
    )


def test_a_brief_without_limits_has_none_that_are_met(finish):
    body = finish(Brief(objective="Build a small weather station for a school roof.")).body
    assert "The brief names no limit, criterion or ban" in body.split("## Objective")[0]


@pytest.mark.parametrize(
    ("posture", "asked"), [("low", "P80"), ("medium", "P70"), ("high", "P50")]
)
def test_every_percentile_in_front_is_the_one_that_the_risk_posture_asks_for(
    finish, posture, asked
):
    run = finish(Brief(objective="Test whether mulch reduces weeding time.", risk_posture=posture))
    summary, rest = run.body.split("## Objective")
    assert {"P50", asked} == set(re.findall(r"\bP\d\d\b", summary)) | {"P50"}
    said = re.search(r"\*\*Schedule and cost\*\* .*", rest)[0]
    assert {"P50", asked} == set(re.findall(r"\bP\d\d\b", said)) | {"P50"}
    answers = read_answers(run.folder, read_plan(run.folder).tasks)
    assert list(lasts(charts.totals(answers.values(), load_tools()))) == [
        f"Working days, {'P50' if asked == 'P50' else f'P50 / {asked}'}"
    ]


def test_a_heading_of_a_cited_document_breaks_no_limit_of_the_task_that_cites_it(
    workbench, tmp_path
):
    brief = Brief(
        objective="Test whether enriched cages speed up maze learning in mice.",
        banned_moves=("administer lithium to the mice",),
    )
    docs = tmp_path / "docs"
    docs.mkdir()
    told = "Mice in the water maze found the platform after 21 s."
    (docs / "a.md").write_text(f"# Mazes\n\n## Administering lithium to the mice\n\n{told}\n")
    corpus = read_documents([docs])
    design = workbench.design(brief, (docs,))
    task, ledger = design.tasks[0], build_ledger(brief)
    place = "a.md, Mazes › Administering lithium to the mice"
    answer = Answer(task_id=task.id, content=f"### {task.id}\n\n- “{told}” [E001, {place}]\n")
    body = Synthesizer(brief, ledger, design, workbench.planner.library, corpus).body(
        GraphState(idea=brief.objective, tasks=design.tasks, answers={task.id: answer})
    )
    assert "- [E001] `a.md`, “Mazes › Administering lithium to the mice”, in T01" in body
    assert "B01 is violated" not in body


def test_a_limit_that_nobody_owns_and_nothing_speaks_of_is_not_shown(finish):
    brief = Brief(
        objective="Test whether noise from a new tram line changes the sleep of residents.",
        hard_constraints=(
            "no drone may fly over the depot",
            "all interpreters must be sworn in at the district court",
            "the lease of the storage shed must be renewed before winter",
            "the mayor must be invited to the opening",  # near words of the method's own demands
        ),
        banned_moves=("repaint the tram",),
        tasks=(GivenTask(id="T1", title="Measure noise at night"),),
    )
    run = finish(brief)
    told = {k: v for k, v in ledger_table(run.body).items() if v[0] == "no task yet"}
    assert {k: v[1] for k, v in told.items() if k != "B01"} == dict.fromkeys(
        ("C01", "C02", "C03", "C04"), "not shown"
    )
    assert told["C01"][2] == "nothing in the plan speaks of it"
    held = {v.id: v.verdict for v in run.bench.verdicts(run.body)}
    assert held == {k: v[1].replace(" ", "_") for k, v in ledger_table(run.body).items()}
    assert held["B01"] == "not_shown"  # silence keeps no ban


def ledger_table(body: str) -> dict[str, list[str]]:
    """By item of the ledger: owner, verdict, and what shows it."""
    rows = (
        re.split(r" \| ", x.strip("| ")) for x in body.splitlines() if re.match(r"\| [CSB]\d\d", x)
    )
    return {row[0]: row[3:] for row in rows}


def test_values_under_different_conditions_are_said_not_to_be_compared(workbench, tmp_path):
    brief = Brief(objective="Test whether enriched cages speed up maze learning in mice.")
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, seconds, warmth in (("a", 21, 22), ("b", 31, 28)):
        text = f"Mice found the platform after {seconds} s at {warmth} °C in the dark phase."
        (docs / f"{name}.md").write_text(f"# Notes {name}\n\n{text}\n")
    corpus = read_documents([docs])
    design = workbench.design(brief, (docs,))
    ledger = build_ledger(brief)
    body = Synthesizer(brief, ledger, design, workbench.planner.library, corpus).body(
        GraphState(idea=brief.objective, tasks=design.tasks, answers={})
    )
    (line,) = (x for x in body.splitlines() if x.endswith("and were not compared."))
    assert "after 21 s at 22 °C" in line
    assert "after 31 s at 28 °C" in line
    assert "stand under different conditions" in line


def compared(body: str) -> str:
    return body.split("## Directions\n")[1].split("## The method")[0]


@pytest.fixture(scope="module")
def gardens(finish):
    """A run whose directions are the library's."""
    asked = "Find out whether the pupils of schools with a garden eat more vegetables."
    return finish(Brief(objective=asked, family="cross_sectional_survey"))


def test_directions_that_the_library_proposes_are_compared_by_what_each_would_take(gardens):
    text = compared(gardens.body)
    took = r"(\d+) tasks, ([\d,]+) working days and ([\d,]+) EUR, all as expected \[plan\]"
    found = re.findall(took, text)
    assert len(found) == len(gardens.bench.design.directions) > 1
    assert len(set(found)) == len(found)  # other methods are other work
    tasks = read_plan(gardens.folder).tasks
    cost = round(sum(t.cost.mean for t in tasks))
    assert found[0][0] == str(len(tasks))
    assert found[0][2] == f"{cost:,}"


def test_what_sets_no_direction_apart_is_said_once_with_the_reason(gardens):
    text = compared(gardens.body)
    same, options = text.split("tells none from another:")[1].split("**O1", 1)
    for name in (
        "Limits 1.0: the brief sets no limit",
        "Criteria 0.5: the brief names no success",
    ):
        assert f"- {name}" in same
        assert f"- {name}" not in options


def test_directions_of_one_method_are_said_to_take_the_same_and_what_each_needs_besides(finish):
    text = compared(
        finish(
            Brief(
                objective="Test whether a transcription factor drives a target gene in cell culture.",
                plausible_directions=("CRISPRi knockdown", "siRNA knockdown with Western blot"),
            )
        ).body
    )
    assert "would take what O1 does" in text
    assert re.search(r"Of its own it would need: \w[^\n]+\.\n", text)


def test_of_tasks_that_were_given_nothing_is_said_of_other_directions(finish):
    brief = Brief(
        objective="Build a small weather station for a school roof.",
        plausible_directions=("a kit", "parts"),
        tasks=(GivenTask(id="T1", title="Mount it"),),
    )
    text = compared(finish(brief).body)
    assert "What each direction would take cannot be compared" in text
    assert "as expected [plan]" not in text


def test_what_the_objective_itself_asks_for_is_no_complication_of_a_direction(workbench):
    brief = Brief(
        objective="Test whether delayed AI responses improve the questions that people ask.",
        plausible_directions=("compare immediate and delayed responses", "vary the delay"),
    )
    first, second = workbench.design(brief, ()).directions
    assert first.reasons["simplicity"] == "it names no complication"
    assert second.reasons["simplicity"] == "it names “vary”"


def test_a_short_deadline_is_told_in_the_briefs_own_words_and_the_work_in_weeks(finish):
    brief = Brief(
        objective="Compare two sourdough starters for the shelf life of wheat bread.",
        hard_constraints=("done within 6 weeks",),
        tasks=(
            GivenTask(
                id="a", title="Bake and store loaves", role="engineer", days=_points(15, 20, 30)
            ),
            GivenTask(
                id="b",
                title="Count mould",
                role="engineer",
                depends_on=("a",),
                days=_points(5, 10, 15),
            ),
        ),
    )
    run = finish(brief)
    assert "does not fit the deadline of 6 weeks: it takes 6.8 weeks" in run.body
    assert read_scorecard(run.folder).by_key()["numbers"].score == 1


def test_a_question_of_no_parts_has_no_table_of_them(finish):
    body = finish(Brief(objective="Is it worth it?")).body
    assert "Part of the question" not in body


def _points(low, mode, high):
    return ThreePoint(low=low, mode=mode, high=high)


def test_a_budget_that_counts_staff_in_is_told_not_to_be_what_is_added_up(finish):
    brief = Brief(
        objective="Test whether mulch reduces weeding time relative to bare soil in a field trial.",
        hard_constraints=("€60,000 incl. staff",),
    )
    summary = finish(brief).body.split("## Objective")[0]
    assert "“€60,000 incl. staff” counts staff in" in summary


def test_nothing_is_to_be_funded_without_condition_where_no_limit_could_be_held(finish):
    brief = Brief(
        objective="Test whether a weekly phone call raises mean mood scores of adult volunteers "
        "compared with no call in a randomised controlled trial.",
        hard_constraints=("Cohen's d of 0.5 at 80 % power",),
        family="randomised_trial",
    )
    decision = finish(brief).body.split("## Objective")[0]
    assert "**Fund if:** somebody says what it may cost and by when" in decision


def test_a_size_of_what_the_method_counts_is_not_said_to_be_of_groups(finish):
    brief = Brief(objective="Predict which lifts will stop next week.", family="prediction_model")
    line = next(row for row in finish(brief).body.splitlines() if row.startswith("| **Size"))
    assert "in cases with the outcome among those held back" in line
    assert "in each group" not in line

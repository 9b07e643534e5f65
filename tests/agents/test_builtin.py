"""The built-in agent: answers rest on the brief, the tools and live documents."""

import re
from collections import Counter

import pytest

from core.graph.files import read_answers, read_plan
from dr_rd.brief import Brief
from dr_rd.evaluation.metrics.numbers import unsourced
from dr_rd.evidence.words import sentences
from dr_rd.templates import stop
from dr_rd.tools import PlanContext
from dr_rd.tools.context import ScoredDirection
from dr_rd.tools.decision_matrix import SPEC

BRIEF = Brief(
    id="shade",
    objective="Test whether shade sails reduce playground surface temperature compared with no "
    "shade over one summer season in primary schools.",
    hard_constraints=("at least 10 schools", "budget under 90000 EUR"),
    success_criteria=("reports surface temperature with a confidence interval",),
)
LIVE = (
    "---\ndate: 2025-02-01\n---\n# Thermal sensors\n\nInfrared sensors for surface temperature drift "
    "by 2 K per year. They are calibrated against a black body before each deployment.\n"
)
STALE = "# Thermal sensors (superseded)\n\nInfrared sensors for surface temperature drift by 5 K per year.\n"


@pytest.fixture(scope="module")
def run(finish, tmp_path_factory):
    docs = tmp_path_factory.mktemp("docs")
    (docs / "sensors-2025.md").write_text(LIVE)
    (docs / "sensors-2021.md").write_text(STALE)
    (docs / "empty.txt").write_text("")
    return finish(BRIEF, docs=(docs,))


@pytest.fixture(scope="module")
def claims(run):
    answers = read_answers(run.folder, read_plan(run.folder).tasks)
    return [c for a in answers.values() for c in a.claims]


def test_quoted_claims_are_exact_words_of_live_passages(run, claims):
    quoted = [c for c in claims if c.kind == "quoted"]
    assert quoted
    for claim in quoted:
        passage = run.bench.corpus.passage_by_id[claim.source]
        assert claim.passage in passage.text
        assert run.bench.corpus.document_of(passage).status == "live"


def test_brief_claims_are_the_analysts_words_by_ledger_id(run, claims):
    items = {i.id: i.text for i in run.bench.ledger.items}
    mine = [c for c in claims if c.kind == "brief"]
    assert {c.source for c in mine} == set(items)
    assert all(c.passage == items[c.source] for c in mine)


def test_computed_claims_name_calls_that_were_made(run, claims):
    answers = read_answers(run.folder, read_plan(run.folder).tasks)
    made = {r.id for a in answers.values() for r in a.tool_result}
    computed = {c.source for c in claims if c.kind == "computed"}
    assert computed
    assert computed <= made


def test_answers_say_what_is_not_known(run):
    answers = read_answers(run.folder, read_plan(run.folder).tasks).values()
    assert any(a.unknowns for a in answers)


def test_the_older_value_is_shown_as_superseded_and_every_number_has_a_source(run):
    assert "5 K per year" in run.body
    assert "superseded" in run.body.split("## Evidence")[1]
    answers = read_answers(run.folder, read_plan(run.folder).tasks)
    assert unsourced(run.bench.proposal_subject(run.body, answers)) == ()


def test_a_file_that_cannot_be_used_is_listed_with_the_reason(run):
    assert "empty.txt" in run.body.split("Not read:")[1]


def sized(finish, **changes):
    """Output of the sample-size call of a run of a brief."""
    run = finish(BRIEF.model_copy(update={"id": "sized", **changes}))
    answers = read_answers(run.folder, read_plan(run.folder).tasks).values()
    found = [r for a in answers for r in a.tool_result if r.name == "sample_size"]
    assert all(r.ok for r in found), [r.error for r in found]
    return found[0].output


def test_paired_associates_learnt_between_subjects_are_two_groups(finish):
    found = sized(
        finish,
        objective="Test whether expanding spacing improves cued recall of paired associates "
        "compared with uniform spacing in undergraduate participants.",
        hard_constraints=(
            "between-subjects design with exactly 2 conditions",
            "sample size between 80 and 200 undergraduate participants",
            "stimuli are paired associates",
        ),
    )
    assert (found["design"], found["given"], found["attrition"]) == ("two_means", 100, 0.1)


def test_a_number_of_clusters_an_arm_counts_the_members_of_one_arm(finish):
    found = sized(
        finish,
        objective="Test whether a school-based programme reduces absence compared with usual "
        "curriculum in pupils.",
        hard_constraints=("cluster-randomised design with at least 8 schools per arm",),
    )
    assert (found["given"], found["design_effect"]) == (8 * 25, 2.2)


def test_readings_within_a_batch_are_no_units_of_their_own(finish):
    found = sized(
        finish,
        objective="Develop a tape-casting process for a separator that reaches an ionic "
        "conductivity of 1 mS/cm.",
        hard_constraints=("at least 3 batches per parameter setting",),
        success_criteria=("conductivity measured on at least 5 samples per batch",),
    )
    assert found["given"] is None


def test_no_question_is_asked_in_two_tasks(run):
    answers = read_answers(run.folder, read_plan(run.folder).tasks).values()
    asked = [u for a in answers for u in a.unknowns if u.endswith("?")]
    assert asked
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize(
    ("margin", "lead", "said", "unsaid"),
    [
        (
            0.005,
            1.0,
            "O1 comes first by 0.005, whatever the weights. So small a lead",
            "a share of",
        ),
        (
            0.2,
            0.8,
            "O1 comes first in a share of 0.8, O2 comes first in a share of 0.2",
            "So small",
        ),
    ],
)
def test_a_lead_is_told_with_what_it_is_worth(margin, lead, said, unsaid):
    scores = dict.fromkeys(("limits", "sound", "criteria", "simplicity", "asked"), 1.0)
    out = {"ranking": ["O1", "O2"], "totals": {"O1": 0.9, "O2": 0.9 - margin}, "margin": margin,
           "excluded": {}, "flips": [], "leads": {"O1": lead, "O2": round(1 - lead, 2)},
           "weights": {"limits": 1.0}}  # fmt: skip
    both = tuple(ScoredDirection(id=key, scores=scores) for key in ("O1", "O2"))
    text = SPEC.shown("T02-1", out, PlanContext(directions=both), short=False)
    assert said in text
    assert unsaid not in text


def test_directions_that_score_the_same_are_not_ranked():
    scores = dict.fromkeys(("limits", "sound", "criteria", "simplicity", "asked"), 1.0)
    out = {"ranking": ["O1", "O2"], "totals": {"O1": 1.0, "O2": 1.0}, "margin": 0.0,
           "excluded": {}, "flips": [], "leads": {}, "weights": {"limits": 1.0}}  # fmt: skip
    both = tuple(ScoredDirection(id=key, scores=scores) for key in ("O1", "O2"))
    text = SPEC.shown("T02-1", out, PlanContext(directions=both), short=False)
    assert "No direction comes first" in text
    assert "O1, O2 score the same" in text


def test_options_that_are_not_the_plans_are_shown_without_scores():
    out = {"ranking": ["T1-1"], "totals": {"T1-1": 0.4}, "margin": None, "excluded": {},
           "flips": [], "leads": {}, "weights": {"limits": 1.0}}  # fmt: skip
    shown = SPEC.shown("T02-1", out, PlanContext(), short=False)
    assert "| T1-1 | – | – | – | – | – | 0.4 |" in shown


def test_a_sentence_ends_with_one_full_stop():
    assert [stop(t) for t in ("Done", "Done.", "Why? ", "")] == ["Done.", "Done.", "Why?", ""]


def test_no_sentence_of_a_document_is_quoted_twice_and_each_quote_is_one_sentence(run, claims):
    quoted = [c.text for c in claims if c.kind == "quoted"]
    assert len(quoted) == len(set(quoted))
    for text in quoted:
        assert len(list(sentences(text))) == 1
        assert run.body.count(f"“{text}”") == 1


def test_statements_that_repeat_the_brief_are_not_counted_as_borne_out_by_a_document(run, claims):
    summary = run.body.split("## Objective")[0]
    found = run.bench.claims(read_answers(run.folder, read_plan(run.folder).tasks))
    assert len(found) == len(claims)
    assumed = sum(c.kind == "assumption" for c in claims)
    assert Counter(j.verdict for j in found) == {
        "supported": len(claims) - assumed,
        "unchecked": assumed,
    }
    quoted = sum(c.kind == "quoted" for c in claims)
    own = len(claims) - assumed - quoted
    assert re.search(rf"{quoted} of {quoted} claims? (?:is|are) supported by what", summary)
    assert f"{own} statements repeat the brief or a calculation and nothing else" in summary
    assert re.search(rf"{assumed} assumptions? (?:was|were) checked by nobody", summary)

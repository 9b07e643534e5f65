"""The built-in agent: answers rest on the brief, the tools and live documents."""

import pytest

from dr_rd.brief import Brief
from dr_rd.evaluation.metrics.numbers import unsourced

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
    answers = run.folder.answers(run.folder.plan().tasks)
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
    answers = run.folder.answers(run.folder.plan().tasks)
    made = {r.id for a in answers.values() for r in a.tool_result}
    computed = {c.source for c in claims if c.kind == "computed"}
    assert computed
    assert computed <= made


def test_answers_say_what_is_not_known(run):
    answers = run.folder.answers(run.folder.plan().tasks).values()
    assert any(a.unknowns for a in answers)


def test_the_older_value_is_shown_as_superseded_and_every_number_has_a_source(run):
    assert "5 K per year" in run.body
    assert "superseded" in run.body.split("## Evidence")[1]
    answers = run.folder.answers(run.folder.plan().tasks)
    assert unsourced(run.bench.proposal_subject(run.body, answers)) == ()


def test_a_file_that_cannot_be_used_is_listed_with_the_reason(run):
    assert "empty.txt" in run.body.split("Not read:")[1]

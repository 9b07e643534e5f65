"""What a reader must know before anything else stands at the top of the proposal."""

from dr_rd.brief import Brief


def test_a_brief_that_no_method_fits_is_told_so_at_the_top(finish):
    summary = finish(Brief(objective="Cure cancer")).body.split("## Objective")[0]
    assert "Little in the brief speaks for any method" in summary


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


def test_the_scorecard_of_a_proposal_judges_no_part_as_missing_and_no_number_as_unsourced(finish):
    brief = Brief(
        objective="Test whether mulch reduces weeding time relative to bare soil in a field trial."
    )
    scores = finish(brief).folder.scorecard().by_key()
    assert scores["completeness"].score == 1
    assert scores["numbers"].score == 1


def test_a_handful_of_countries_is_not_halved_into_groups(finish):
    brief = Brief(
        objective="Test whether disclosure laws reduce violations compared with no law using records.",
        hard_constraints=("sample must include at least 3 treated jurisdictions",),
    )
    assert "1.5 per group" not in finish(brief).body

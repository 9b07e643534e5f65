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
    assert "| met |" not in row

"""Sums that the work is not paid from, and days of what happened, are no terms of the work."""

import pytest

from dr_rd.reading import parse_brief

ASKED = "We want to know whether raked strips of shore hold more nests than strips left alone."


def terms(*said: str) -> tuple[str, str, str]:
    brief = parse_brief("\n\n".join((ASKED, *said)))
    return brief.budget, brief.start, brief.deadline


@pytest.mark.parametrize(
    "said",
    [
        "The town already spends 62,000 euros a year on raking the beach; that is not part of this budget.",
        "The harbour office pays 62,000 euros every year for the wardens. This stays as it is.",
        "Last year the insurer paid 62,000 euros for broken groynes.",
        "The sieve rig cost 62,000 euros in 2024 and is paid for already.",
    ],
)
def test_a_sum_that_is_spent_anyway_is_no_budget(said):
    assert terms(said)[0] == ""
    assert terms(said, "Budget: 18,000 euros in all.")[0] == "18,000 EUR"


@pytest.mark.parametrize(
    "said",
    [
        "We can spend 62,000 euros in all.",
        "The whole may cost 62,000 euros, which the ministry paid in already.",
        "Budget 62,000 euros; staff time is not part of this budget.",
        "62,000 euros are granted for the work, and no more.",
    ],
)
def test_a_sum_that_may_be_spent_stays_the_budget(said):
    assert terms(said)[0] == "62,000 EUR"


@pytest.mark.parametrize(
    "event", ["The storm of 9 November 2026 buried the lower shore.", "How did the ferry strike of 9 November 2026 change the strips?"]
)  # fmt: skip
def test_the_day_of_an_event_is_neither_start_nor_end(event):
    assert terms(event)[1:] == ("", "")
    dated = "The work begins on 1 March 2027 and the report is due on 30 September 2027."
    assert terms(event, dated)[1:] == ("2027-03-01", "2027-09-30")


def test_papers_that_the_work_is_done_for_date_its_end():
    assert terms("Report: for the board papers of 18 May 2027.")[2] == "2027-05-18"


def test_a_day_that_the_work_is_dated_by_stays_one():
    assert terms("We have a start date of 1 March 2027 and a deadline of 30 September 2027.")[1:] == (
        "2027-03-01",
        "2027-09-30",
    )  # fmt: skip

"""A date without its year is read by the dates around it, and never as a count."""

import pytest

from dr_rd.reading.years import with_years


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "From 1 February 2027; closed 5 to 16 April and from 28 June to 29 August.",
            "From 1 February 2027; closed 5 April 2027 to 16 April 2027 and from 28 June 2027 "
            "to 29 August 2027.",
        ),
        ("Start 2026-11-02. No work 24 December to 3 January.", "Start 2026-11-02. No work 24 December 2026 to 3 January 2027."),
        ("Open 28 June to 29 August 2027.", "Open 28 June 2027 to 29 August 2027."),
        ("24 December to 3 January 2028 it is shut.", "24 December 2027 to 3 January 2028 it is shut."),
        ("By March 2027, or May 5th at the latest", "By March 2027, or 5 May 2027 at the latest"),
        ("Start 1 June 2027; the 5–9 July week is out", "Start 1 June 2027; the 5 July 2027 to 9 July 2027 week is out"),
    ],
)  # fmt: skip
def test_a_year_follows_from_the_dates_around(text, read):
    assert with_years(text).text == read


@pytest.mark.parametrize(
    "text",
    [
        "Closed 5 to 16 April.",
        "In March 2027 we met; 31 June is no day.",
        "Delivered March 2027; 12 may attend.",
        "In March 2027 we had 5 June-born calves.",
    ],
)
def test_what_no_year_follows_from_stays(text):
    assert with_years(text).text == text


def test_places_lead_back_to_the_source():
    text = "From 1 February 2027; closed 5 to 16 April."
    mapped = with_years(text)
    start = mapped.text.index("5 April 2027 to 16 April 2027")
    begin, end = mapped.place(start, start + len("5 April 2027 to 16 April 2027"))
    assert text[begin:end] == "5 to 16 April"


def test_a_day_without_a_year_lies_before_the_last_date_where_the_work_ends_on_that():
    read = with_years("Report by 30 June 2027. No visits 1 to 14 May.").text
    assert read == "Report by 30 June 2027. No visits 1 May 2027 to 14 May 2027."


def test_what_is_owed_is_owed_after_what_is_told_before_it():
    read = with_years(
        "The list is of August 2026. We work from 11 January 2027 to 30 April 2027. Report by 30 September."
    ).text
    assert read.endswith("Report by 30 September 2027.")

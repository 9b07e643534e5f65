"""A period is read as its days, wherever a person names it otherwise."""

from datetime import date

import pytest

from dr_rd.reading.periods import _easter, with_days


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("sessions 3 to 14 May 2027", "sessions 3 May 2027 to 14 May 2027"),
        ("from April to October 2027.", "from 1 April 2027 to 31 October 2027."),
        ("lab free only Nov–Feb 2028", "lab free only 1 November 2027 to 29 February 2028"),
        ("potting week 25/2027", "potting 21 June 2027"),
        ("slot weeks 9 to 22 of 2027", "slot 1 March 2027 to 6 June 2027"),
        ("KW 1 2027", "4 January 2027"),
        ("spend it in the 2027 calendar year", "spend it in 1 January 2027 to 31 December 2027"),
        ("report by the end of 2028", "report by 31 December 2028"),
        ("before Christmas 2027", "before 24 December 2027"),
        ("by Easter 2027", "by 28 March 2027"),
        ("visit no later than 12/2028", "visit no later than December 2028"),
        ("overhaul 22/03-26/03/2027", "overhaul 22 March 2027 to 26 March 2027"),
        ("25.10. to 19.11.2027", "25 October 2027 to 19 November 2027"),
        ("28.12.-04.01.2028", "28 December 2027 to 4 January 2028"),
        ("no digging 20.12.–07.01.", "no digging 20 December to 7 January"),
        ("start 10 april 27, then", "start 10 april 2027, then"),
    ],
)
def test_a_period_becomes_its_days(text, read):
    assert with_days(text).text == read


@pytest.mark.parametrize(
    "text",
    [
        "30 to 31 June 2027",
        "week 54/2027",
        "weeks 9 and 22",
        "10 April 27 plots were sown",
        "3/2027-4 and 1.5-2.5.3",
        "the weekend of 2 May 2027",
        "a trend of 2027",
        "week 12 to week 24, 2027 patients",
    ],
)
def test_what_no_calendar_has_stays(text):
    assert with_days(text).text == text


def test_a_place_leads_back_to_the_words_of_the_period():
    text = "Open from April to October 2027 only"
    made = with_days(text)
    at = made.text.index("1 April")
    begin, end = made.place(at, at + len("1 April 2027 to 31 October 2027"))
    assert text[begin:end] == "April to October 2027"


@pytest.mark.parametrize(
    ("year", "day"),
    [(2024, date(2024, 3, 31)), (2025, date(2025, 4, 20)), (2028, date(2028, 4, 16))],
)
def test_easter_is_where_the_calendar_has_it(year, day):
    assert _easter(year) == day

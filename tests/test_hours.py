"""Every way of telling a time of day is read, however few signs of one it has."""

import pytest

from dr_rd.hours import moments_of_day

TOLD = {
    "We start at 9:30.": 9.5,
    "We start at 9.30 am.": 9.5,
    "We start at 9am.": 9.0,
    "We start at 2 P.M. each day.": 14.0,
    "We start at 2 in the afternoon.": 14.0,
    "We start at three o’clock.": 3.0,
    "We start at nine at night.": 21.0,
    "We start at half past four.": 4.5,
    "We start at quarter to five.": 4.75,
    "We start at noon.": 12.0,
    "We start at midday.": 12.0,
    "We end at Midnight.": 0.0,
    "We start at eight in the morning.": 8.0,
    "We start at six in the evening.": 18.0,
}


@pytest.mark.parametrize(("text", "hour"), TOLD.items())
def test_a_time_of_day_is_read_however_it_is_told(text, hour):
    assert [m.hour for m in moments_of_day(text)] == [hour]


@pytest.mark.parametrize(
    "text", ["", "Samples of 5 teams are taken.", "The ratio is 3.5.", "I am one of 12 members."]
)
def test_what_only_looks_like_a_time_of_day_is_none(text):
    assert moments_of_day(text) == ()

"""Calendars: when work ends where not every day is worked."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TaskError
from dr_rd.schedule.calendar import Calendar, Closed
from dr_rd.schedule.passage import passage

MONDAY = date(2027, 3, 1)
WEEK = Calendar(id="week").opened(MONDAY)


def at(value):
    return np.array([float(value)])


def test_work_of_a_week_ends_on_friday_and_the_next_begins_on_monday():
    assert WEEK.date(WEEK.finish(at(0), at(5))[0]) == date(2027, 3, 5)
    assert WEEK.date(WEEK.finish(at(5), at(1))[0]) == date(2027, 3, 8)
    assert WEEK.date(WEEK.finish(at(0), at(5.5))[0]) == date(2027, 3, 8)


def test_holidays_and_closed_seasons_are_not_worked():
    closed = Closed(first=date(2027, 3, 2), last=date(2027, 3, 4))
    holiday = Calendar(id="c", closed=(closed,)).opened(MONDAY)
    assert holiday.date(holiday.finish(at(0), at(2))[0]) == date(2027, 3, 5)
    summer = Calendar(id="field", months=(6, 7)).opened(MONDAY)
    assert summer.date(summer.finish(at(0), at(1))[0]) == date(2027, 6, 1)
    assert summer.date(summer.finish(at(0), at(44))[0]) == date(2027, 7, 30)
    assert summer.date(summer.finish(at(0), at(45))[0]) == date(2028, 6, 1)


def test_what_waits_for_the_season_has_float_until_it_opens():
    summer = Calendar(id="field", months=(6,)).opened(MONDAY)
    found = passage({"a": (), "b": ("a",)}, np.array([[5.0], [3.0]]), [WEEK, summer])
    assert found.slack[0, 0] == 66 - 5  # working days before June less its own
    assert found.slack[1, 0] == 0
    assert summer.date(found.end[0]) == date(2027, 6, 3)


def test_with_one_calendar_work_passes_as_it_does_without_any():
    rng = np.random.default_rng(1)
    network = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
    days = rng.uniform(0.5, 9, (4, 500))
    plain, dated = passage(network, days), passage(network, days, [WEEK] * 4)
    assert WEEK.done(dated.end) == pytest.approx(plain.end)
    assert dated.slack == pytest.approx(plain.slack, abs=1e-6)


def test_a_calendar_too_sparse_for_the_work_says_so():
    with pytest.raises(TaskError, match="within 60 years of 2027-03-01 in the calendar 'rare'"):
        Calendar(id="rare", weekdays=(1,), months=(2,)).opened(MONDAY).finish(at(0), at(999))


@pytest.mark.parametrize("wrong", [{"weekdays": (0,)}, {"months": (13,)}])
def test_a_day_or_month_that_does_not_exist_is_refused(wrong):
    with pytest.raises(ValueError, match="are 1 to"):
        Calendar(id="c", **wrong)


@given(st.floats(0, 400), st.floats(0.001, 60))
def test_the_latest_start_for_an_end_leaves_exactly_the_work(start, work):
    end = WEEK.finish(at(start), at(work))
    begin = WEEK.latest(end, at(work))
    assert begin[0] >= min(start, end[0]) - 1e-6
    assert WEEK.between(begin, end) == pytest.approx(work, abs=1e-6)

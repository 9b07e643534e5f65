"""Days in a brief: the one on which the work begins, and those by which it must end."""

from datetime import date

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger, first_day, last_days
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.limits import working_days
from dr_rd.planning.remarks import remarks_on
from dr_rd.reading import parse_brief

OBJECTIVE = "Test whether a winter rye cover crop raises soil carbon relative to bare fallow."


def asked(*limits: str, **given: str) -> Brief:
    return Brief(objective=OBJECTIVE, hard_constraints=limits, **given)


def said(*limits: str, **given: str) -> tuple[str, ...]:
    brief = asked(*limits, **given)
    return remarks_on(brief, build_ledger(brief))


def design(*limits: str, **given: str):
    brief = asked(*limits, **given)
    return load_planner().design(brief, build_ledger(brief), documents=False)


@pytest.mark.parametrize(
    ("limit", "day", "whole"),
    [
        ("finish by 31 August 2028", date(2028, 8, 31), True),
        ("report due 30 June 2028", date(2028, 6, 30), True),
        ("done before 2028", date(2027, 12, 31), True),
        ("by mid-June 2028", date(2028, 6, 30), True),
        ("from 1 March 2027 to 31 August 2028", date(2028, 8, 31), True),
        ("permit ends 31 August 2028", date(2028, 8, 31), False),
        ("the licence expires on 2028-08-31", date(2028, 8, 31), False),
        ("funding runs out in June 2028", date(2028, 6, 30), False),
        ("the grant ends in 2028", date(2028, 12, 31), False),
        ("no fieldwork after 31 August 2028", date(2028, 8, 31), False),
        ("recruitment must be over before May 2028", date(2028, 4, 30), False),
    ],
)
def test_a_last_day_is_that_of_the_work_or_of_what_it_needs(limit, day, whole):
    (found,) = last_days(build_ledger(asked(limit)))
    assert (found.day, found.whole) == (day, whole)


@pytest.mark.parametrize(
    "limit", ["data until 31 December 2019", "papers published by June 2020", "start by June 2027"]
)
def test_the_last_day_of_what_is_looked_into_is_none_of_the_work(limit):
    assert [e for e in last_days(build_ledger(asked(limit))) if e.whole] == []


@pytest.mark.parametrize(
    ("limit", "given", "day"),
    [
        ("at least 9 sites", "1 March 2027", date(2027, 3, 1)),
        ("at least 9 sites", "2027-03-01", date(2027, 3, 1)),
        ("at least 9 sites", "March 2027", date(2027, 3, 1)),
        ("start 1 March 2027", "", date(2027, 3, 1)),
        ("the work must not start before March 2027", "", date(2027, 3, 1)),
        ("not before 1 March 2027", "", date(2027, 3, 1)),
        ("from 1 March 2027 to 31 August 2028", "", date(2027, 3, 1)),
        ("fieldwork starts 1 March 2027", "", None),
        ("finish by 31 August 2028", "", None),
    ],
)
def test_the_first_day_is_that_of_the_brief_or_of_a_constraint_on_the_whole_work(
    limit, given, day
):
    brief = asked(limit, start=given)
    assert first_day(brief, build_ledger(brief)) == day


def test_a_last_day_without_a_first_one_is_held_against_nothing_and_says_what_to_add():
    (remark,) = said("permit ends 31 August 2028", "at least 9 sites", deadline="31 May 2029")
    assert remark == (
        "the brief names no day on which the work begins, so that the schedule is not held against "
        "the last day of C01 (“permit ends 31 August 2028”) and of C03 (“deadline: 31 May 2029”): "
        "add one, such as “start: 1 March 2027”"
    )
    assert design("finish by 31 August 2028").deadline_days is None


def test_a_last_day_before_the_first_is_told():
    (remark,) = said("finish by 31 August 2026", start="1 March 2027")
    assert remark.startswith("C01 (“finish by 31 August 2026”) ends before the work begins")


@pytest.mark.parametrize(
    "limit",
    ["mid-2027", "by mid-2027", "spring 2027", "finish by spring 2027", "before summer 2027",
     "early 2027", "late 2027", "winter 2026/27", "before the 2027 season", "the permit ends mid-2027"],
)  # fmt: skip
def test_a_stretch_of_a_year_has_no_last_day_and_says_what_to_write(limit):
    (item,) = build_ledger(asked(limit)).items
    assert not item.checkable
    (remark,) = said(limit)
    assert "since its date names no last day: write one, for instance, “30 June 2027”" in remark


@pytest.mark.parametrize("limit", ["sampling in spring 2027", "data from winter 2026/27"])
def test_a_season_in_which_something_is_done_is_no_end(limit):
    assert said(limit) == ()


@pytest.mark.parametrize("limit", ["permit ends 31 August", "the licence expires on 31 August"])
def test_an_end_without_its_year_says_what_to_write(limit):
    (remark,) = said(limit)
    assert "since its date has no year: write the year" in remark


def test_the_days_worked_are_those_from_monday_to_friday():
    assert working_days(date(2027, 3, 1), date(2027, 3, 14)) == 10
    assert working_days(date(2027, 3, 6), date(2027, 3, 7)) == 1


def test_with_a_first_day_the_schedule_is_held_against_the_last():
    late = design("finish by 30 June 2027", "permit ends 31 May 2027", start="1 March 2027")
    assert (late.deadline_days, late.deadline_words) == (88, "30 June 2027")
    assert (late.on_time, late.not_kept) == (False, ())  # by the library's guesses alone
    assert late.remarks == (
        "C02 (“permit ends 31 May 2027”) ends before the work is expected to: plan what needs it for "
        "the time before, or have it extended",
    )
    exposed = design(
        "finish by 30 June 2027", "each plot is exposed for 6 months", start="1 March 2027"
    )
    assert exposed.not_kept == ("C01",)
    kept = design("finish by 30 June 2037", "permit ends 31 May 2036", start="1 March 2027")
    assert (kept.on_time, kept.not_kept, kept.remarks) == (True, (), ())


@pytest.mark.parametrize("field", ["start: 1 March 2027\n", "start: 2027-03-01\n"])
def test_the_start_stands_in_a_brief_under_its_key(field):
    assert parse_brief(f"objective: {OBJECTIVE}\n{field}").start
    assert parse_brief(f"# Objective\n{OBJECTIVE}\n\nS{field[1:]}").start


def test_a_day_that_no_plan_has_sets_no_deadline():
    brief = asked("finish by 31 December 9999", start="1 March 2027")
    assert list(last_days(build_ledger(brief))) == []
    assert design("finish by 31 December 9999", start="1 March 2027").tasks


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("18 months in all, starting 1 February 2027", 378),
        ("60 weeks from ethics approval to report; first patient not before 1 March 2027", 290),
    ],
)
def test_a_length_of_all_is_a_deadline_whatever_else_its_line_says(line, days):
    assert design(line).deadline_days == pytest.approx(days, abs=15)

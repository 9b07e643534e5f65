"""Where a brief dates its main work, the plan stands on that day; what goes before is planned back from it."""

from datetime import date

import pytest

from dr_rd.planning.anchoring import Anchor
from dr_rd.planning.context import plan_context
from dr_rd.planning.remarks import too_early
from dr_rd.reading import parse_brief
from dr_rd.tools.schedule_risk import args

_KILN = """\
objective: Does a slower cooling ramp reduce cracks in cast bells compared with the ramp used now?
family: process_development
context: Castings of the same recipe scatter by 1.2 cracks. The foundry casts two bells a week.
hard_constraints:
  - {dated}
  - the report is due on 30 November 2027
"""


def design_of(workbench, dated):
    return workbench.design(parse_brief(_KILN.format(dated=dated)), ())


@pytest.mark.parametrize(
    "dated",
    [
        "casting can begin on 3 May 2027",
    ],
)
def test_a_day_of_the_main_work_is_no_first_day_of_the_plan(workbench, dated):
    found = design_of(workbench, dated)
    assert set(found.not_before.values()) == {date(2027, 5, 3)}
    main = next(t for t in found.tasks if t.id in found.not_before)
    assert main.phase == "execution"
    assert date(2026, 11, 1) < found.start < date(2027, 5, 3)


@pytest.mark.parametrize(
    "dated", ["the project starts on 3 May 2027", "start: 3 May 2027", "work begins on 3 May 2027"]
)
def test_a_day_of_the_whole_work_is_its_first(workbench, dated):
    found = design_of(workbench, dated)
    assert found.start == date(2027, 5, 3)
    assert found.not_before == {}


def test_the_schedule_lets_the_main_work_begin_on_its_day_and_not_before(workbench):
    found = design_of(workbench, "casting can begin on 3 May 2027")
    (key,) = found.not_before
    calendars = args.calendars(None, plan_context(found).not_before.values())
    opened = next(c for c in calendars if c.id == "from 2027-05-03").opened(found.start)
    assert opened.begin(0.0) == date(2027, 5, 3)
    assert next(t for t in found.tasks if t.id == key).depends_on


_DIARIES = """\
objective: What share of the diaries of the museum mention the flood?
family: document_review
context: >
  The museum has 900 diaries. We expect 20 % and want it to plus or minus 3 points with 95 % confidence.
  Transcribing a diary takes 90 minutes.
hard_constraints:
  - transcribing can begin on 1 March 2027
  - transcribing must be finished by 30 April 2027
  - report by 15 October 2027
resources:
  people:
    - {role: transcriber, share: 0.5}
"""


_PASSED = (
    "something ends on 2027-04-30, and by the brief's own times the main work lasts until 2027-"
)


def test_main_work_that_passes_a_day_of_its_own_is_said_with_both_days(workbench):
    waits = "  spans:\n    - {what: drying, days: 120, main: true}\n"
    found = workbench.design(parse_brief(_DIARIES + waits), ())
    assert any(_PASSED in r for r in found.remarks)


def test_a_number_is_no_more_than_the_main_work_has_time_for(workbench):
    found = workbench.design(parse_brief(_DIARIES), ())
    capacity = 45 * 0.5 * 8 * 60 / 90  # working days, at half time, 90 minutes each
    assert found.scaling.units == int(capacity)
    assert not any(_PASSED in r for r in found.remarks)


def test_a_line_that_dates_the_main_work_is_not_held_against_it(workbench):
    both = "the harvest ends on 30 April 2027 and casting can begin on 3 May 2027"
    assert not any("harvest" in r for r in design_of(workbench, both).remarks)


@pytest.mark.parametrize(
    ("today", "said"),
    [
        (date(2026, 1, 5), False),  # there is time enough
        (date(2027, 2, 15), True),
        (date(2027, 3, 8), False),  # the work has begun
    ],
)
def test_preparation_that_would_begin_before_today_is_said(workbench, today, said):
    found = list(too_early(workbench.design(parse_brief(_DIARIES), ()), today))
    assert [f"today is {today.isoformat()}" in remark for remark in found] == [True] * said


def test_work_that_lasts_beyond_the_calendar_ends_with_it(workbench):
    waits = "  spans:\n    - {what: drying, days: 40000, times: 1000, main: true}\n"
    found = workbench.design(parse_brief(_DIARIES + waits), ())
    assert found.main_dates.last == date.max


def test_days_beyond_the_calendar_are_its_ends():
    anchor = Anchor(package="read", day=date(2027, 3, 1), lead=1e12, said="")
    assert anchor.first_day(()) == date.min
    assert anchor.last_day(1e12, ()) == date.max

"""Where a brief dates its main work, the plan stands on that day; what goes before is planned back from it."""

from datetime import date

import pytest

from dr_rd.planning.context import plan_context
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

"""What stands with a person is theirs, and no term of the whole work."""

import pytest

from dr_rd.reading import Given, Reader, load_taggers, understood
from dr_rd.reading.amounts import amounts
from dr_rd.study import Study

TEAM = """objective: Does a darker net keep more starlings off the cherries?
deadline: 2027-09-30
constraints:
  - No shots may be fired.
team:
  - Two orchard helpers, free Tuesday to Thursday from 3 May 2027 to the end of July
  - Statistician, 300 euros a day, up to 6 days
  - Pruner Olga Brandt, three weeks in all, not before 10 May 2027
  - Ecologist, two days of seven hours a week, no charge to us
"""


def study(text: str) -> Study:
    return understood(Given(text, None, "brief"), Reader(load_taggers())).study


def test_days_and_absences_belong_to_the_person():
    found = study(TEAM)
    assert {p.role: (p.days, p.share) for p in found.people} == {
        "orchard helpers": (None, None), "Statistician": (6, None), "Pruner": (15, None),
        "Ecologist": (None, 0.4),
    }  # fmt: skip
    assert [limit.quote for limit in found.limits] == ["2027-09-30", "No shots may be fired"]
    assert (found.unread, found.closed, found.durations, found.start) == ((), (), (), None)
    assert found.deadline.date == "2027-09-30"


def test_effort_of_all_and_a_ceiling_bind_the_work_wherever_they_stand():
    text = "Aim: Test whether nets help.\n\n## Team\n\nThe technicians are to cost no more than 9,000 EUR. Effort of the staff 60 person days at most.\n"
    assert {limit.high for limit in study(text).limits} == {9000, 60}


@pytest.mark.parametrize(
    "aside",
    [
        "A lamp is fine, because it takes two days to set up a heater.",
        "The lab outside asks 410 euros a recipe for the frost test.",
        "Start on 3 May 2027, not a day before.",
        "Say yes or no.",
        "No survey needed.",
        "Not urgent.",
    ],
)
def test_a_reason_a_price_and_an_echo_limit_nothing(aside):
    text = f"Find out whether hanging nets lower losses.\n\n{aside}\n"
    assert all("2027" in limit.quote for limit in study(text).limits)


def test_what_is_said_of_the_present_is_shown_and_binds_nothing():
    text = (
        "objective: Does shade keep lettuce crisp?\ncontext: >\n  Lettuce is measured in our own lab,\n"
        "  nobody expects a miracle and only the price is lower. No lamp may be used.\n"
        "plausible_directions:\n  - Every bed by lot, nine and ten\n"
    )
    assert [limit.quote for limit in study(text).limits] == ["No lamp may be used"]


def test_levels_of_factors_and_weeks_before_a_date_are_no_amounts():
    text = "All combinations, 2 x 2 x 2 x 2, in the school year 2025/26; closed in the week 25 October 2027 to 29 October 2027."
    assert [a.kind for a in amounts(text)] == ["date"]

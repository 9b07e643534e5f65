"""Schedule and cost: what drives them, what is planned by, when it ends, what is refused."""

import pytest
from pydantic import ValidationError

from core.errors import TaskError
from dr_rd.tools.schedule_risk import ScheduleRisk, schedule_risk


def points(low, mode, high):
    return {"low": low, "mode": mode, "high": high}


STEADY, WILD = points(9, 10, 11), points(5, 10, 40)


def asked(*activities, **more):
    given = [{"cost": STEADY, "days": STEADY} | a for a in activities]
    return ScheduleRisk(activities=given, **more)


def test_the_tornado_puts_first_what_varies_most():
    found = schedule_risk(
        asked(
            {"id": "calm", "days": points(5, 10, 15)},
            {"id": "wild", "days": WILD, "depends_on": ["calm"]},
        )
    )
    first, second = found["tornado"]["days"]
    assert first["id"] == "wild"
    assert first["correlation"] > 0.8 > second["correlation"]


def test_a_driver_and_a_risk_stand_in_the_tornado_by_name():
    found = schedule_risk(
        asked(
            {"id": "a"}, {"id": "b"},
            drivers=[{"id": "staffing", "activities": ["a", "b"], "factor": points(0.8, 1, 2)}],
            risks=[{"id": "ethics", "activity": "a", "probability": 0.5, "days": points(30, 30, 30)}],
        )
    )  # fmt: skip
    assert {"staffing", "ethics"} <= {row["id"] for row in found["tornado"]["days"]}
    assert found["tornado"]["cost"][0]["id"] == "staffing"


@pytest.mark.parametrize(("posture", "key"), [("low", "P80"), ("medium", "P70"), ("high", "P50")])
def test_the_risk_posture_picks_the_percentile(posture, key):
    found = schedule_risk(asked({"id": "a", "days": WILD}, risk_posture=posture))
    assert found["planned"] == {
        "percentile": key, "days": found["days"][key], "cost": found["cost"][key],
    }  # fmt: skip


def test_merge_bias_is_none_on_one_path_and_some_where_paths_meet():
    chain = schedule_risk(asked({"id": "a", "days": WILD}, {"id": "b", "depends_on": ["a"]}))
    merge = schedule_risk(asked(*({"id": k, "days": WILD} for k in "abc")))
    assert chain["merge_bias_days"] == 0
    assert merge["merge_bias_days"] > 3


def test_a_start_gives_dates_and_a_season_keeps_work_waiting():
    season = {"id": "season", "months": [6, 7, 8]}
    found = schedule_risk(
        asked(
            {"id": "prepare"}, {"id": "field", "depends_on": ["prepare"], "calendar": "season"},
            start="2027-01-04", limit_date="2027-06-30", limit_days=300,
            calendars=[{"id": "office"}, season],
        )
    )  # fmt: skip
    assert found["dates"]["P50"].startswith("2027-06-1")
    assert found["chances"] == {"deadline": 1.0, "date": 1.0, "both": 1.0}
    assert found["critical_path"] == ["prepare", "field"]
    assert found["times"]["prepare"]["slack"] > 80


def test_one_seed_gives_one_answer_and_another_a_like_one():
    first, again, other = (
        schedule_risk(asked({"id": "a", "days": WILD}, seed=seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first["days"]["P50"] == pytest.approx(other["days"]["P50"], abs=1)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"limit_date": "2027-01-01"}, "need a start"),
        ({"calendars": [{"id": "c"}]}, "need a start"),
        ({"drivers": [{"id": "a", "activities": ["a"], "factor": STEADY}]}, "have the id 'a'"),
        ({"iterations": 100_001}, "less than or equal to 100000"),
    ],
)
def test_arguments_that_do_not_fit_together_are_refused(more, says):
    with pytest.raises(ValidationError, match=says):
        asked({"id": "a"}, **more)


def test_more_draws_than_fit_the_memory_are_refused_with_what_is_allowed():
    with pytest.raises(ValidationError, match="100 activities allow at most 50,000 iterations"):
        asked(*({"id": f"t{n}"} for n in range(100)), iterations=60_000)


@pytest.mark.parametrize(
    ("activity", "more", "says"),
    [
        ({"depends_on": ["b"]}, {}, "'b' is waited for"),
        ({"depends_on": ["a"]}, {}, "in a ring: a → a"),
        ({}, {"risks": [{"id": "r", "activity": "aa", "probability": 1}]}, "'aa' is none; did you"),
        ({}, {"drivers": [{"id": "d", "activities": ["z"], "factor": STEADY}]}, "choose from: a"),
    ],
)  # fmt: skip
def test_an_activity_that_is_not_there_is_named(activity, more, says):
    with pytest.raises(TaskError, match=says):
        schedule_risk(asked({"id": "a", **activity}, **more))

"""Resource levelling against plans whose best order is known, and against every order."""

from itertools import permutations

import numpy as np
import pytest

from core.graph.state import ThreePoint
from dr_rd.schedule.activities import Activity, Resource
from dr_rd.schedule.leveling import Leveling
from dr_rd.tools.schedule_risk import ScheduleRisk, schedule_risk

ONE = (Resource(id="technician"),)


def activity(key, days, needs=("technician",), **more):
    points = ThreePoint(low=days, mode=days, high=days)
    return Activity(id=key, days=points, needs=dict.fromkeys(needs, 1), **more)


def test_one_technician_does_parallel_work_one_after_the_other_and_misses_the_date():
    plan = [activity(k, 15) for k in "abc"] + [activity("d", 5)]
    asked = {"start": "2027-01-04", "limit_date": "2027-02-26", "iterations": 100}
    out = schedule_risk(ScheduleRisk(activities=plan, resources=ONE, **asked))
    assert out["days"]["P50"] == 50
    assert out["dates"]["P50"] == "2027-03-12"
    assert out["chances"]["date"] == 0
    assert len(out["critical_path"]) == 4
    assert out["busy"] == {"technician": 1.0}
    free = schedule_risk(
        ScheduleRisk(activities=[a.model_copy(update={"needs": {}}) for a in plan], **asked)
    )
    assert (free["days"]["P50"], free["chances"]["date"]) == (15, 1)


def test_a_half_time_person_takes_twice_as_long_and_waiting_holds_nobody():
    half = (Resource(id="technician", share=0.5),)
    plan = [activity("work", 10), activity("exposure", 42, needs=(), depends_on=("work",)),
            activity("other", 10)]  # fmt: skip
    out = schedule_risk(ScheduleRisk(activities=plan, resources=half, iterations=100))
    assert out["days"]["P50"] == 62  # 20 for the work, then 42; the other work falls into these
    assert out["times"]["other"] == {"start": 20, "finish": 40, "slack": 22}


def test_work_falls_into_a_gap_before_what_is_placed_already():
    plan = [activity("wait", 10, needs=()), activity("late", 20, depends_on=("wait",)),
            activity("early", 8)]  # fmt: skip
    found = Leveling(tuple(plan), ONE).passage(np.array([[10.0], [20.0], [8.0]]))
    assert found.start[:, 0].tolist() == [0, 10, 0]
    assert found.end.tolist() == [30]


def test_closed_days_and_the_days_of_equipment_hold_for_what_needs_them():
    days = {"id": "tester", "weekdays": [2, 4]}
    closed = {"id": "shop", "closed": [{"first": "2027-01-11", "last": "2027-01-15"}]}
    resources = (Resource(id="tester", calendar="tester"),)
    plan = [activity("prepare", 5, needs=()),
            activity("test", 3, needs=("tester",), depends_on=("prepare",))]  # fmt: skip
    out = schedule_risk(
        ScheduleRisk(
            activities=plan,
            resources=resources,
            calendars=[closed, days],
            start="2027-01-04",
            iterations=100,
        )
    )
    assert out["task_dates"]["prepare"]["finish"] == "2027-01-08"
    assert out["task_dates"]["test"]["start"] == "2027-01-19"  # a Tuesday, after the closed week
    assert out["dates"]["P50"] == "2027-01-26"


@pytest.mark.parametrize("seed", range(10))
def test_it_ends_within_a_tenth_of_the_best_of_all_orders(seed):
    rng = np.random.default_rng(seed)
    size, resources = 5, (Resource(id="x"), Resource(id="y", count=2))
    plan = []
    for n in range(size):
        waits = tuple(f"a{i}" for i in range(n) if rng.random() < 0.25)
        needs = {"x": 1} if rng.random() < 0.5 else {"y": int(rng.integers(1, 3))}
        plan.append(Activity(id=f"a{n}", days=ThreePoint(low=1, mode=1, high=1), needs=needs,
                             depends_on=waits))  # fmt: skip
    days = rng.integers(1, 9, (size, 1)).astype(float)
    leveling = Leveling(tuple(plan), resources)
    found = leveling.passage(days)
    best = min(
        float(leveling._placed(days, order)[1].max())
        for order in permutations(range(size))
        if all(
            order.index(int(w[1:])) < order.index(n)
            for n, a in enumerate(plan)
            for w in a.depends_on
        )
    )
    assert best <= found.end[0] <= best * 1.1
    for at in found.start[:, 0]:
        busy = (found.start[:, 0] <= at) & (found.finish[:, 0] > at)
        assert all(sum(a.needs.get(r.id, 0) for a, b in zip(plan, busy, strict=True) if b) <= r.count
                   for r in resources)  # fmt: skip


class Counted(Leveling):
    """Notes how many iterations each placing of all activities was of."""

    def _placed(self, days, places):
        placings.append(days.shape[1])
        return super()._placed(days, places)


placings = []


def test_a_plan_of_fifteen_tasks_is_placed_once_for_all_iterations_and_seldom_to_find_its_order():
    plan = [Activity(id=f"a{n}", days=ThreePoint(low=2, mode=4, high=9), needs={"technician": 1},
                     depends_on=(f"a{n - 3}",) if n > 2 else ()) for n in range(15)]  # fmt: skip
    days = np.random.default_rng(1).triangular(2, 4, 9, (15, 2_000))
    placings.clear()
    Counted(tuple(plan), ONE).passage(days)
    assert placings[-1] == 2_000
    assert set(placings[:-1]) == {1}
    assert len(placings) <= 1 + 3 + 24


def test_a_need_without_its_resource_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"resource 'tecnician' is none.*choose from: technician"):
        ScheduleRisk(activities=[activity("a", 1, needs=("tecnician",))], resources=ONE)
    with pytest.raises(ValueError, match="needs 2 of 'technician', and there are 1"):
        ScheduleRisk(
            activities=[activity("a", 1).model_copy(update={"needs": {"technician": 2}})],
            resources=ONE,
        )

"""What the engine is measured by: the bounds, and the verdicts that follow from the rows."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bench.engine.measure import Cell
from bench.engine.report import Bar, bars
from bench.engine.report import Rows as Measured
from bench.engine.work import Task, bound_s, independent, layered
from bench.plans import bodies

COSTS = [[100, 20.0, 0.1, 300], [100_000, 21.0, 9.0, 300]]


def row(contender: str, wall_s: float, **other: object) -> dict[str, object]:
    cell = {"kind": "independent", "count": 1000, "slots": 64, "profiled": False}
    return {"contender": contender, **cell, "wall_s": wall_s, "bound_s": 1.6, **other}


def test_independent_tasks_take_as_many_turns_as_the_slots_need():
    assert bound_s(independent(1000, 100), 64) == 1.6
    assert bound_s(independent(32, 100), 64) == 0.1


def test_a_chain_takes_its_own_length_however_many_slots_there_are():
    chain = (Task(0, 100), Task(1, 200, (0,)), Task(2, 300, (1,)), Task(3, 50))
    assert bound_s(chain, 8) == 0.6
    assert bound_s(chain, 1) == 0.65


@given(st.integers(0, 50), st.integers(1, 200))
def test_layered_tasks_wait_for_earlier_ones_and_are_the_same_each_time(seed: int, count: int):
    tasks = layered(seed, count, 400)
    assert tasks == layered(seed, count, 400)
    assert [task.number for task in tasks] == list(range(count))
    assert all(needed < task.number for task in tasks for needed in task.needs)
    limits = [bound_s(tasks, slots) for slots in (1, 2, 4, 8, 16)]
    assert all(more >= less for more, less in pairwise(limits))


def test_a_bar_is_met_missed_or_not_measured():
    found = {Bar("it", value, 1.25).cells()[-1] for value in (1.25, 1.26, float("nan"))}
    assert found == {"met", "**missed**", "not measured"}


def test_ours_is_held_against_the_fastest_peer_that_could_be_measured():
    peers = [row("send", 5.0), row("autogen", 4.0), row("dask", 1.0, status="absent", why="")]
    found = bars(Measured([row("ours", 3.0), row("ours", 2.0), row("ours", 2.2), *peers]), COSTS)
    assert {bar.says: bar.found for bar in found if bar.found == bar.found} == {
        "everything on, to the fastest peer with nothing durable": 0.55,
        "an append to the trace, at 100,000 events to 100": 1.05,
    }


def test_each_kind_of_work_has_contenders():
    for kind in ("independent", "layered", "empty"):
        assert "ours" in Cell(kind, 10, 4, 100).contenders


def test_a_filled_cell_makes_a_line_differ_but_not_the_cells_beside_it():
    one = "## Tasks\n\n| Task | Done when |\n|---|---|\n| T1 Weigh rye | Two people read the same value. |\n"
    other = one.replace("rye", "clover")
    assert bodies.lines(one) == {"| T1 Weigh rye | Two people read the same value. |"}
    assert bodies.identical(bodies.lines(one), bodies.lines(other)) == 0
    assert bodies.identical(bodies.pieces(one), bodies.pieces(other)) == 1
    assert bodies.Proposal("b", "m", body=one, annexes="").words == 13

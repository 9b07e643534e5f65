"""A plan's preview: the same figures as the run's own, and what is wrong with what is no plan."""

import pytest

from core.graph.files import planned_tasks
from core.graph.state import ThreePoint
from dr_rd.reading import read_brief
from tests.conftest import SAMPLES


@pytest.fixture(scope="module")
def run(finish):
    return finish(read_brief(str(SAMPLES[0])))


def parts_of(run):
    return run.bench, planned_tasks(run.folder)


def test_it_shows_path_totals_and_odds_of_the_plan(run):
    parts, tasks = parts_of(run)
    shown = parts.preview(tasks)
    assert shown.problem == ""
    assert set(shown.critical_path) <= {task.id for task in tasks}
    assert shown.days["P50"] <= shown.days["P80"]
    assert set(shown.times) == {task.id for task in tasks}
    assert [v.id for v in shown.ledger] == [item.id for item in parts.ledger.items]
    assert shown.currency == parts.design.scaling.currency


def test_it_follows_an_edit(run):
    parts, tasks = parts_of(run)
    before = parts.preview(tasks)
    longer = ThreePoint(low=400, mode=400, high=400)
    changed = [
        t.model_copy(update={"duration_days": longer}) if t.id == before.critical_path[0] else t
        for t in tasks
    ]
    after = parts.preview(changed)
    assert after.days["P50"] > before.days["P50"] + 300
    assert after.cost == before.cost


def test_what_is_no_plan_is_said_in_a_sentence(run):
    parts, tasks = parts_of(run)
    ring = (tasks[0].model_copy(update={"depends_on": (tasks[-1].id,)}), *tasks[1:])
    shown = parts.preview(ring)
    assert "wait for each other in a ring" in shown.problem
    assert shown.days == {}
    assert "no task" in parts.preview(()).problem


def test_what_nobody_priced_is_a_guess_until_somebody_types_its_price(run):
    parts, tasks = parts_of(run)
    before = parts.preview(tasks)
    assert before.guess and before.known == 0
    priced = [
        t.model_copy(update={"cost": ThreePoint(low=9, mode=9, high=9)}) if t.cost else t
        for t in tasks
    ]
    assert parts.preview(priced).guess is None

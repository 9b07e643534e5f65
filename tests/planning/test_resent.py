"""What is said of a plan that was made anew after a person sent it back."""

import pytest

from core.graph.state import GraphTask, ThreePoint
from dr_rd.planning.resent import resent

DAY, WEEK = ThreePoint(low=1, mode=1, high=1), ThreePoint(low=5, mode=5, high=5)


def task(key, **values):
    return GraphTask(id=key, title=f"Do {key}", **{"role": "analyst", **values})


BEFORE = (task("T01", duration_days=DAY), task("T02"))


def test_the_tasks_that_changed_are_named_with_what_changed():
    after = (task("T01", duration_days=WEEK), task("T03", depends_on=("T01",)))
    said = resent(BEFORE, after, item="C05", by_model=True)
    assert said == ("Since the plan was sent back, changed: T01 (days); T03 is new; T02 is gone.")


@pytest.mark.parametrize("by_model", [True, False])
def test_a_plan_that_is_the_same_is_not_passed_off_as_another(by_model):
    said = resent(BEFORE, BEFORE, item="C05", by_model=by_model)
    assert "is the same" in said and "change the table itself" in said
    assert ("only read as a limit (C05)" in said) is not by_model


def test_a_plan_that_changed_everywhere_is_counted():
    before = tuple(task(f"T{n}", duration_days=DAY) for n in range(9))
    after = tuple(task(f"T{n}", duration_days=WEEK) for n in range(9))
    assert "T5 (days) and 3 more" in resent(before, after, item="C05", by_model=True)

"""What a run knows, and when tasks form a plan."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import CallerError
from core.graph.state import (
    Answer,
    Cursor,
    GraphState,
    ThreePoint,
    Update,
    apply,
    checked,
    how_far,
)
from core.graph.state import plan_digest as named
from core.testing import fake_task
from core.values import canonical, digest

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_an_update_changes_what_it_names_and_nothing_else() -> None:
    state = GraphState(idea="bake", answers={"T1": Answer(task_id="T1", content="")})
    after = apply(state, Update(approved=True, answers={"T2": Answer(task_id="T2", content="")}))
    assert (after.approved, list(after.answers)) == (True, ["T1", "T2"])
    assert (state.approved, list(state.answers)) == (False, ["T1"])
    assert apply(state, Update()) == state
    assert apply(after, Update(approved=False, cursor=Cursor(task_id="T1"))).approved is False


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ((), "no task"),
        ((fake_task("T1"), fake_task("T1")), "two tasks share the id 'T1'"),
        ((fake_task("T1", "T2"),), "depends on 'T2', which is no task of this plan"),
        ((fake_task("T1", "T2"), fake_task("T2", "T1")), "in a ring"),
        ((fake_task("T1", "T1"),), "in a ring"),
    ],
)
def test_what_is_no_plan_is_refused(tasks: tuple, says: str) -> None:
    with pytest.raises(CallerError, match=says):
        checked(tasks)


@pytest.mark.parametrize("task_id", ["", "../x", "a/b", ".", "-a", "a" * 32])
def test_a_task_id_can_name_a_file(task_id: str) -> None:
    with pytest.raises(ValidationError):
        fake_task(task_id)


def test_a_plan_is_named_by_its_content() -> None:
    assert named((fake_task("T1"),)) == named((fake_task("T1"),))
    assert named((fake_task("T1"),)) != named((fake_task("T2"),))


def test_a_task_without_an_answer_is_named_by_what_became_of_it() -> None:
    tasks = tuple(fake_task(f"T{n}") for n in range(1, 6))
    states = {"T1": "done", "T2": "below_gate", "T3": "failed", "T4": "not_run"}
    answers = {i: Answer(task_id=i, content="", status=s) for i, s in states.items()}
    told = "2 of 5 tasks answered; failed: T3; not run, as what they need failed: T4; not done: T5"
    assert how_far(tasks, answers) == told
    assert how_far(tasks[:2], answers) == "2 of 2 tasks answered"
    assert how_far(tasks[2:3], answers) == "0 of 1 task answered; failed: T3"


@given(JSON)
def test_a_value_is_written_one_way_only(value: object) -> None:
    text = canonical(value)
    assert canonical(json.loads(text)) == text
    assert digest(json.loads(text)) == digest(value)


def test_an_estimate_is_in_order() -> None:
    assert ThreePoint(low=1, mode=2, high=9).mean == 3
    with pytest.raises(ValidationError, match="not in order"):
        ThreePoint(low=2, mode=1, high=9)

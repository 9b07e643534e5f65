"""The plan as a table, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CallerError
from core.graph.state import Acceptance, GraphTask, ThreePoint
from dr_rd.planning.guesses import is_guess
from dr_rd.ui.plan import to_rows, to_tasks

ROLES = ("chemist", "statistician")

WORDS = st.text("abc déf-(1)", min_size=1, max_size=12).map(str.strip).filter(bool)
NUMBERS = st.lists(st.integers(0, 10**6).map(float), min_size=3, max_size=3).map(sorted)
POINTS = st.none() | NUMBERS.map(lambda v: ThreePoint(low=v[0], mode=v[1], high=v[2]))


@st.composite
def plans(draw) -> tuple[GraphTask, ...]:
    ids = [f"T{n:02d}" for n in range(1, draw(st.integers(1, 6)) + 1)]
    return tuple(
        GraphTask(
            id=task_id,
            role=draw(st.sampled_from(ROLES)),
            title=draw(WORDS),
            deliverable=draw(st.just("") | WORDS),
            depends_on=tuple(draw(st.lists(st.sampled_from(ids[:n]), unique=True))) if n else (),
            duration_days=draw(POINTS),
            cost=draw(POINTS),
            steps=("weigh it",),
            acceptance=(Acceptance(text="It is weighed.", ledger_ids=("C01",)),),
        )
        for n, task_id in enumerate(ids)
    )


@given(plans())
def test_a_table_that_nobody_touched_is_the_same_plan(tasks):
    assert to_tasks(to_rows(tasks), tasks, ROLES) == tasks


def two() -> tuple[GraphTask, ...]:
    points = ThreePoint(low=1, mode=2, high=3)
    return (
        GraphTask(id="T01", role="chemist", title="Weigh", duration_days=points, steps=("a",)),
        GraphTask(id="T02", role="chemist", title="Mix", depends_on=("T01",)),
    )


def edited(**cells: object) -> list[dict[str, object]]:
    rows = to_rows(two())
    rows[0].update(cells)
    return rows


def test_a_price_that_a_person_types_is_no_guess_of_the_library_s():
    guess = ThreePoint(low=1, mode=2, high=3)
    task = GraphTask(id="T01", role="chemist", title="Weigh", source="rye/weigh", cost=guess)
    rows = to_rows((task,))
    assert is_guess(to_tasks(rows, (task,), ROLES)[0])
    rows[0] |= {"cost_low": 4.0, "cost_mode": 5.0, "cost_high": 9.0}
    (priced,) = to_tasks(rows, (task,), ROLES)
    assert not is_guess(priced)
    assert not is_guess(to_tasks(to_rows((priced,)), (priced,), ROLES)[0])


def test_a_changed_cell_changes_its_field_and_no_other():
    first, second = to_tasks(edited(title="Weigh twice", days_high=9.0), two(), ROLES)
    assert first.title == "Weigh twice"
    assert first.duration_days == ThreePoint(low=1, mode=2, high=9)
    assert first.steps == ("a",)
    assert second == two()[1]


def test_a_new_line_gets_the_next_id_and_says_who_wrote_it():
    new = {**dict.fromkeys(to_rows(two())[0]), "title": "Dry", "role": "chemist"}
    task = to_tasks([*to_rows(two()), new], two(), ROLES)[-1]
    assert (task.id, task.title, task.source) == ("T03", "Dry", "analyst")
    assert task.duration_days is None


def test_an_empty_line_is_left_out():
    blank = dict.fromkeys(to_rows(two())[0], None)
    assert to_tasks([*to_rows(two()), blank], two(), ROLES) == two()


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"title": None}, "task 'T01' has no title"),
        ({"role": "astrologer"}, "astrologer"),
        ({"depends_on": "T02"}, "in a ring"),
        ({"depends_on": "T09"}, "'T09', which is no task of this plan"),
        ({"id": "T02"}, "share the id 'T02'"),
        ({"id": "no spaces"}, "task id 'no spaces' cannot be used"),
        ({"days_low": 5.0}, "out of order (low 5, likely 2, high 3)"),
        ({"days_low": None}, "days with a gap"),
        ({"days_low": float("nan")}, "days with a gap"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_it(cells, told):
    with pytest.raises(CallerError) as caught:
        to_tasks(edited(**cells), two(), ROLES)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_plan_without_tasks_is_refused():
    with pytest.raises(CallerError, match="leave at least one"):
        to_tasks([], two(), ROLES)

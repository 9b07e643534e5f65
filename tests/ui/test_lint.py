"""What is said of a plan while it is edited, and a result's parts."""

from core.graph.state import Acceptance, GraphTask
from dr_rd.report.preview import Preview
from dr_rd.ui.lint import findings
from dr_rd.ui.proposal import sections


def task(task_id: str, *after: str, **changed) -> GraphTask:
    given = {"role": "chemist", "title": f"Do {task_id}", "depends_on": after, **changed}
    return GraphTask(id=task_id, **given)


def said(tasks, **seen) -> list[str]:
    return [f.text for f in findings(tasks, Preview(**seen))]


def test_a_limit_that_is_broken_says_by_how_much_and_comes_first():
    found = findings(
        [task("T01", deliverable="a report"), task("T02", "T01")],
        Preview(
            days={"P50": 80.0, "P80": 110.0},
            cost={"P50": 500.0, "P80": 600.0},
            currency="EUR",
            limit_days=100,
            limit_cost=400,
        ),
    )
    assert [(f.grave, f.text) for f in found] == [
        (True, "it costs 500 EUR at P50, and the budget is 400: 100 too many"),
        (False, "it takes 110 working days at P80, and the deadline leaves 100: 10 too many"),
        (False, "T01 delivers something, and nothing says when it is done"),
    ]


def test_a_task_that_hangs_on_nothing_is_named_and_a_tested_one_is_not():
    tested = {"deliverable": "a report", "acceptance": (Acceptance(text="It is signed."),)}
    tasks = [task("T01"), task("T02", "T01", **tested), task("T09")]
    assert said(tasks) == ["T09 waits for nothing, and nothing waits for it"]


def test_a_role_with_two_tasks_at_once_is_overbooked():
    times = {
        "T01": {"start": 0.0, "finish": 10.0, "slack": 0.0},
        "T02": {"start": 4.0, "finish": 12.0, "slack": 0.0},
        "T03": {"start": 10.0, "finish": 12.0, "slack": 0.0},
    }
    tasks = [task("T01"), task("T02"), task("T03", "T01", "T02", role="nurse")]
    assert said(tasks, times=times) == [
        "chemist has T01 and T02 at once for 6 working days, too much for one person"
    ]


def test_what_is_no_plan_is_all_that_is_said():
    assert said([task("T01")], problem="the tasks wait in a ring") == ["the tasks wait in a ring"]


def test_a_written_result_has_its_sections():
    written = "# T\n\n## Decision\n\nFund.\n\n## Risks\n\nNone.\n"
    assert [s.title for s in sections(written)] == ["", "Decision", "Risks"]


def test_a_guess_leaves_the_budget_open_and_only_prices_break_it():
    money = {"cost": {"P50": 900.0, "P80": 999.0}, "guess": (100, 900), "limit_cost": 400}
    (left_open,) = findings([task("T01")], Preview(**money, known=300))
    assert not left_open.grave
    assert "a guess cannot say if it is kept" in left_open.text
    (broken,) = findings([task("T01")], Preview(**money, known=450, currency="EUR"))
    assert broken.grave
    assert broken.text == (
        "what is priced costs 450 EUR, and the budget is 400: 50 too many before anything guessed"
    )
    assert said([task("T01")], guess=(100, 900), limit_cost=2000) == []

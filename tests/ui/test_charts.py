"""The plan's pictures, as the data they are drawn from."""

import altair as alt

from core.graph.state import GraphTask, ThreePoint
from dr_rd.ui.charts import LIGHT, calendar, critical, gantt, graph, percentiles


def task(task_id: str, days: float, *needs: str) -> GraphTask:
    points = ThreePoint(low=days, mode=days, high=days)
    title = f'Do "{task_id}"'
    return GraphTask(
        id=task_id, role="chemist", title=title, depends_on=needs, duration_days=points
    )


PLAN = (task("A", 2), task("B", 5, "A"), task("C", 1, "A"), task("D", 1, "B", "C"))


def test_the_calendar_starts_each_task_after_those_it_needs():
    bars = {b.id: (b.start, b.finish, b.slack) for b in calendar(PLAN)}
    assert bars == {"A": (0, 2, 0), "B": (2, 7, 0), "C": (2, 3, 4), "D": (7, 8, 0)}


def test_the_critical_path_is_named_in_its_order():
    assert critical(calendar(PLAN)) == ["A", "B", "D"]


def test_without_estimates_there_is_no_calendar_but_still_a_graph():
    bare = (GraphTask(id="A", role="chemist", title="Weigh"),)
    assert calendar(bare) == []
    assert '"A" [label="A\\nWeigh"' in graph(bare, LIGHT)


def test_only_steps_of_the_critical_path_are_drawn_heavy():
    heavy = [line for line in graph(PLAN, LIGHT).splitlines() if "->" in line and "h=2" in line]
    assert [line.split(" [")[0] for line in heavy] == ['"A" -> "B"', '"B" -> "D"']


def test_a_quote_in_a_title_cannot_break_the_drawing():
    assert '\\"A\\"' in graph(PLAN, LIGHT)


def test_the_drawings_are_valid_specifications():
    drawn = gantt(calendar(PLAN), LIGHT)
    assert alt.LayerChart.from_dict(drawn).to_dict()["layer"]
    assert [row["task"] for row in drawn["data"]["values"]] == [
        bar.label for bar in calendar(PLAN)
    ]
    assert percentiles({"P10": 1, "P90": 3, "mean": 2}, "days", LIGHT).to_dict()["layer"]

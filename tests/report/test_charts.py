"""Figures of a plan: what they show, and that a title cannot break them."""

from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from core.graph.files import planned_tasks, read_answers
from core.graph.state import GraphTask
from dr_rd.brief import Brief, GivenTask
from dr_rd.report.bundle import exported
from dr_rd.report.charts import curve, figures, gantt

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def run(finish):
    tasks = (
        GivenTask(
            id="T1", title="Bake <b>loaves</b> & weigh them", days=[4, 5, 9], cost=[10, 20, 60]
        ),
        GivenTask(id="T2", title="Taste them", days=[2, 3, 6], cost=[0, 5, 9], depends_on=("T1",)),
    )
    asked = Brief(
        objective="Does a longer bake keep rye bread softer?", tasks=tasks, start="4 January 2027",
        hard_constraints=("Finished by 29 January 2027", "Budget at most 90 EUR"),
    )  # fmt: skip
    return finish(asked)


def parsed(svg):
    return ElementTree.fromstring(svg)  # noqa: S314 - our own words, escaped


def drawn(run):
    tasks = planned_tasks(run.folder)
    return figures(tasks, read_answers(run.folder, tasks).values())


def test_the_calendar_has_a_bar_a_task_a_limit_and_dates(run):
    root = parsed(drawn(run)["gantt.svg"])
    words = [e.text for e in root.iter(f"{SVG}text")]
    assert [w for w in words if w.startswith("T1 ")] == ["T1 Bake <b>loaves</b> & weigh them"]
    assert "limit, day 20" in words
    assert "2027-01-04" in words
    assert any(w.endswith("(P50)") for w in words)
    bars = [r for r in root.iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None]
    assert [float(a.get("x")) for a in bars] == sorted(float(a.get("x")) for a in bars)
    assert bars[0].find(f"{SVG}title").text.startswith("2027-01-04 to 2027-01-")


def test_there_are_a_curve_for_time_and_one_for_money_with_its_limit(run):
    found = drawn(run)
    assert {"days.svg", "cost.svg", "tornado.svg"} < found.keys()
    words = [e.text for e in parsed(found["cost.svg"]).iter(f"{SVG}text")]
    assert "limit 90" in words
    assert "limit 5" not in curve("Cost", {k: 9 for k in ("P10", "P50", "P70", "P80", "P90")}, 5)


def test_the_bundle_and_the_page_hold_them(run):
    names = ZipFile(BytesIO(exported(run.folder, run.bench, "zip"))).namelist()
    assert f"{run.folder.run_id}-figures/gantt.svg" in names
    page = exported(run.folder, run.bench, "html").decode()
    assert page.count("<svg") == len(drawn(run))
    assert page.index("<svg") < page.index("<h2>Annexes</h2>")
    assert "<b>loaves" not in page
    assert "<!--" not in page


def test_a_plan_without_a_schedule_has_none():
    assert figures((GraphTask(id="T1", role="x", title="t"),), ()) == {}
    assert "T1" not in gantt((), {"times": {}, "critical_path": []}, None, None)

"""A sentence about a thing of another topic cannot stand in a plan."""

import pytest

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.planning.topical import load_topical
from dr_rd.report.preview import plan_text


@pytest.fixture(scope="module")
def topical():
    return load_topical()


@pytest.mark.parametrize(
    ("brief", "sentence", "thing"),
    [
        (
            "colonies treated with thymol strips",
            "Core each plot before the first sowing",
            "sowing",
        ),
        ("colonies treated with thymol strips", "Weigh each unit twice", ""),
        ("yield of rye after a cover crop", "Core each plot before the first sowing", ""),
        ("peel strength of book spines", "Book hoods, furnaces or incubators", "hoods"),
        ("sintering of a ceramic", "Book furnaces for the campaign", ""),
        ("breakdowns of lifts", "No patient is in two folds", "patient"),
        ("the brief itself names a furnace", "Book furnaces", ""),
    ],
)
def test_a_thing_is_at_home_where_the_brief_shows_it(topical, brief, sentence, thing):
    assert topical.absent_from(brief).foreign(sentence) == thing


def text_of(design) -> str:
    said = [plan_text(design.tasks), *design.questions]
    said += [f"{r.text} {r.sign} {r.mitigation}" for r in design.risks]
    return "\n".join(said)


@pytest.mark.parametrize(
    ("family", "objective", "foreign"),
    [
        ("field_trial", "Find out whether thymol strips leave fewer mites on bees.",
         ["sowing", "soil", "cores", "tillage", "land manager", "laboratory", "ground", "custody"]),
        ("field_trial", "Do amber lamps keep algae off the walls of a show cave?",
         ["land", "soil", "laborator", "ground", "field", "plot corner", "custody", "farm"]),
        ("lab_experiment", "Find out which adhesive holds repaired book spines best.",
         ["furnace", "incubator", "strains"]),
        ("prediction_model", "Predict which lifts will stop next week.", ["patient", "photograph"]),
    ],
)  # fmt: skip
def test_no_task_or_risk_of_a_plan_names_one(workbench, topical, family, objective, foreign):
    design = workbench.design(Brief(objective=objective, family=family), ())
    text = text_of(design).lower()
    assert [word for word in foreign if word in text] == []
    absent = topical.absent_from(objective)
    assert [s for t in design.tasks for s in t.steps if absent.foreign(s)] == []
    assert all(isinstance(t, GraphTask) and t.steps for t in design.tasks)

"""The first pages hold a study's own steps, people and numbers, within their words."""

from types import SimpleNamespace

import pytest

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.report.figures import counted, numbers
from dr_rd.report.people import named_people
from dr_rd.report.specific import MOST_WORDS, specific_steps

BRIEF = Brief(
    objective="Test whether a new hinge lowers the failures of doors.",
    hard_constraints=("at least 12 doors per arm", "failures are judged by two trained raters"),
)


class Sized:
    """A plan that recommends a number of doors."""

    def __init__(self, units):
        self.units = units

    def first(self, kind):
        out = {"frontier": {"recommended": self.units}}
        return {"out": out, "id": "size-1"} if kind == "size" else None


DESIGN = SimpleNamespace(slots={"units": "doors"}, sizing={})


@pytest.mark.parametrize(("units", "kept"), [(24.0, True), (20.0, False)])
def test_a_number_per_arm_is_held_against_the_plans_own(units, kept):
    ledger = build_ledger(BRIEF)
    found = list(numbers(ledger, DESIGN, Sized(units)))
    assert [(n.item.id, n.planned, n.kept) for n in found] == [("C01", units / 2, kept)]
    assert set(counted(ledger, DESIGN, Sized(units))) == ({"C01"} if kept else set())


def test_people_of_the_brief_whom_no_role_holds_are_named_with_their_item():
    ledger = build_ledger(BRIEF)
    assert named_people(ledger, (), ("Study statistician",)) == ["two trained raters (C02)"]
    assert named_people(ledger, (), ("Rater",)) == []


def test_the_steps_of_techniques_stand_there_as_far_as_there_is_room():
    step = "Weigh hinge wear on every door against its unused twin."
    technique = SimpleNamespace(title="Wear", phases={"execution": (SimpleNamespace(text=step),)})
    task = GraphTask(id="T01", title="Open the doors", role="r", steps=(step, "Tidy up."))
    design = SimpleNamespace(
        directions=(SimpleNamespace(id="O1", text="doors in pairs"),), chosen="O1",
        slots={}, tasks=(task,), techniques=("Wear",),
    )  # fmt: skip
    library = SimpleNamespace(techniques=(technique,))
    assert specific_steps(BRIEF, design, library, "A body.\n## Annexes\n") == (f"T01: {step}",)
    assert specific_steps(BRIEF, design, library, "word " * MOST_WORDS) == ()

"""A fault that is put into a plan lowers the metric that is there to see it."""

import pytest

from tests.metamorphic import transforms as to
from tests.metamorphic.checking import hold, pairs, telling
from tests.metamorphic.plans import Plan, plans
from tests.metamorphic.relations import FAULTS

GERMAN = "what German sentences state is not read as a named quantity"
BLIND = {
    ("quantity restated", "radon-keller"): GERMAN,
    ("another quantity restated", "radon-keller"): GERMAN,
}
FEW = {"share of a whole off": 7}
"""Plans that a relation must say something of, where it is less than ten."""


@pytest.mark.parametrize(("relation", "plan"), pairs(FAULTS, BLIND))
def test_a_fault_is_seen(relation, plan: Plan):
    hold(relation, plan)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_can_be_seen_in_enough_plans(name: str):
    assert len(telling(FAULTS[name])) >= FEW.get(name, 10)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("plan", plans().values(), ids=plans())
def test_a_total_that_is_further_off_costs_more(plan: Plan):
    off = [plan.score("cost", to.total_off(plan.text, f)).score for f in (1, 1.05, 1.3, 2)]
    assert off == sorted(off, reverse=True)
    assert off[1] > off[3]


@pytest.mark.parametrize("plan", plans().values(), ids=plans())
def test_a_ring_of_tasks_can_never_be_worked(plan: Plan):
    assert plan.score("feasibility", to.ring(plan.text)).score == 0

"""A plan that says less scores less."""

from itertools import pairwise

import pytest

from tests.metamorphic import transforms as to
from tests.metamorphic.plans import Plan, plans
from tests.metamorphic.relations import rng, value

DOSES = (0, 1, 3, 6, 9)
NEEDED = ("Objective", "Design", "Work plan", "Budget", "Risks")
each_plan = pytest.mark.parametrize("plan", plans().values(), ids=plans())


def _doses(plan: Plan, change) -> list[str]:
    return [change(plan.text, to.chosen(plan.text, n, rng())) for n in DOSES]


@each_plan
def test_a_good_plan_passes(plan: Plan):
    card = plan.card(plan.text)
    assert card.blockers == ()
    assert card.verdict == "pass"
    assert card.overall > 0.95


@pytest.mark.sampled(3)
@each_plan
def test_each_section_that_is_left_out_lowers_the_score(plan: Plan):
    cards = [plan.card(t) for t in _doses(plan, to.deleted)]
    for fuller, barer in pairwise(cards):
        assert value(barer, "completeness") < value(fuller, "completeness")
        assert value(barer, "overall") <= value(fuller, "overall")
    assert cards[-1].verdict == "fail"


@each_plan
def test_a_plan_without_a_section_that_is_required_fails(plan: Plan):
    heads = [to.heading(s) for s in to.sections(plan.text)[1]]
    for title in NEEDED:
        (head,) = (h for h in heads if title in h)
        found = plan.score("completeness", to.deleted(plan.text, [head]))
        assert plan.replaced(found).verdict == "fail", title


@pytest.mark.sampled(5)
@each_plan
@pytest.mark.parametrize("change", [to.blanked, to.same_below])
def test_a_heading_without_a_body_of_its_own_is_no_better_than_none(plan: Plan, change):
    donor = to.heading(to.sections(plan.text)[1][0])  # whose body is the same: it loses nothing
    for count in (1, 3, 6):
        heads = [h for h in to.chosen(plan.text, count, rng()) if h != donor]
        without = plan.card(to.deleted(plan.text, heads))
        hollow = plan.card(change(plan.text, heads))
        assert value(hollow, "completeness") <= value(without, "completeness")
        assert value(hollow, "overall") <= value(without, "overall")

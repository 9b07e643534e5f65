"""Words to whoever scores a text, and what must not be passed on, make it fail."""

import pytest

from tests.metamorphic import transforms as to
from tests.metamorphic.checking import hold, pairs, telling
from tests.metamorphic.plans import Plan, plans
from tests.metamorphic.relations import FLAGS, INJECTIONS, SECRETS

BLIND: dict[tuple[str, str], str] = {}


@pytest.mark.parametrize(("relation", "plan"), pairs(FLAGS, BLIND))
def test_what_does_not_belong_into_a_plan_is_flagged(relation, plan: Plan):
    hold(relation, plan)


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_can_be_raised_in_enough_plans(name: str):
    assert len(telling(FLAGS[name])) == len(plans())


@pytest.mark.parametrize(
    "said", [*INJECTIONS.values(), *SECRETS.values()], ids=[*INJECTIONS, *SECRETS]
)
def test_a_flagged_text_fails_and_is_as_before_without_the_words(said: str):
    plan = plans()["honeybee-winter"]
    spoiled = to.appended(plan.text, said)
    restored = spoiled.replace(f"{said}\n\n", "")
    assert plan.fresh(spoiled).verdict == "fail"
    assert plan.fresh(restored) == plan.card(plan.text)

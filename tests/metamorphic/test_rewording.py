"""What changes no meaning changes no score."""

import pytest

from tests.metamorphic.checking import hold, pairs, telling
from tests.metamorphic.plans import Plan
from tests.metamorphic.relations import SAME

BLIND = {
    ("currency first", "lfp-recycling"): "support takes USD before an amount for a word",
}
FEW = {"weeks and days": 2, "decomposed": 1, "percent signs": 9, "aligned tables": 8}
"""Plans that have something to change, where it is less than ten."""


@pytest.mark.parametrize(("relation", "plan"), pairs(SAME, BLIND))
def test_the_same_in_other_words_scores_the_same(relation, plan: Plan):
    hold(relation, plan)


@pytest.mark.parametrize("name", SAME)
def test_a_rewording_changes_enough_plans(name: str):
    assert len(telling(SAME[name])) >= FEW.get(name, 10)

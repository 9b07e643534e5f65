"""More words, praise and what a rubric looks for earn nothing."""

import pytest

from tests.metamorphic.checking import hold, pairs, telling
from tests.metamorphic.plans import Plan, plans
from tests.metamorphic.relations import GAMES

BLIND: dict[tuple[str, str], str] = {}


@pytest.mark.parametrize(("relation", "plan"), pairs(GAMES, BLIND))
def test_a_game_wins_nothing(relation, plan: Plan):
    hold(relation, plan)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_could_win_in_every_plan(name: str):
    assert len(telling(GAMES[name])) == len(plans())

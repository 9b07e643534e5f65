"""What a scenario calls its options, seats and players stands in tables of the result."""

from collections.abc import Mapping

import pytest

from core.clock import seeded
from core.errors import CallerError
from dr_rd.modes.downselect.scenario import Scenario
from dr_rd.modes.scenario import load_scenario, read_scenario
from dr_rd.referee import find_rules

LIVE = "a | [x](http://example.org)"
FACT = {"value": 0.5, "says": "half"}


@pytest.mark.parametrize(
    "given",
    [
        {"options": [{"id": LIVE, "text": "x"}]},
        {"options": [{"id": "a", "text": "x", "facts": {LIVE: FACT}}]},
        {"criteria": {"dose": LIVE}},
        {"voters": [{"role": LIVE}]},
        {"people": [{"name": LIVE}]},
        {"vote_for": "players", "characters": [{"name": LIVE}]},
    ],
)
def test_a_downselect_refuses_a_name_that_breaks_its_tables(given: Mapping[str, object]) -> None:
    with pytest.raises(CallerError, match="a name is one line"):
        read_scenario(Scenario, {"title": "Names", **given})


@pytest.mark.parametrize("field", ["currency", "periods", "streams"])
def test_a_portfolio_refuses_a_name_that_breaks_its_tables(field: str) -> None:
    setup = {
        "title": "Names",
        "currency": "EUR",
        "periods": ["Q1"],
        "period_days": 60,
        "horizon_days": 60,
        "limits": [{"resource": "money", "at_most": 9}],
        "streams": [{"id": i, "title": i, "points": 1, "days": 9, "use": {}} for i in "ab"],
    }
    live = {"currency": LIVE, "periods": [LIVE], "streams": [{**setup["streams"][0], "id": LIVE}]}
    with pytest.raises(CallerError, match="a name is one line"):
        find_rules("portfolio").start(setup | {field: live[field]}, seeded(1)("start"))


def test_a_game_refuses_a_name_that_breaks_its_tables() -> None:
    setup = {**load_scenario("doudizhu")["setup"], "names": ["a", LIVE, "c"]}
    with pytest.raises(CallerError, match="a name is one line"):
        find_rules("doudizhu").start(setup, seeded(1)("start"))

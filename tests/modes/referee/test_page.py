"""docs/modes/referee.md shows the graph that is compiled and output that is real."""

import re
from pathlib import Path

from core.graph.build import draw_mermaid
from core.modes import find_mode
from core.modes.referee.state import Played, Turn
from core.rules import RuleOutcome
from core.settings import Flags
from dr_rd.modes.scenario import load_scenario
from dr_rd.referee import find_rules
from dr_rd.referee.portfolio.facts import granted_in_turn
from dr_rd.referee.portfolio.position import Setup

PAGE = (Path(__file__).parents[3] / "docs" / "modes" / "referee.md").read_text("utf-8")


def quoted(mark: str) -> list[str]:
    found = re.search(rf"<!-- {mark} -->\n((?:>.*\n)+)", PAGE)
    assert found
    return [line.removeprefix("> ") for line in found[1].splitlines()]


def test_diagram_is_that_of_the_compiled_graph() -> None:
    drawn = draw_mermaid(find_mode("referee").spec(Flags())).strip()
    assert f"```mermaid\n{drawn}\n```" in PAGE


def test_worked_example_is_what_the_scenario_comes_to() -> None:
    rules = find_rules("portfolio")
    setup = Setup.model_validate(rules.commission(None, load_scenario("four-quarters")["setup"]))
    position = granted_in_turn(setup)
    moves = {s: f"start {setup.periods[at]}" for s, at in position.starts.items()}
    turns = tuple(Turn(player=s.id, action=moves.get(s.id, "pass")) for s in setup.streams)
    played = Played(turns=turns, log=(), outcome=RuleOutcome(summary=""))
    text = rules.report(position, played).text
    assert quoted("example") == [text.splitlines()[0]]
    assert "pond's bid" in text
    for line in quoted("moves"):
        _, _, who, what, why, _ = line.split("|")
        assert what in ("refused", moves.get(who, "pass"))
        if what == "refused":
            assert why in refusal(rules, setup, who)


def refusal(rules, setup: Setup, who: str) -> str:
    """Return why the referee refuses the first bid of *who*, as built-in bidders play."""
    ids = [stream.id for stream in setup.streams]
    whole, place = granted_in_turn(setup), ids.index(who)
    starts = {name: at for name, at in whole.starts.items() if name in ids[:place]}
    position = whole.model_copy(update={"starts": starts, "turn": place})
    first = setup.periods[setup.stream(who).earliest]
    return rules.validate(position, rules.read(f"start {first}")).reason

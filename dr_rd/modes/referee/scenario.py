"""The file that gives a refereed run its rules: which, set up how, and who holds which seat."""

from collections.abc import Mapping

from pydantic import Field, JsonValue

from core.errors import CallerError
from core.values import Frozen
from dr_rd.modes.scenario import read_scenario
from dr_rd.modes.spec import ModeInputs
from dr_rd.referee import AnyRules, find_rules, rule_sets
from dr_rd.referee.offer import Commissioned


class RefereeScenario(Frozen):
    """What is played, by which rules, and by whom."""

    title: str = ""
    objective: str = ""
    rules: str = ""
    """The rule set's id; that for workstreams if empty."""
    setup: Mapping[str, JsonValue] = {}
    """What is played for, as the rule set asks for it."""
    people: Mapping[str, str] = {}
    """The seats that people hold: by player, who may answer; "" is anybody."""
    retries: int = Field(default=1, ge=0, le=10)
    """How often a player is asked again in one turn before the referee moves."""


def scenario_of(inputs: ModeInputs) -> RefereeScenario:
    """Return the scenario of a run; raises CallerError if it cannot be used."""
    return read_scenario(RefereeScenario, inputs.scenario or {})


def rules_of(scenario: RefereeScenario) -> AnyRules:
    """Return the rule set that a scenario names, or the first that is set up from work that bids."""
    if scenario.rules:
        return find_rules(scenario.rules)
    found = [rules for rules in rule_sets().values() if isinstance(rules, Commissioned)]
    if not found:
        raise CallerError(
            "no rule set is installed that is set up from workstreams; name one in the "
            f"scenario, such as rules: {next(iter(rule_sets()), 'mine')}"
        )
    return found[0]

"""What the nodes of a refereed run ask the workbench for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from core.errors import CallerError
from core.kit import Kit
from core.modes.referee.state import Played, Refused, Said
from core.values import Frozen
from dr_rd.findings import Finding, Measure, RunFindings, chosen_finding
from dr_rd.modes.referee.players import Players
from dr_rd.modes.referee.result import RefereeResult, written
from dr_rd.modes.referee.scenario import RefereeScenario, rules_of, scenario_of
from dr_rd.modes.referee.workstreams import SHARED, offered
from dr_rd.modes.spec import Material, ModeInputs
from dr_rd.referee import AnyRules, rule_sets
from dr_rd.referee.offer import Commissioned


@dataclass(frozen=True, slots=True)
class RefereeTable:
    """The rules, what is played for, and who sits there."""

    rules: AnyRules
    scenario: RefereeScenario
    material: Material
    players: Players

    @property
    def setup(self) -> Mapping[str, JsonValue]:
        """What is played for: the scenario's, with what plans and runs say where it is silent."""
        given = self.scenario.setup
        if not isinstance(self.rules, Commissioned):
            return given
        offer = offered(self.material) if self.rules.needs_offer(given) else None
        titled = {"title": self.scenario.title, **given} if self.scenario.title else given
        return self.rules.commission(offer, titled)

    @property
    def people(self) -> Mapping[str, str]:
        """The seats that people hold."""
        return self.scenario.people

    @property
    def retries(self) -> int:
        """How often a player is asked again in one turn."""
        return self.scenario.retries

    async def decide(
        self, position: Frozen, player: str, number: int, refused: Sequence[Refused]
    ) -> Said:
        """Return what a player decides who is no person."""
        return await self.players.decide(position, player, number, refused)

    def result(self, position: Frozen, played: Played) -> tuple[str, JsonValue]:
        """Return the result for people and for programs."""
        text, facts = written(self.rules, position, played)
        return text, facts.model_dump(mode="json")


class _Referee:
    """What the workbench says where moves are refereed."""

    def check(self, inputs: ModeInputs) -> ModeInputs:
        """Return the inputs if a run can be made of them."""
        scenario = scenario_of(inputs)
        rules = rules_of(scenario)
        if isinstance(rules, Commissioned):
            rules.needs_offer(scenario.setup)
        for run in inputs.runs:
            if run.design is None:
                raise CallerError(
                    f"run {run.run_id!r} has no plan that could bid; name runs that planned tasks"
                )
        return inputs

    def plans(self, inputs: ModeInputs) -> bool:
        """Whether the rules take what is played for from a plan."""
        scenario = scenario_of(inputs)
        rules = rules_of(scenario)
        return isinstance(rules, Commissioned) and rules.needs_offer(scenario.setup)

    def findings(self, result: JsonValue) -> RunFindings:
        """Return how it ended, and how often the referee had to refuse or move."""
        found = RefereeResult.model_validate(result)
        counted = (("decisions refused", found.refused), ("moves forced", found.forced))
        text = found.finding or found.outcome.summary
        granted = " + ".join(w for w in found.outcome.winners if w != SHARED)
        bids = isinstance(rule_sets().get(found.rules.id), Commissioned)
        return RunFindings(
            measures=tuple(Measure(name=name, value=count) for name, count in counted),
            findings=(
                chosen_finding(granted, text)
                if bids and granted
                else Finding(key="outcome", text=text),
            ),
        )

    def content(self, material: Material, kit: Kit) -> RefereeTable:
        """Return the table of a run."""
        scenario = scenario_of(material.inputs)
        rules = rules_of(scenario)
        seed = f"{kit.folder.run_id}/{material.options.seed}"
        players = Players(rules, kit.chance, material.models, seed)
        return RefereeTable(rules, scenario, material, players)


CONTENT = _Referee()
"""Found by the mode's name."""

"""What the workbench gives the table: its scenario checked, its seats filled."""

from collections.abc import Sequence

from pydantic import JsonValue

from core.errors import CallerError
from core.kit import Kit
from dr_rd.findings import RunFindings
from dr_rd.modes.panel.result import PanelResult, findings
from dr_rd.modes.panel.scenario import Scenario
from dr_rd.modes.panel.taking import taken_over
from dr_rd.modes.panel.voices import Table
from dr_rd.modes.scenario import read_scenario
from dr_rd.modes.spec import Material, ModeInputs
from dr_rd.planning.design import Design


class PanelContent:
    """What is said in the mode."""

    def check(self, inputs: ModeInputs) -> ModeInputs:
        """Refuse a scenario that seats nobody, and a run without a plan; keep the rest as it is."""
        read_scenario(Scenario, inputs.scenario or {})
        for run in inputs.runs:
            if not run.tasks:
                raise CallerError(
                    f"run {run.run_id!r} is of mode {run.mode!r} and has no plan to sit over; "
                    "name one that has planned"
                )
        return inputs

    def plans(self, inputs: ModeInputs) -> bool:
        """Whether anybody at the table speaks of a plan: seats with lines of their own do not."""
        return not read_scenario(Scenario, inputs.scenario or {}).scripted

    def amended(self, material: Material, result: JsonValue, taken: Sequence[str]) -> Design:
        """Return the design of the plan with the amendments that are taken over."""
        return taken_over(material, result, taken)

    def findings(self, result: JsonValue) -> RunFindings:
        """Return what the seats would change and ask, and what the plan comes to with all of it."""
        return findings(PanelResult.model_validate(result))

    def content(self, material: Material, kit: Kit) -> Table:
        """Return the table."""
        scenario = read_scenario(Scenario, material.inputs.scenario or {})
        return Table(material, kit, scenario)


CONTENT = PanelContent()

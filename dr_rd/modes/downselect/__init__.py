"""What a down-select says: options with typed facts, voters with weights, and the report.

::

    scenario.py   a scenario file
    facts.py      what sets directions apart        runs.py   the same of finished runs
    ledger.py     what the ledger says of words     screens.py   hard limits, before any debate
    panel.py      voters who weigh facts            voices.py, model.py   how seats speak
    table.py      all of it, from what a run was given
    study.py      the same game 200 times           report.py, result.py   what it came to
"""

from pydantic import JsonValue

from core.errors import CallerError
from core.kit import Kit
from dr_rd.findings import Finding, Measure, RunFindings, chosen_finding
from dr_rd.modes.downselect.result import Result
from dr_rd.modes.downselect.runs import check_runs
from dr_rd.modes.downselect.scenario import Scenario
from dr_rd.modes.downselect.table import ResearchTable
from dr_rd.modes.scenario import read_scenario
from dr_rd.modes.spec import Material, ModeInputs


class DownselectContent:
    """The workbench's part of a down-select."""

    def check(self, inputs: ModeInputs) -> ModeInputs:
        """Return the inputs; raises CallerError for a scenario or runs that cannot be used."""
        if inputs.scenario is not None:
            scenario = read_scenario(Scenario, inputs.scenario)
            if inputs.runs and scenario.options:
                raise CallerError(
                    "the scenario names its own options, and so do earlier runs; leave out "
                    "either its options or --from"
                )
        check_runs(inputs.runs)
        return inputs

    def findings(self, result: JsonValue) -> RunFindings:
        """Return what remained, what broke a limit, and what would change the outcome."""
        found = Result.model_validate(result)
        screened = (
            Finding(
                key=f"screened {option.id}",
                text=f"{option.id} is out: {option.text}: {option.why}",
            )
            for option in found.screened
        )
        flips = (
            Finding(key=f"flip: {flip.what}", text=f"{flip.then} would be kept if {flip.what}.")
            for flip in found.flips
        )
        kept = chosen_finding(" + ".join(found.kept) or "none", found.finding)
        return RunFindings(
            measures=(Measure(name="rounds of ballots", value=len(found.rounds)),),
            findings=(kept, *screened, *flips),
        )

    def content(self, material: Material, kit: Kit) -> ResearchTable:
        """Return the table of a run."""
        given = material.inputs.scenario
        scenario = read_scenario(Scenario, given) if given is not None else None
        return ResearchTable(material, scenario, kit.chance)


CONTENT = DownselectContent()

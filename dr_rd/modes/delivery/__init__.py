"""Stage-gate delivery: from a plan to requirements, tests and a gate that says what may start.

::

    stages/        what each stage does: analyst, pm, architect, dev, tea; a new stage is one file
    dossier.py     what they make, and the schema of result.json
    forms.yaml     how a limit of each form is tested
    limits.py      the one place that reads the ledger
    workflow.py    a delivery as a function: to its end, or one event a node
"""

from pydantic import JsonValue

from core.errors import CallerError
from core.kit import Kit
from core.modes.delivery import Config, Delivery, check_installed
from dr_rd.findings import Finding, Measure, RunFindings
from dr_rd.modes.delivery.bench import Bench
from dr_rd.modes.delivery.dossier import Result
from dr_rd.modes.delivery.faults import NO_TEST
from dr_rd.modes.delivery.report import report
from dr_rd.modes.delivery.stages import installed_stages
from dr_rd.modes.scenario import read_scenario
from dr_rd.modes.spec import Material, ModeInputs


class Scenario(Config):
    """How a delivery goes: the stages in line, where it begins, how often work is sent back."""

    title: str = ""
    objective: str = ""
    """What is asked, where no brief is named."""


class Workshop(Bench):
    """The bench, and what is written of what was made there."""

    def report(self, state: Delivery) -> tuple[str, JsonValue]:
        """Return the result as it stands."""
        return report(state, self.material)


class DeliveryContent:
    """What the workbench gives to a delivery."""

    def check(self, inputs: ModeInputs) -> ModeInputs:
        """Return the inputs, if their stages are installed and one of their runs has a plan."""
        check_installed(config_of(inputs), installed_stages())
        if inputs.runs and not any(run.design for run in inputs.runs):
            named = ", ".join(f"{run.run_id} ({run.mode})" for run in inputs.runs)
            raise CallerError(
                f"none of the runs has a plan: {named}; name the run of the plan as well, "
                "with another --from"
            )
        return inputs

    def findings(self, result: JsonValue) -> RunFindings:
        """Return what blocks the gate, what was mended, and how many requirements are how far."""
        found = Result.model_validate(result)
        blocks = (Finding(key=f"blocks: {text}", text=text) for text in found.blocks)
        mends = (
            Finding(key=f"mended: {mend.block}", text=f"{mend.done}.")
            for mend in found.mends
            if not mend.block.startswith(NO_TEST)
        )
        tests = sum(mend.block.startswith(NO_TEST) for mend in found.mends)
        measures = (
            *((f"requirements {state}", count) for state, count in found.counts.items()),
            ("tests written for requirements", tests),
        )
        return RunFindings(
            measures=tuple(Measure(name=name, value=count) for name, count in measures),
            findings=(*blocks, *mends),
        )

    def content(self, material: Material, kit: Kit) -> Workshop:
        """Return the bench of a run."""
        del kit
        return Workshop(
            config=config_of(material.inputs), stages=installed_stages(), material=material
        )


def config_of(inputs: ModeInputs) -> Config:
    """Return how the stages are joined, as the scenario says or as they stand."""
    if inputs.scenario is None:
        return Config()
    given = read_scenario(Scenario, inputs.scenario)
    return Config(**given.model_dump(exclude={"title", "objective"}))


CONTENT = DeliveryContent()

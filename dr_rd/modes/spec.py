"""What a package beside this module gives, and what the workbench gives to it.

A mode's state and nodes are in `core.modes`; they know no brief and no method. Its `CONTENT`
here turns what the workbench knows of a run into what those nodes ask for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from pydantic import Field, JsonValue

from core.graph.state import Answer, GraphTask
from core.kit import Kit
from core.settings import RunOptions
from core.store import RunFolder
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.evidence.corpus import Corpus
from dr_rd.findings import RunFindings
from dr_rd.models.served.run import RunModels
from dr_rd.modes.past import PastRun
from dr_rd.planning.design import Design
from dr_rd.planning.library import Library
from dr_rd.report.preview import Preview, preview

INPUTS = "inputs"
"""The folder, within a run's, of what a mode was given besides the brief."""

_SCENARIO, _RUNS = f"{INPUTS}/scenario.json", f"{INPUTS}/runs.json"


class ModeInputs(Frozen):
    """What a mode was given besides the brief."""

    scenario: Mapping[str, JsonValue] | None = None
    """Its seats, options or rules, as the file of `--scenario` has them."""
    runs: tuple[PastRun, ...] = Field(default=())
    """The runs it builds on, the one named first before the others."""

    def files(self) -> dict[str, JsonValue]:
        """Return what is written of it into a run's folder, by file name."""
        plain = self.model_dump(mode="json")
        found = {_SCENARIO: plain["scenario"], _RUNS: plain["runs"]}
        return {name: value for name, value in found.items() if value}


def read_inputs(folder: RunFolder) -> ModeInputs:
    """Return what the run in *folder* was given."""
    found: dict[str, Any] = {}
    if folder.has(_SCENARIO):
        found["scenario"] = folder.read_json(_SCENARIO)
    if folder.has(_RUNS):
        found["runs"] = folder.read_json(_RUNS)
    return ModeInputs.model_validate(found)


@dataclass(frozen=True)
class Material:
    """What a mode works from: the brief, a plan for it, and what is known of both."""

    options: RunOptions
    brief: Brief
    ledger: Ledger
    library: Library
    inputs: ModeInputs
    make_design: Callable[[], Design]
    """Plans the brief by the library; asks nobody."""
    read_corpus: Callable[[], Corpus]
    """Reads the analyst's documents, once for the run."""
    models: RunModels | None = None
    """The models that the run asks; None speaks with the built-in voices."""

    @cached_property
    def past(self) -> PastRun | None:
        """The first of the runs built on that has a plan; None where there is none."""
        return next((run for run in self.inputs.runs if run.design), None)

    @cached_property
    def design(self) -> Design:
        """The design of the plan: of the run built on, or made from the brief."""
        return (self.past and self.past.design) or self.make_design()

    @property
    def tasks(self) -> tuple[GraphTask, ...]:
        """The plan: as it was approved in the run built on, or as the library proposes it."""
        return self.past.tasks if self.past else self.design.tasks

    @property
    def answers(self) -> Mapping[str, Answer]:
        """The answers of the run built on; none where nobody has worked the plan."""
        return self.past.answers if self.past else {}

    @cached_property
    def corpus(self) -> Corpus:
        """The analyst's documents."""
        return self.read_corpus()

    @property
    def staff_settled(self) -> str:
        """Why nobody need be asked whether the limit on money pays staff; "" where that is open."""
        resources, currency = self.brief.resources, self.design.scaling.currency
        if any(a.day_rate and a.currency == currency for a in self.design.staffing):
            return "pay at the rates that are given is in it"
        direct = resources is not None and resources.covers == "direct"
        return "it is for direct costs" if direct else ""

    def preview(self, tasks: Sequence[GraphTask]) -> Preview:
        """Return what a plan of those *tasks* comes to; some 30 ms for twenty of them."""
        return preview(
            tasks,
            design=self.design,
            library=self.library,
            brief=self.brief,
            ledger=self.ledger,
            seed=self.options.seed,
        )


@runtime_checkable
class Amending(Protocol):
    """What the content of a mode adds whose runs propose changes to a plan."""

    def amended(self, material: Material, result: JsonValue, taken: Sequence[str]) -> Design:
        """Return the design with the amendments of those ids, and what it says of them.

        *result* is what the run came to. Without ids those are taken that people accepted in the
        run. Raises CallerError if there are none, or if one is not among them.
        """
        ...


@runtime_checkable
class SometimesPlanning(Protocol):
    """What the content of a mode adds some of whose scenarios need no plan."""

    def plans(self, inputs: "ModeInputs") -> bool:
        """Whether a run with these inputs plans its brief, and so asks for a design."""
        ...


class Content(Protocol):
    """What the workbench says in one mode."""

    def check(self, inputs: ModeInputs) -> ModeInputs:
        """Return the inputs as a run is to keep them, before one is made.

        Raises CallerError in one sentence if the mode cannot use them: it names what is wrong in
        the scenario, or which kind of run it builds on.
        """
        ...

    def content(self, material: Material, kit: Kit) -> object:
        """Return what the nodes of the mode in `core.modes` ask the workbench for."""
        ...

    def findings(self, result: JsonValue) -> RunFindings:
        """Return what a run came to, from its result.json, for a comparison with other runs."""
        ...

"""A parameter model of one's own: distributions in, percentiles and what drives them out."""

import json
from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import Field, JsonValue, model_validator

from core.errors import TaskError, nearest
from core.tool_router import Tool
from core.values import Frozen, rounded
from dr_rd.confined import Ended, Limits, ask
from dr_rd.simulation.model import Finite, Identifier, Model, Scales, check

LIMITS = Limits(seconds=20, memory=1_500_000_000, wall=60)
"""Of one simulation: fifty formulas of fifty inputs at a hundred thousand draws need 5 s."""

_DIGITS = 6
"""Significant digits of what is told: what lies beyond differs between processors."""


class Sweep(Frozen):
    """One input, held at one value after another while the others vary."""

    input: Identifier
    values: tuple[Finite, ...] = Field(
        min_length=1, max_length=50, description="In the input's own unit."
    )


class Simulate(Model):
    """What is simulated; inputs vary independently of each other."""

    draws: int = Field(default=10_000, ge=100, le=100_000)
    seed: int = Field(default=0, ge=0, lt=2**63, description="The same seed, the same result.")
    outputs: tuple[Identifier, ...] = Field(
        default=(), max_length=50, description="Formulas to report; none means all."
    )
    sweep: Sweep | None = None
    sensitivity: Literal["rank", "sobol", "none"] = Field(
        default="rank",
        description="'rank': Spearman correlation of each input with each output, for outputs "
        "that rise or fall throughout; 'sobol': shares of variance, which also sees bends and "
        "inputs that act together, at as many more runs as there are inputs.",
    )

    @model_validator(mode="after")
    def _known(self) -> "Simulate":
        formulas = [f.name for f in self.formulas]
        inputs = [i.name for i in self.inputs]
        for name in self.outputs:
            _one_of("output", name, formulas)
        if self.sweep:
            _one_of("swept input", self.sweep.input, inputs)
        return self


def _one_of(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise ValueError(
            f"{what} {name!r} is none{nearest(name, known)}; choose from: {', '.join(known)}"
        )


def simulate(params: Simulate) -> JsonValue:
    """Check the units, then draw and compute in a limited child.

    Figures have six significant digits. Draws that are not finite are left out of the
    percentiles, and their share is given as *nonfinite* and among the warnings.
    """
    found = _computed(_job(params, check(params)))
    units = {f.name: f.unit for f in params.formulas}
    outputs = {name: {"unit": units[name], **row} for name, row in found["outputs"].items()}
    result: dict[str, JsonValue] = {
        "outputs": cast(JsonValue, outputs),
        "draws": params.draws,
        "seed": params.seed,
        "warnings": [_warning(n, row) for n, row in outputs.items() if row["nonfinite"]],
    }
    if params.sensitivity != "none":
        result["sensitivity"] = {"method": params.sensitivity, **found["sensitivity"]}
    if params.sweep:
        unit = next(i.unit for i in params.inputs if i.name == params.sweep.input)
        result["sweep"] = {"input": params.sweep.input, "unit": unit, "rows": found["sweep"]}
    return cast(JsonValue, rounded(result, _DIGITS))


def _job(params: Simulate, scales: Scales) -> bytes:
    job = params.model_dump(mode="json")
    for given in job["inputs"]:
        own = scales.inward[given["name"]]
        given |= {"scale": own.scale, "offset": own.offset}
    for formula in job["formulas"]:
        formula["scale"] = scales.outward[formula["name"]].scale
    return json.dumps(job).encode()


def _computed(job: bytes) -> dict[str, Any]:
    try:
        return cast(dict[str, Any], ask("dr_rd.simulation.child", job, LIMITS))
    except Ended as error:
        raise TaskError(
            f"the simulation {error}; ask for fewer draws, inputs or formulas"
        ) from error


def _warning(name: str, row: Mapping[str, Any]) -> str:
    return f"{name}: {row['nonfinite']:.2%} of the draws are not finite and are left out"


TOOL = Tool(
    name="simulate",
    description="Monte Carlo of your own formulas over uncertain inputs with units: percentiles, "
    "what drives them, and a sweep over one input.",
    params=Simulate,
    run=simulate,
    heavy=True,
)

"""The parameter model: what goes in, what is computed, and whether its units agree."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from keyword import iskeyword
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from core.errors import TaskError
from core.values import Frozen
from dr_rd.simulation.formula import (
    FUNCTIONS,
    LONGEST,
    Apply,
    Constant,
    Name,
    Node,
    Rule,
    constant,
    parse,
)
from dr_rd.units import LinearMap, Unit, UnitText, base, dimension, line, raised, read_unit, times


def _bounded(value: float) -> float:
    if not abs(value) <= GREATEST:
        raise ValueError(f"{value:g} is beyond {GREATEST:g}, the largest value of an input")
    return value


GREATEST = 1e100
"""Size of a number in a distribution: what is drawn from it can be computed with."""
Finite = Annotated[float, AfterValidator(_bounded)]
Spread = Annotated[Finite, Field(gt=0)]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z](_?[A-Za-z0-9])*$", max_length=40)]
"""Letters, digits and single underscores, such as flow_rate2."""
T = TypeVar("T")


class Fixed(Frozen):
    """A value that is known."""

    kind: Literal["fixed"] = "fixed"
    value: Finite


class Normal(Frozen):
    """The bell curve."""

    kind: Literal["normal"]
    mean: Finite
    sd: Spread


class Lognormal(Frozen):
    """Never below zero, skewed to the right."""

    kind: Literal["lognormal"]
    mean: Spread
    """Mean of the values themselves, not of their logarithms."""
    sd: Spread
    """Standard deviation of the values themselves."""


class Uniform(Frozen):
    """Every value between two bounds alike."""

    kind: Literal["uniform"]
    low: Finite
    high: Finite

    @model_validator(mode="after")
    def _ordered(self) -> "Uniform":
        return _in_order(self, self.low, self.high)


class Triangular(Frozen):
    """Three points, straight lines between them."""

    kind: Literal["triangular"]
    low: Finite
    mode: Finite
    high: Finite

    @model_validator(mode="after")
    def _ordered(self) -> "Triangular":
        return _in_order(self, self.low, self.mode, self.high)


class Pert(Frozen):
    """Three points, a smooth curve that trusts the middle one."""

    kind: Literal["pert"]
    low: Finite
    mode: Finite
    high: Finite

    @model_validator(mode="after")
    def _ordered(self) -> "Pert":
        return _in_order(self, self.low, self.mode, self.high)


class Empirical(Frozen):
    """Values that were observed, each as likely as the others."""

    kind: Literal["empirical"]
    values: tuple[Finite, ...] = Field(min_length=1, max_length=5000)


Distribution = Annotated[
    Fixed | Normal | Lognormal | Uniform | Triangular | Pert | Empirical,
    Field(discriminator="kind"),
]


class Input(Frozen):
    """A named quantity that the model starts from."""

    name: Identifier
    unit: UnitText = Field(
        default="",
        description="Such as 'kg/h', '%', 'GBP', 'count'; '' for a plain number. A temperature "
        "in degC is computed with in kelvin; a difference is 'delta_degC'.",
    )
    distribution: Distribution = Field(description="Its parameters are in the input's unit.")


class Formula(Frozen):
    """A named quantity that is computed."""

    name: Identifier
    expression: str = Field(
        min_length=1,
        description=f"Over inputs and earlier formulas, up to {LONGEST} characters: numbers, "
        f"+ - * / **, < <= > >= == !=, and {', '.join(FUNCTIONS)}. Numbers have no unit: give a "
        "constant with a unit as a fixed input.",
    )
    unit: UnitText = Field(default="", description="Unit of the result; conversion is automatic.")


class Model(Frozen):
    """Inputs and formulas, in the order in which they are computed."""

    inputs: tuple[Input, ...] = Field(min_length=1, max_length=50)
    formulas: tuple[Formula, ...] = Field(min_length=1, max_length=50)

    @model_validator(mode="after")
    def _names(self) -> "Model":
        seen: set[str] = set()
        for name in (*(i.name for i in self.inputs), *(f.name for f in self.formulas)):
            if name in seen:
                raise ValueError(f"two inputs or formulas are named {name!r}")
            if name in FUNCTIONS or iskeyword(name):
                raise ValueError(f"the name {name!r} is taken; choose another")
            seen.add(name)
        return self


def _in_order(distribution: T, *points: float) -> T:
    if list(points) != sorted(points):
        raise ValueError(f"{', '.join(f'{p:g}' for p in points)} are not in order")
    return distribution


@dataclass(frozen=True, slots=True)
class Scales:
    """How values leave and enter the base units in which everything is computed."""

    inward: Mapping[str, LinearMap]
    """By input: from its unit into base units."""
    outward: Mapping[str, LinearMap]
    """By formula: from base units into its declared unit."""


def check(model: Model) -> Scales:
    """Follow the units through every formula, before anything is drawn.

    Raises:
        TaskError: A formula cannot be read, or its units do not agree; one sentence that names
            it.

    """
    units: dict[str, Unit] = {}
    inward: dict[str, LinearMap] = {}
    outward: dict[str, LinearMap] = {}
    for given in model.inputs:
        own = _declared_unit("input", given.name, given.unit)
        units[given.name] = base(own)
        inward[given.name] = line(own, units[given.name])
    for formula in model.formulas:
        declared = _declared_unit("formula", formula.name, formula.unit)
        try:
            found = _unit(parse(formula.expression, tuple(units)), units)
        except TaskError as error:
            raise TaskError(f"formula {formula.name!r} {error}") from error
        units[formula.name] = base(declared)
        outward[formula.name] = _declared(formula, found, declared)
    return Scales(inward, outward)


def _declared_unit(what: str, name: str, unit: str) -> Unit:
    try:
        return read_unit(unit)
    except TaskError as error:
        raise TaskError(f"{what} {name!r}: {error}") from error


def _declared(formula: Formula, found: Unit, declared: Unit) -> LinearMap:
    if found.dimensionality != declared.dimensionality:
        raise TaskError(
            f"formula {formula.name!r} comes out in '{found}' ({dimension(found)}), but is "
            f"declared in '{declared}' ({dimension(declared)})"
        )
    outward = line(base(declared), declared)
    if outward.offset:
        raise TaskError(
            f"formula {formula.name!r} is declared in '{declared}', whose zero is not nothing; "
            f"declare '{base(declared)}' for a value or 'delta_{declared}' for a difference"
        )
    return outward


def _unit(node: Node, units: Mapping[str, Unit]) -> Unit:
    """Return the unit a formula comes out in, given its names' base units."""
    if isinstance(node, Constant):
        return read_unit("")
    if isinstance(node, Name):
        return units[node.id]
    return _RULES[node.operation.rule](node, [_unit(a, units) for a in node.arguments])


def _chosen(node: Apply, own: list[Unit]) -> Unit:
    _pure(node, own[:1])
    return _alike(node, own[1:])


def _compared(node: Apply, own: list[Unit]) -> Unit:
    _alike(node, own)
    return read_unit("")


def _power(node: Apply, own: list[Unit]) -> Unit:
    _pure(node, own[1:])
    if own[0].dimensionless:
        return read_unit("")
    power = constant(node.arguments[1])
    if power is None:
        raise TaskError(f"raises '{own[0]}' to a power that varies, so it has no unit")
    return raised(own[0], power)


def _alike(node: Apply, own: list[Unit]) -> Unit:
    def agreed(a: Unit, b: Unit) -> Unit:
        if a.dimensionality != b.dimensionality:
            raise TaskError(
                f"puts '{a}' ({dimension(a)}) and '{b}' ({dimension(b)}) together "
                f"with {node.operation.name!r}"
            )
        return a

    return reduce(agreed, own)


def _pure(node: Apply, own: list[Unit]) -> Unit:
    for unit in own:
        if not unit.dimensionless:
            raise TaskError(
                f"gives '{unit}' ({dimension(unit)}) to {node.operation.name!r}, which takes "
                "plain numbers; divide by a value of the same unit"
            )
    return read_unit("")


_RULES: Mapping[Rule, Callable[[Apply, list[Unit]], Unit]] = {
    "alike": _alike,
    "pure": _pure,
    "compared": _compared,
    "chosen": _chosen,
    "product": lambda _, own: times(own[0], own[1]),
    "quotient": lambda _, own: times(own[0], raised(own[1], -1)),
    "power": _power,
    "root": lambda _, own: raised(own[0], 0.5),
}

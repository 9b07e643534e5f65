"""A value in another unit, with the factor it was converted by."""

from pydantic import ConfigDict, Field, JsonValue

from core.errors import TaskError
from core.tool_router import Tool
from core.values import Frozen
from dr_rd.units import Unit, UnitText, base, dimension, line, read_unit

_TIE = 1e-9
"""Of a kelvin; conversions by floats are no more exact."""


class UnitConvert(Frozen):
    """What is converted."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    value: float = Field(strict=True, allow_inf_nan=False, ge=-1e100, le=1e100)
    source: UnitText = Field(
        alias="from",
        description="The value's unit, such as 'kg/h', 'degC', '%' or 'GBP/day'. A difference "
        "of temperatures is 'delta_degC'.",
    )
    target: UnitText = Field(alias="to", description="The unit wanted.")


def unit_convert(params: UnitConvert) -> JsonValue:
    """Convert: ``result = factor * value + offset``, to twelve significant digits.

    Units come from pint's registry; an exchange rate is no unit, so currencies do not convert.
    """
    source, target = read_unit(params.source), read_unit(params.target)
    found = line(source, target)
    _possible(params.value, source, target)
    return {
        "value": params.value,
        "from": params.source,
        "from_read_as": str(source),
        "result": _twelve(found.at(params.value)),
        "to": params.target,
        "to_read_as": str(target),
        "factor": _twelve(found.scale),
        "offset": _twelve(found.offset),
        "dimension": dimension(source),
    }


def _possible(value: float, source: Unit, target: Unit) -> None:
    """Refuse a temperature that cannot be; a difference of two may have any sign."""
    if dimension(source) != "temperature" or any("delta" in str(u) for u in (source, target)):
        return
    kelvin = line(source, base(source))
    if kelvin.at(value) < -_TIE:
        raise TaskError(
            f"{value:g} '{source}' is below absolute zero; for a difference of temperatures "
            "write 'delta_degC' or 'delta_degF'"
        )


def _twelve(value: float) -> float:
    """Drop the digits in which a conversion by floats is not exact."""
    return float(f"{value:.12g}")


TOOL = Tool(
    name="unit_convert",
    description="Convert a value from one unit to another, temperatures included; arguments are "
    "value, from and to.",
    params=UnitConvert,
    run=unit_convert,
    max_calls_per_run=200,
)

"""A value in another unit."""

from dr_rd.tools.spec import ToolSpec, constant
from dr_rd.tools.unit_convert.args import arguments
from dr_rd.tools.unit_convert.tool import TOOL, UnitConvert, unit_convert

SPEC = ToolSpec(
    name="unit_convert",
    package=__name__,
    params=UnitConvert,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = ["SPEC", "TOOL", "UnitConvert", "unit_convert"]

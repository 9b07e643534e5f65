"""Which cheap test to run first."""

from dr_rd.tools.spec import ToolSpec, constant
from dr_rd.tools.value_of_information.args import arguments
from dr_rd.tools.value_of_information.tool import TOOL, ValueOfInformation, value_of_information

SPEC = ToolSpec(
    name="value_of_information",
    package=__name__,
    params=ValueOfInformation,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = ["SPEC", "TOOL", "ValueOfInformation", "value_of_information"]

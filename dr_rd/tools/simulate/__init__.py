"""A parameter model of one's own."""

from dr_rd.tools.simulate.args import arguments
from dr_rd.tools.simulate.tool import TOOL, Simulate, simulate
from dr_rd.tools.spec import ToolSpec, constant

SPEC = ToolSpec(
    name="simulate",
    package=__name__,
    params=Simulate,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = ["SPEC", "TOOL", "Simulate", "simulate"]

"""The budget of a plan."""

from dr_rd.tools.budget.args import arguments
from dr_rd.tools.budget.tool import TOOL, Budget, budget
from dr_rd.tools.spec import ToolSpec, constant

SPEC = ToolSpec(
    name="budget",
    package=__name__,
    params=Budget,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = ["SPEC", "TOOL", "Budget", "budget"]

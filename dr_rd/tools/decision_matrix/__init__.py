"""Options weighed against criteria."""

from dr_rd.tools.decision_matrix.args import arguments
from dr_rd.tools.decision_matrix.tool import TOOL, DecisionMatrix, decision_matrix
from dr_rd.tools.spec import ToolSpec, constant

SPEC = ToolSpec(
    name="decision_matrix",
    package=__name__,
    params=DecisionMatrix,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = ["SPEC", "TOOL", "DecisionMatrix", "decision_matrix"]

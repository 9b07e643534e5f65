"""The risks of a plan, and what to set aside for them."""

from dr_rd.tools.risk_register.args import arguments
from dr_rd.tools.risk_register.tool import TOOL, RiskRegister, risk_register
from dr_rd.tools.spec import ToolSpec, constant

SPEC = ToolSpec(
    name="risk_register",
    package=__name__,
    params=RiskRegister,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = ["SPEC", "TOOL", "RiskRegister", "risk_register"]

"""Schedule and cost of a plan as distributions."""

from dr_rd.tools.schedule_risk.args import arguments
from dr_rd.tools.schedule_risk.tool import TOOL, ScheduleRisk, schedule_risk
from dr_rd.tools.spec import ToolSpec, constant

SPEC = ToolSpec(
    name="schedule_risk",
    package=__name__,
    params=ScheduleRisk,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = ["SPEC", "TOOL", "ScheduleRisk", "schedule_risk"]

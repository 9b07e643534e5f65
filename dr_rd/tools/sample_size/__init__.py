"""How many units a study needs, by its design."""

from dr_rd.tools.sample_size.args import arguments
from dr_rd.tools.sample_size.designs import DESIGNS
from dr_rd.tools.sample_size.needed import needed
from dr_rd.tools.sample_size.rules import RULES
from dr_rd.tools.sample_size.tool import (
    TOOL,
    SampleSize,
    in_all,
    recommended,
    sample_size,
    units_in_all,
)
from dr_rd.tools.spec import ToolSpec, constant

SPEC = ToolSpec(
    name="sample_size",
    package=__name__,
    params=SampleSize,
    open=constant(TOOL),
    arguments=arguments,
)

__all__ = [
    "DESIGNS",
    "RULES",
    "SPEC",
    "TOOL",
    "SampleSize",
    "in_all",
    "needed",
    "recommended",
    "sample_size",
    "units_in_all",
]

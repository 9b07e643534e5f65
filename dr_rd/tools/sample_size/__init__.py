"""How many units a study needs, by its design."""

from dr_rd.tools.sample_size.tool import TOOL, SampleSize, sample_size

__all__ = ["TOOL", "SampleSize", "sample_size"]

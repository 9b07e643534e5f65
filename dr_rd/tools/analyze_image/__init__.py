"""Pictures among the analyst's documents."""

from core.tool_router import Tool
from dr_rd.tools.analyze_image.tool import AnalyzeImage, image_tool
from dr_rd.tools.sources import Sources
from dr_rd.tools.spec import ToolSpec


def _opened(sources: Sources) -> Tool | None:
    """Make the tool that looks into the pictures, if there are any."""
    return image_tool(sources.docs) if sources.corpus.pictures else None


SPEC = ToolSpec(
    name="analyze_image",
    package=__name__,
    params=AnalyzeImage,
    open=_opened,
)

__all__ = ["SPEC", "AnalyzeImage", "image_tool"]

"""Claims against sources."""

from core.tool_router import Tool
from dr_rd.tools.evidence_table.args import arguments
from dr_rd.tools.evidence_table.tool import EvidenceTable, evidence_tool
from dr_rd.tools.sources import Sources
from dr_rd.tools.spec import ToolSpec


def _opened(sources: Sources) -> Tool:
    """Make the tool that looks into the documents."""
    return evidence_tool(sources.corpus, sources.index, sources.conflicts)


SPEC = ToolSpec(
    name="evidence_table",
    package=__name__,
    params=EvidenceTable,
    open=_opened,
    arguments=arguments,
)

__all__ = ["SPEC", "EvidenceTable", "evidence_tool"]

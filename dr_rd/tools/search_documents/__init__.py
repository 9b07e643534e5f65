"""The analyst's own documents, searched."""

from core.tool_router import Tool
from dr_rd.tools.search_documents.args import arguments
from dr_rd.tools.search_documents.tool import SearchDocuments, search_tool
from dr_rd.tools.sources import Sources
from dr_rd.tools.spec import ToolSpec


def _opened(sources: Sources) -> Tool:
    """Make the tool that looks into the documents."""
    return search_tool(sources.corpus, sources.index, sources.conflicts)


SPEC = ToolSpec(
    name="search_documents",
    package=__name__,
    params=SearchDocuments,
    open=_opened,
    arguments=arguments,
)

__all__ = ["SPEC", "SearchDocuments", "search_tool"]

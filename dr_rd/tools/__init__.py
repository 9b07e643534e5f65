"""Typed functions that agents may call; one file each, and a line here."""

from core.tool_router import Tool
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import Index
from dr_rd.tools import budget, decision_matrix, sample_size, schedule_risk, simulate
from dr_rd.tools.search_documents import search_tool


def builtin_tools(corpus: Corpus, index: Index) -> tuple[Tool, ...]:
    """Return every tool of a run over *corpus*."""
    return (
        budget.TOOL,
        decision_matrix.TOOL,
        sample_size.TOOL,
        schedule_risk.TOOL,
        simulate.TOOL,
        search_tool(corpus, index),
    )

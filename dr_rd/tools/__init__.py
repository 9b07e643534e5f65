"""Typed functions that agents may call; one file each, and a line here."""

from core.tool_router import Tool
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import Index
from dr_rd.tools import (
    budget,
    decision_matrix,
    risk_register,
    sample_size,
    schedule_risk,
    simulate,
    unit_convert,
    value_of_information,
)
from dr_rd.tools.evidence_table import evidence_tool
from dr_rd.tools.search_documents import search_tool


def builtin_tools(corpus: Corpus, index: Index) -> tuple[Tool, ...]:
    """Return every tool of a run over *corpus*."""
    return (
        budget.TOOL,
        decision_matrix.TOOL,
        risk_register.TOOL,
        sample_size.TOOL,
        schedule_risk.TOOL,
        simulate.TOOL,
        unit_convert.TOOL,
        value_of_information.TOOL,
        evidence_tool(corpus, index),
        search_tool(corpus, index),
    )

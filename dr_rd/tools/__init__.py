"""Typed functions that agents may call; one file each, and a line here."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from core.tool_router import Tool
from dr_rd.evidence.agreement import disputed
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
from dr_rd.tools.analyze_image import image_tool
from dr_rd.tools.evidence_table import evidence_tool
from dr_rd.tools.read_repo import repo_tool
from dr_rd.tools.search_documents import search_tool


def builtin_tools(
    corpus: Corpus, index: Index, docs: Sequence[Path] = (), repo: Path | None = None
) -> tuple[Tool, ...]:
    """Return every tool of a run over *corpus*; some only if there is what they look at.

    Args:
        corpus: The documents that were read.
        index: Searches them.
        docs: The folders and files that they were read from, which may hold pictures too.
        repo: The repository that the analyst chose.

    """
    conflicts = cache(partial(disputed, corpus))  # read when there is a first question
    return (
        budget.TOOL,
        decision_matrix.TOOL,
        risk_register.TOOL,
        sample_size.TOOL,
        schedule_risk.TOOL,
        simulate.TOOL,
        unit_convert.TOOL,
        value_of_information.TOOL,
        evidence_tool(corpus, index, conflicts),
        search_tool(corpus, index, conflicts),
        *([image_tool(docs)] if corpus.pictures else []),
        *([repo_tool(repo)] if repo else []),
    )

"""The analyst's own documents, searched."""

from collections.abc import Callable
from typing import Any, cast

from pydantic import Field, JsonValue

from core.tool_router import Retrieved, Tool
from core.values import Frozen
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import Hit, Index


class SearchDocuments(Frozen):
    """What is looked for."""

    query: str = Field(min_length=1, max_length=2000)
    k: int = Field(default=5, ge=1, le=50)
    """How many passages at most."""


def search_tool(corpus: Corpus, index: Index) -> Tool:
    """Make the tool that searches *index* over *corpus*."""
    return Tool(
        name="search_documents",
        description="Passages of the analyst's own documents that answer a query, best first.",
        params=SearchDocuments,
        run=_search(corpus, index),
        max_calls_per_run=200,
        retrieved=_retrieved,
    )


def _search(corpus: Corpus, index: Index) -> Callable[[SearchDocuments], JsonValue]:
    def search(params: SearchDocuments) -> JsonValue:
        hits: list[JsonValue] = [_row(corpus, h) for h in index.search(params.query, params.k)]
        return {"index": index.name, "hits": hits}

    return search


def _retrieved(params: SearchDocuments, output: JsonValue) -> Retrieved:
    """What the trace notes of a search: the query and the passages it gave."""
    hits = cast(dict[str, Any], output)["hits"]
    return Retrieved(query=params.query, ids=tuple(h["id"] for h in hits))


def _row(corpus: Corpus, hit: Hit) -> dict[str, JsonValue]:
    document = corpus.document_of(hit.passage)
    return {
        "id": hit.passage.id,
        "text": hit.passage.text,
        "document": document.path,
        "place": place(hit),
        "status": document.status,
        "dated": document.dated.isoformat() if document.dated else None,
        "superseded_by": hit.superseded_by,
    }


def place(hit: Hit) -> str:
    """Where in its document a passage stands."""
    passage = hit.passage
    if passage.page is not None:
        return f"page {passage.page}"
    if passage.row is not None:
        return f"row {passage.row}"
    return " › ".join(passage.heading)

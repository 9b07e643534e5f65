"""The analyst's own documents, searched."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from typing import Any, cast

from pydantic import Field, JsonValue, model_validator

from core.tool_router import Retrieved, Tool
from core.values import Frozen
from dr_rd.evidence.agreement import Conflict, Disputes
from dr_rd.evidence.corpus import Corpus, Document, DocumentStatus
from dr_rd.evidence.index import Hit, Index


class SearchDocuments(Frozen):
    """What is looked for, and where."""

    query: str = Field(min_length=1, max_length=2000)
    k: int = Field(default=5, ge=1, le=50, description="How many passages at most.")
    files: tuple[str, ...] = Field(
        default=(),
        max_length=50,
        description="Paths or patterns such as 'field/*.csv'; none means all.",
    )
    since: date | None = Field(
        default=None, description="Dated that day or later; leaves out what has no date."
    )
    until: date | None = Field(
        default=None, description="Dated that day or earlier; leaves out what has no date."
    )
    status: tuple[DocumentStatus, ...] = Field(default=(), description="None means all.")

    @model_validator(mode="after")
    def _ordered(self) -> "SearchDocuments":
        if self.since and self.until and self.until < self.since:
            raise ValueError(f"nothing is dated from {self.since} until {self.until}")
        return self

    def holds(self, document: Document) -> bool:
        """Whether *document* is searched."""
        path = document.path.casefold()
        return (
            (not self.files or any(fnmatchcase(path, f.casefold()) for f in self.files))
            and (not self.status or document.status in self.status)
            and (self.since is None or (document.dated or date.min) >= self.since)
            and (self.until is None or (document.dated or date.max) <= self.until)
        )


def search_tool(corpus: Corpus, index: Index, conflicts: Disputes) -> Tool:
    """Make the tool that searches *index* over *corpus*."""
    return Tool(
        name="search_documents",
        description="Passages of the analyst's own documents that answer a query, best first; "
        "what holds before what it replaced, copies once. Files, dates and status narrow it.",
        params=SearchDocuments,
        run=_search(corpus, index, conflicts),
        max_calls_per_run=200,
        retrieved=_retrieved,
    )


def _search(
    corpus: Corpus, index: Index, conflicts: Disputes
) -> Callable[[SearchDocuments], JsonValue]:
    def search(params: SearchDocuments) -> JsonValue:
        searched = [d for d in corpus.documents if params.holds(d)]
        hits = index.search(params.query, params.k, params.holds)
        rows: list[JsonValue] = [_row(corpus, hit, conflicts()) for hit in hits]
        return {"index": index.name, "searched": len(searched), "hits": rows}

    return search


def _retrieved(params: SearchDocuments, output: JsonValue) -> Retrieved:
    """What the trace notes of a search: the query and the passages it gave."""
    hits = cast(dict[str, Any], output)["hits"]
    return Retrieved(query=params.query, ids=tuple(h["id"] for h in hits))


def _row(
    corpus: Corpus, hit: Hit, conflicts: Mapping[str, Sequence[Conflict]]
) -> dict[str, JsonValue]:
    document = corpus.document_of(hit.passage)
    against: list[JsonValue] = [_against(c, hit) for c in conflicts.get(hit.passage.id, ())]
    return {
        "id": hit.passage.id,
        "text": hit.passage.text,
        "document": document.path,
        "place": hit.place,
        "status": corpus.status_of(hit.passage),
        "dated": document.dated.isoformat() if document.dated else None,
        "superseded_by": hit.superseded_by,
        **({"disputed": against} if against else {}),
    }


def _against(conflict: Conflict, hit: Hit) -> dict[str, JsonValue]:
    """A value of a passage that does not hold, or need not, and what stands against it."""
    ends = (conflict.superseded, conflict.current)
    mine, other = ends if ends[0].passage.id == hit.passage.id else ends[::-1]
    return {
        "value": mine.value,
        "against": other.value,
        "passage": other.passage.id,
        "superseded": conflict.decided,
    }

"""Claims against sources: what each document says of each claim, and whether they agree."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, cast

from pydantic import Field, JsonValue, model_validator

from core.tool_router import Retrieved, Tool
from core.values import Frozen, repeated
from dr_rd.evidence.agreement import Conflict, Disputes
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import Hit, Index
from dr_rd.evidence.support import support
from dr_rd.evidence.units import differ, same_kind
from dr_rd.evidence.words import sentences, stems
from dr_rd.quantity import DATE, YEAR, Quantity, quantities

_SHARED = 0.5
"""Share of a claim's words from which a sentence speaks of it; below, its numbers are others'."""


class TableClaim(Frozen):
    """One checkable statement or question."""

    id: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=1, max_length=2000)


class EvidenceTable(Frozen):
    """What is looked up."""

    claims: tuple[TableClaim, ...] = Field(min_length=1, max_length=100)
    k: int = Field(default=3, ge=1, le=20, description="How many passages a claim at most.")

    @model_validator(mode="after")
    def _distinct(self) -> "EvidenceTable":
        if (key := repeated(c.id for c in self.claims)) is not None:
            raise ValueError(f"two claims have the id {key!r}")
        return self


def evidence_tool(corpus: Corpus, index: Index, conflicts: Disputes) -> Tool:
    """Make the tool that lays claims beside *index* over *corpus*."""
    return Tool(
        name="evidence_table",
        description="For each claim the passages that speak of it, with value, unit, status and "
        "verdict, and whether the sources that hold agree.",
        params=EvidenceTable,
        run=_table(corpus, index, conflicts),
        of_plan=True,
        retrieved=_retrieved,
    )


def _table(
    corpus: Corpus, index: Index, conflicts: Disputes
) -> Callable[[EvidenceTable], JsonValue]:
    def table(params: EvidenceTable) -> JsonValue:
        found = {
            c.id: _found(c, corpus, _hits(c.text, index, params.k), conflicts())
            for c in params.claims
        }
        return {
            "rows": [_row(key, said, corpus) for key, rows in found.items() for said in rows],
            "agreement": {key: _agreement(rows) for key, rows in found.items()},
            "documents": len(corpus.documents),
        }

    return table


def _hits(claim: str, index: Index, k: int) -> Sequence[Hit]:
    """The nearest passages; where none that holds speaks of the claim, older ones that do."""
    hits = index.search(claim, k)
    if any(h.answers for h in hits):
        return hits
    older = [p for section in index.answered(claim, 1).older for p in section.passages]
    known = {h.passage.id for h in hits}
    return [*hits, *(Hit(passage=p, score=0.0, answers=True) for p in older if p.id not in known)]


class _Said(Frozen):
    """What one passage says of a claim."""

    hit: Hit
    quantity: Quantity | None
    verdict: str
    reason: str
    live: bool
    compared: bool
    """Whether it shares so many words with the claim that its value is of the same thing."""


def _found(
    claim: TableClaim,
    corpus: Corpus,
    hits: Sequence[Hit],
    conflicts: Mapping[str, Sequence[Conflict]],
) -> list[_Said]:
    said = [_said(claim.text, hit, corpus, conflicts.get(hit.passage.id, ())) for hit in hits]
    return [s for s in said if s is not None]


def _said(claim: str, hit: Hit, corpus: Corpus, conflicts: Sequence[Conflict]) -> _Said | None:
    """Read a passage for a claim; None if none of its sentences speaks of it."""
    text, wanted = hit.passage.text, set(stems(claim))
    parts = [text[a:b] for a, b in sentences(text)] or [text]
    best = max(parts, key=lambda s: len(wanted & set(stems(s))))
    compared = len(wanted & set(stems(best))) >= _SHARED * len(wanted)
    if not compared and not hit.answers:
        return None
    status = corpus.status_of(hit.passage)
    found = support(claim, text, status)
    quantity = _quantity(claim, best)
    old = [c.superseded.value for c in conflicts if c.decided]
    return _Said(
        compared=compared,
        hit=hit,
        quantity=quantity,
        verdict=found.verdict,
        reason=found.reason,
        live=status == "live"
        and hit.superseded_by is None
        and not (quantity and quantity.text in old),
    )


def _quantity(claim: str, sentence: str) -> Quantity | None:
    """Return the sentence's value of the kind that the claim states, else its first."""
    own = next(iter(_values(claim)), None)
    kin = [q for q in _values(sentence) if own is None or same_kind(q, own)]
    return next(iter(kin), None)


def _values(text: str) -> list[Quantity]:
    return [q for q in quantities(text) if q.noun not in (YEAR, DATE)]


def _row(claim: str, said: _Said, corpus: Corpus) -> dict[str, JsonValue]:
    passage, quantity = said.hit.passage, said.quantity
    document = corpus.document_of(passage)
    return {
        "claim": claim,
        "passage": passage.id,
        "text": passage.text,
        "document": document.path,
        "place": said.hit.place,
        "status": corpus.status_of(passage),
        "dated": document.dated.isoformat() if document.dated else None,
        "superseded_by": said.hit.superseded_by,
        "value": quantity.text if quantity else None,
        "unit": (quantity.unit or quantity.noun) if quantity else None,
        "verdict": said.verdict,
        "reason": said.reason,
    }


def _agreement(rows: Sequence[_Said]) -> str:
    """Whether the values of the sources that hold are the same."""
    live = [s for s in rows if s.live]
    values = [s.quantity for s in live if s.quantity and s.compared]
    if not live:
        return "only sources that no longer hold" if rows else "no source"
    if len(values) < 2:
        return "one source" if len(live) == 1 else "no values to compare"
    pairs = [(a, b) for a, b in combinations(values, 2) if same_kind(a, b)]
    if not pairs:
        return "no values to compare"
    return "conflict" if any(differ(a, b) for a, b in pairs) else "agree"


def _retrieved(params: EvidenceTable, output: JsonValue) -> Retrieved:
    """What the trace notes: the claims and the passages that speak of them."""
    rows = cast(dict[str, Any], output)["rows"]
    return Retrieved(
        query="\n".join(c.text for c in params.claims),
        ids=tuple(dict.fromkeys(r["passage"] for r in rows)),
    )

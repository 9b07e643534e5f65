"""Search narrowed by file, date and status; claims laid beside the sources that speak of them."""

from functools import partial

import pytest
from pydantic import ValidationError

from dr_rd.evidence.agreement import disputed
from dr_rd.evidence.index import index_with
from dr_rd.evidence.ingest import read_documents
from dr_rd.tools.evidence_table import EvidenceTable, evidence_tool
from dr_rd.tools.search_documents import SearchDocuments, search_tool

PAGES = {
    "plan-v1.md": "# Plan\n\nVersion 1, 2023-02-01.\n\nThe trial samples 12 fields for two years.\n",
    "plan-v2.md": "# Plan\n\nVersion 2, 2024-05-01.\n\nThe trial samples 20 fields for two years.\n",
    "notes/visit.txt": "Site visit\n\nVisited on 2024-06-03.\n\nThe trial samples 20 fields. Loam by the river, "
    "sand on the hill; gates were open and the counters had been emptied by the farm hand.\n",
    "notes/rumour.txt": "Letter of a neighbour\n\nHeard on 2024-06-04.\n\nThey say that the trial samples 18 "
    "fields. My cattle broke through the hedge twice and nobody came to mend it.\n",
    "notes/undated.txt": "The trial samples fields of wheat only.\n",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    for name, text in PAGES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_documents([folder])


@pytest.fixture(scope="module")
def index(corpus):
    return index_with(corpus, None)


def paths(corpus, index, **narrowed):
    tool = search_tool(corpus, index, partial(disputed, corpus))
    found = tool.run(SearchDocuments(query="how many fields the trial samples", k=20, **narrowed))
    return {hit["document"] for hit in found["hits"]}, found["searched"]


def test_without_a_filter_every_document_is_searched(corpus, index):
    assert paths(corpus, index) == (set(PAGES), len(PAGES))


@pytest.mark.parametrize(
    ("narrowed", "left"),
    [
        ({"files": ["NOTES/*.txt"]}, {"notes/visit.txt", "notes/rumour.txt", "notes/undated.txt"}),
        ({"files": ["plan-v2.md"]}, {"plan-v2.md"}),
        ({"since": "2024-06-01"}, {"notes/visit.txt", "notes/rumour.txt"}),
        ({"until": "2023-12-31"}, {"plan-v1.md"}),
        ({"status": ["superseded"]}, {"plan-v1.md"}),
    ],
)
def test_a_filter_leaves_only_what_it_names(corpus, index, narrowed, left):
    assert paths(corpus, index, **narrowed) == (left, len(left))


def test_a_span_of_dates_that_holds_no_day_is_refused():
    with pytest.raises(ValidationError, match="nothing is dated from 2024-02-01 until 2024-01-01"):
        SearchDocuments(query="x", since="2024-02-01", until="2024-01-01")


def table(corpus, index, *claims, k=20):
    tool = evidence_tool(corpus, index, partial(disputed, corpus))
    asked = [{"id": f"C{n}", "text": text} for n, text in enumerate(claims, 1)]
    return tool.run(EvidenceTable(claims=asked, k=k))


def test_each_source_is_a_row_with_its_value_its_status_and_a_verdict(corpus, index):
    found = table(corpus, index, "The trial samples 20 fields.")
    rows = {row["document"]: row for row in found["rows"]}
    assert rows["plan-v2.md"]["value"] == "20 fields"
    assert rows["plan-v2.md"]["verdict"] == "supported"
    assert rows["plan-v1.md"]["status"] == "superseded"
    assert rows["plan-v1.md"]["value"] == "12 fields"
    assert rows["notes/rumour.txt"]["verdict"] == "contradicted"
    assert all(row["passage"] in corpus.passage_by_id for row in found["rows"])


def test_sources_that_hold_and_differ_are_in_conflict(corpus, index):
    assert table(corpus, index, "The trial samples 20 fields.")["agreement"] == {"C1": "conflict"}


def test_a_claim_that_no_document_speaks_of_has_no_source(corpus, index):
    found = table(corpus, index, "The reactor runs at 900 kelvin under argon.")
    assert (found["rows"], found["agreement"]) == ([], {"C1": "no source"})


def test_one_claim_given_twice_is_refused():
    with pytest.raises(ValidationError, match="two claims have the id 'a'"):
        EvidenceTable(claims=[{"id": "a", "text": "x"}] * 2)


def test_a_value_that_a_newer_document_replaces_is_told_with_what_replaces_it(tmp_path):
    for name, day, own, price in (
        ("a.md", "2023-04-01", "Bees are sold here.", "A pump of that kind costs 40 GBP."),
        ("b.md", "2025-04-01", "Otters swim there.", "A pump of that kind costs 55 GBP."),
    ):
        (tmp_path / name).write_text(f"Issued: {day}\n\n{own}\n\n{price}\n", encoding="utf-8")
    corpus = read_documents([tmp_path])
    index = index_with(corpus, None)
    hits = search_tool(corpus, index, partial(disputed, corpus)).run(
        SearchDocuments(query="pump costs")
    )["hits"]
    told = {
        h["document"]: [(d["value"], d["against"]) for d in h.get("disputed", ())] for h in hits
    }
    assert told == {"a.md": [("40 GBP", "55 GBP")], "b.md": []}
    found = table(corpus, index, "A pump of that kind costs 55 GBP.")
    assert found["agreement"] == {"C1": "one source"}

"""The labelled folder under bench/: what the committed figures promise must stay true."""

from pathlib import Path

import pytest
import yaml

from dr_rd.evidence.agreement import same_quantity
from dr_rd.evidence.index import index_with
from dr_rd.evidence.ingest import read_documents

BENCH = Path(__file__).parents[2] / "bench" / "evidence"
QUESTIONS = yaml.safe_load((BENCH / "questions.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def corpus():
    return read_documents([BENCH / "documents"])


def place(corpus, hits, document, says):
    found = [
        n
        for n, h in enumerate(hits)
        if corpus.document_of(h.passage).path == document
        and says in " ".join(h.passage.text.split())
    ]
    return found[0] if found else len(hits)


def test_every_answer_and_every_stale_answer_is_in_the_documents(corpus):
    held = [(corpus.document_of(p).path, " ".join(p.text.split())) for p in corpus.passages]
    for q in QUESTIONS:
        for path, says in [(q["document"], q["says"]), *([q["stale"]] if "stale" in q else [])]:
            assert any(path == p and says in text for p, text in held), (path, says)


def test_every_document_is_read_and_every_stale_one_is_known_as_such(corpus):
    assert corpus.refused == ()
    status = {d.path: d.status for d in corpus.documents}
    assert all(status[q["document"]] == "live" for q in QUESTIONS)
    assert all(status[q["stale"][0]] != "live" for q in QUESTIONS if "stale" in q)


def test_words_alone_find_nearly_every_question_that_shares_them(corpus):
    index = index_with(corpus, None)
    exact = [q for q in QUESTIONS if q["kind"] == "exact"]
    ranks = [place(corpus, index.search(q["question"]), q["document"], q["says"]) for q in exact]
    assert sum(r == 0 for r in ranks) >= 0.9 * len(exact)


def test_the_live_document_outranks_its_stale_copy(corpus):
    index = index_with(corpus, None)
    pairs = []
    for q in QUESTIONS:
        if "stale" in q:
            hits = index.search(q["question"], 20)
            pairs.append(
                (place(corpus, hits, q["document"], q["says"]), place(corpus, hits, *q["stale"]))
            )
    found = [p for p in pairs if p[0] != p[1]]
    assert sum(live < stale for live, stale in found) >= 0.95 * len(found)


def test_every_decided_conflict_names_a_live_document_as_current(corpus):
    found = same_quantity(corpus)
    assert len(found) >= 25
    for c in found:
        assert corpus.document_of(c.current.passage).status == "live"
        assert corpus.document_of(c.superseded.passage).status != "live"

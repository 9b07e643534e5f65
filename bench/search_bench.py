"""How well search finds the passage that answers a question, by words, by meaning, by both.

Run `python bench/search_bench.py` to print the report; `--write` saves it as results/search.md.
"""

import resource
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import yaml

from dr_rd.evidence.answers import Finder
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.editions import replacements
from dr_rd.evidence.embeddings import Embedder, installed
from dr_rd.evidence.index import Hit, Index, Scores, Search, index_with, semantic
from dr_rd.evidence.ingest import read_documents

HERE = Path(__file__).parent
DEPTH = 20
Question = Mapping[str, Any]


def rank(corpus: Corpus, hits: Iterable[Hit], document: str, says: str) -> int:
    """Return the place of the passage of *document* that *says* it; past the end if absent."""
    flat = " ".join(says.split())
    for place, hit in enumerate(hits, start=1):
        found = corpus.document_of(hit.passage).path == document
        if found and flat in " ".join(hit.passage.text.split()):
            return place
    return DEPTH + 1


def recall(ranks: list[int], k: int) -> str:
    return f"{sum(r <= k for r in ranks) / len(ranks):.2f}"


def measure(corpus: Corpus, open_it: Callable[[], Index], questions: list[Question]) -> str:
    """Return one row of the table."""
    started = time.perf_counter()
    index = open_it()
    anyio.run(index.prepare)
    opened = time.perf_counter()
    found = [index.search(q["question"], DEPTH) for q in questions]
    seconds = (time.perf_counter() - opened) / len(questions)
    cells = [index.name]
    for kind in ("exact", "paraphrase"):
        ranks = [
            rank(corpus, hits, q["document"], q["says"])
            for q, hits in zip(questions, found, strict=True)
            if q["kind"] == kind
        ]
        cells += [recall(ranks, k) for k in (1, 3, 5)]
    pairs = [
        (rank(corpus, hits, q["document"], q["says"]), rank(corpus, hits, *q["stale"]))
        for q, hits in zip(questions, found, strict=True)
        if "stale" in q
    ]
    pairs = [(live, stale) for live, stale in pairs if min(live, stale) <= DEPTH]
    cells.append(f"{sum(live < stale for live, stale in pairs)} of {len(pairs)}")
    cells += [f"{opened - started:.2f} s", f"{seconds * 1000:.1f} ms"]
    return "| " + " | ".join(cells) + " |"


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def by_meaning(corpus: Corpus, embedder: Embedder) -> Index:
    no_words = partial(_no_words, len(corpus.passages))
    meaning = semantic(corpus, embedder)
    finds_nothing = Finder(Corpus(), {})
    return Search("embeddings", corpus, no_words, meaning, replacements(corpus), finds_nothing)


def _no_words(size: int, _query: str) -> Scores:
    return np.zeros(size, dtype=np.float32)


def report() -> str:
    started = time.perf_counter()
    corpus = read_documents([HERE / "evidence" / "documents"])
    reading = time.perf_counter() - started
    questions = yaml.safe_load((HERE / "evidence" / "questions.yaml").read_text("utf-8"))
    rows = [measure(corpus, lambda: index_with(corpus, None), questions)]
    lexical_mb = peak_mb()
    if embedder := installed():
        rows.append(measure(corpus, lambda: by_meaning(corpus, embedder), questions))
        rows.append(measure(corpus, lambda: index_with(corpus, embedder), questions))
    kinds = [q["kind"] for q in questions]
    return "\n".join(
        [
            "# Search: by words, by meaning, by both",
            "",
            f"{len(corpus.documents)} documents, {len(corpus.passages)} passages, "
            f"{kinds.count('exact')} questions that share the answer's words and "
            f"{kinds.count('paraphrase')} that share few. Reading took {reading:.1f} s.",
            "",
            "| search | exact R@1 | R@3 | R@5 | paraphrase R@1 | R@3 | R@5 | live above stale "
            "| opening | a query |",
            "|---|---|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            f"Peak memory of the whole process: {lexical_mb:.0f} MB by words, "
            f"{peak_mb():.0f} MB with embeddings.",
            "",
            f"A pair counts as live above stale when either is among the first {DEPTH} hits. "
            "Documents and questions were written by one author beside the code, so the figures "
            "compare the searches and promise nothing for other folders. Times are from a busy "
            "two-core machine.",
            "",
        ]
    )


def main() -> None:
    """Measure, print, and write the table where the embeddings could be measured too."""
    text = report()
    print(text)
    if installed():
        (HERE / "results" / "search.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

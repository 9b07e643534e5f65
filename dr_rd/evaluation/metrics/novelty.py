"""Novelty, named honestly: how little of the text stands in the documents given."""

from core.scores import Score
from dr_rd.evaluation.metrics.verdicts import not_applicable
from dr_rd.evaluation.sentences import normal
from dr_rd.evaluation.subject import Subject

_RUN = 5
"""Words in a row that hardly two texts share by chance."""


def novelty(subject: Subject) -> Score:
    """Share of the text's runs of five words that stand in no given document.

    It measures overlap and not originality: gibberish overlaps with nothing, a paraphrase with
    little. Nothing should hang on it.
    """
    documents = subject.corpus.documents if subject.corpus else ()
    own = _runs(subject.visible)
    if not documents or not own:
        return not_applicable("novelty", "there is no document to compare the text with")
    shared = [own & _runs(d.text) for d in documents]
    most_shared, path = max((len(s), d.path) for s, d in zip(shared, documents, strict=True))
    score = 1 - len(frozenset().union(*shared)) / len(own)
    most = f", most of it in {path}" if most_shared else ""
    return Score(
        key="novelty",
        score=round(score, 4),
        rationale=f"{1 - score:.0%} of its runs of five words stand in the documents{most}; this "
        "is overlap, not a judgement of originality",
    )


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = normal(text).split()
    return frozenset(zip(*(words[n:] for n in range(_RUN)), strict=False))

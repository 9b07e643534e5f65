"""Number support: every number has a source."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from core.scores import Score
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.corpus import Corpus, Passage
from dr_rd.figures import EXACT, near
from dr_rd.quantity import Number
from dr_rd.quantity import numbers as numbers_in

_APART = re.compile(r"`[^`\n]*`|^[ \t]*\d+[.)]\s|https?://\S+", re.MULTILINE)
"""Not figures: code, list numbers, addresses."""


def numbers(subject: Subject) -> Score:
    """Share of the numbers that have a source; each that its own source lacks halves the score.

    A source is the brief, a cited passage, a recorded call or an assumption. A number beside a
    citation must stand in what is cited. A right number in the wrong sentence it cannot see.
    """
    misquoted, cited = _misquoted(subject)
    judged = subject.brief is not None and bool(subject.computed)
    found = figures(subject) if judged else ()
    if not found and not cited:
        return not_applicable(
            "numbers", "no number comes with a source or a record to look it up in"
        )
    orphans = _orphans(found, subject) if found else ()
    faults = [f"{n.text} is not in {ids}" for n, ids, _ in misquoted]
    faults += [f"{n.text} has no source" for n in orphans]
    good = len(found) - len(orphans) if found else cited - len(misquoted)
    told = share(
        "numbers", good, len(found) or cited, "numbers have a source", faults,
        "Say where each of these numbers comes from, or mark it as an assumption.",
        [q for _, _, q in misquoted],
    )  # fmt: skip
    if misquoted and told.score is not None:
        return told.model_copy(
            update={"score": round(told.score / (1 + len(misquoted)), 4), "fix_hint": _QUOTE_HINT}
        )
    return told


_QUOTE_HINT = "Quote the number that the source gives, or cite the source that gives it."
_CITED = re.compile(r"\[((?:E\d+)(?:\s?[,;]\s?E\d+)*)[^\]]*\]")
_OTHER = re.compile(r"\[(?:[A-DF-Z]\d|plan\b)")


def _misquoted(subject: Subject) -> tuple[list[tuple[Number, str, str]], int]:
    """Numbers that stand beside a citation and not in what is cited; and how many stand so."""
    wrong: list[tuple[Number, str, str]] = []
    count = 0
    if subject.corpus is None or "[E" not in subject.visible:
        return wrong, count
    asked = sorted(abs(n.value) for n in numbers_in(subject.brief_text))
    given: dict[str, list[float]] = {}
    for sentence in subject.sentences:
        ids = [i for m in _CITED.finditer(sentence.text) for i in re.findall(r"E\d+", m[1])]
        passages = [p for i in ids if (p := subject.corpus.passage_by_id.get(i))]
        if not passages or _OTHER.search(sentence.text):
            continue
        texts = " ".join(t for p in passages for t in (p.text, _place(p, subject.corpus)))
        known = given.get(texts)
        if known is None:
            known = given[texts] = sorted({abs(n.value) for n in numbers_in(texts, words=True)})
        bare = _CITED.sub(lambda m: " " * len(m[0]), sentence.text)
        stated = numbers_in(bare)
        count += len(stated)
        lacking = (n for n in stated if not near(n, known, EXACT) and not near(n, asked, EXACT))
        wrong += [(n, ", ".join(ids), sentence.text) for n in lacking]
    return wrong, count


def unsourced(subject: Subject) -> tuple[Number, ...]:
    """Return the numbers of the text that nothing recorded accounts for."""
    return _orphans(figures(subject), subject)


def _orphans(found: Iterable[Number], subject: Subject) -> tuple[Number, ...]:
    known = sorted({abs(k) for k in _sourced_numbers(subject)})
    return tuple(n for n in found if not near(n, known))


def figures(subject: Subject) -> tuple[Number, ...]:
    """Return the numbers of the text that say something, in order."""
    text = _APART.sub(lambda m: " " * len(m[0]), subject.visible)
    for name in subject.names:
        text = text.replace(name, " " * len(name))
    return numbers_in(text)


def _sourced_numbers(subject: Subject) -> Iterator[float]:
    texts: list[str] = [c.passage for c in subject.claims] + list(subject.assumed)
    texts += [subject.brief_text, *_cited(subject)]
    for text in texts:
        yield from (n.value for n in numbers_in(text))
    yield from _leaves(subject.computed)


def _cited(subject: Subject) -> Iterator[str]:
    """Passages that the text names by their id, and the places they stand in."""
    if subject.corpus is None:
        return
    for passage_id in set(re.findall(r"\[(E\d+)\b", subject.visible)):
        if passage := subject.corpus.passage_by_id.get(passage_id):
            yield passage.text
            yield _place(passage, subject.corpus)


def _place(passage: Passage, corpus: Corpus) -> str:
    """Where a passage stands and of which day it is: numbers that may stand beside it."""
    document = corpus.document_of(passage)
    marks = (passage.page, passage.row, document.dated)
    return " ".join([document.path, *passage.heading, *(str(m) for m in marks if m)])


def _leaves(value: Any) -> Iterator[float]:  # noqa: ANN401 - any JSON value
    """Every number in a JSON value, however deep; shares also as percentages."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield from (abs(float(value)), abs(float(value)) * 100)
    elif isinstance(value, str):
        yield from (n.value for n in numbers_in(value))
    else:
        parts: Iterable[Any] = value.values() if hasattr(value, "values") else value
        for part in parts:
            yield from _leaves(part)

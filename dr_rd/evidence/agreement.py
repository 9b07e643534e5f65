"""The same quantity stated twice with different values: which one holds."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from core.values import Frozen
from dr_rd.evidence.corpus import Corpus, Document, Passage
from dr_rd.evidence.units import differ, same_kind
from dr_rd.evidence.words import sentences, stems
from dr_rd.quantity import DATE, YEAR, Quantity, quantities

LABEL = 3
"""Content words that a label needs, so that "sample size" alone never joins two studies."""
COMMONPLACE = 20
"""A label found in more passages than this names a kind of thing, not one quantity."""


class Stated(Frozen):
    """A value as a passage states it."""

    passage: Passage
    value: str


class Conflict(Frozen):
    """Two documents that give one quantity two values."""

    label: str
    """What is measured, in the current document's words."""
    current: Stated
    superseded: Stated
    decided: bool
    """False when neither status nor date says which of the two holds."""
    reason: str


LISTED = 12
"""Numbers in one sentence or row; more are a series, not statements."""

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    """One quantity with the words around it, numbers blanked."""

    passage: Passage
    document: Document
    quantity: Quantity
    label: str


def same_quantity(corpus: Corpus) -> tuple[Conflict, ...]:
    """Find quantities that two documents of *corpus* state with different values.

    Two statements are of one quantity when their sentences, or table rows, use the same words
    around their numbers: a paraphrase is missed, but no two different things are joined.
    """
    return tuple(dict.fromkeys(_conflict(a, b) for a, b in _pairs(corpus) if _disagree(a, b)))


def _pairs(corpus: Corpus) -> Iterator[tuple[_Statement, _Statement]]:
    """Statements of one quantity by two documents, one of them live at least."""
    groups: dict[_Key, list[_Statement]] = defaultdict(list)
    for passage in corpus.passages:
        for label, statement in _statements(corpus, passage):
            groups[label].append(statement)
    for group in groups.values():
        for a, b in combinations(group if len(group) <= COMMONPLACE else (), 2):
            if a.document.id != b.document.id and "live" in (a.document.status, b.document.status):
                yield a, b


def _statements(corpus: Corpus, passage: Passage) -> Iterator[tuple[_Key, _Statement]]:
    document = corpus.document_of(passage)
    whole = [(0, len(passage.text))]
    for start, end in whole if passage.row is not None else sentences(passage.text):
        sentence = passage.text[start:end]
        found = [q for q in quantities(sentence) if q.noun not in (YEAR, DATE)]
        if len(found) > LISTED:
            continue
        for place, quantity in enumerate(found):
            label = _label(sentence, passage, quantity)
            blank = stems(re.sub(r"\d[\d.,]*", " ", label))
            if len(set(blank)) >= LABEL:
                # The place among how many: lists of different lengths are not compared.
                key = (*blank, f"{place} of {len(found)}" if passage.row is None else "row")
                yield key, _Statement(passage, document, quantity, label)


def _label(sentence: str, passage: Passage, quantity: Quantity) -> str:
    """What the quantity is of: its sentence, or a row's heading, first cell and column."""
    if passage.row is None:
        return " ".join(sentence.split())
    cells = sentence.split("; ")
    offset = 0
    for cell in cells:
        if offset <= quantity.start < offset + len(cell) + 2:
            column = cell.partition(":")[0]
            return ", ".join((*passage.heading[-1:], cells[0], column))
        offset += len(cell) + 2
    return ""


def _disagree(a: _Statement, b: _Statement) -> bool:
    return same_kind(a.quantity, b.quantity) and differ(a.quantity, b.quantity)


def _conflict(a: _Statement, b: _Statement) -> Conflict:
    current, other, reason = _decide(a, b)
    return Conflict(
        label=current.label,
        current=Stated(passage=current.passage, value=current.quantity.text),
        superseded=Stated(passage=other.passage, value=other.quantity.text),
        decided=bool(reason),
        reason=reason or "both documents are live and no date tells which is newer",
    )


def _decide(a: _Statement, b: _Statement) -> tuple[_Statement, _Statement, str]:
    """Put the one that holds first; the reason is empty where nothing decides."""
    live = [s.document.status == "live" for s in (a, b)]
    if live[0] != live[1]:
        first, second = (a, b) if live[0] else (b, a)
        return first, second, f"{second.document.path} is {_called(second.document)}"
    days = a.document.dated, b.document.dated
    if days[0] and days[1] and days[0] != days[1]:
        first, second = (a, b) if days[0] > days[1] else (b, a)
        return first, second, f"{first.document.dated} is later than {second.document.dated}"
    return a, b, ""


def _called(document: Document) -> str:
    return {"draft": "a draft", "archive": "in the archive"}.get(document.status, "superseded")

"""The same quantity stated twice with different values: which one holds."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from core.values import Frozen
from dr_rd.evidence.corpus import Corpus, Document, Passage
from dr_rd.evidence.units import differ, same_kind
from dr_rd.evidence.wording import wording
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

_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    """One quantity with the words around it, numbers blanked."""

    passage: Passage
    document: Document
    quantity: Quantity
    label: str
    year: int | None = None
    """The year that the statement names as its own; None where it names none or several."""

    @property
    def of(self) -> int | None:
        """The year that it speaks of."""
        return self.year or (self.document.dated.year if self.document.dated else None)


def same_quantity(corpus: Corpus) -> tuple[Conflict, ...]:
    """Find quantities that two documents of *corpus* state with different values.

    Two statements are of one quantity when their sentences, or table rows, use the same words
    around their numbers, in whatever order, and the same other figures; years, and words that say
    nothing of what a text is about, count for nothing. A paraphrase is missed, but no two different
    things are joined.
    """
    found: dict[tuple[str, str, str, str], Conflict] = {}
    for a, b in _pairs(corpus):
        if _disagree(a, b):
            new = _conflict(a, b)
            ends = (new.current, new.superseded)
            found.setdefault(tuple(x for e in ends for x in (e.passage.id, e.value)), new)  # type: ignore[arg-type]
    return tuple(found.values())


Disputes = Callable[[], Mapping[str, Sequence[Conflict]]]
"""Gives what `disputed` returns, which every tool that quotes a corpus needs and one may find."""


def disputed(corpus: Corpus) -> Mapping[str, Sequence[Conflict]]:
    """Return by passage the conflicts in which its value does not hold, or need not."""
    found: dict[str, list[Conflict]] = defaultdict(list)
    for conflict in same_quantity(corpus):
        found[conflict.superseded.passage.id].append(conflict)
        if not conflict.decided:
            found[conflict.current.passage.id].append(conflict)
    return found


def _pairs(corpus: Corpus) -> Iterator[tuple[_Statement, _Statement]]:
    """Statements of one quantity by two documents, one of them live at least.

    An edition that holds no more is compared sentence by sentence, whatever else has changed.
    """
    groups: dict[_Key, list[_Statement]] = defaultdict(list)
    for passage in corpus.passages:
        for key, statement in _statements(corpus, passage):
            groups[key].append(statement)
    for key, group in groups.items():
        for a, b in combinations(group if len(group) <= COMMONPLACE else (), 2):
            live = [s.document.status == "live" for s in (a, b)]
            if (
                a.document.id != b.document.id
                and any(live)
                and not (key[0] == _AGAIN and all(live))
            ):
                yield a, b


_AGAIN = "word for word"
"""The first part of the key of a sentence that is told again with other figures."""


def _statements(corpus: Corpus, passage: Passage) -> Iterator[tuple[_Key, _Statement]]:
    document = corpus.document_of(passage)
    whole = [(0, len(passage.text))]
    for start, end in whole if passage.row is not None else sentences(passage.text):
        sentence = passage.text[start:end]
        figures = measured(sentence)
        years = {int(q.low) for q in figures if q.noun == YEAR and q.low and q.low == q.high}
        year = years.pop() if len(years) == 1 else None
        found = [q for q in figures if q.noun not in (YEAR, DATE)]
        for place, quantity in enumerate(found if len(found) <= LISTED else ()):
            label = _label(sentence, passage, quantity)
            statement = _Statement(passage, document, quantity, label, year)
            if passage.row is not None:
                yield from ((("row", words), statement) for words in about(label))
                continue
            blank = stems(re.sub(r"\d[\d.,]*", " ", label))
            if len(set(blank)) >= LABEL:
                # The place among how many: lists of different lengths are not compared.
                yield (_AGAIN, *blank, f"{place} of {len(found)}"), statement
            for end in _ends(sentence, quantity, figures):
                others = tuple(_value(q) for q in found if q is not quantity and q.end <= end)
                for words in about(blanked(sentence[:end], figures)):
                    yield (words, others), statement


def _ends(sentence: str, quantity: Quantity, figures: Sequence[Quantity]) -> Iterator[int]:
    """Where what says what is measured may end: with the sentence, or before an afterthought."""
    if wording().hearsay.search(sentence):
        return
    yield len(sentence)
    after = _AFTERTHOUGHT.search(sentence, quantity.end)
    if after and not any(q.start < after.start() < q.end for q in figures):
        yield after.start()


_AFTERTHOUGHT = re.compile(
    r"[;(]|,\s(?=(?:which|so|because|as|since|hence|thus|and so|that is)\b)"
)


def _value(quantity: Quantity) -> _Key:
    """A figure beside the one compared; a condition that differs makes another quantity."""
    return quantity.unit or quantity.noun, quantity.low, quantity.high


def blanked(text: str, figures: Sequence[Quantity]) -> str:
    """*text* without figures: measured ones go with their unit, counts keep what they count."""
    for q in reversed([q for q in figures if q.end <= len(text)]):
        kept = "" if q.unit or q.noun in (YEAR, DATE) else q.noun
        text = f"{text[: q.start]} {kept} {text[q.end :]}"
    return text


def about(text: str) -> Iterator[frozenset[str]]:
    """What *text* is about; nothing if that is too little to tell one thing from another."""
    known = wording()
    numbered = frozenset(" ".join(m.split()).casefold() for m in known.numbered(text))
    bare = stems(re.sub(r"\d[\d.,]*", " ", text))
    found = frozenset(known.meaning(w) for w in bare if w not in known.light)
    if len(found) >= LABEL:
        yield found | numbered


def measured(sentence: str) -> list[Quantity]:
    """Return the figures of a sentence, in order."""
    return [q for q in quantities(sentence) if _measures(q, sentence)]


def _measures(quantity: Quantity, sentence: str) -> bool:
    """Whether it is a figure: neither a word, as in "one winter", nor a number that is a name."""
    if quantity.low == quantity.high == 1 and not re.search(r"\d", quantity.text):
        return False
    digits = re.match(r"\d*", quantity.text)
    before = sentence[: quantity.start + (digits.end() if digits else 0)]
    return not any(before.endswith(name) for name in wording().numbered(before)[-1:])


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
        why = "".join(f" ({s})" for s in second.document.signals[-1:])
        return first, second, f"{second.document.path} is {_called(second.document)}{why}"
    years = a.of, b.of
    if (a.year or b.year) and years[0] and years[1] and years[0] != years[1]:
        first, second = (a, b) if years[0] > years[1] else (b, a)
        return first, second, f"it is of {first.of} and the other of {second.of}"
    days = a.document.dated, b.document.dated
    if days[0] and days[1] and days[0] != days[1]:
        first, second = (a, b) if days[0] > days[1] else (b, a)
        return first, second, f"{_day(first, second)} is later than {_day(second, first)}"
    return a, b, ""


def _day(one: _Statement, other: _Statement) -> str:
    """The day of a document; the year alone where it differs from the other's."""
    mine, its = one.document.dated or date.min, other.document.dated or date.min
    return str(mine.year if mine.year != its.year else mine)


def _called(document: Document) -> str:
    return {"draft": "a draft", "archive": "in the archive"}.get(document.status, "superseded")

"""Reading a text once for all items of a ledger."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from dr_rd.adherence.reading import Page, Stated
from dr_rd.adherence.sums import added, multiplied
from dr_rd.adherence.tables import tables
from dr_rd.prose import Sentence, lexicon, sentences
from dr_rd.quantity import YEAR, Quantity, quantities


@lru_cache(maxsize=64)
def read(text: str) -> Page:
    """Read *text*; one text is often held against several ledgers or at several moments."""
    found = _recalled(sentences(text))
    stated = added([_owned(s) for s in _place(found, _products(text, quantities(text)))])
    return Page(found, (*stated, *multiplied(stated), *tables(text, found)), text)


_OF = re.compile(
    r"\s+(?:of|with|containing|comprising)\s+|,?\s+each\s+(?:of|with|containing)\s+|\s?[x×]\s?"
)


def _products(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """Multiply groups out: "three cohorts of 15 people" is 45 people."""
    out: list[Quantity] = []
    for q in found:
        last = out[-1] if out else None
        if last and _groups(last, q) and _OF.fullmatch(text, last.end, q.start):
            value = (last.low or 0) * (q.low or 0)
            out[-1] = q.model_copy(
                update={"low": value, "high": value, "start": last.start,
                        "text": text[last.start : q.end]}
            )  # fmt: skip
        else:
            out.append(q)
    return out


def _groups(first: Quantity, second: Quantity) -> bool:
    counts = not first.unit and not second.unit and bool(first.noun and second.noun)
    plain = ("stated", "exactly")
    exact = first.comparison in plain and second.comparison in plain
    return counts and exact and YEAR not in (first.noun, second.noun)


def _place(found: Sequence[Sentence], stated: Sequence[Quantity]) -> Iterable[Stated]:
    """Give each quantity its sentence; both come in order."""
    position = 0
    for q in stated:
        while position < len(found) and found[position].end <= q.start:
            position += 1
        if position < len(found) and found[position].start < q.end:
            sentence = found[position]
            stance = sentence.stance(q.start)
            yield Stated(q, sentence, stance, sentence.clause(q.start))


_PAST = re.compile(r"\b(?:was|were|had|did)\b", re.IGNORECASE)
_NOW = re.compile(r"\b(?:is|are|will|shall|must|has|have)\b", re.IGNORECASE)
_ENOUGH = 4  # sentences from which the tense of a text can be told


def _recalled(found: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Doubt what a text in the present or future tense says in the past: it tells of before."""
    past = {s.start for s in found if _PAST.search(s.text) and not _NOW.search(s.text)}
    if len(found) < _ENOUGH or 3 * len(past) > len(found):
        return found
    return tuple(_doubted(s) if s.start in past and not _own(s) else s for s in found)


def _own(sentence: Sentence) -> bool:
    return bool(lexicon().cues["own"].search(sentence.text))


def _doubted(sentence: Sentence) -> Sentence:
    stances = tuple("perhaps" if s == "affirmed" else s for s in sentence.stances)
    return replace(sentence, stances=stances)


_OWNING = re.compile(
    r"^(?:(?:the|a|an|this|that|every|each)\s+)?([\w\s-]{1,60}?)\s+(?:has|have|houses|holds|contains?|employs"
    r"|owns|serves|hosts|numbers|comprises|counts|keeps)\s",
    re.IGNORECASE,
)


def _owned(stated: Stated) -> Stated:
    """Doubt what others have: "the district has 40 schools"."""
    subject = _OWNING.match(stated.clause)
    if not subject or stated.stance != "affirmed":
        return stated
    head = frozenset[str]().union(*(w.meanings for w in lexicon().words(subject[1])))
    return stated if head & lexicon().studies else replace(stated, stance="perhaps")

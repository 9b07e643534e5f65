"""The figures by which a text defines what an item defines: "counts as a hit from 5 cm on"."""

import re
from dataclasses import replace

from dr_rd.adherence.bounds import same_unit
from dr_rd.adherence.others import told_of_others
from dr_rd.adherence.reading import Stated
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.quantity import Quantity, is_money, quantities
from dr_rd.text import Sentence, cued, lexicon

_TERM = re.compile(
    r"^(?P<of>.{3,60}?)\s(?:is\s|are\s|must\sbe\s)?(?:defined|taken|counted|regarded|read)\sas\b"
    r"|^(?P<is>(?:[\w-]+\s){0,4}?(?:outcome|endpoint|metric|measure|index|criterion|score))\s(?:is|must\sbe)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\W*(?P<label>(?:[\w-]+\s){0,3}[\w-]+):\s")
_MARKS = ("at_least", "more_than", "at_most", "less_than")


def defines(item: LedgerItem) -> bool:
    """Whether an item says what something is to mean: "success defined as …", "the metric is …"."""
    return _TERM.match(item.text) is not None


def as_defined(stated: Stated, found: Limit, item: LedgerItem) -> Stated | None:
    """The figure by which a text defines what *item* defines, as a value; None for any other.

    A mark that is to be reached is as good as its value: to ask for less is to define it otherwise.
    """
    if not defines(item) or not _only_of_kind(stated.quantity, found, item):
        return None
    if stated.stance not in ("affirmed", "perhaps") or told_of_others(stated):
        return None
    if _defining(stated.sentence, item):
        return replace(stated, stance="affirmed", quantity=_mark(stated.quantity, found.quantity))
    own = stated.stance == "affirmed" and _all_of(stated.sentence, item)
    return replace(stated, stance="perhaps") if own else None


def _mark(q: Quantity, bound: Quantity) -> Quantity:
    """What is to be reached, as a value, unless the bound is the same mark."""
    value, alike = _end(q), same_unit(q, bound)
    if q.comparison not in _MARKS or (alike and _end(alike) == _end(bound)):
        return q
    return q.model_copy(update={"comparison": "stated", "low": value, "high": value})


def _end(q: Quantity) -> float | None:
    return q.low if q.low is not None else q.high


def _limits(item: LedgerItem) -> list[Limit]:
    limits = (c for c in item.checks if isinstance(c, Limit))
    return [c for c in limits if not is_money(c.quantity.unit)]


def _only_of_kind(q: Quantity, found: Limit, item: LedgerItem) -> bool:
    """Whether a figure can be held against one bound of an item alone."""
    return [c for c in _limits(item) if _alike(q, c.quantity)] == [found]


def _alike(q: Quantity, bound: Quantity) -> bool:
    """Whether both measure in one dimension, or count the same."""
    if not bound.unit:
        return not q.unit and bool(bound.noun) and q.noun.split()[:1] == bound.noun.split()[:1]
    return bool(q.unit) and same_unit(q, bound) is not None


def _defining(sentence: Sentence, item: LedgerItem) -> bool:
    """Whether a sentence says what the thing means that an item defines."""
    label = _LABEL.match(sentence.text)
    said = bool(_meant(item) & lexicon().meanings(label["label"])) if label else False
    told = cued("defining", sentence.text) and bool(_meant(item) & sentence.meanings)
    return (said or told) and not cued("failing", sentence.text)


def _meant(item: LedgerItem) -> frozenset[str]:
    """The words of what an item defines."""
    found = _TERM.match(item.text)
    return frozenset(lexicon().units(found["of"] or found["is"])) if found else frozenset()


def _all_of(sentence: Sentence, item: LedgerItem) -> bool:
    """Whether a sentence has a figure for each of several bounds, so that it is of what they are of."""
    bounds = [c for c in _limits(item) if c.quantity.unit]
    here = [q for q in quantities(sentence.text) if q.unit]
    return len(bounds) > 1 and all(any(same_unit(q, b.quantity) for q in here) for b in bounds)

"""Reading a text once for all items of a ledger."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from dr_rd.adherence.ages import lasted
from dr_rd.adherence.clock import daytimes
from dr_rd.adherence.divided import divided
from dr_rd.adherence.elided import completed
from dr_rd.adherence.prolonged import across
from dr_rd.adherence.reading import Page, Stated
from dr_rd.adherence.rosters import rosters
from dr_rd.adherence.sides import side_scope
from dr_rd.adherence.spans import around, bounded, moments, months_long, spanned
from dr_rd.adherence.sums import added, multiplied, parted, reduced, scope_of, told_whole
from dr_rd.adherence.tables import tables
from dr_rd.quantity import Comparison, Quantity, quantities
from dr_rd.text import Sentence, answered, lexicon, plural, recalled, sentences


@lru_cache(maxsize=64)
def read(text: str) -> Page:
    """Read *text*; one text is often held against several ledgers or at several moments."""
    told = sentences(text)
    found = answered(told, text)
    placed = completed(list(_place(found, recalled(told), quantities(text))))
    here = _by_sentence(placed)
    scoped = [
        replace(
            _owned(s),
            scope=scope_of(s)
            or side_scope(s)
            or _all(s, here[s.sentence.start])
            or parted(before, s),
        )
        for before, s in zip([None, *placed], placed, strict=False)
    ]
    stated = reduced(added(bounded(spanned(scoped))))
    products = tuple(multiplied(stated))
    return Page(
        found,
        (
            *told_whole(stated, products),
            *products,
            *divided(stated),
            *around(stated),
            *across(stated),
            *moments(found),
            *months_long(found),
            *daytimes(found),
            *lasted(stated),
            *tables(text, found),
            *rosters(text, found),
        ),
        text,
    )


def _place(
    found: Sequence[Sentence], alone: Sequence[Sentence], stated: Sequence[Quantity]
) -> Iterable[Stated]:
    """Give each quantity its sentence, also as it is meant *alone*; all come in order."""
    position = 0
    for q in stated:
        while position < len(found) and found[position].end <= q.start:
            position += 1
        if position < len(found) and found[position].start < q.end:
            sentence = found[position]
            stance = sentence.stance(q.start)
            meant = alone[position].stance(q.start) == "affirmed"
            yield _none_above(Stated(q, sentence, stance, sentence.clause(q.start), alone=meant))


_NONE = re.compile(r"^(?:none|no|not one|neither)\b", re.IGNORECASE)
_TURNED: dict[Comparison, Comparison] = {
    "more_than": "at_most",
    "at_least": "less_than",
    "less_than": "at_least",
    "at_most": "more_than",
}


def _none_above(stated: Stated) -> Stated:
    """Turn "none of them has more than 60" round: all have 60 at most."""
    q = stated.quantity
    turned = _TURNED.get(q.comparison)
    if stated.stance != "denied" or not turned or not _NONE.match(stated.clause):
        return stated
    update = {"comparison": turned, "low": q.high, "high": q.low}
    return replace(stated, quantity=q.model_copy(update=update), stance="affirmed")


_EACH_END = re.compile(r"\s*,?\s*(?:each|apiece)\b", re.IGNORECASE)


_EACH_OF_GIVEN = re.compile(r"\s(?:each|apiece)\s(?:at|in|on|for)\b", re.IGNORECASE)
_EACH_AT = re.compile(r"\s(?:each|apiece)(?:\s(?:at|in|on|for)\b|[.,;]|$)", re.IGNORECASE)


def _by_sentence(placed: Iterable[Stated]) -> Mapping[int, Sequence[Stated]]:
    """The figures of each sentence, by where it begins."""
    found: dict[int, list[Stated]] = {}
    for stated in placed:
        found.setdefault(stated.sentence.start, []).append(stated)
    return found


def _all(stated: Stated, here: Sequence[Stated]) -> str:
    """The noun of the count before, of each of which a figure with "each" after it is said.

    *here* are the figures of its sentence.
    """
    if not _EACH_END.match(stated.after):
        return ""
    counts = (s.quantity for s in here if s.quantity.end <= stated.quantity.start)
    before = [q.noun for q in counts if q.noun and not q.unit]
    if not before:
        return "group" if _EACH_OF_GIVEN.match(stated.after) else ""
    last, at = before[-1].split()[-1], _EACH_AT.match(stated.after)
    again = stated.quantity.noun.split()[-1:] == [last]
    return "group" if at and (again or not plural(last)) else last


_OWNING = re.compile(
    r"^(?:the|a|an|this|that)\s+(?!\w+s\s)([\w\s-]{1,60}?)\s+(?:has|houses|holds|contains?|employs"
    r"|owns|serves|hosts|numbers|comprises|counts|keeps)\s",
    re.IGNORECASE,
)


def _owned(stated: Stated) -> Stated:
    """Doubt what others have: "the district has 40 schools"."""
    subject = _OWNING.match(stated.clause)
    if not subject or stated.stance != "affirmed":
        return stated
    head = lexicon().meanings(subject[1])
    return stated if head & lexicon().studies else replace(stated, stance="perhaps")

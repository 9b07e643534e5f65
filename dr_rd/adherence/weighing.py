"""Whether a figure beyond a bound may be of something else, given that others are in order."""

import re
from collections.abc import Sequence

from dr_rd.adherence.bounds import CALENDAR, same_unit
from dr_rd.adherence.counts import bare_of_group, just, nouns, of_scope
from dr_rd.adherence.lengths import lasting_item
from dr_rd.adherence.others import told_of_others
from dr_rd.adherence.reading import Stated
from dr_rd.adherence.rosters import NAMELESS
from dr_rd.adherence.sides import label_of, names_side
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.quantity import Quantity, is_money
from dr_rd.text import cued, lexicon, root, stem

FAR = 240  # characters before a figure in which its subject is looked for; keeps reading linear


def among(unit: str, held: frozenset[str]) -> bool:
    """Whether a meaning, or one of its words that tells, is among others."""
    if unit in held or root(unit) in held:
        return True
    parts = [p for p in map(stem, unit.split()) if p not in _DULL] if " " in unit else []
    return any(p in held for p in parts)


_DULL = frozenset({"time", "rate", "year", "servic"})

MANY = 40
"""Figures in order with which one that is not is compared; keeps reading linear."""


def outweighed(stated: Stated, good: Sequence[Stated], found: Limit, item: LedgerItem) -> bool:
    """Whether a figure may be of something else, given that others are in order."""
    bound = found.quantity
    if not good:
        return False
    if found.scope and of_scope(stated, found) and _beside_good(stated, good):
        return False
    if any(_in_column(stated, g) for g in good[:MANY]):
        return False
    if any(_rest_of(stated, g) for g in good[:MANY]):
        return True
    if stated.stance == "perhaps" or _weak(stated, found) or not _firm(stated, found):
        return True
    apart = [g for g in good[:MANY] if g.sentence is not stated.sentence]
    nearest = max((kin(g, item, bound) for g in apart), default=0)
    return kin(stated, item, bound) < nearest or _another(stated, good[:MANY], item, bound)


def _in_column(stated: Stated, other: Stated) -> bool:
    """Whether two figures stand in one column of a table, so that both are of the same thing."""
    cells = stated.share == other.share == "part" and "|" in stated.sentence.text
    same = (stated.scope, stated.quantity.noun) == (other.scope, other.quantity.noun)
    return cells and bool(stated.scope) and same


_REST = re.compile(r"\b(?:the\s)?(?:other|others|remaining|rest)\W*$", re.IGNORECASE)


def _rest_of(stated: Stated, left: Stated) -> bool:
    """Whether a figure in order is what is left of another: "45 cups: 15 are for practice, the other 30 …"."""
    later = stated.quantity.end <= left.quantity.start and stated.sentence is left.sentence
    return later and bool(_REST.search(left.lead))


def _beside_good(stated: Stated, good: Sequence[Stated]) -> bool:
    """Whether a figure of one group stands beside that of another which is in order."""
    here = all(g.sentence is stated.sentence for g in good[:MANY])
    here = here or names_side(label_of(stated))  # "Treated: 40 homes. Untreated: 12."
    return here and stated.stance == "affirmed" and stated.share not in ("whole", "sum")


def _another(stated: Stated, good: Sequence[Stated], item: LedgerItem, bound: Quantity) -> bool:
    """Whether a measured value is of something else, given that another one is in order."""
    if not bound.unit or is_money(bound.unit) or bound.noun == "age":
        return False
    if lasting_item(item):
        own = cued("own", stated.clause) or kin(stated, item, bound)
        return not own or (bound.low is not None and _below_only(stated, bound))
    return not any(_in_row(stated, g) for g in good)


def _below_only(stated: Stated, bound: Quantity) -> bool:
    q = same_unit(stated.quantity, bound)
    return q is not None and (q.high or q.low or 0) < (bound.low or 0)


def _in_row(stated: Stated, other: Stated) -> bool:
    """Whether two values stand in one row: "1, 2 or 4 hours"."""
    first, last = sorted((stated, other), key=lambda s: s.quantity.start)
    gap = first.up_to(last)
    return stated.sentence is other.sentence and bool(_ROW.fullmatch(gap))


_ROW = re.compile(r"(?:[\s,;/\d.]|\b(?:and|or|to|versus|vs|hours?|h|°?C)\b)*")


def kin(stated: Stated, item: LedgerItem, bound: Quantity) -> int:
    """How many of the item's words stand about a figure."""
    held = stated.around(FAR)
    units = lexicon().units(item.text.replace(bound.text, f" {bound.noun} "), generic=True)
    return sum(among(u, held) for u in units if not u[0].isdigit() and u not in CALENDAR)


_STAGE = re.compile(r"\b(?:if|after|once|when|until)\b[^,;]*$", re.IGNORECASE)


def _firm(stated: Stated, found: Limit) -> bool:
    """Whether a count is said outright of the whole of what is studied, so that it outweighs others."""
    q = stated.quantity
    if q.unit or found.quantity.low is None or found.scope:
        return not told_of_others(stated)
    if just(stated):
        return True
    told = cued("taken", stated.clause) or cued("own", stated.clause)
    at = stated.sentence.start
    staged = _STAGE.search(stated.sentence.text[max(0, q.start - at - FAR) : q.end - at])
    return (
        stated.named and told and not stated.parts() and not staged and not told_of_others(stated)
    )


def _weak(stated: Stated, found: Limit) -> bool:
    """Whether a figure may be about something else, given that another one is in order."""
    if bare_of_group(stated, found) or nouns(stated.quantity) == [NAMELESS]:
        return False
    said = set(lexicon().units(stated.quantity.noun, generic=True))
    named = set(lexicon().units(found.quantity.noun, generic=True))
    return bool(named - said) and not stated.totals() and not found.quantity.unit

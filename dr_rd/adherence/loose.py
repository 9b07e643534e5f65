"""Measured figures that no word of their own sentence ties to a bound, but what is said about them does."""

import math
import re
from bisect import bisect_left

from dr_rd.adherence.bounds import breaks, keeps, same_unit
from dr_rd.adherence.counts import per_one
from dr_rd.adherence.reading import Finding, Page, Stated, reported
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.numbered import NTH
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity, is_money
from dr_rd.text import cued, lexicon, root

_MOST = 40
"""Figures looked at; keeps reading linear."""


def loosely(found: Limit, item: LedgerItem, page: Page) -> Finding | None:
    """Say whether the figures of a bound's dimension keep within it, where none is told outright."""
    bound = found.quantity
    if (
        not bound.unit
        or is_money(bound.unit)
        or bound.noun in (DATE, "age")
        or bound.unit == "percent"
    ):
        return None
    near = [s for s in page.stated[:_MOST] if _may_be(s, found, item) and nearest(s, item, page)]
    if good := next((s for s in near if keeps(same_unit(s.quantity, bound), bound)), None):
        return Finding("met", f"it states {good.quantity.text}", good.sentence)
    broken = next((s for s in near if breaks(s, bound) and not _apart(s)), None)
    if not broken:
        return None
    reason = f"it states {broken.quantity.text}, but the limit is {bound.text}"
    return Finding("violated", reason, broken.sentence)


_SIZE = re.compile(r"\b(?P<noun>[a-z]+)\sof\s(?:about\s|some\s)?$", re.IGNORECASE)
_WAY = re.compile(r"\W*(?:wide|long|tall|thick|deep|high|old|heavy)\b", re.IGNORECASE)


def _sized(stated: Stated, item: LedgerItem) -> bool:
    """Whether a figure is the size of a thing that the item does not speak of: "transects of 50 m"."""
    named = _SIZE.search(stated.before)
    own = lexicon().units(item.text, generic=True)
    other = named and not set(own) & lexicon().meanings(named["noun"])
    return bool(other or _WAY.match(stated.after) or _WAY.match(stated.quantity.noun))


def _may_be(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether a figure has the bound's dimension and is planned."""
    q, bound = stated.quantity, found.quantity
    if stated.stance != "affirmed" or q.noun in (NTH, YEAR, DATE) or bound.unit in TIME_UNITS:
        return False
    alike = same_unit(q, bound)
    if alike is None or _apart_from(alike, bound) > _ORDER or _sized(stated, item):
        return False
    return bool(q.unit) and not per_one(stated.before)


def _apart(stated: Stated) -> bool:
    """Whether a figure is told of others or of a trial run."""
    tried = cued("preliminary", stated.clause) or cued("variants", stated.clause)
    return reported(stated.sentence) or tried


def nearest(stated: Stated, item: LedgerItem, page: Page) -> bool:
    """Whether the words about a figure are those of the item, rather than of another bound."""
    own = (_kin(stated, item, page), -_distance(stated, item))
    others = (r for r in page.rivals if r.id != item.id)
    return own[0] >= _KIN and all(
        own > (_kin(stated, r, page), -_distance(stated, r)) for r in others
    )


def _distance(stated: Stated, item: LedgerItem) -> float:
    """How far a figure is from what an item bounds, in orders of magnitude."""
    bounds = (c.quantity for c in item.checks if isinstance(c, Limit) and c.quantity.unit)
    pairs = [(q, b) for b in bounds if (q := same_unit(stated.quantity, b)) is not None]
    return min((_apart_from(q, b) for q, b in pairs), default=math.inf)


def _apart_from(q: Quantity, bound: Quantity) -> float:
    value, limit = (abs(x.high if x.high is not None else x.low or 0) for x in (q, bound))
    return abs(math.log10(value / limit)) if value and limit else 1.0


_KIN = 2  # what the words about a figure must weigh at least; one word in its sentence weighs two
_ORDER = 1.3  # orders of magnitude beyond which a figure is of something else


def _kin(stated: Stated, item: LedgerItem, page: Page) -> int:
    """How many of the item's words stand in the sentence, counted twice, or in those beside it."""
    at = bisect_left(page.sentences, stated.sentence.start, key=lambda s: s.start)
    beside = frozenset[str]().union(*(s.meanings for s in page.sentences[max(0, at - 1) : at + 2]))
    here = stated.sentence.meanings
    return sum(2 if _in(u, here) else _in(u, beside) for u in _telling(item, page))


_OTHER_TIME = re.compile(r"\b(?:before|after|prior to|until)\b.*", re.IGNORECASE)


def _telling(item: LedgerItem, page: Page) -> list[str]:
    """The words of an item that no other bound has, without those of another time than its own."""
    words = lexicon()
    rivals = {u for r in page.rivals if r.id != item.id for u in words.units(r.text, generic=True)}
    own = words.units(_OTHER_TIME.sub("", item.text), generic=True)
    return [u for u in own if not u[0].isdigit() and u not in rivals]


def _in(unit: str, held: frozenset[str]) -> bool:
    return unit in held or root(unit) in held

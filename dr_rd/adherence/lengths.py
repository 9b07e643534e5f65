"""Lengths of time: whether one is how long the work as a whole goes on."""

import math
import re

from dr_rd.adherence.bounds import breaks, keeps, same_unit
from dr_rd.adherence.others import told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.numbered import NTH
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity
from dr_rd.text import cued


def _years(stated: Stated) -> bool:
    """Whether a figure is the span of years that data come from."""
    q = stated.quantity
    return q.noun == YEAR and q.comparison == "between" and cued("covering", stated.sentence.text)


def lasting(stated: Stated, item: LedgerItem) -> bool:
    """Whether both speak of how long the work as a whole goes on."""
    told = stated.clause
    if not lasting_item(item) or _momentary(stated):
        return False
    if not due(item):
        return _years(stated) or cued("lasting", told)
    if not cued("working", told):
        return False
    return not (
        stated.scope or _GONE_BY.search(stated.lead)
    )  # data may span more years than the work takes


_GONE_BY = re.compile(
    r"\bthe\s(?:last|past|previous|preceding|prior)\s$|\b(?:has|have|had)\s(?:\w+\s){1,3}(?:for\s)?$",
    re.IGNORECASE,
)
"""Before a length of time it says that this is over, and no time of the work."""


def lasting_item(item: LedgerItem) -> bool:
    """Whether an item bounds how long the work, or a part of it that is named, goes on."""
    return due(item) or (cued("durations", item.text) and not cued("moments", item.text))


def due(item: LedgerItem) -> bool:
    """Whether an item says when the work is to be done."""
    return cued("due", item.text) or item.whole


_FAR_OFF = 15


def comparable(q: Quantity, bound: Quantity) -> bool:
    """Whether two lengths of time are of one order: a lesson is not held against a year."""
    value = q.high if q.high is not None else q.low
    limits = [v for v in (bound.low, bound.high) if v]
    top = _FAR_OFF if bound.low is not None else math.inf  # nothing is too long to be too long
    return bool(value) and any(v / _FAR_OFF <= (value or 0) <= v * top for v in limits)


def _momentary(stated: Stated) -> bool:
    """Whether a length of time is that of what takes only a part of the whole: "breaks of a week"."""
    at = stated.clause.find(stated.quantity.text)
    of = _OF_WHAT.match(stated.after)
    led = f"{stated.clause[:at] if at >= 0 else stated.clause} {stated.quantity.noun}"
    return cued("moments", f"{led} {of[0] if of else ''}")


_OF_WHAT = re.compile(r"\sof(?:\s[\w-]+){1,3}")


def only_length(bound: Quantity, item: LedgerItem, page: Page) -> Finding | None:
    """The one length of time that a short text states, where the brief bounds no other."""
    if item.kind == "ban" or bound.unit not in TIME_UNITS or not lasting_item(item):
        return None
    if due(item) or not page.short:
        return None
    if any(r.id != item.id and _timed(r) for r in page.rivals):
        return None
    told = [s for s in page.stated if same_unit(s.quantity, bound) and s.quantity.noun != NTH]
    values = {(q.low, q.high) for s in told if (q := same_unit(s.quantity, bound))}
    one = next((s for s in told if s.stance == "affirmed" and not s.scope), None)
    if len(values) != 1 or not one or _momentary(one) or told_of_others(one):
        return None
    q = same_unit(one.quantity, bound)
    if q is None or not comparable(q, bound):
        return None
    if bound.low is not None and keeps(q, bound):
        return Finding("met", f"it states {one.quantity.text}", one.sentence)
    if not breaks(one, bound):
        return None
    reason = f"it states {one.quantity.text}, but the limit is {bound.text}"
    return Finding("violated", reason, one.sentence)


def _timed(item: LedgerItem) -> bool:
    """Whether an item bounds a length of time."""
    limits = (c for c in item.checks if isinstance(c, Limit))
    return any(
        c.quantity.unit in TIME_UNITS and c.quantity.noun not in (DATE, "age") for c in limits
    )

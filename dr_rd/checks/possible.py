"""Figures of a limit that no work can keep, or that every work keeps: "-3 days", "at least 0 people"."""

import re
from collections.abc import Iterator

from dr_rd.checks.bounds import PEOPLE
from dr_rd.checks.items import Ledger, LedgerItem
from dr_rd.checks.terse import spent
from dr_rd.checks.weighing import cue, stems_in
from dr_rd.quantity import Quantity, is_money, quantities
from dr_rd.text import lexicon, stem

_CROWD = 1e9
"""People beyond whom a figure is more likely a slip of the keyboard than a sample."""

_OF = re.compile(r"\s*(?:of|in|from)\s(?:all\s)?(?:the\s)?([\w-]+)", re.IGNORECASE)
"""After a share it says of what that is one."""
_PEOPLE = re.compile(PEOPLE, re.IGNORECASE)


def impossible(ledger: Ledger) -> Iterator[tuple[LedgerItem, str]]:
    """Yield the constraints and criteria with a figure that cannot be meant, and why, and what to do."""
    for item in ledger.items:
        if item.kind != "ban" and (why := _why(item)):
            yield item, why


def _why(item: LedgerItem) -> str:
    """Why one of its figures cannot be meant, and what to do; "" where all may."""
    if item.kind == "constraint" and (left := spent(item.text)):
        return _nothing(left)
    found = (_wrong(q, item.text) for q in quantities(item.text))
    return next(filter(None, found), "")


def _nothing(left: Quantity) -> str:
    if not is_money(left.unit):
        return "leaves no time: write a length above zero, for instance “12 months”"
    return (
        "leaves no money: write a sum above zero, for instance “40,000 EUR”, or say in the "
        "objective that nothing may be bought"
    )


def _wrong(q: Quantity, text: str) -> str:
    least = q.low if q.comparison in ("at_least", "more_than", "exactly", "stated") else None
    if least is None:
        return ""
    over = least > 100 or (least == 100 and q.comparison == "more_than")
    if q.unit == "percent" and over and _is_share(q, text):
        return "asks for more than all there is: write a share of 100 percent or less"
    head = q.noun.split()[-1] if q.noun else ""
    if q.unit or not _sampled(head):
        return ""
    if least < 0:
        return "counts below zero: write how many there are to be"
    if least == 0 and q.comparison == "at_least":
        return "asks for nothing, since every plan has that many: write the least that will do"
    if least > _CROWD and _persons(head):
        return "asks for more than a billion: check the figure for a slip of the keyboard"
    return ""


def _is_share(q: Quantity, text: str) -> bool:
    """Whether a figure in percent can only be a part of a whole: of those studied, or an accuracy."""
    if cue("compared").search(text):
        return False
    whole = _OF.match(text, q.end)
    return bool(cue("shares").search(text)) or (whole is not None and _sampled(whole[1]))


def _sampled(thing: str) -> bool:
    """Whether *thing* is what studies sample: people, or such as schools."""
    return stem(thing) in lexicon().sampled or _persons(thing)


def _persons(thing: str) -> bool:
    return stem(thing) in stems_in("persons") or bool(_PEOPLE.fullmatch(thing))

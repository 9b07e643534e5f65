"""Whether the calendar years of a text are those of a period."""

import re
from dataclasses import replace

from dr_rd.adherence.others import told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated, Verdict
from dr_rd.ledger import LedgerItem, Period
from dr_rd.prose import cued
from dr_rd.quantity import DATE, YEAR, Quantity


def period(found: Period, item: LedgerItem, page: Page) -> Finding:
    """Say whether the years that a text covers are those of a period, or lie within it."""
    if found.outside:
        return _clear(found, page)
    spans = [y for s in page.stated if s.stance == "affirmed" and (y := _in_years(s))]
    inside = [s for s in spans if _within(s.quantity, found)]
    whole = [s for s in inside if (s.quantity.low, s.quantity.high) == (found.first, found.last)]
    good = whole or (inside if not cued("entirely", item.text) else [])
    kept = set(good or whole)
    for stated in spans:
        told = cued("covering", stated.sentence.text)
        own = cued("own", stated.clause) or not good
        if told and own and stated not in kept and not told_of_others(stated):
            if good and _within(stated.quantity, found):
                continue
            years = f"{found.first}-{found.last}"
            reason = f"it states {stated.quantity.text}, but the years are {years}"
            return Finding("violated", reason, stated.sentence)
    if good:
        return Finding("met", f"it states {good[0].quantity.text}", good[0].sentence)
    return Finding("unclear", "the text states no years for it")


def _within(q: Quantity, found: Period) -> bool:
    return found.first <= (q.low or 0) and (q.high or 0) <= found.last


def _in_years(stated: Stated) -> Stated | None:
    """A span of dates or years in years; None for any other figure."""
    q = stated.quantity
    if q.comparison != "between" or q.noun not in (YEAR, DATE):
        return None
    if q.noun == YEAR:
        return stated
    update = {
        "noun": YEAR,
        "low": float((q.low or 0) // 10000),
        "high": float((q.high or 0) // 10000),
    }
    return replace(stated, quantity=q.model_copy(update=update))


_ENDING = re.compile(
    r"\b(?:end|ends|ending|until|through|up to)\s(?:in\s|with\s)?(?:early\s|mid-?\s?|late\s|the end of\s)?$",
    re.IGNORECASE,
)
_ONWARDS = re.compile(r"\s(?:onwards?|to date|until now|to the present)\b", re.IGNORECASE)


def _clear(found: Period, page: Page) -> Finding:
    """Say whether a text keeps out of the years of a period."""
    left = any(cued("gone", s.text) or cued("left_out", s.text) for s in page.sentences)
    for stated in page.stated:
        if stated.stance == "affirmed" and _touches(stated, found) and not told_of_others(stated):
            reason = f"it states {stated.quantity.text}, but must keep out of {found.first}"
            verdict: Verdict = "unclear" if left else "violated"
            return Finding(verdict, reason, stated.sentence)
    return Finding("met", "nothing in the text reaches into those years")


def _touches(stated: Stated, found: Period) -> bool:
    """Whether a span of years, or a year that begins or ends one, reaches into a period."""
    q = stated.quantity
    if spanned := _in_years(stated):
        first, last = spanned.quantity.low or 0, spanned.quantity.high or 0
        return first <= found.last and last >= found.first
    if q.noun not in (YEAR, DATE) or q.low is None:
        return False
    year = q.low // 10000 if q.noun == DATE else q.low
    if _ONWARDS.match(stated.after):
        return year <= found.last
    return bool(_ENDING.search(stated.lead)) and found.first <= year <= found.last + 1

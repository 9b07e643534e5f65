"""Whether the calendar years of a text are those of a period."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from dr_rd.adherence.others import told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated, Verdict
from dr_rd.ledger import LedgerItem, Period
from dr_rd.quantity import DATE, YEAR, Quantity
from dr_rd.text import cued


def period(found: Period, item: LedgerItem, page: Page) -> Finding:
    """Say whether the years that a text covers are those of a period, or lie within it."""
    if found.outside:
        return _clear(found, page)
    ranged = list(_from_to(found, page))
    spans = [*_told_spans(page), *ranged]
    inside = [s for s in spans if _within(s.quantity, found)]
    whole = [s for s in inside if (s.quantity.low, s.quantity.high) == (found.first, found.last)]
    good = whole or (inside if not cued("entirely", item.text) else [])
    kept = set(good or whole)
    if whole and cued("entirely", item.text) and (gap := _gap(found, page)):
        reason = f"it leaves out {gap.quantity.text}, but the years are {_years(found)}"
        return Finding("violated", reason, gap.sentence)
    for stated in spans:
        covers = stated in ranged or _of_data(stated.sentence.text)
        if covers and stated not in kept and _breaks(stated, good, found):
            reason = f"it states {stated.quantity.text}, but the years are {_years(found)}"
            return Finding("violated", reason, stated.sentence)
    if good:
        return Finding("met", f"it states {good[0].quantity.text}", good[0].sentence)
    return Finding("unclear", "the text states no years for it")


def _of_data(said: str) -> bool:
    """Whether words speak of data, or of the years that something covers."""
    return cued("covering", said) or cued("data_years", said)


def _years(found: Period) -> str:
    return f"{found.first}-{found.last}"


def _told_spans(page: Page) -> Iterator[Stated]:
    """The spans of years that a text states, those of its first and its last part as one."""
    said = [y for s in page.stated if s.stance == "affirmed" and (y := _in_years(s))]
    for spans in _by_sentence(said):
        if len(spans) > 1 and _FIRST_LAST.search(spans[0].sentence.text):
            yield _joined(spans[0], spans[-1])
        else:
            yield from spans


def _by_sentence(stated: Iterable[Stated]) -> Iterator[list[Stated]]:
    """The figures of each sentence, in order."""
    ordered = sorted(stated, key=lambda s: (s.sentence.start, s.quantity.start))
    for _, group in groupby(ordered, key=lambda s: s.sentence.start):
        yield list(group)


_FIRST_LAST = re.compile(r"\bfirst\b.*\blast\b", re.IGNORECASE | re.DOTALL)


def _joined(first: Stated, last: Stated) -> Stated:
    low, high = sorted((first.quantity.low or 0, last.quantity.high or last.quantity.low or 0))
    text = f"{first.quantity.text} to {last.quantity.text}"
    update = {"low": low, "high": high, "text": text, "comparison": "between", "noun": YEAR}
    return replace(first, quantity=first.quantity.model_copy(update=update))


_BEGINS = re.compile(
    r"\b(?:begins?|beginning|starts?|starting|from|since|opens?|back to)\b[^.;,\d]{0,25}$",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:ends?|ending|stops?|stopping|through|until|till|up to|closes?|closing)\b[^.;,\d]{0,25}$",
    re.IGNORECASE,
)


def _from_to(found: Period, page: Page) -> Iterator[Stated]:
    """The years from one that a sentence begins with to one that it ends with, wherever they stand.

    Where it says one of them only, and speaks of the data, the other is taken to be as it should be.
    """
    moments = [y for s in page.stated if s.stance == "affirmed" and (y := _moment(s))]
    for here in _by_sentence(moments):
        first = next((s for s in here if _led(_BEGINS, s)), None)
        last = next((s for s in here if _led(_ENDS, s) and s is not first), None)
        one = first or last
        if pair := next((p for p in pairwise(here) if _UP_TO.fullmatch(p[0].up_to(p[1]))), None):
            span = _joined(*pair)
        elif first and last:
            span = _joined(first, last)
        elif one and cued("data_years", one.sentence.text):
            low, high = (
                (one.quantity.low, found.last) if first else (found.first, one.quantity.low)
            )
            span = replace(
                one, quantity=one.quantity.model_copy(update={"low": low, "high": high})
            )
        else:
            continue
        if (span.quantity.low or 0) < (span.quantity.high or 0) and _overlaps(
            span.quantity, found
        ):
            yield span


_UP_TO = re.compile(r",?\s(?:up\s)?(?:to|until|through)(?:\sand\sincluding)?\s", re.IGNORECASE)


def _led(words: re.Pattern[str], stated: Stated) -> bool:
    """Whether words stand before the digits of a year."""
    said = stated.quantity.text
    digits = _DIGITS.search(said)
    return bool(words.search(f"{stated.lead}{said[: digits.start()] if digits else ''}"))


_DIGITS = re.compile(r"\d{4}")


def _moment(stated: Stated) -> Stated | None:
    """A year, or the year of a date; None for a span and for any other figure."""
    q = stated.quantity
    value = q.low if q.low is not None else q.high
    if q.comparison == "between" or q.noun not in (YEAR, DATE) or value is None:
        return None
    year = value // 10000 if q.noun == DATE else value
    update = {"low": year, "high": year, "noun": YEAR, "comparison": "stated"}
    return replace(stated, quantity=q.model_copy(update=update))


def _overlaps(q: Quantity, found: Period) -> bool:
    return (q.low or 0) <= found.last and (q.high or 0) >= found.first


_BUT = re.compile(r"\b(?:without|minus|except|excepting|excluding|but not|skipping|less)\b", re.I)


def _gap(found: Period, page: Page) -> Stated | None:
    """A year within a period that a text leaves out of its data."""
    for stated in page.stated:
        q, said = stated.quantity, stated.sentence.text
        year = q.noun == YEAR and stated.stance == "denied" and _within(q, found)
        if not year or (q.low, q.high) == (found.first, found.last) or told_of_others(stated):
            continue
        if _BUT.search(stated.before) or cued("gone", said) or cued("left_out", said):
            return stated
    return None


def _breaks(stated: Stated, good: Sequence[Stated], found: Period) -> bool:
    """Whether a span is of what is studied, and no part of what is told of it as a whole."""
    own = cued("own", stated.clause) or not good
    part = bool(good) and _within(stated.quantity, found)
    return own and not part and not told_of_others(stated)


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

"""Whether the figures of a text keep within a bound."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import pint

from dr_rd.adherence.reading import Finding, Page, Stated, Verdict
from dr_rd.adherence.things import covers
from dr_rd.ledger import LedgerItem, Limit, Period
from dr_rd.prose import lexicon, root, stem
from dr_rd.quantity import DATE, YEAR, Quantity


def limit(found: Limit, item: LedgerItem, page: Page) -> Finding:
    """Say whether the figures that are about a bound keep within it."""
    bound = found.quantity
    seen = [
        s for s in page.stated if s.stance in ("affirmed", "perhaps") and _concerns(s, found, item)
    ]
    good = [s for s in seen if _keeps(_same_unit(s.quantity, bound), bound)]
    for stated in seen:
        doubtful = stated.stance == "perhaps" or _weak(stated, found)
        if _breaks(stated, bound) and not (good and doubtful):
            reason = f"it states {stated.quantity.text}, but the limit is {bound.text}"
            sure = stated.stance == "affirmed" and not _excess(stated, bound)
            verdict: Verdict = "violated" if sure else "unclear"
            return Finding(verdict, reason, stated.sentence)
    if (loose := next((s for s in seen if _allows(s, bound)), None)) and not good:
        reason = f"it promises only {loose.quantity.text}, but the limit is {bound.text}"
        return Finding("unclear", reason, loose.sentence)
    if (foreign := _foreign(bound, page)) and not good:
        reason = f"it states {foreign.quantity.text}, which cannot be held against {bound.text} without a rate"
        return Finding("unclear", reason, foreign.sentence)
    if good:
        return Finding("met", f"it states {good[0].quantity.text}", good[0].sentence)
    if item.kind == "ban":
        return Finding("met", "nothing in the text passes the bound")
    return Finding("unclear", f"the text states no figure for {bound.noun or bound.text}")


def _excess(stated: Stated, bound: Quantity) -> bool:
    """Whether only a sum passes the bound that may count the same things twice."""
    low = stated.quantity.low or 0
    return stated.share == "sum" and bound.high is not None and low > bound.high


def _allows(stated: Stated, bound: Quantity) -> bool:
    """Whether a weaker promise leaves room for a breach: "at least 80" where 100 are asked for."""
    q = _same_unit(stated.quantity, bound)
    weak = q is not None and q.comparison in ("at_least", "more_than") and q.low is not None
    return bool(weak and q and bound.low is not None and (q.low or 0) < bound.low)


def _foreign(bound: Quantity, page: Page) -> Stated | None:
    """A total in another currency than the bound's."""
    if not _is_money(bound.unit):
        return None
    money = (s for s in page.stated if _is_money(s.quantity.unit) and s.totals())
    return next(
        (s for s in money if s.quantity.unit != bound.unit and s.stance == "affirmed"), None
    )


def _weak(stated: Stated, found: Limit) -> bool:
    """Whether a figure may be about something else, given that another one is in order."""
    said = set(lexicon().units(stated.quantity.noun, generic=True))
    named = set(lexicon().units(found.quantity.noun, generic=True))
    return bool(named - said) and not stated.totals() and not found.quantity.unit


def _concerns(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether a stated quantity is of what the limit bounds."""
    q, bound = stated.quantity, found.quantity
    if bound.noun != DATE and _same_unit(q, bound) and q.noun == DATE:
        return _measures(stated, found, item)
    if bound.noun == DATE or q.noun == DATE:
        return q.noun == bound.noun and covers(stated.sentence, _topic(item, bound), 0.5)
    if _is_money(bound.unit):
        return q.unit == bound.unit and stated.totals()
    if bound.noun == "age" or q.noun == "age":
        return q.noun == bound.noun
    if bound.unit:
        return _measures(stated, found, item)
    return not q.unit and (q.noun == YEAR) == (bound.noun == YEAR) and _counts(stated, found)


def _topic(item: LedgerItem, bound: Quantity) -> tuple[str, ...]:
    rest = item.text.replace(bound.text, " ")
    return tuple(u for u in lexicon().units(rest) if not u[0].isdigit())


def _measures(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether a measured quantity has the bound's dimension and speaks of its subject."""
    q, bound = stated.quantity, found.quantity
    if _same_unit(q, bound) is None:
        return False
    units = lexicon().units(bound.noun, generic=True) or _topic(item, bound)
    share = 0.3 if item.kind == "ban" else 0.6
    said = f"{_before(stated)} {q.noun}"
    held = frozenset[str]().union(*(w.meanings for w in lexicon().words(said)))
    return bool(units) and sum(u in held or root(u) in held for u in units) >= share * len(units)


_CLOSE = re.compile(
    r"(?:(?!\s(?:are|is|on|in|at|by|for|from|to|and|per|after|before)\s)\W+[\w-]+){0,4}"
)


_FAR = 240  # characters before a figure in which its subject is looked for; keeps reading linear


def _before(stated: Stated) -> str:
    """The clause up to the figure and a few words on: a figure is about what leads to it."""
    body, at = stated.sentence.text, stated.sentence.start
    begin = max(0, body.find(stated.clause))
    end = stated.quantity.end - at
    close = _CLOSE.match(body, end)
    return body[max(begin, end - _FAR) : close.end() if close else end]


def _counts(stated: Stated, found: Limit) -> bool:
    """Whether a count is of the bound's noun, and of all of it."""
    words = stated.quantity.noun.split()
    wanted = lexicon().units(
        found.quantity.noun.split()[-1] if found.quantity.noun else "", generic=True
    )
    at = next((n for n, w in enumerate(words) if _means(w, wanted)), None)
    if at is None or not _is_head(words, at, stated.quantity):
        return False
    if _passing(stated, found):
        return False
    scoped = bool(lexicon().cues["each"].search(stated.clause))
    if found.scope and stated.share in ("whole", "sum"):
        return False
    if stated.share in ("whole", "sum"):
        return True
    if found.scope:
        scope = lexicon().units(found.scope, generic=True)
        return scoped and any(set(scope) & w.meanings for w in lexicon().words(stated.clause))
    low = found.quantity.low is not None
    return not (low and stated.parts()) and not (scoped and not low and not _upper(stated, found))


def _passing(stated: Stated, found: Limit) -> bool:
    """Whether "one participant" is said in passing, where several are asked for."""
    one = stated.quantity.low == stated.quantity.high == 1
    return one and (found.quantity.low or 0) > 1 and "only" not in stated.clause.lower()


def _upper(stated: Stated, found: Limit) -> bool:
    """Whether one part alone already passes an upper bound."""
    return (stated.quantity.low or 0) > (found.quantity.high or 0)


def _means(word: str, wanted: Sequence[str]) -> bool:
    found = lexicon().words(word)
    return bool(wanted) and any(set(wanted) & w.meanings for w in found)


def _is_head(words: Sequence[str], at: int, quantity: Quantity) -> bool:
    """Whether the word is what is counted: "4 clinics", not "4 clinic visits"."""
    word = words[at].lower()
    plural = word.endswith("s") or word in ("people", "children", "mice", "women", "men")
    ordinal = quantity.text.lower().startswith(("a ", "an ", "the "))
    return at == len(words) - 1 or plural or ordinal or 1 in (quantity.low, quantity.high)


def _is_money(unit: str) -> bool:
    return len(unit) == 3 and unit.isupper()


@cache
def _units() -> "pint.UnitRegistry[Any]":
    return pint.UnitRegistry()


def _same_unit(q: Quantity, bound: Quantity) -> Quantity | None:
    """The quantity in the bound's unit; None where they cannot be compared."""
    if bound.unit == "year" and q.noun == YEAR and q.comparison == "between":
        length = (q.high or 0) - (q.low or 0)
        return q.model_copy(update={"low": length, "high": length})
    if q.noun == DATE and bound.unit in _TIMES:
        return _span(q)
    if bound.unit == "percent" and not q.unit and _is_fraction(q):
        update = {"low": _hundredfold(q.low), "high": _hundredfold(q.high), "unit": "percent"}
        return q.model_copy(update=update)
    unit = q.unit or _unit_noun(q)
    if unit == bound.unit or not (q.unit or bound.unit):
        return q
    if not unit or not bound.unit or _is_money(unit) or _is_money(bound.unit):
        return None
    scaled = [_converted(v, unit, bound.unit) for v in (q.low, q.high)]
    if all(v is None for v in scaled):
        return None
    return q.model_copy(update={"low": scaled[0], "high": scaled[1], "unit": bound.unit})


_TIMES = frozenset({"day", "week", "fortnight", "month", "year"})


def _is_fraction(q: Quantity) -> bool:
    ends = [v for v in (q.low, q.high) if v is not None]
    return q.noun != YEAR and all(0 < v < 1 for v in ends)


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 6)


def _span(q: Quantity) -> Quantity | None:
    """The time from one date to another, in days; None where there is one date only."""
    if q.comparison != "between" or q.low is None or q.high is None:
        return None
    first, last = _ordinal(q.low), _ordinal(q.high)
    # "March to May" is three months: a month that is named is meant as a whole
    whole = 30 if not re.search(r"\d\W+[^\W\d]|\d{4}-", q.text) and q.high % 100 == 1 else 0
    days = float(last - first + whole)
    return q.model_copy(update={"low": days, "high": days, "unit": "day", "comparison": "about"})


def _ordinal(value: float) -> int:
    """Number the day written yyyymmdd, near enough: a month counts 30.44 days."""
    year, rest = divmod(int(value), 10000)
    month, day = divmod(rest, 100)
    return round(year * 365.25 + (month - 1) * 30.44 + day)


def _unit_noun(q: Quantity) -> str:
    """The unit that a noun is: "a fourth year"."""
    first = stem(q.noun.split()[0]) if q.noun else ""
    return first if first in ("year", "month", "week", "day", "hour") else ""


def _converted(value: float | None, unit: str, to: str) -> float | None:
    if value is None:
        return None
    try:
        return round(float(_units().Quantity(value, unit).to(to).magnitude), 9)
    except pint.DimensionalityError:
        return None


def _keeps(q: Quantity | None, bound: Quantity) -> bool:
    """Whether every value that *q* allows is within *bound*."""
    if q is None:
        return False
    low_kept = bound.low is None or (q.low is not None and q.low >= bound.low)
    high_kept = bound.high is None or (q.high is not None and q.high <= bound.high)
    return low_kept and high_kept


def _breaks(stated: Stated, bound: Quantity) -> bool:
    """Whether *stated* says that a value lies outside of *bound*."""
    q = _same_unit(stated.quantity, bound)
    if q is None or (q.comparison == "about" and _loosely(q, bound)):
        return False
    above = bound.high is not None and _above(q, bound.high, bound)
    return above or (bound.low is not None and _below(q, bound.low, bound))


def _loosely(q: Quantity, bound: Quantity) -> bool:
    """Whether an approximate figure may be within the bound."""
    near = [b for b in (bound.low, bound.high) if b is not None]
    return any(abs((q.low or 0) - b) <= 0.1 * abs(b) for b in near)


def _above(q: Quantity, high: float, bound: Quantity) -> bool:
    if bound.noun == DATE and q.comparison != "between":
        return q.low is not None and q.low > high  # a month counts as late only if all of it is
    top = q.high if q.high is not None else q.low
    if q.comparison == "more_than":
        return top is not None and top >= high
    return top is not None and top > high


def _below(q: Quantity, low: float, bound: Quantity) -> bool:
    if q.comparison in ("at_least", "more_than"):
        return False  # a weaker promise leaves it open
    if bound.noun == DATE and q.comparison != "between":
        return q.high is not None and q.high < low
    bottom = q.low if q.low is not None else q.high
    if q.comparison == "less_than":
        return bottom is not None and bottom <= low
    return bottom is not None and bottom < low


_SPANNING = re.compile(
    r"\b(?:analysis|window|period|data|sample|study|panel|cover|covers|span|spans)\b"
)


def period(found: Period, page: Page) -> Finding:
    """Say whether the years that a text covers lie within a period."""
    met: Finding | None = None
    for stated in page.stated:
        q = stated.quantity
        if q.noun != YEAR or q.comparison != "between" or stated.stance != "affirmed":
            continue
        if not _SPANNING.search(stated.sentence.text.lower()):
            continue
        if (q.low or 0) < found.first or (q.high or 0) > found.last:
            reason = f"it states {q.text}, but the years are {found.first}-{found.last}"
            return Finding("violated", reason, stated.sentence)
        met = met or Finding("met", f"it states {q.text}", stated.sentence)
    return met or Finding("unclear", "the text states no years for it")

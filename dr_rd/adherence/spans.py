"""Spans of time that a text gives by their ends, and moments that it gives by their number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

from dr_rd.adherence.reading import Stated
from dr_rd.numbered import NTH, numbered
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity, months
from dr_rd.text import Sentence, cued

_STARTS = re.compile(
    r"\b(?:starts?|begins?|opens?|from|starting|beginning|opening)\b[^.;]{0,60}$", re.IGNORECASE
)
_ENDS = re.compile(
    r"\b(?:ends?|stops?|closes?|closing|until|till|through|thru|up to|to)\b[^.;]{0,40}$",
    re.IGNORECASE,
)


def in_days(stated: Stated) -> Stated:
    """A year as the days from its first to its last; any other figure as it is."""
    q = stated.quantity
    if q.noun != YEAR or q.low is None or q.high is None:
        return stated
    days = {"noun": DATE, "low": q.low * 10000 + 101, "high": q.high * 10000 + 1231}
    return replace(stated, quantity=q.model_copy(update=days))


def spanned(stated: Sequence[Stated]) -> list[Stated]:
    """Join the date or the year in which something starts to that in which it ends."""
    out: list[Stated] = []
    for one in map(_lengthened, stated):
        last = out[-1] if out else None
        if opened := _opened(one):
            out.append(opened)
        elif last and (pair := _joined(last, one)):
            last, one = pair
            body, at = one.sentence.text, one.sentence.start
            update = {"comparison": "between", "low": last.quantity.low,
                      "high": one.quantity.high or one.quantity.low,
                      "text": body[last.quantity.start - at : one.quantity.end - at]}  # fmt: skip
            out[-1] = replace(last, quantity=last.quantity.model_copy(update=update))
        else:
            out.append(one)
    return out


def _joined(last: Stated, one: Stated) -> tuple[Stated, Stated] | None:
    """Both, in days where either is, if one date is the beginning and the next the end of a thing."""
    if last.sentence is not one.sentence or not _moment(last) or not _moment(one):
        return None
    if last.quantity.noun != one.quantity.noun:
        last, one = in_days(last), in_days(one)
    ordered = (last.quantity.low or 0) < (one.quantity.low or 0)
    told = ordered and _STARTS.search(last.lead) and _ENDS.search(last.up_to(one))
    return (last, one) if told else None


def _moment(stated: Stated) -> bool:
    q = stated.quantity
    return q.noun in (YEAR, DATE) and q.comparison != "between"


def _lengthened(stated: Stated) -> Stated:
    """Read quarters that are counted as the months that they last."""
    q = stated.quantity
    if q.noun.split()[-1:] == ["quarters"] and stated.named and q.low:
        update = {"unit": "month", "low": 3 * q.low, "high": 3 * (q.high or q.low)}
        return replace(stated, quantity=q.model_copy(update=update))
    return stated


@cache
def _month() -> str:
    """The pattern of the name of a month, with its capital."""
    return "|".join(m.title() for m in months())


def _place(name: str) -> int:
    """The place of a month in its year, counted from 0."""
    return months().index(name.lower())


@cache
def _from_month() -> re.Pattern[str]:
    return re.compile(rf"\b({_month()})\s*(?:to|through|until|till|[–-])\s*$")


def _opened(stated: Stated) -> Stated | None:
    """The span of "January through December 2022", of which only the end names the year."""
    q = stated.quantity
    if q.noun != DATE or q.comparison == "between" or not q.low or not q.high:
        return None
    found = _from_month().search(stated.lead)
    if not found:
        return None
    month = _place(found[1]) + 1
    year, last = int(q.low) // 10000, int(q.low) // 100 % 100
    low = float((year if month <= last else year - 1) * 10000 + month * 100 + 1)
    text = f"{found[0]}{q.text}"
    update = {"comparison": "between", "low": low, "high": q.high, "text": text,
              "start": q.start - len(found[0])}  # fmt: skip
    return replace(stated, quantity=q.model_copy(update=update))


_OR = re.compile(r"[^.;,]{0,20},?\s(?:or|and)\s[^.;,]{0,30}")


def bounded(stated: Sequence[Stated]) -> list[Stated]:
    """Turn round what is left out: who is below 7 or above 9 is excluded, so all are between."""
    out: list[Stated] = []
    for one in stated:
        last = out[-1] if out else None
        if last and last.sentence is one.sentence and _outside(last, one):
            update = {"comparison": "between", "high": one.quantity.low,
                      "low": last.quantity.high, "unit": one.quantity.unit or last.quantity.unit,
                      "text": f"{last.quantity.text} or {one.quantity.text} left out"}  # fmt: skip
            quantity = one.quantity.model_copy(update=update)
            out[-1] = replace(one, quantity=quantity, stance="affirmed")
        else:
            out.append(one)
    return out


def _outside(last: Stated, one: Stated) -> bool:
    kinds = (last.quantity.comparison, one.quantity.comparison)
    if kinds != ("less_than", "more_than") or not _OR.fullmatch(last.up_to(one)):
        return False
    return cued("left_out", one.sentence.text) or cued("gone", one.sentence.text)


_QUARTERS = re.compile(r"\b(\d{4})\s?-?Q[1-4]\b|\bQ[1-4]\s(?:of\s)?(\d{4})\b|\bFY\s?(\d{4})\b")
"""Quarters and financial years, the first and the last of which span the time between."""
_NONE_DROPPED = re.compile(
    r"\b(?:none|no\s\w+)\s(?:is\s|are\s)?(?:dropped|left out|skipped|missing)", re.I
)


def _quarters(said: str) -> list[tuple[re.Match[str], int]]:
    """The quarters and financial years that are told, each with its year."""
    if "Q" not in said and "FY" not in said:
        return []
    return [(m, int(m[1] or m[2] or m[3])) for m in _QUARTERS.finditer(said)]


@cache
def _month_to_month() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<first>{_month()})\s?(?:to|through|until|till|–|-)"
        rf"\s?(?P<last>{_month()})\b(?!\s\d)"
    )


def months_long(found: Sequence[Sentence]) -> Iterator[Stated]:
    """The months from one that is named to another, without a year: "May to October" is six."""
    for sentence in found:
        for match in _month_to_month().finditer(sentence.text):
            first, last = (_place(match[k]) for k in ("first", "last"))
            long = float((last - first) % 12 + 1)
            yield _stated(sentence, match.start(), match.end(), {"unit": "month", "low": long, "high": long})  # fmt: skip


_AROUND = re.compile(
    r"\s*(?:before|prior|ahead|pre)\b[^.;]{0,40}?\band\b[^.;]{0,20}$", re.IGNORECASE
)
_SIDES = re.compile(r"\s+(?:on|at|to)\s+(?:either|each|both)\s+sides?\b", re.IGNORECASE)


def around(stated: Sequence[Stated]) -> Iterator[Stated]:
    """The whole of a time on both sides of something: "six years before and six after"."""
    timed = [
        s for s in stated if s.quantity.unit in TIME_UNITS and s.quantity.low == s.quantity.high
    ]
    for one in timed:
        if _SIDES.match(one.after):
            yield _twice(one, one)
    for one, after in pairwise(timed):
        if one.sentence is after.sentence and _AROUND.fullmatch(one.up_to(after)):
            yield _twice(one, after)


def _twice(one: Stated, after: Stated) -> Stated:
    value = (one.quantity.low or 0) + (after.quantity.low or 0)
    text = f"{one.quantity.text} and {after.quantity.text}, {value:g} in all"
    update = {"low": value, "high": value, "text": text}
    return replace(one, quantity=one.quantity.model_copy(update=update), share="whole")


def moments(found: Sequence[Sentence]) -> Iterator[Stated]:
    """Spans of quarters, "2016Q1 to 2023Q4", and days, weeks, months or years by their number."""
    for sentence in found:
        quarters = _quarters(sentence.text)
        if len(quarters) > 1:
            first, last = quarters[0], quarters[-1]
            span = _stated(sentence, first[0].start(), last[0].end(),
                           {"noun": YEAR, "low": first[1], "high": last[1], "comparison": "between"})  # fmt: skip
            whole = _NONE_DROPPED.search(sentence.text)
            yield replace(span, stance="affirmed") if whole else span
        for q in numbered(sentence.text):
            yield from _moments(sentence, q)


def _moments(sentence: Sentence, q: Quantity) -> Iterator[Stated]:
    """The last moment of those that are named, and how long it is from the first to the last."""
    values = {"unit": q.unit, "low": q.high, "high": q.high}
    begun = (q.low or 0) > 1 and q.comparison == "between"
    kind = {"noun": NTH, "comparison": "between" if begun else "stated"}
    yield _stated(sentence, q.start, q.end, values | kind)
    if q.comparison == "between":
        long = (q.high or 0) - (q.low or 0) + 1
        yield _stated(sentence, q.start, q.end, values | {"low": long, "high": long})


def _stated(sentence: Sentence, first: int, last: int, values: dict[str, Any]) -> Stated:
    at = sentence.start
    text = sentence.text[first:last]
    raw = {"comparison": "stated", "text": text, "start": first + at, "end": last + at, **values}
    return Stated(
        Quantity.model_validate(raw),
        sentence,
        sentence.stance(first + at),
        sentence.clause(first + at),
    )

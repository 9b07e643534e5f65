"""Every quantity of a text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from dr_rd.quantity.dates import day_of
from dr_rd.quantity.grammar import compiled
from dr_rd.quantity.scanning import tokens
from dr_rd.quantity.spans import Span, left_of
from dr_rd.quantity.tokens import Token
from dr_rd.quantity.values import DATE, Quantity


@lru_cache(maxsize=1024)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity that *text* states, in order."""
    return tuple(_read(text))


def days_in(text: str) -> tuple[date, ...]:
    """Return every day that *text* names, the first of a span of days, in order."""
    held = (day_of(q.low) for q in quantities(text) if q.noun == DATE)
    return tuple(day for day in held if day)


def _read(text: str) -> Iterator[Quantity]:
    grammar, written = compiled(), _once(tokens(text), text)
    position = 0
    whole: Quantity | None = None
    while position < len(written):
        token = written[position]
        span = Span(grammar, text, left_of(text, token.start), token)
        if position + 1 < len(written) and span.joins(written[position + 1]):
            position += 1
            span = replace(span, last=written[position])
        position += 1
        found = span.quantity()
        if position < len(written) and span.takes_in(written[position]):
            position += 1
        if whole and (both := _added(whole, found, text)):
            whole = both
            continue
        if whole:
            yield whole
        whole = found
    if whole:
        yield whole


def _once(written: Sequence[Token], text: str) -> list[Token]:
    """The numbers, those that are told in digits and in words as one: "twelve (12) months"."""
    out: list[Token] = []
    for token in written:
        last = out[-1] if out else None
        if last and _repeats(last, token, text):
            out[-1] = last._replace(end=token.end + 1, grouped=True)
        else:
            out.append(token)
    return out


def _repeats(last: Token, token: Token, text: str) -> bool:
    """Whether a number in brackets is the one before it, written in the other way."""
    both = {last.kind, token.kind} == {"digits", "word"} and last.value == token.value
    bracketed = text[token.end : token.end + 1] == ")"
    return both and bracketed and text[last.end : token.start] in (" (", "(")


_PARTS: Mapping[tuple[str, str], float] = {
    ("year", "month"): 12,
    ("month", "week"): 4,
    ("week", "day"): 7,
    ("day", "hour"): 24,
    ("hour", "minute"): 60,
    ("minute", "second"): 60,
}
"""How many of a smaller unit of time make one of a larger, that both tell one length."""

_AND_PART = re.compile(r"(?:,?\sand\s|,\s|\s)")


def _added(whole: Quantity, part: Quantity, text: str) -> Quantity | None:
    """Both as one length where the second goes on with the first: "one year and six months"."""
    share = _PARTS.get((whole.unit, part.unit))
    bare = not whole.noun or whole.noun not in (*whole.text.split(), "age")
    told = bare and "".join(part.noun.split()[-1:]) in whole.text  # no noun, or that before it
    told = told and part.low == part.high and part.low is not None
    if not share or not told or part.comparison != "stated":
        return None
    if (part.low or 0) >= share or not _AND_PART.fullmatch(text[whole.end : part.start]):
        return None
    more = (part.low or 0) / share
    update = {
        "low": None if whole.low is None else whole.low + more,
        "high": None if whole.high is None else whole.high + more,
        "text": text[whole.start : part.end],
        "end": part.end,
    }
    return whole.model_copy(update=update)

"""Times of day in prose, and the days of the week that they are told of."""

import re
from collections.abc import Iterator
from functools import cache

from core.values import Frozen
from dr_rd.quantity import Quantity, spelled

CLOCK = "time of day"
"""The noun of a quantity that is a time of day, in hours since midnight."""

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HALVES = {"a": 0, "p": 12, "morning": 0, "noon": 12, "afternoon": 12, "evening": 12, "night": 12}


class Moment(Frozen):
    """A time of day."""

    hour: float
    """Hours since midnight."""
    day: int | None
    """The day of the week, Monday being 0; None where none is told."""
    start: int
    end: int


@cache
def _pattern() -> re.Pattern[str]:
    words = "|".join(w for w, v in spelled().items() if 1 <= v <= 12 and w != "dozen")
    half = r"(?:\s?(?P<half>[ap])\.?m\.?(?!\w)|\sin\sthe\s(?P<part>morning|afternoon|evening)|\sat\s(?P<late>night))"
    return re.compile(
        r"(?<![\w.:])(?:"
        r"(?P<hours>[01]?\d|2[0-4]):(?P<minutes>[0-5]\d)(?::[0-5]\d)?(?![\d:])"
        r"|(?P<dotted>1?\d)\.(?P<past>[0-5]\d)(?=\s?[ap]\.?m\b)"
        r"|(?P<plain>1?\d)(?=\s?(?:[ap]\.?m\b|in\sthe\s(?:morning|afternoon|evening)|o['’]clock|[–-]\s?\d{1,2}\s?[ap]\.?m\b|(?:to|and)\s\d{1,2}\s?[ap]\.?m\b))"
        rf"|(?:(?P<quarter>quarter|half)\s(?P<side>past|to)\s)?(?P<word>{words})(?=\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight|o['’]clock|[ap]\.?m\b))"
        rf"|(?P<fraction>quarter|half)\s(?P<way>past|to)\s(?P<spoken>{words})\b"
        r"|(?P<named>noon|midday|midnight)\b)"
        rf"(?:{half})?(?:\s?h\b)?"
        r"(?:,?\s(?:on\s)?(?:(?:the\s)?next\s)?(?:(?P<day>(?:mon|tues|wednes|thurs|fri|satur|sun)day)|day\s(?P<nth>\d{1,2})\b))?",
        re.IGNORECASE,
    )


_SIGNS = ("noon", "night", "midday", "clock", "morning", "evening", "quarter", "half")
_FIGURES = re.compile(r"\d:\d|[ap](?<![a-z][ap])\.?m\b")


def _has_time_sign(text: str) -> bool:
    """Whether a text has any sign of a time of day; most sentences have none."""
    lower = text.lower()
    return any(sign in lower for sign in _SIGNS) or bool(_FIGURES.search(lower))


def moments_of_day(text: str) -> tuple[Moment, ...]:
    """Return the times of day of *text*, in order."""
    if not _has_time_sign(text):
        return ()
    found = list(_pattern().finditer(text))
    halves = [_half(m) for m in found]
    out: list[Moment] = []
    for n, match in enumerate(found):
        near = n + 1 < len(found) and found[n + 1].start() - match.end() < _NEXT
        half = halves[n] if halves[n] is not None else (halves[n + 1] if near else None)
        out.append(
            Moment(
                hour=_hour(match, half),
                day=_day(match["day"]) if match["day"] else _nth(match["nth"]),
                start=match.start(),
                end=match.end(),
            )
        )
    return tuple(out)


_NEXT = 8  # characters from the first to the second time of "8-10 a.m."


def _half(match: re.Match[str]) -> int | None:
    said = match["half"] or match["part"] or match["late"]
    return _HALVES[said.lower()] if said else None


def _nth(number: str | None) -> int | None:
    return int(number) if number else None


def _day(name: str | None) -> int | None:
    return _DAYS.index(name[:3].lower()) if name else None


def _hour(match: re.Match[str], half: int | None) -> float:
    if named := match["named"]:
        return 0.0 if named.lower() == "midnight" else 12.0
    word = match["word"] or match["spoken"]
    digits = match["hours"] or match["dotted"] or match["plain"]
    value = float(spelled()[word.lower()]) if word else float(digits)
    value += int(match["minutes"] or match["past"] or 0) / 60
    part, way = match["quarter"] or match["fraction"], match["side"] or match["way"]
    if part:
        away = 0.25 if part.lower() == "quarter" else 0.5
        value += away if way.lower() == "past" else -away
    if half is None:
        return value
    return value % 12 + half


_TO = re.compile(r"\s*(?:to|until|till|and|through|[–-])\s*", re.IGNORECASE)
_OPENED = re.compile(r"\b(?:between|from)\s$|[–-]$", re.IGNORECASE)
_BEFORE = 10  # characters, in which "between " has room


def clocks(text: str) -> Iterator[Quantity]:
    """Each time of day, or the two ends of a window, as a quantity with the noun ``CLOCK``."""
    found = moments_of_day(text)
    skip = False
    for n, one in enumerate(found):
        if skip:
            skip = False
            continue
        after = found[n + 1] if n + 1 < len(found) else None
        gap = text[one.end : after.start] if after else ""
        left = text[max(0, one.start - _BEFORE) : one.start]
        opened = not one.start or _OPENED.search(left) or not re.search(r"and", gap)
        window = (
            after
            and one.day == after.day
            and _TO.fullmatch(gap)
            and opened
            and after.hour > one.hour
        )
        last = after if window and after else one
        skip = bool(window)
        yield Quantity(
            comparison="between" if window else "stated",
            low=one.hour,
            high=last.hour,
            noun=CLOCK,
            text=text[one.start : last.end],
            start=one.start,
            end=last.end,
        )

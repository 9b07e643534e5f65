"""The times that a text prescribes and nobody can hurry, and the pace at which units are done."""

import re
from collections.abc import Container, Iterable, Mapping
from functools import cache, cached_property

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.quantity import TIME_UNITS
from dr_rd.reading.amounts import Amount, amounts
from dr_rd.reading.effects import is_of_others
from dr_rd.text import stem


class Kind(Frozen):
    """How one kind of time is told."""

    before: str
    after: str

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What stands before and behind the time."""
        return re.compile(self.before, re.IGNORECASE), re.compile(self.after, re.IGNORECASE)


class Cues(Frozen):
    """The data file."""

    kinds: Mapping[str, Kind]
    others: str
    rhythm: str
    inflow: str
    outside: str

    @cached_property
    def comes(self) -> re.Pattern[str]:
        """What says before a number that so many come in."""
        return re.compile(self.inflow, re.IGNORECASE)

    @cached_property
    def elsewhere(self) -> re.Pattern[str]:
        """What says before a number that it is no part of the work."""
        return re.compile(self.outside, re.IGNORECASE)


class Wait(Frozen):
    """A time that passes whatever anybody does."""

    kind: str
    days: float
    """Of the calendar."""
    said: str


class Pace(Frozen):
    """How many units are done, or come, in a time."""

    what: str
    """What is done so fast, in the brief's words."""
    number: float
    per: str
    """The unit of time."""
    by: str = ""
    """The role of those who do it, where the pace is theirs."""
    strength: float = 0.0
    """Person-days of theirs for each working day; 0 where the pace is nobody's."""

    @property
    def a_day(self) -> float:
        """How many in a working day."""
        return self.number / WORKING_DAYS[self.per]


CALENDAR_DAYS = {
    "hour": 1 / 24,
    "day": 1.0,
    "week": 7.0,
    "fortnight": 14.0,
    "month": 365.25 / 12,
    "year": 365.25,
}
WORKING_DAYS = {
    "hour": 1 / 8, "day": 1.0, "shift": 1.0, "evening": 1.0, "morning": 1.0, "night": 1.0,
    "week": 5.0, "month": 21.0, "quarter": 63.0, "year": 250.0,
}  # fmt: skip
"""Working days in a time; an evening is that of a working day."""

_LEAST, _MOST = 1.0, 7500.0
"""Days below which a time is no wait that a plan shows, and beyond which it is one of the past."""


def waits_in(text: str) -> tuple[Wait, ...]:
    """Return the times that must pass, the longest of each kind, in the order in which they stand."""
    found: dict[str, Wait] = {}
    for amount in amounts(text):
        wait = wait_of(amount)
        if wait and (wait.kind not in found or found[wait.kind].days < wait.days):
            found[wait.kind] = wait
    return tuple(found.values())


def wait_of(amount: Amount) -> Wait | None:
    """Return what *amount* says must pass; None where it is no such time."""
    q, cues = amount.fact.amount, _cues()
    unit = CALENDAR_DAYS.get(q.unit)
    value = q.low if q.low is not None else q.high
    if (
        amount.kind != "time"
        or unit is None
        or value is None
        or re.match(r"(?:an?|per)\b", q.text)
    ):
        return None
    if amount.segment.kind in ("ban", "deadline", "budget", "start", "people"):
        return None
    if is_of_others(amount):
        return None
    number = re.search(r"[\d.½¼¾]|\b[a-z]+\b", q.text)
    own = q.text[: number.start()] if number else ""
    lead = f"{amount.before[-90:]}{own}"
    tail = f"{_behind_unit(q.text)}{amount.after[:60]}"
    if re.search(cues.others, lead, re.IGNORECASE) or re.match(cues.rhythm, tail, re.IGNORECASE):
        return None
    if q.comparison in ("at_most", "less_than") or not _LEAST <= value * unit <= _MOST:
        return None
    for name, kind in [*cues.kinds.items()][
        ::-1
    ]:  # what comes after something, before how it lasts
        before, after = kind.patterns
        if after.search(tail) or before.search(lead):
            return Wait(kind=name, days=round(value * unit, 1), said=_said(amount))
    return None


def _behind_unit(text: str) -> str:
    """What an amount's own text says behind its unit: "five-year follow-up"."""
    found = re.search(r"\b(?:hours?|days?|weeks?|fortnights?|months?|years?)\b", text)
    return f"{text[found.end() :]} " if found else ""


def _said(amount: Amount) -> str:
    words = " ".join(amount.segment.text.split()).rstrip(" .;,")
    return words[:110]


def pace_in(text: str, units: Iterable[str]) -> Pace | None:
    """Return how fast what is called one of *units*, or anything, is done; None where nothing says it.

    Of several paces of the same thing the slowest holds the work up. How many come in is one only
    where nothing says how many are done, and how many are sold, made or entered elsewhere is none.
    """
    named = {stem(u.lower().split()[-1]) for u in units if u.split()}
    told = [(a, pace) for a in amounts(text) if (pace := _pace_of(a, named))]
    done = [pace for a, pace in told if not _cues().comes.search(a.before)]
    found = done or [pace for _, pace in told]
    return (
        min(found, key=lambda pace: pace.a_day, default=None) if named else next(iter(found), None)
    )


def _pace_of(amount: Amount, named: Container[str]) -> Pace | None:
    """The pace that an amount tells of what is *named*, or of anything where nothing is."""
    q = amount.fact.amount
    per = amount.fact.per or _time_behind(amount)
    noun = stem(q.noun.lower().split()[-1]) if q.noun.split() else ""
    value = q.most
    held = amount.segment.kind != "ban" and not is_of_others(amount)
    held = held and not _cues().elsewhere.search(amount.before)
    if per not in WORKING_DAYS or not held or not value or not noun or q.unit:
        return None
    if not named and value <= 1:
        return None  # "one file for each day" is how data lie, not how fast anybody is
    return (
        Pace(what=f"{q.noun} a {per}", number=value, per=per)
        if not named or noun in named
        else None
    )


def _time_behind(amount: Amount) -> str:
    """The time that a number is said of: "10 singers an evening"; "" where none is."""
    found = re.match(r"\W*(?:a|an|per|each|every)\s+(?:working )?(\w+)", amount.after)
    word = found[1].lower() if found else ""
    return word if word in WORKING_DAYS or word in TIME_UNITS else ""


@cache
def _cues() -> Cues:
    return Cues.model_validate(read_yaml("reading", "spans.yaml"))

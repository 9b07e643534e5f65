"""The amounts of a text with their segments, and what about each tells what it is for."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dr_rd.quantity import DATE, TIME_UNITS, YEAR, is_money
from dr_rd.reading.designations import designations
from dr_rd.reading.labels import label_kind
from dr_rd.reading.segments import Segment, segments
from dr_rd.text import Fact, read, stem

Kind = str
"""One of "money", "date", "year", "time", "share", "age", "measure", "count" and "bare"."""


@dataclass(frozen=True, slots=True, eq=False)
class Amount:
    """An amount in its segment."""

    fact: Fact
    segment: Segment
    kind: Kind

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.fact.amount.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.fact.amount.end

    @property
    def before(self) -> str:
        """The words of the segment before it."""
        return self.segment.text[: max(0, self.start - self.segment.start)]

    @property
    def after(self) -> str:
        """The words of the segment behind it."""
        return self.segment.text[max(0, self.end - self.segment.start) :]


@lru_cache(maxsize=32)
def amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts that *text* states in so many words, in order."""
    found = segments(text)
    starts = [s.start for s in found]
    names = sorted(designations(text))
    facts = {f.amount.start: f for f in read(text).facts if not f.derived and not _named(f, names)}
    dates = {f.amount.start for f in facts.values() if f.amount.noun == DATE}
    kept = (
        (start, fact)
        for start, fact in sorted(facts.items())
        if fact.amount.noun == DATE or not dates & {*range(start, fact.amount.end)}
    )  # "in the week 25 October" has no week of that number
    return tuple(_placed([*kept], found, starts))


def _named(fact: Fact, names: Sequence[tuple[int, int]]) -> bool:
    """Whether a figure stands in a name."""
    q = fact.amount
    number = re.search(r"\d", q.text)
    at = q.start + (number.start() if number else 0)
    before = bisect_right(names, at, key=lambda n: n[0]) - 1
    return before >= 0 and names[before][0] <= at < names[before][1] and q.noun != DATE


def _placed(
    facts: Sequence[tuple[int, Fact]], found: Sequence[Segment], starts: Sequence[int]
) -> Iterator[Amount]:
    for start, fact in facts:
        at = bisect_right(starts, max(start, fact.amount.end - 1)) - 1
        if at >= 0 and start < found[at].end:
            yield Amount(fact, found[at], _kind(fact))


def _kind(fact: Fact) -> Kind:
    q = fact.amount
    if q.noun == DATE:
        return "date"
    if q.noun == YEAR:
        return "year"
    if q.noun == "age":
        return "age"
    unit = q.unit.split("/")[0]
    if is_money(unit):
        return "money"
    if unit in TIME_UNITS:
        return "time"
    if unit == "percent":
        return "share"
    if unit:
        return "measure"
    return "count" if q.noun else "bare"


# --- Features

_WORD = re.compile(
    r"[^\W\d_\u3400-\u9fff]+(?:['’-][^\W\d_]+)*|[€$£%<>≤≥=:;,()/.+–|]|[\u3400-\u9fff]"
)
_NEAR = 4
"""Words on either side that count by their place; further ones only by being there."""
_REACH = 14


@dataclass(frozen=True, slots=True)
class Ranks:
    """How the amounts of one text stand among those of their kind."""

    places: Mapping[Amount, float]
    """Share of those of its kind that stand before it."""
    totals: Mapping[Kind, int]
    largest: Mapping[Kind, float]
    smallest: Mapping[Kind, float]


def ranks(found: Sequence[Amount]) -> Ranks:
    """Rank the amounts of a text."""
    kinds: dict[Kind, list[Amount]] = {}
    for amount in found:
        kinds.setdefault(amount.kind, []).append(amount)
    return Ranks(
        places={a: n / len(held) for held in kinds.values() for n, a in enumerate(held)},
        totals={kind: len(held) for kind, held in kinds.items()},
        largest={kind: max(map(_size, held)) for kind, held in kinds.items()},
        smallest={kind: min(map(_size, held)) for kind, held in kinds.items()},
    )


def features(amount: Amount, among: Ranks) -> frozenset[str]:
    """Return what about *amount* may tell what it is for; *among* are the ranks of its text."""
    q, segment = amount.fact.amount, amount.segment
    left = [w.lower() for w in _WORD.findall(amount.before)][-_REACH:]
    right = [w.lower() for w in _WORD.findall(amount.after)][:_REACH]
    own = label_kind(segment.labels[-1]) if segment.labels else ""
    out = {
        f"kind {amount.kind}",
        f"compared {q.comparison}",
        f"label {segment.kind}",
        f"label {segment.kind} {amount.kind}",
        f"label {segment.kind} {q.comparison}",
        f"own {own if segment.own else ''} {amount.kind}",
        f"form {segment.form} {amount.kind}",
        f"polarity {amount.fact.polarity}",
        f"unit {q.unit}",
        f"per {stem(amount.fact.per) if amount.fact.per else ''} {amount.kind}",
        f"digits {len(str(int(abs(q.low or q.high or 0))))} {amount.kind}",
        f"alone {not left and not right}",
        f"first {not left} {amount.kind}",
        f"last {not right} {amount.kind}",
        f"range {q.low is not None and q.high is not None and q.low != q.high}",
        *(f"noun {stem(w)}" for w in q.noun.lower().split()),
        *(f"last noun {stem(w)}" for w in q.noun.lower().split()[-1:]),
        *(f"ending {w[-3:]}" for w in q.noun.lower().split()[-1:]),
        *(f"< {stem(w)}" for w in left),
        *(f"> {stem(w)}" for w in right),
        *(f"<{n} {w}" for n, w in enumerate(reversed(left[-_NEAR:]))),
        *(f">{n} {w}" for n, w in enumerate(right[:_NEAR])),
        *(f"{amount.kind} <{n} {w}" for n, w in enumerate(reversed(left[-2:]))),
        *(f"{amount.kind} >{n} {w}" for n, w in enumerate(right[:2])),
        f"pair {' '.join(left[-2:])}",
        f"next {' '.join(right[:2])}",
        *(
            f"word of label {stem(w.lower())}"
            for w in _WORD.findall(" ".join(segment.labels[-1:]))
        ),
    }
    return frozenset(out | set(_rank(amount, among)))


def _rank(amount: Amount, among: Ranks) -> Iterator[str]:
    """How it stands among those of its kind: the largest, the last, the only one."""
    kind, place = amount.kind, among.places[amount]
    largest = f"largest {_size(amount) >= among.largest[kind]}"
    yield f"{kind} {largest}"
    yield f"label {amount.segment.kind} {kind} {largest}"
    yield f"{kind} smallest {_size(amount) <= among.smallest[kind]}"
    yield f"{kind} only {among.totals[kind] == 1}"
    yield f"{kind} last {round(place * among.totals[kind]) == among.totals[kind] - 1}"
    yield f"{kind} first {place == 0}"
    yield f"{kind} place {int(4 * place)}"


_LASTING = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "fortnight": 1209600, "month": 2629800,
            "year": 31557600, "decade": 315576000}  # fmt: skip


def _size(amount: Amount) -> float:
    q = amount.fact.amount
    value = q.most or 0.0
    return value * _LASTING.get(q.unit, 1)

"""What a text says that the work costs, held against a budget."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from dr_rd.adherence.others import outdone
from dr_rd.adherence.reading import Finding, Page, Stated, reported
from dr_rd.quantity import TIME_UNITS, Quantity, is_money
from dr_rd.text import Cue, Sentence, cued, lexicon, stem
from dr_rd.units import line, read_unit

Role = Literal["whole", "part", "more", "rate", "bound"]

_TIME = r"(?:hour|day|night|week|fortnight|month|quarter|term|semester|year)"
_EACH = re.compile(
    rf"\s+(?:an?\s+(?P<time>{_TIME})|(?:per|(?:for|in|to)\s+(?:each|every)(?:\s+of\s+(?:the\s+|our\s+)?(?:[^\W_]+\s+)?(?=[^\W\d_]+))?)\s*(?P<of>[^\W\d_]+))\b|\s*,?\s*(?P<each>each|apiece)\b"
    r"|\s?/\s?(?P<slash>[^\W\d_]+)|\s+(?P<ly>hourly|daily|weekly|monthly|annually|yearly)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:each|every|per)\s+(?:of\s+(?:the\s+|our\s+)?\d*)?[^,;.\d]*$", re.IGNORECASE
)
_LONGEST_AT = 20  # characters of what _AT looks for, and more
_AT = re.compile(r"[^\W\d_]\s(?:at|@)\s(?:about\s)?$", re.IGNORECASE)
_LY = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month",
       "annually": "year", "yearly": "year"}  # fmt: skip
_MORE = re.compile(
    r"\b(?:plus|another|(?:a\s)?further|additional(?:ly)?|extra|on top(?: of (?:this|that|which|it))?|in addition(?: to (?:this|that))?|besides|not (?:including|counting)"
    r"|excluding|before)\b[^.;]*$",
    re.IGNORECASE,
)
_MORE_AFTER = re.compile(
    r"[^.;,]{0,30}?\b(?:more\b|on top\b|in addition\b|extra\b|comes? on top|not included)", re.I
)
_HALF = Cue(["half"], r"\bhalf\s+(?:of\s+)?(?:the|our|that|this|it)\b")
_NEAR = 2
"""Sentences from one part of a cost to the next: farther apart they may say the same twice."""


@dataclass(frozen=True, slots=True)
class _Cost:
    """One figure of money and what it is of the whole."""

    value: float
    stated: Stated
    role: Role

    @property
    def sentence(self) -> Sentence:
        return self.stated.sentence


def spending(bound: Quantity, page: Page) -> Finding | None:
    """Say whether what the work costs keeps within a budget; None where nothing is said of it."""
    costs = _summed(list(_costs(bound, page)))
    high = bound.high
    if high is None or not costs:
        return None
    wholes = _wholes(costs)
    if not wholes:
        costs = [replace(c, role="part") if c.role == "whole" else c for c in costs]
    more = [c for c in costs if c.role == "more"]
    on_top = _later(more)
    for whole in wholes:
        if _passes(whole.value + on_top(whole.stated.quantity.start), bound):
            return _over([whole, *_extra(whole, more)], bound)
    alone = next((c for c in costs if c.role == "part" and _passes(c.value, bound)), None)
    if alone and not wholes:
        return _over([alone], bound)
    for parts in () if wholes else _together(costs, page):
        if parts and _passes(sum(c.value for c in parts), bound):
            return _over(parts, bound)
    kept = wholes or [c for c in costs if c.role in ("bound", "part")]
    if kept and not (alone and not wholes):
        first = kept[0]
        return Finding("met", f"it states {first.stated.quantity.text}", first.sentence)
    return None


def _wholes(costs: Sequence[_Cost]) -> list[_Cost]:
    """Those told as wholes that are one: no smaller than what else is spent, nor one of some years."""
    wholes = [c for c in costs if c.role == "whole"]
    if len(wholes) > 1 and any(_IN_STEPS.search(c.sentence.text) for c in wholes):
        return []
    beside: dict[int, float] = {}  # what else its sentence says to be spent
    for cost in costs:
        if cost.role == "part":
            beside[cost.sentence.start] = beside.get(cost.sentence.start, 0) + cost.value
    return [
        c
        for c in wholes
        if c.value >= beside.get(c.sentence.start, 0) and not _one_of_row(c, costs)
    ]


_FOR = re.compile(r"\s(?:for|on|towards)\s")


def _one_of_row(whole: _Cost, costs: Sequence[_Cost]) -> bool:
    """Whether it is the first of a row, each with what it is for: "we budget 900 for nets, 400 for fuel"."""
    row = [c for c in costs if c.sentence is whole.sentence and c.role in ("part", "whole")]
    return len(row) > 1 and all(_FOR.match(c.stated.after) for c in row)


_IN_STEPS = re.compile(r"\bin\s(?:the\s)?(?:first|second|third|year|phase|stage)\b", re.IGNORECASE)


def _summed(costs: list[_Cost]) -> list[_Cost]:
    """Mark the figure that is the sum of the parts before it as their whole."""
    out: list[_Cost] = []
    before = _Row()
    for cost in costs:
        if out and cost.value == out[-1].value and _follows(out[-1], cost):
            continue  # "240 a week (4,800)" says it twice
        one = replace(cost, role="whole") if before.ends_in(cost.value) else cost
        out.append(one)
        if one.role in ("part", "more", "whole"):
            before.add(one.value)
    after = _Row()
    for n, cost in reversed([*enumerate(out)]):
        if after.ends_in(cost.value):
            out[n] = replace(cost, role="whole")
        if cost.role in ("part", "more"):
            after.add(cost.value)
    return out


def _follows(one: _Cost, after: _Cost) -> bool:
    return after.stated.quantity.start - one.stated.quantity.end < _NEXT


_NEXT = 40  # characters from a product to its result


class _Row:
    """Values in a row, of which it is asked what the last ones add up to."""

    def __init__(self) -> None:
        self._values: list[float] = []
        self._sums = [0.0]
        self._falls = False
        """Whether a value is less than nothing, so that sums of more may be less."""

    def add(self, value: float) -> None:
        """Put a value at the end."""
        self._values.append(value)
        self._sums.append(self._sums[-1] + value)
        self._falls = self._falls or value < 0

    def ends_in(self, total: float) -> bool:
        """Whether the last of the values, two or more, add up to *total*."""
        return (self._falls or self._may_end_in(total)) and self._adds_up(total)

    def _may_end_in(self, total: float) -> bool:
        """Whether the last ones come near *total*, which is found without adding them up."""
        wanted = self._sums[-1] - total
        at = bisect_left(self._sums, wanted)
        near = self._sums[max(0, at - 1) : at + 2]
        slack = _ROUNDING * max(1.0, abs(self._sums[-1]))
        return any(abs(s - wanted) <= slack for s in near)

    def _adds_up(self, total: float) -> bool:
        value = 0.0
        for n, one in enumerate(reversed(self._values), 1):
            value += one
            if value >= total:
                return value == total and n > 1
        return False


_ROUNDING = 1e-9
"""What sums that are made in another order may differ by, of the whole."""


def _passes(value: float, bound: Quantity) -> bool:
    high = bound.high or 0
    return value >= high if bound.comparison == "less_than" else value > high


def _over(said: Sequence[_Cost], bound: Quantity) -> Finding:
    value = sum(c.value for c in said)
    told = " and ".join(dict.fromkeys(c.stated.quantity.text for c in said))
    if len(said) > 1 or value != said[0].stated.quantity.low:
        told += f", {value:,.0f} in all"
    reason = f"it states {told}, but the limit is {bound.text}"
    return Finding("violated", reason, said[-1].sentence)


def _later(more: Sequence[_Cost]) -> Callable[[int], float]:
    """What the amounts come to that are said after a place."""
    ordered = sorted(more, key=lambda c: c.stated.quantity.start)
    starts = [c.stated.quantity.start for c in ordered]
    sums = [0.0, *accumulate(c.value for c in reversed(ordered))][::-1]
    return lambda place: sums[bisect_right(starts, place)]


def _extra(whole: _Cost, more: Sequence[_Cost]) -> list[_Cost]:
    """What comes on top of a whole, said after it."""
    return [c for c in more if c.stated.quantity.start > whole.stated.quantity.start]


def _together(costs: Sequence[_Cost], page: Page) -> Iterator[list[_Cost]]:
    """The parts of the whole that are said in one place."""
    order = {s.start: n for n, s in enumerate(page.sentences)}
    run: list[_Cost] = []
    for cost in (c for c in costs if c.role in ("part", "more")):
        if run and order[cost.sentence.start] - order[run[-1].sentence.start] > _NEAR:
            yield run
            run = []
        run.append(cost)
    yield run


def _costs(bound: Quantity, page: Page) -> Iterator[_Cost]:
    """The figures of money that are spent on the work."""
    seen: set[tuple[int, float]] = set()
    kept = [s for s in page.stated if _within(s.quantity, bound)]
    within, near = set(kept), _Near(page)
    live = {s.start for s in page.sentences}
    for stated in page.stated:
        q = stated.quantity
        if q.unit != bound.unit or not is_money(q.unit) or stated.sentence.start not in live:
            continue
        value = q.high if q.high is not None else q.low
        if (
            not (_affirmed(stated) or (stated.alone and stated in kept))
            or reported(stated.sentence)
            or (stated not in within and outdone(stated, kept, page))
            or not value
            or (q.start, value) in seen
        ):
            continue
        seen.add((q.start, value))
        if cost := _cost(stated, value, bound, near):
            yield cost


def _within(q: Quantity, bound: Quantity) -> bool:
    """Whether an amount alone is within a budget."""
    value = q.high if q.high is not None else q.low or 0
    return q.unit == bound.unit and not _passes(value, bound)


_PUT_ASIDE = re.compile(r"\b(?:set|put|hold|lay)\saside\b|\bhold\snothing\sback\b", re.IGNORECASE)


def _affirmed(stated: Stated) -> bool:
    """Whether money is spent; what is set aside for something is, too."""
    return stated.stance == "affirmed" or (
        stated.stance == "denied" and bool(_PUT_ASIDE.search(stated.clause))
    )


def _cost(stated: Stated, value: float, bound: Quantity, near: "_Near") -> _Cost | None:
    q, before, after = stated.quantity, stated.before, stated.after
    if stated.share == "whole":
        return _Cost(value, stated, "whole")
    if _of_others(stated):
        return None
    if _repeats(q, bound, before, after):
        return _Cost(value, stated, "bound")
    if unit := _unit(before, after, stated):
        times = _times(unit, stated, near(stated))
        return _Cost(value * times, stated, "part") if times else None
    if _HALF.search(stated.clause[: len(before)]) and _HALF.search(before):
        return _Cost(2 * value, stated, "whole")
    since = _since(before)
    if _MORE.search(since) or _MORE_AFTER.match(after):
        return _Cost(value, stated, "more")
    whole = _whole(stated, since) or _PARTED.match(after)
    return _Cost(value, stated, "whole" if whole else "part")


def _since(before: str) -> str:
    """The words since the last figure."""
    figures = _FIGURES.match(before)
    return before[figures.end() :] if figures else before


_FIGURES = re.compile(r".*\d", re.DOTALL)


def _of_others(stated: Stated) -> bool:
    """Whether the money is nothing that this work spends: an offer, an income, what is there."""
    return cued("unspent", stated.clause)


def _repeats(q: Quantity, bound: Quantity, before: str, after: str) -> bool:
    """Whether a figure is the limit told again, or a promise to stay below it."""
    value = q.high if q.high is not None else q.low
    if q.comparison in ("at_most", "less_than"):
        return (value or 0) <= (bound.high or 0)
    near = f"{before[-40:]} {after[:30]}"
    return value == bound.high and cued("ceiling", near)


def _whole(stated: Stated, before: str) -> bool:
    """Whether the clause speaks of the whole cost."""
    return any(cued("totals", said) for said in (stated.clause, before))


_PARTED = re.compile(r"\s*,?\s*(?:of\s+(?:which|this|that|it)\b|:|\()", re.IGNORECASE)


def _unit(before: str, after: str, stated: Stated) -> str:
    """What a price is paid for each of; "" where it is paid once."""
    if found := _EACH.match(after):
        return _LY.get(
            (found["ly"] or "").lower(), found["time"] or found["of"] or found["slash"] or "each"
        )
    if _AT.search(before[-_LONGEST_AT:]):
        return "at"
    clause = before[max(0, len(before) - len(stated.clause)) :]
    clause = clause[max(map(clause.rfind, ",;.")) + 1 :]
    return "each" if _EVERY.search(clause) else ""


class _Near:
    """The figures of a page that stand in sentences near that of another one."""

    def __init__(self, page: Page) -> None:
        self._stated = page.stated
        self._placed = sorted((s.sentence.start, n) for n, s in enumerate(page.stated))

    def __call__(self, stated: Stated) -> list[Stated]:
        """Those less than so many characters away, in the order of the page."""
        at = stated.sentence.start
        first = bisect_left(self._placed, (at - _REACH + 1, 0))
        last = bisect_left(self._placed, (at + _REACH, 0))
        return [self._stated[n] for n in sorted(n for _, n in self._placed[first:last])]


def _times(unit: str, stated: Stated, near: Sequence[Stated]) -> float:
    """How many times a price is paid; 0 where nothing says it; *near* are the figures about it."""
    here = [s for s in near if s.sentence is stated.sentence]
    if unit == "at":
        return _right_before(stated, here)
    for said in (here,) if unit == "each" else (here, near):
        for other in said:
            if other is not stated and (times := _count(unit, other)):
                return times
    return 0.0


_REACH = 300


def _right_before(stated: Stated, here: Sequence[Stated]) -> float:
    """The count right before a price: "two months at 2,500"; 1 where there is none."""
    q = stated.quantity
    before = [
        s.quantity
        for s in here
        if s.quantity.end <= q.start and q.start - s.quantity.end < _BESIDE
    ]
    plain = before and not is_money(before[-1].unit) and before[-1].low
    return before[-1].low or 1.0 if plain else 1.0


_BESIDE = 8


def _count(unit: str, other: Stated) -> float:
    q = other.quantity
    value = q.low if q.low is not None else q.high
    if not value or is_money(q.unit):
        return 0.0
    name = stem(unit)
    if q.unit in TIME_UNITS:
        if name not in TIME_UNITS:
            return 0.0
        straight = line(read_unit(q.unit), read_unit(name))
        return value * straight.scale if straight else 0.0
    if q.unit or not q.noun:
        return 0.0
    if unit == "each":
        return value if other.named else 0.0
    return value if name in {m for w in lexicon().words(q.noun) for m in w.meanings} else 0.0

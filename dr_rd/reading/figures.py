"""How many of what the work must have, and how long things in it take."""

import re
from collections.abc import Iterable, Iterator

from dr_rd.reading.amounts import Amount
from dr_rd.reading.labels import label_kind
from dr_rd.reading.limits import bounds, is_effort
from dr_rd.reading.people import is_of_person
from dr_rd.reading.spans import WORKING_DAYS, wait_of
from dr_rd.reading.tagged import Tagged
from dr_rd.study.values import Count, Duration
from dr_rd.text.numbered import NTH

_COUNT = 0.33
_UNNAMED = 0.6
"""The same of a number whose noun stands somewhere before it: "fix the three that count"."""
_DURATION = 0.35
_AWAITED = 0.1
"""The same of a time that is told as one that must pass."""
_PACE = 0.1
"""The same of a number that is said of each day or week."""


def counts_of(found: Tagged) -> Iterator[tuple[Count, Amount]]:
    """Yield the counts, each with its amount."""
    for amount, chances in found.amounts.items():
        paced = amount.fact.per in WORKING_DAYS and amount.fact.named
        least = _PACE if paced else _COUNT if amount.fact.named else _UNNAMED
        if amount.kind not in ("count", "bare") or chances["count"] < least or is_effort(amount):
            continue
        if amount.segment.kind == "title" or is_of_person(amount.segment):
            continue
        comparison, low, high = bounds(amount, chances)
        if (
            amount.fact.amount.comparison in ("stated", "exactly", "about")
            and comparison != "range"
        ):
            comparison, low = "=", amount.fact.amount.low
            high = low
        what = counted(amount)
        if what and not isinstance(low, str) and not isinstance(high, str):
            per = amount.fact.per
            yield Count(what=what, comparison=comparison, low=low, high=high, per=per), amount


def counted(amount: Amount) -> str:
    """Return the noun of a count, with what it is said of each of."""
    q = amount.fact.amount
    noun = q.noun or (
        amount.segment.labels[-1] if amount.segment.labels and amount.segment.own else ""
    )
    noun = _FACTORS.sub(r"\g<1>", noun)
    per = amount.fact.per
    return f"{noun} per {per}" if per and noun else noun


_FACTORS = re.compile(
    r"(.*\b(?:settings|factors|parameters|variables|inputs|ingredients)\b).*", re.IGNORECASE
)
"""What is varied; what the words behind it say is done with it."""


def factors_in(counts: Iterable[Count]) -> int | None:
    """Return how many things an experiment sets, by *counts* such as "5 process settings"; None where they do not agree."""
    varied = {int(c.low) for c in counts if c.low and not c.per and _FACTORS.fullmatch(c.what)}
    return varied.pop() if len(varied) == 1 else None


def durations_of(found: Tagged) -> Iterator[tuple[Duration, Amount]]:
    """Yield the durations, each with its amount."""
    for amount, chances in found.amounts.items():
        q = amount.fact.amount
        if amount.kind != "time" or is_of_person(amount.segment):
            continue
        wait = wait_of(amount)
        if chances["duration"] < (_AWAITED if wait else _DURATION):
            continue
        comparison, *_ = bounds(amount, chances)
        if q.comparison in ("stated", "exactly", "about") and comparison != "range":
            comparison = "="
        value = q.most
        if value is not None:
            yield (
                Duration(
                    what=_what(amount),
                    value=value,
                    unit=f"{q.unit}s",
                    comparison=comparison,
                    kind=wait.kind if wait else "",
                ),
                amount,
            )


_OF_MUCH = ("background", "objective", "constraint", "criterion")
"""Labels of passages that speak of more than what lasts."""


def _what(amount: Amount) -> str:
    """What lasts: the noun by the figure, or else the label it stands under."""
    q = amount.fact.amount
    if q.noun and q.noun != NTH:
        return q.noun
    label = amount.segment.labels[-1] if amount.segment.own and amount.segment.labels else ""
    if label and label_kind(label) not in _OF_MUCH:
        return label.lower()
    return " ".join(amount.before.split()[-3:]).strip(" ,:;(") or "work"

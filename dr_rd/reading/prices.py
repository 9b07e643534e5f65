"""Unit prices: what one of something costs, where the document says for what it is paid."""

import re
from collections.abc import Container, Iterator

from core.values import as_name
from dr_rd.reading.amounts import Amount
from dr_rd.reading.tagged import Tagged
from dr_rd.study.values import UnitPrice

_NOT_HERE = ("background", "objective", "exclusion", "inclusion", "ban", "criterion", "title")
_TIMES = re.compile(
    r"^\W*(?:an?|per|each|/)\s*(?P<unit>day|week|month|year)s?\b\W*(?:for|over|during)\s+"
    r"(?:the\s+)?(?P<times>\d+)\s+(?P=unit)s?\b",
    re.IGNORECASE,
)
"""A price for each part of a stated time: "a month for 6 months"."""
_COUNTED = re.compile(r"(?P<times>\d[\d,]*)\s+(?:[\w-]+\s+){1,4}at\s+(?:about\s+)?$")
"""How many of what is priced stands before it: "80 samples at"."""
_PAID = re.compile(
    r"\b(?:costs?|price[ds]?|pays?|paid|fees?|charge[sd]?|rent(?:al)?|hire|at|compensat\w+)\b",
    re.IGNORECASE,
)
"""What shows that money is paid here, and is not counted as an outcome."""
_LONGEST = 120


def is_price(amount: Amount) -> bool:
    """Whether it is said what one of something costs."""
    return (
        amount.fact.is_price
        and amount.fact.polarity == "affirmed"
        and amount.segment.kind not in _NOT_HERE
        and bool(_PAID.search(amount.segment.text))
    )


_FOR_ONE = re.compile(
    r"\s*(?:/\s?|(?:per|an?|each|every)\s)(?!year|annum|month|quarter)[^\W\d_]", re.IGNORECASE
)
_BOUNDED = ("at_most", "less_than", "at_least", "more_than")


def is_bounded(amount: Amount) -> bool:
    """Whether words say of a figure that it is the most or the least: "at most 12"."""
    return amount.fact.amount.comparison in _BOUNDED


def is_for_one(amount: Amount) -> bool:
    """Whether a sum is what one of something costs, and no ceiling: "85 euros a sample"."""
    return amount.kind == "money" and not is_bounded(amount) and bool(_FOR_ONE.match(amount.after))


def prices_of(found: Tagged, apart: Container[Amount] = ()) -> Iterator[tuple[UnitPrice, Amount]]:
    """Yield the unit prices and where they stand; *apart*: amounts known to be something else."""
    for amount in found.amounts:
        q = amount.fact.amount
        if amount in apart or not is_price(amount) or not q.low:
            continue
        unit, _, slashed = q.unit.partition("/")
        per = (amount.fact.per or slashed).lower()
        what = as_name(amount.fact.clause, _LONGEST)
        yield (
            UnitPrice(what=what, amount=q.low, currency=unit, per=per, times=_times(amount)),
            amount,
        )


def _times(amount: Amount) -> float | None:
    """How many are paid, where the words beside the price say it."""
    said = _TIMES.match(amount.after) or _COUNTED.search(amount.before)
    return float(said["times"].replace(",", "")) if said else None

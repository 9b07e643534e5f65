"""Unit prices: what one of something costs, where the document says for what it is paid."""

import re
from collections.abc import Container, Iterator

from core.values import as_name
from dr_rd.quantity import TIME_UNITS, numbers
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
_APPOSED = re.compile(r"(?:^|[,(:;–-])\s*$")
"""Where a price stands that no word announces: "a test kit, 38 euros a kit"."""
_LONGEST = 120


def is_price(amount: Amount) -> bool:
    """Whether it is said what one of something costs."""
    return (
        bool(amount.fact.is_price or _one(amount))
        and amount.fact.polarity == "affirmed"
        and (amount.segment.kind not in _NOT_HERE or _is_ours(amount))
        and bool(_PAID.search(amount.segment.text) or _APPOSED.search(amount.before))
    )


def _is_ours(amount: Amount) -> bool:
    """Whether a background tells of a price that the work itself pays."""
    return amount.segment.kind == "background" and bool(_OURS.search(amount.before))


_OURS = re.compile(
    r"\b(?:we (?:\w+ )?(?:pay|spend|are charged)|costs? us|charges? us|quoted)\b(?:[^.;]|\.(?=\d))*$",
    re.IGNORECASE,
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
        thing, times = (slashed or _one(amount)).lower(), _times(amount)
        own = bool(amount.fact.per) or times is not None
        led = _led_by(amount.before)
        per = led["noun"].lower() if led else amount.fact.per.lower() or thing
        bought = _FOR.match(amount.after) if led else None
        number, of = (1.0, per) if own else _needed(thing, found.document.text)
        yield (
            UnitPrice(
                what=as_name(bought["thing"] if bought else amount.fact.clause, _LONGEST),
                amount=round(number * q.low, 2),
                currency=unit,
                per=of,
                times=times,
            ),
            amount,
        )


def _one(amount: Amount) -> str:
    """What a sum is the price of one of: "38 euros a kit", "a kit costs 38 euros"; "" where it is of none."""
    if amount.kind != "money" or is_bounded(amount):
        return ""
    found = _A_THING.match(amount.after) or _COSTS.search(amount.before) or _led_by(amount.before)
    noun = found["noun"].lower() if found else ""
    return "" if noun in TIME_UNITS else noun


_A_THING = re.compile(r"\s*(?:/\s?|(?:per|an?|each|every)\s)(?P<noun>[^\W\d_]+)", re.IGNORECASE)
_COSTS = re.compile(
    r"\b(?:an?|one|each|every) (?P<noun>[^\W\d_]+) costs?\s(?:about\s|some\s)?$", re.IGNORECASE
)


def _led_by(before: str) -> re.Match[str] | None:
    """What a sentence opens with of which all its sums are prices: "Per colony we pay"."""
    return _LED.match(before[before.rfind(". ") + 2 if ". " in before else 0 :])


_LED = re.compile(
    r"\s*(?:per|for (?:each|every)|each|every) (?P<noun>[^\W\d_]+)\b(?:[^.;:]|\.(?=\d))*?"
    r"\b(?:pays?|paid|costs?|needs?|takes?|spends?|come)\b",
    re.IGNORECASE,
)


_FOR = re.compile(
    r"\s*for (?:an?|the|both|all|its|their)?\s*(?P<thing>[^,;.]+?)(?=\s+and\b|[,;.]|$)", re.I
)


def _needed(thing: str, text: str) -> tuple[float, str]:
    """Return how many of a *thing* go with one of what: "four sheets to a questionnaire"; else one of itself."""
    found = re.search(_FOR_EACH.format(thing=re.escape(thing)), text, re.IGNORECASE)
    if found is None:
        return 1.0, thing
    said = numbers(found["number"], words=True)
    return (float(said[0].value) if said else 1.0), found["unit"].lower()


_FOR_EACH = (
    r"\b(?P<number>\d{{1,3}}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:[\w-]+ )?{thing}(?:e?s)?"
    r" (?:(?:is|are|goes|go) )?(?:(?:taken|drawn|used|needed|sent|fitted|laid|put) )?"
    r"(?:(?:for|from|of|on|in|at|to|with) (?:each|every|an?)|per|each|an?) (?P<unit>[^\W\d_]+)"
)


def _times(amount: Amount) -> float | None:
    """How many are paid, where the words beside the price say it."""
    said = _TIMES.match(amount.after) or _COUNTED.search(amount.before)
    return float(said["times"].replace(",", "")) if said else None

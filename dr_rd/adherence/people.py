"""How old people are: numbers of years that a text gives as their age."""

import re
from dataclasses import replace

from dr_rd.adherence.reading import Stated
from dr_rd.ledger import Limit
from dr_rd.ledger.bounds import PEOPLE
from dr_rd.numbered import NTH
from dr_rd.quantity import DATE, YEAR, Quantity


def grown(stated: Stated, found: Limit) -> Stated:
    """Bare numbers that are the youngest and the oldest, in years; below 13 is up to 12."""
    q = stated.quantity
    if found.quantity.noun == "age" and _below_whole(q, found.quantity):
        years = {"comparison": "at_most", "high": (q.high or 0) - 1}
        return replace(stated, quantity=q.model_copy(update=years))
    ages = found.quantity.noun == "age" and q.comparison == "between"
    apart = (q.low or 0) < (q.high or 0)  # "one to one" is no range
    if not ages or q.unit or not apart:
        return stated
    return replace(stated, quantity=q.model_copy(update={"unit": "year"}))


def _below_whole(q: Quantity, bound: Quantity) -> bool:
    """Whether an age is below a whole number of years, and the bound is the last year that may be."""
    whole = q.comparison == "less_than" and q.high is not None and q.high % 1 == 0
    return whole and q.unit in ("", "year") and bound.comparison != "less_than"


_OF_AGE = re.compile(
    rf"\b{PEOPLE}\s(?:who\sare\s|are\s|were\s|must\sbe\s)?(?:(?:all\s)?(?:of|as|between|from|over|under|above|below|up\sto)\s)?"
    r"(?:about\s|at\sleast\s)?\(?$",
    re.IGNORECASE,
)
_AT_ENTRY = re.compile(
    r"\s(?:at|on|upon)\s(?:enrol\w*|baseline|entry|inclusion|recruitment|testing|screening)\b",
    re.I,
)
_BRACKET = re.compile(r"\bages?\b(?:\s\w+)?\W[^.;]{0,60}$|\bgrades?\s\(about\s$", re.IGNORECASE)
_FOLK = re.compile(rf"\b{PEOPLE}\b", re.IGNORECASE)
_FROM = re.compile(r"\b(?:between|from|of|aged)\s$", re.IGNORECASE)


def aged(stated: Stated) -> bool:
    """Whether a number of years, or a bare one, is how old people are."""
    q = stated.quantity
    value = q.high if q.high is not None else q.low
    bare = not q.unit and not stated.named
    if (
        q.noun in (YEAR, DATE, NTH)
        or not (q.unit == "year" or bare)
        or not 0 < (value or 0) < _OLDEST
    ):
        return False
    spread = q.comparison == "between"
    if spread and q.unit and _FROM.search(stated.lead) and _FOLK.search(stated.before):
        return True
    if (spread or "grade" in stated.lead) and _BRACKET.search(stated.lead):
        return True
    return bool(_OF_AGE.search(stated.lead) or (q.unit and _AT_ENTRY.match(stated.after)))


_OLDEST = 110

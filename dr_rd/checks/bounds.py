"""The figures of a limit as bounds."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from dr_rd.checks.items import Check, Kind, Limit, Period, Span
from dr_rd.checks.phrases import ENDS, EXAMPLES, PARENTHESIS
from dr_rd.checks.rows import carried
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Comparison, Quantity, is_money, quantities
from dr_rd.text import cued, lexicon


def is_budget(found: Check) -> TypeGuard[Limit]:
    """Whether a check bounds what the whole work may cost, and not what one thing may."""
    if not isinstance(found, Limit) or not is_money(found.quantity.unit) or found.part:
        return False
    if found.whole:
        return True
    noun = found.quantity.noun
    return not found.scope and (not noun or cued("funds", noun))


PEOPLE = (
    r"(?:people|adults?|child|children|pupils?|students?|volunteers?|men|women|participants?|patients?|everyone|those|persons?"
    r"|adolescents?|youngsters|kids|boys|girls|undergraduates|workers?|youths?|minors?|subjects?|respondents?)"
)
"""The pattern of a word for those who have an age."""
_PERSON = re.compile(rf"\b{PEOPLE}\s$", re.IGNORECASE)
_SCOPE = re.compile(
    r"\b(?:per|(?:in|for|from|within|of)\s+each(?:\s+of)?)\s+(?:the\s+)?(\w[\w -]*)"
)

_OWNER = re.compile(r"\b([a-z]+s)\s(?:must|should|shall|may)\s(?:have|hold|contain)\s$", re.I)
"""What is said to have so many: "schools must have at least 20 teachers"."""


def about(quantity: Quantity, text: str) -> Quantity:
    """Name what a measured bound is about: the banned phrase before it."""
    if not quantity.unit or quantity.noun == "age":
        return quantity
    words = lexicon()
    before = [u for u in words.units(text[: quantity.start]) if u not in words.stretching]
    return quantity.model_copy(update={"noun": " ".join([*before, quantity.noun]).strip()})


def turned(stated: Quantity, text: str) -> Quantity | None:
    """The bound that a ban sets: "more than 3" is banned, so at most 3 is allowed."""
    quantity = _as_age(stated, text)
    low, high = quantity.low, quantity.high
    if quantity.text.lower().endswith("single") or " single " in quantity.text.lower():
        return None
    if quantity.text.lower().startswith(("a ", "an ", "the ")) and low and low > 1:
        return _bounded(quantity, "at_most", high=low - 1)
    if quantity.comparison == "more_than":
        return _bounded(quantity, "at_most", high=low)
    if quantity.comparison == "less_than":
        return _bounded(quantity, "at_least", low=high)
    if quantity.unit and high is not None and _PAST.search(text[: quantity.start]):
        return _bounded(quantity, "at_most", high=high)
    return None


_PAST = re.compile(r"\b(?:beyond|past)\s(?:the|its|a|an)\s$", re.IGNORECASE)
"""Before a length it says that it must not be passed: "beyond the 4-year cycle"."""


def _bounded(
    quantity: Quantity,
    comparison: Comparison,
    low: float | None = None,
    high: float | None = None,
) -> Quantity:
    return quantity.model_copy(update={"comparison": comparison, "low": low, "high": high})


def kept_out(text: str) -> tuple[Check, ...]:
    """The bound that lets nobody in: of "no patient under 50 years", at least 50 years."""
    if not re.match(r"no\s", text, re.IGNORECASE):
        return ()
    said = [turned(q, text) for q in quantities(text) if q.start]
    scope = re.match(r"no\s([\w-]+)\s", text, re.IGNORECASE)
    return tuple(
        Limit(
            quantity=about(q, text), scope=scope[1] if scope and q.unit and q.noun != "age" else ""
        )
        for q in said
        if q
    )


def _as_age(q: Quantity, text: str) -> Quantity:
    """Take a bare number after people for their age: "no patient under 50"."""
    aged = not q.unit and not q.text.split()[-1].isalpha() and _PERSON.search(text[: q.start])
    return q.model_copy(update={"unit": "year", "noun": "age"}) if aged else q


def bounds_of(text: str, kind: Kind) -> list[Limit | Period]:
    """Return what the figures of a constraint or a criterion bound."""
    found: list[Limit | Period] = []
    said = PARENTHESIS.sub(_blanked_examples, text)
    for q in carried(quantities(said), said):
        if q.noun == YEAR:
            if q.comparison == "between" and q.low and q.high:
                found.append(Period(first=int(q.low), last=int(q.high)))
            elif _ENDING.search(text[: q.start]) and q.high:
                last = q.model_copy(update={"noun": DATE})
                found.append(Limit(quantity=_set(last, "at_most", None, q.high * 10000 + 1231)))
        elif found and _CONDITION.search(text[: q.start]):
            continue  # "below 5 cm3 at 23 C": at what the bound before it is measured
        elif _binding(q := _timed(q, text, kind), kind):
            scope = _SCOPE.search(text, q.end) or _OWNER.search(text, 0, q.start)
            scope = scope or _SIZED.search(text, 0, q.start)
            every = _EVERY.match(text) if scope else None
            of = every[1] if every and every.end() <= q.start else ""
            found.append(Limit(quantity=q, scope=scope[1] if scope else "", of=of))
    return found


_EVERY = re.compile(
    r"(?:each|every)\s(?:[\w-]+\s){0,2}?([\w-]+)\s(?:must|should|shall|will|is|are|has|gets)\b",
    re.I,
)
"""What a limit is of each of that is of each of something else as well: "each lake … per season"."""


_CONDITION = re.compile(r"\bat\s$")


def measures(text: str, bounds: Sequence[Check]) -> tuple[Span, ...]:
    """Return the measured figures of an item that none of its bounds holds: "every 14 days"."""
    held = {b.quantity.text for b in bounds if isinstance(b, Limit)}
    said = (q for q in quantities(text) if q.unit and q.noun not in (DATE, YEAR))
    return tuple(
        (q.low, q.high, q.unit) for q in said if q.comparison == "stated" and q.text not in held
    )


_NEAR = re.compile(
    r"\b(?:in|for|within|during|over)\s(?:the\s)?(?:last\s|final\s)?$", re.IGNORECASE
)
_TO_IT = re.compile(
    r"\s(?:before|prior to|ahead of|preceding|after|following|of)\b", re.IGNORECASE
)


def clearance(text: str) -> Quantity | None:
    """How long something must be kept from: "no food for 8 hours before the scan"; None for no length."""
    for q in quantities(text):
        near = _NEAR.search(text[: q.start]) or q.text.lower().startswith("within")
        value = q.most
        if q.unit in TIME_UNITS and near and value and _TO_IT.match(text[q.end :]):
            return _set(q, "at_least", value, None)
    return None


def thresholds(text: str) -> tuple[Quantity, ...]:
    """The measured values that a criterion wants reached or kept below."""
    bounding = ("at_least", "more_than", "at_most", "less_than")
    said = (
        q for q in quantities(PARENTHESIS.sub("", text)) if q.unit and q.noun not in (DATE, YEAR)
    )
    return tuple(q for q in said if q.comparison in bounding)


_OVERLAPPING = re.compile(
    r"\bnot\s(?:overlap|coincide|touch|include|cover|contain|reach)\b[^,;.]*?\b(?P<first>(?:19|20)\d\d)(?:\s?[-–]\s?(?P<last>(?:19|20)\d\d))?\b",
    re.IGNORECASE,
)


def kept_clear(text: str) -> list[Period]:
    """The years with which the work must not overlap: "must not overlap with the 2008 crisis"."""
    found = _OVERLAPPING.search(text)
    if not found:
        return []
    first = int(found["first"])
    return [Period(first=first, last=int(found["last"] or first), outside=True)]


_SINGLE = re.compile(
    r"\b(?:an?|the|one)\s(?:single|sole)\s(?P<noun>(?:[\w-]+\s){0,4}?[\w-]+)(?=\s(?:spanning|with|of|in|for|to|from|that|which|on|at|and|as)\b|[,;.(]|$)",
    re.IGNORECASE,
)


def only_one(text: str) -> list[Limit]:
    """The bound of what there may be one of: "from a single supplier lot"."""
    return [
        Limit(
            quantity=Quantity(
                comparison="at_most",
                high=1,
                noun=" ".join(w for w in found["noun"].split() if not w[0].isdigit()),
                text=found[0],
                start=found.start(),
                end=found.end(),
            )
        )
        for found in _SINGLE.finditer(text)
        if not re.search(r"\bor\b", found["noun"])
    ]


_SIZED = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)\s([a-z]+)s\sof\s$", re.I
)
"""What each has so many: "three cohorts of 15 patients"."""


_UNTIL = re.compile(
    rf"\b(?P<most>{ENDS}(?:\s(?:on|in|at))?:?|by|until|till|through|due(?: on| by)?|no later than|not later than|at the latest(?: on| by)?)\s$"
    r"|\b(?P<least>from|since|no earlier than|not earlier than|not before|starting(?: on)?)\s$"
    r"|\b(?P<below>before)\s$|\b(?P<above>after)\s$",
    re.IGNORECASE,
)


def _timed(q: Quantity, text: str, kind: Kind) -> Quantity:
    """Give the bound of a date, "by 30 June", or of a demanded length of time, "for 52 weeks"."""
    left = text[: q.start]
    if q.comparison == "at_most" and _ROUND.match(text, q.start):
        return _set(q, "exactly", q.high, q.high)
    if q.comparison != "stated" or kind == "criterion":
        return q
    if q.noun == DATE and (said := _UNTIL.search(left)):
        return _dated(q, said, denied=bool(_DENIED.search(left, 0, said.start())))
    if q.unit and not is_money(q.unit) and re.search(r"\bat\s$", left) and not _or(text, q):
        return _set(q, "exactly", q.low, q.high)
    if q.unit in TIME_UNITS and re.search(r"\bfor\s$", left):
        return _set(q, "at_least", q.low, None)
    if q.unit and not q.noun and (of := _AFTER.match(text, q.end)):
        q = q.model_copy(update={"noun": of[1]})  # "12 weeks of follow-up"
    if _PLAIN.search(left) and _bare(q, text):
        return _set(q, "exactly", q.low, q.high)
    return q


_ROUND = re.compile(
    r"within\s(?:an?\s)?\d[\d.,]*[\s-]?[a-z]+\s(?:radius|buffer|circle)\b", re.IGNORECASE
)
"""How far something is looked at about a place is as far as that, no more and no less."""


_DENIED = re.compile(
    r"\b(?:no|not|never|cannot|nothing|nobody|none)\b(?![^;]*[,;]\s)|n[’']t\b", re.IGNORECASE
)
"""Before a date it turns the bound round: "no fieldwork after 31 August"."""


_DATED: Mapping[str, tuple[Comparison, Comparison]] = {
    "most": ("at_most", "more_than"),
    "least": ("at_least", "less_than"),
    "below": ("less_than", "at_least"),
    "above": ("more_than", "at_most"),
}
"""The bound that each group of words before a date sets, and the one it sets where it is denied."""


def _dated(q: Quantity, said: re.Match[str], *, denied: bool) -> Quantity:
    """The bound of a date; of a month its first day, or its last: "before May", "by May"."""
    match _DATED[said.lastgroup or "most"][denied]:
        case "at_least":
            return _set(q, "at_least", q.low, None)
        case "more_than":
            return _set(q, "more_than", q.high, None)
        case "less_than":
            return _set(q, "less_than", None, q.low)
        case comparison:
            return _set(q, comparison, None, q.high)


_ENDING = re.compile(rf"\b{ENDS}(?:\s(?:on|in|at))?:?\s$", re.IGNORECASE)

_PLAIN = re.compile(
    r"^(?:(?:must|should|shall|will|use|uses|using|recruit|enrol|enroll|include|includes|have|has|test|run|study|"
    r"the|a|an|be|there|are|is|sample|with|design)\s)*$"
    r"|\b(?:of|is|are|lasts?|be|:)\s$",
    re.IGNORECASE,
)
"""What stands before a figure that says how many, or how much, it is to be."""


_AFTER = re.compile(r"\sof\s(?:the\s|an?\s)?([\w-]+)")


def _bare(q: Quantity, text: str) -> bool:
    """Whether a figure says of a thing how many or how much it is: "three sites"."""
    named = bool(q.noun) and q.noun not in (DATE, YEAR) and not is_money(q.unit)
    joined = re.search(r"\d-|-\w", q.text) or re.match(r"-", text[q.end :])
    return named and not joined and not _or(text, q)


def _or(text: str, q: Quantity) -> bool:
    """Whether another value follows: "at 15-minute or hourly resolution"."""
    return bool(re.match(r"\s*or\b", text[q.end :]))


def _set(q: Quantity, comparison: Comparison, low: float | None, high: float | None) -> Quantity:
    return q.model_copy(update={"comparison": comparison, "low": low, "high": high})


def _blanked_examples(match: re.Match[str]) -> str:
    return " " * len(match[0]) if EXAMPLES.search(match[0]) else match[0]


def _binding(q: Quantity, kind: Kind) -> bool:
    """Whether a quantity bounds the work; a criterion's figures are results, not bounds."""
    if q.text.lower() in ("a single", "exactly one", "at least one") and not q.noun:
        return False
    if kind == "criterion" or not (q.noun or q.unit):
        return False
    money = is_money(q.unit)
    single = q.text.lower().startswith("a single")
    return (q.comparison != "stated" or money) and not single

"""What the whole work may cost, when it begins and ends, and when nothing can be done."""

import re
from collections.abc import Container, Iterator

from dr_rd.quantity import is_money
from dr_rd.reading.amounts import Amount
from dr_rd.reading.asides import is_aside
from dr_rd.reading.people import is_of_person
from dr_rd.reading.prices import is_for_one
from dr_rd.reading.tagged import Chances, Tagged, iso_day
from dr_rd.study.values import Budget, Closure, Deadline

_LIKELY = {"budget": 0.4, "start": 0.25, "deadline": 0.25}
"""Probability from which an amount is taken for what it may be."""
_LABELLED = 0.15
"""The same of one that a label announces."""
_MID = re.compile(r"\b(?:mid|middle of)[\s-]*(?:the\s)?$", re.IGNORECASE)
_EARLY = re.compile(
    r"\b(?:start|beginning|early|anfang|début|principios)\s*(?:of\s|in\s|de\s)?$", re.IGNORECASE
)
_MONTHS = {"day": 12 / 260, "week": 12 / 52, "fortnight": 24 / 52, "month": 1.0, "year": 12.0}
"""Months of each unit; days are working days."""
_CALENDAR_DAYS = re.compile(r"\bcalendar\b", re.IGNORECASE)
_ALL = re.compile(
    r"\ball[- ]in\b|\binclud\w+ (?:all|everything|everyone|staff|salar\w+|people|personnel|pay|wages|labou?r|overheads?|VAT|tax\w*|travel)\b|\ball included\b|\bin total\b|\btotal\b|\beverything\b|\ball costs\b|\bincl\.|\boverheads?\b|\bfor (?:all|everything|the whole)\b"
    r"|inbegriffen|einschließlich|gesamt|inklusive|compris|TTC|tout compris|incluid\w+|en total|todo incluido|含|全部",
    re.IGNORECASE,
)
_DIRECT = re.compile(
    r"\bconsumables?\b|\bdirect\b|\bwithout (?:staff|salar\w+)|\b(?:staff|salar\w+|people|personnel|wages)\b[^.;]{0,40}\b(?:not|separate\w*|carried|extra|excluded|paid)\b"
    r"|\bnot includ\w+ (?:staff|salar\w+)|\bexclud\w+ (?:staff|salar\w+)|\bexcludes?\b|\bhardware\b|\blicen[cs]e\b|\bmaterials?\b|\btravel\b"
    r"|Verbrauchsmittel|Sachmittel|ohne Personal|hors salaires|sin personal|不含人员|materiales",
    re.IGNORECASE,
)


def budget_of(found: Tagged) -> tuple[Budget, Amount] | None:
    """Return the budget and where it is said."""
    best = _best(found, "budget", "budget", ("money", "bare", "count"))
    if (
        best is None
        or _is_rate(best)
        or is_for_one(best)
        or not (amount := best.fact.amount.most)
        or amount <= 0
    ):
        return _effort_budget(found)
    unit = best.fact.amount.unit.split("/")[0]
    currency = unit if is_money(unit) else _currency(found)
    return _budget(amount, currency, best), best


def _budget(amount: float, currency: str | None, said: Amount) -> Budget:
    text = said.segment.text
    covers = "direct" if _DIRECT.search(text) else "all" if _ALL.search(text) else "unsaid"
    return Budget(amount=amount, currency=currency, covers=covers)


def _currency(found: Tagged) -> str | None:
    """The currency of all sums of the text; None where it names none or several."""
    named = {a.fact.amount.unit.split("/")[0] for a in found.amounts if a.kind == "money"}
    return named.pop() if len(named) == 1 else None


def _effort_budget(found: Tagged) -> tuple[Budget, Amount] | None:
    """The product of a rate a day and of the days of work that stand beside it."""
    rates = [a for a in found.amounts if _is_rate(a)]
    if len(rates) != 1:
        return None
    rate = rates[0]
    if is_of_person(rate.segment):
        return None  # what one of several people costs
    near = [
        (abs(a.start - rate.start), n, a)
        for n, a in enumerate(found.amounts)
        if _is_effort(a) and abs(a.start - rate.start) <= _NEARBY
    ]
    effort = min(near)[-1] if near else None
    price, days = rate.fact.amount.most, effort.fact.amount.most if effort else None
    if not (price and days and effort):
        return None
    return _budget(price * days, rate.fact.amount.unit.split("/")[0], effort), effort


_DAILY = re.compile(r"(?:/|\b(?:per|a|an|each))\s?(?:person[- ]?)?day\b", re.IGNORECASE)
_DAYS_AT = re.compile(r"\bdays?\s(?:at|@|x|×)\s$", re.IGNORECASE)
_EFFORT = re.compile(r"\b(?:person|man|staff|consultant|analyst)[- ]?days?\b", re.IGNORECASE)
_NEARBY = 120
"""Characters between an effort and its rate."""


def _is_rate(amount: Amount) -> bool:
    """Whether it is what a day of work costs: "640 EUR per day", "9 days at 640 EUR"."""
    daily = _DAILY.search(f"{amount.fact.amount.text}{amount.after[:12]}")
    return amount.kind == "money" and bool(daily or _DAYS_AT.search(amount.before))


def _is_effort(amount: Amount) -> bool:
    """Whether it is days of work in all: "60 person-days", "not more than 70 days together"."""
    q = amount.fact.amount
    capped = amount.kind == "time" and q.unit == "day" and q.comparison in ("at_most", "less_than")
    return capped or bool(_EFFORT.search(f"{q.text}{amount.after[:16]}"))


def start_of(found: Tagged) -> tuple[str, Amount] | None:
    """Return the first day of the work as an ISO date, and where it is said."""
    end = deadline_of(found)
    taken = {end[1]} if end and not _spans(end[1]) else set()
    text = found.document.text
    taken |= {a for a in found.amounts if a.kind == "date" and (_due(a) or is_aside(a, text))}
    best = _best(found, "start", "start", ("date",), apart=taken)
    if best is None:
        first = (a for a in found.amounts if a.kind == "date" and a not in taken and opens(a))
        best = min(first, key=lambda a: a.fact.amount.low or 0, default=None)
    if best is None and end and end[1].kind == "date" and _spans(end[1]):
        best = end[1]  # "from … to …", whose last day is when the work ends
    if best is None or not (day := iso_day(best.fact.amount.low)):
        return None
    return day, best


_OPENS = re.compile(
    r"\b(?:first\b[^.;,]{0,40}\b(?:can|may|could|will|is|be|on)\b|(?:can|may|could|will|we)\s(?:only\s)?(?:begin|start)\b|(?:begins?|starts?|opens?)\b)[^.;,\d]{0,30}\b(?:on|from|in)\s(?:[A-Z][a-z]+day,?\s)?(?:the\s)?$"
)
_NOT_SOONER = re.compile(
    r"[^.;\d]{0,6}\b(?:not (?:a|one) (?:day|week) (?:before|earlier)|(?:no|not) (?:sooner|earlier|before)|at the earliest|nothing (?:[a-z]+ ){0,3}(?:earlier|before|sooner))\b",
    re.IGNORECASE,
)


def opens(date: Amount) -> bool:
    """Whether something can be done from that day on, and not by it: "the first plot can be cut on"."""
    return bool(_OPENS.search(date.before) or _NOT_SOONER.match(date.after))


def _due(date: Amount) -> bool:
    """Whether something is done by that day, so that nothing begins on it."""
    bounded = date.fact.amount.comparison in ("at_most", "less_than")
    return bounded or bool(_BY.search(f"{date.before[-24:]}{date.fact.amount.text}"))


_BY = re.compile(
    r"\b(?:by|before|until|till|due(?: on)?|no later than|latest)\s+(?:the\s)?(?:end of\s|mid[- ]|middle of\s)?(?=[^\s]+(?:\s[^\s]+){0,2}$)",
    re.IGNORECASE,
)


def deadline_of(found: Tagged) -> tuple[Deadline, Amount] | None:
    """Return the last day of the work, or its length, and where it is said."""
    shut = {a for _, *days in closures_of(found) for a in days}
    best = _best(found, "deadline", "deadline", ("date", "time"), also="duration", apart=shut)
    if best is None:
        called = [a for a in found.amounts if a.kind == "date" and a not in shut]
        called = [a for a in called if a.segment.kind == "deadline" and a.segment.own]
        best = max(called, key=lambda a: a.fact.amount.high or 0, default=None)
    if best is None:
        best = _best(found, "start", "start", ("date",), apart=shut)
        if best is None or not _spans(best):
            return None
    if best.kind == "date":
        day = last_day(best)
        return (Deadline(date=day), best) if day else None
    months = months_of(best)
    return (Deadline(months=round(months, 2)), best) if months else None


def months_of(amount: Amount) -> float | None:
    """Return a length of time in months; None where it is none of days or longer."""
    q, value = amount.fact.amount, amount.fact.amount.most
    factor = _MONTHS.get(q.unit)
    if q.unit == "day" and _CALENDAR_DAYS.search(amount.segment.text):
        factor = 12 / 365
    return value * factor if value and factor else None


def last_day(amount: Amount) -> str | None:
    """Return the day that an end names: the last of a month, the fifteenth of its middle."""
    q = amount.fact.amount
    if q.low != q.high and q.low is not None and q.high is not None:
        if _MID.search(amount.before) or _MID.match(q.text):
            return iso_day(q.low // 100 * 100 + 15)
        if _EARLY.search(amount.before):
            return iso_day(q.low)
    return iso_day(amount.fact.amount.most)


def _best(
    found: Tagged,
    role: str,
    label: str,
    kinds: tuple[str, ...],
    also: str = "",
    apart: Container[Amount] = (),
) -> Amount | None:
    """The amount that most likely has a role; one under a label of that kind needs less."""
    other = "start" if role == "deadline" else ""
    held = [
        (chances[role], a)
        for a, chances in found.amounts.items()
        if a.kind in kinds
        and a not in apart
        and not is_aside(a, found.document.text)
        and not (role in _OF_WORK and a.kind in ("date", "time") and is_of_person(a.segment))
        and not (other and a.segment.own and a.segment.kind == other and not _spans(a))
        and not (other and _OFFSET.match(a.after))
        and not (a.kind == "date" and other and not _spans(a) and chances[other] > chances[role])
    ]
    sure = [
        (p, a)
        for p, a in held
        if p >= (_LABELLED if a.segment.kind in (label, also) else _LIKELY[role])
    ]
    return max(sure, key=lambda pair: pair[0])[1] if sure else None


_OF_WORK = ("start", "deadline")
_OFFSET = re.compile(r"\s*(?:before|earlier|ahead|prior)\b", re.IGNORECASE)
"""What makes of a length how far something lies from a day: "two weeks before"."""


# --- Closures

_SHUT = re.compile(
    r"\b(?:no|nothing|not|closed?|shut\w*|closure|unavailable|away|holidays?|out|break|blackout|freeze|vacation|alone|revision|maintenance|inventory|stocktak\w+|recess|except|without)\b"
    r"|geschlossen|\bzu\b|gesperrt|kein\w*|nichts|Ferien|\bsperr\w*|fermé\w*|rien|pas|vacances|cerrad\w+|nada|sin|vacaciones|停工|关闭|放假|不",
    re.IGNORECASE,
)
_FIRST_DAY = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?(?:\s(?P<month>[A-Z][a-z]{2,8}))?(?:\s(?:of\s)?(?P<month2>[A-Z][a-z]{2,8}))?\s*(?:to|and|until|till|through|bis|al?|au|y|et|[–—-])\s*(?:the\s)?$"
)
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def closures_of(found: Tagged) -> Iterator[tuple[Closure, Amount, Amount]]:
    """Yield the closed periods, each with the amounts of its first and last day."""
    dates = [a for a in found.amounts if a.kind == "date" and not is_of_person(a.segment)]
    done: set[Amount] = set()
    for n, date in enumerate(dates):
        if date in done or not (_closing(date) or _shut(date, found.amounts[date])):
            continue
        after = dates[n + 1] if n + 1 < len(dates) else None
        beside = after and after.segment is date.segment and after.start - date.end <= _GAP
        if after and beside and not (_spans(date) or _spans(after)):
            done.add(after)
            first, last, end = date.fact.amount.low, after.fact.amount.high, after
        elif _spans(date):
            first, last, end = date.fact.amount.low, date.fact.amount.high, date
        else:
            first, last, end = _first_day(date), date.fact.amount.high, date
        begin, stop = iso_day(first), iso_day(last)
        if begin and stop and begin < stop:
            what = " ".join(date.segment.text.split())[:_SHOWN]
            yield Closure.model_validate({"from": begin, "to": stop, "what": what}), date, end


def _shut(date: Amount, chances: Chances) -> bool:
    likely = _CLOSED_SPAN if _spans(date) else _CLOSED
    return chances["closed"] >= max(likely, chances["deadline"], chances["start"])


def _spans(date: Amount) -> bool:
    """Whether it says both ends itself: "5 April 2027 to 16 April 2027", "first half of 2027"."""
    q = date.fact.amount
    apart = q.low is not None and q.high is not None and q.high - q.low > _MONTH
    return date.kind == "date" and (q.comparison == "between" or apart)


_MONTH = 31
"""What the first and the last day of a month differ by at most, as they are written."""


_CLOSED = 0.6
"""Probability from which a period is one of closure, whatever the words about it."""
_CLOSED_SPAN = 0.35
"""The same of one that says its first and its last day."""
_GAP = 16
_SHOWN = 120


_STOP = re.compile(r"[.;!?。；](?:\s|$)|[。；]|\n")
_BREAK = re.compile(r"[.,;!?:](?:\s|$)|[。；，]|\n")
"""Where what is said of a date has begun, and where it has ended."""


def _closing(date: Amount) -> bool:
    """Whether a sentence says of a date that nothing is done then, and not by then."""
    before, after = _STOP.split(date.before[-80:])[-1], _BREAK.split(date.after[:60])[0]
    clause = f"{before} {after}"
    bounded = date.fact.amount.comparison in ("at_most", "less_than")
    labelled = date.segment.kind == "closed"
    ends = re.search(r"\b(?:later|before|after|beyond|by|earlier)\b[^.;]{0,12}$", date.before)
    return labelled or bool(_SHUT.search(clause) and not bounded and not ends)


def _first_day(date: Amount) -> float | None:
    """The first day of "15 July to 31 August 2027", whose year stands only with the last."""
    q = date.fact.amount
    match = _FIRST_DAY.search(date.before)
    if not match or q.high is None:
        return q.low
    year, rest = divmod(int(q.high), 10000)
    name = (match["month2"] or match["month"] or "")[:3].lower()
    month = _MONTH_NAMES.index(name) + 1 if name in _MONTH_NAMES else rest // 100
    year -= month > rest // 100
    return float(year * 10000 + month * 100 + int(match["day"]))

"""Whether the amounts of a text keep within a bound: one matcher for counts, measures, times and dates.

Each fact of the text is held against the bound by what it is of: surely the same thing, perhaps, or
another. What surely is the same decides; what only may be leaves the matter unclear.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from dr_rd.checks.bounds import is_budget
from dr_rd.checks.budgets import spending
from dr_rd.checks.compare import CALENDAR, breaks, keeps, same_unit
from dr_rd.checks.days import ending
from dr_rd.checks.enumeration import enumerated
from dr_rd.checks.findings import Finding
from dr_rd.checks.items import LedgerItem, Limit
from dr_rd.checks.nouns import KINDS, nouns
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity, is_money
from dr_rd.text import Fact, Page, Sentence, cued, lexicon, plural, reported, root, stem
from dr_rd.text.numbered import NTH

Bearing = Literal["same", "near"]


class Held(NamedTuple):
    """A fact held against a bound."""

    fact: Fact
    bearing: Bearing
    amount: Quantity
    """In the bound's unit."""
    kin: int
    """How many of the item's words stand about it."""


def limit(found: Limit, item: LedgerItem, page: Page, rivals: Sequence[Limit] = ()) -> Finding:
    """Say whether the amounts that are about a bound keep within it; *rivals* are the other bounds of its brief."""
    bound = found.quantity
    if is_budget(found) and (spent := spending(bound, page)):
        return spent
    held = list(_held(found, item, page, rivals))
    same = [h for h in held if h.bearing == "same"]
    good = [h for h in held if keeps(h.amount, bound) and h.fact.polarity == "affirmed"]
    sure = [h for h in good if h.bearing == "same" and _shows(h, found, item)]
    broken = [h for h in same if breaks(h.amount, bound)]
    if broken:
        bad = max(broken, key=lambda h: (h.fact.polarity == "affirmed", not h.fact.derived, h.kin))
        if not any(g.kin > bad.kin for g in sure):
            return _broken(bad, found, item, good, short=page.short)
    if listed := enumerated(found, page, none=not same):
        return listed
    near = [h for h in held if h.bearing == "near"]
    doubt = next(
        (h for h in near if breaks(h.amount, bound) and h.fact.polarity == "affirmed"), None
    )
    best = max(sure, key=lambda h: h.kin, default=None)
    rival = best and doubt and (page.short or doubt.kin > best.kin or _near(doubt.fact, best.fact))
    floor = bound.low is not None and not found.scope
    if doubt and floor and _of_those(doubt.fact, sure, page):
        rival = False
    if best and not rival:
        return Finding("met", f"it states {best.fact.amount.text}", best.fact.sentence)
    if loose := next((h for h in same if _allows(h, bound)), None):
        reason = f"it promises only {loose.fact.amount.text}, but the limit is {bound.text}"
        return Finding("unclear", reason, loose.fact.sentence)
    if open_ := doubt or next(iter((*near, *same)), None):
        reason = f"it states {open_.fact.amount.text}, which may be of something else"
        return Finding("unclear", reason, open_.fact.sentence)
    return Finding("not_shown", f"the text states no figure for {bound.noun or bound.text}")


def _of_those(fact: Fact, sure: Sequence[Held], page: Page) -> bool:
    """Whether an amount is of each, or one of the parts, of what is counted beside it: "96 hives, 48 old and 48 new"."""
    if fact.per or fact.named:
        return bool(fact.per)
    here = [f.amount for f in page.facts if f.sentence is fact.sentence and not f.named]
    total = sum(q.low or 0 for q in here if not q.unit)
    return any(h.fact.sentence is fact.sentence and h.amount.low == total for h in sure)


def _shows(held: Held, found: Limit, item: LedgerItem) -> bool:
    """Whether an amount in order shows that a bound is kept.

    No sum that may count twice shows an upper one, and no count that may be of a part.
    """
    bound, fact = found.quantity, held.fact
    if bound.low is not None:
        return True
    counted = not bound.unit and not fact.whole
    return not (fact.derived and fact.whole) and (not counted or _telling(held, found, item))


def _telling(held: Held, found: Limit, item: LedgerItem) -> bool:
    """Whether more than one word of a limit stands about an amount, where it has more."""
    return held.kin >= min(_TELLING, len(topic_of(item, found.quantity)) + 1)


def _broken(
    bad: Held, found: Limit, item: LedgerItem, good: Sequence[Held], *, short: bool
) -> Finding:
    fact, bound = bad.fact, found.quantity
    told = [g for g in good if bound.low is not None or not (g.fact.per or g.fact.part)]
    rival = next((g for g in told if short or g.kin >= bad.kin or _near(g.fact, fact)), None)
    sure = fact.polarity == "affirmed" and not reported(fact) and not cued("variants", fact.clause)
    sure = sure and rival is None and _on_topic(bad, found, item) and not _hypothetical(bad, bound)
    sure = sure and not (fact.derived and bound.low is None and not bound.unit)
    lasts = bound.unit in TIME_UNITS and not due(item)
    sure = sure and (short or not lasts or _telling(bad, found, item))
    reason = f"it states {fact.amount.text}, but the limit is {bound.text}"
    return Finding("violated" if sure else "unclear", reason, fact.sentence)


def _near(one: Fact, other: Fact) -> bool:
    """Whether two facts stand in one sentence, or in two that follow each other."""
    first, last = sorted((one.sentence, other.sentence), key=lambda s: s.start)
    return last.start - first.end <= _GAP


_GAP = 4
"""Characters from one sentence to the next in a paragraph."""


def _hypothetical(held: Held, bound: Quantity) -> bool:
    """Whether a figure only says what would be too little: "with fewer than eight pairs the power drops"."""
    capped = held.amount.comparison in ("less_than", "at_most")
    return capped and bound.low is not None and bound.high is None


def _on_topic(held: Held, found: Limit, item: LedgerItem) -> bool:
    """Whether something about a count says that it is of what an upper bound is for."""
    bound = found.quantity
    if found.whole or bound.unit or bound.high is None or item.kind == "ban":
        return True
    own = set(lexicon().units(bound.noun, generic=True)) | lexicon().generic | lexicon().groups
    topic = [u for u in topic_of(item, bound) if u not in own]
    meanings = held.fact.sentence.meanings
    return len(topic) < _TELLING or held.kin >= _TELLING or any(_in(u, meanings) for u in topic)


_TELLING = 2


def _held(found: Limit, item: LedgerItem, page: Page, rivals: Sequence[Limit]) -> Iterator[Held]:
    """The facts that are of what is bounded, or may be."""
    bound = found.quantity
    sole = bound.unit not in ("", "percent", *TIME_UNITS) and not is_money(bound.unit)
    sole = sole and not any(same_unit(r.quantity, bound) for r in rivals)
    for fact in page.facts:
        if fact.polarity not in ("affirmed", "perhaps"):
            continue
        amount = same_unit(fact.amount, bound)
        if amount is None or apart(fact, bound):
            continue
        if _studied(fact.amount, found, ranges=page.short) and not keeps(amount, bound):
            continue
        bearing = _bearing(fact, amount, found, item)
        if bearing is None and page.short and _may_be(fact, amount, bound):
            bearing = "near"
        if sole and bearing == "near" and _order(amount, bound) and not fact.per:
            bearing = "same"  # the brief bounds nothing else of this dimension
        if bearing:
            yield Held(fact, bearing, amount, _kin(fact, item, bound))


def _studied(amount: Quantity, found: Limit, *, ranges: bool) -> bool:
    """Whether the objective itself names the figure, or with *ranges* a range that it lies in.

    What is studied between 400 and 800 C is not held to the temperature that something else has;
    a whole plan says of its figures what they are of, so that there only the very figure counts.
    """
    own = (amount.low, amount.high, amount.unit)
    if own in found.known:
        return True
    if not ranges or amount.low is None or amount.high is None:
        return False
    return any(
        unit == amount.unit
        and low is not None
        and high is not None
        and low <= amount.low <= amount.high <= high
        for low, high, unit in found.known
    )


def _may_be(fact: Fact, amount: Quantity, bound: Quantity) -> bool:
    """Whether an amount in a short text, which speaks of little else, may be of what is bounded."""
    if bound.unit and not is_money(bound.unit):
        return fact.amount.noun != NTH and _comparable(amount, bound)
    return not bound.unit and not fact.amount.unit


def apart(fact: Fact, bound: Quantity) -> bool:
    """Whether a fact is of another kind than a bound: a date is no count, and an age no duration."""
    q = fact.amount
    if q.noun == DATE and bound.unit in CALENDAR and bound.noun != "age":
        return False
    if q.noun == YEAR and bound.unit == "year":
        return q.comparison != "between" or bound.noun == "age"
    mine, its = (n if n in KINDS else "" for n in (bound.noun, q.noun))
    if {mine, its} == {"age", ""}:
        return not _aged(fact) if mine else True
    return mine != its


_AGED = re.compile(r"\b(?:aged?|old|older|younger|ages)\b", re.IGNORECASE)
_PEOPLE = re.compile(
    r"\b(?:people|adults?|child(?:ren)?|pupils?|students?|volunteers?|men|women|participants?|patients?|boys|girls)\b",
    re.IGNORECASE,
)


def _aged(fact: Fact) -> bool:
    """Whether years are told of people: "pupils from 10 to 18 years"."""
    said = f"{fact.before[-40:]} {fact.amount.text} {fact.after[:20]}"
    return fact.amount.unit == "year" and bool(
        _AGED.search(said) or _PEOPLE.search(fact.before[-20:])
    )


def _bearing(fact: Fact, amount: Quantity, found: Limit, item: LedgerItem) -> Bearing | None:
    bound = found.quantity
    if bound.noun == DATE:
        return _ends(fact, found, item)
    if bound.noun == "age":
        return "same"
    if is_money(bound.unit):
        return _priced(fact, found, item)
    if bound.unit or 0 < (bound.high or bound.low or 0) < 1:
        return _measures(fact, amount, found, item)
    return _counts(fact, found, item)


# --- Dates and money


def _ends(fact: Fact, found: Limit, item: LedgerItem) -> Bearing | None:
    if found.whole:
        return "same" if cued("ending", fact.clause) or cued("ending", fact.after[:40]) else None
    topic = ending(item) or topic_of(item, found.quantity)
    hits = sum(_in(u, fact.sentence.meanings) for u in topic)
    if topic and 2 * hits >= len(topic):
        return "same"
    return "near" if hits else None


def _priced(fact: Fact, found: Limit, item: LedgerItem) -> Bearing | None:
    """A price of one thing is held against what that thing costs; a budget is held elsewhere."""
    if is_budget(found):
        return "near" if cued("spending", fact.clause) and not fact.per else None
    topic = [u for u in topic_of(item, found.quantity) if u not in ("cost", "price", "unit")]
    return "same" if any(_in(u, fact.held()) for u in topic) and not fact.whole else None


# --- Counts


def _counts(fact: Fact, found: Limit, item: LedgerItem) -> Bearing | None:
    """Whether a count is of the bound's noun, and of all of it."""
    q, bound = fact.amount, found.quantity
    value = q.most or 0
    if (
        q.noun == NTH
        or 0 < abs(value) < 1
        or _NUMBERED.search(fact.before)
        or _ODDS.match(fact.after)
    ):
        return None
    if not bound.noun:
        return None
    words, wanted = nouns(q), nouns(bound)
    if not words or (not fact.named and not fact.part):
        return "near" if _bare(fact, found) else None
    if not _alike(words, wanted, q):
        return "near" if _akin(words, wanted) else None
    if q.low == q.high == 1 and (bound.low or 0) > 1 and not cued("single", fact.clause):
        return None  # "one participant" said in passing
    return _share(fact, found, item)


def _share(fact: Fact, found: Limit, item: LedgerItem) -> Bearing | None:
    """Whether a count of the right thing is of all of it, or of each of what the bound is of each of."""
    low, high = found.quantity.low, found.quantity.high
    value = fact.amount.low if fact.amount.low is not None else fact.amount.high or 0
    if found.scope:
        if fact.per:
            return "same" if _same_scope(fact.per, found) else "near"
        told = fact.whole or cued("all_told", fact.clause)
        if high is not None and value <= high and low is None:
            return "same"  # all together are no more than each may have
        return "same" if told and low is not None and value < low else "near"
    if high is not None and value > high:
        return "near" if fact.per and not fact.whole and _over_time(fact.per) else "same"
    if fact.whole:
        return "same"
    if fact.per or fact.part or cued("parts", fact.breath()):
        return "near" if low is not None and value < low else None if low is not None else "near"
    taken = cued("taken", fact.clause) or cued("own", fact.clause) or cued("all_told", fact.clause)
    return "same" if taken or low is None or value >= low or item.kind == "ban" else "near"


def _over_time(per: str) -> bool:
    return stem(per) in TIME_UNITS


def _same_scope(per: str, found: Limit) -> bool:
    scope = lexicon().meanings(found.scope) | frozenset(lexicon().units(found.of, generic=True))
    said = lexicon().meanings(per)
    groups = lexicon().groups
    return bool(said & scope) or bool(said & groups and scope & groups)


def _bare(fact: Fact, found: Limit) -> bool:
    """Whether a number without a noun of its own may count what is bounded."""
    q = fact.amount
    if q.unit or (q.low or 0) < _TELLING or q.noun in KINDS:
        return False
    held = fact.sentence.meanings
    return any(_in(u, held) for u in lexicon().units(found.quantity.noun, generic=True)[-1:])


_NUMBERED = re.compile(r"\b[^\W\d_]+\s(?:number|no\.|nr\.|code|id|ID)\s$")
_ODDS = re.compile(
    r"\s+(?:in|out\sof)\s+(?:every\s)?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty)\b",
    re.I,
)


def _alike(words: Sequence[str], bound: Sequence[str], quantity: Quantity) -> bool:
    """Whether two noun phrases count the same: their heads agree."""
    wanted = set(lexicon().units(" ".join(bound), generic=True)[-1:])
    said = lexicon().words(" ".join(words))
    at = next((n for n, w in enumerate(said) if wanted & w.meanings), None)
    if at is None:
        kind = set(lexicon().units(words[-1], generic=True))
        return bool(kind & lexicon().meanings(bound[-1]) & _GENERAL)
    if f"-{quantity.noun}" in quantity.text:
        return False  # "a four-parameter law" has no count of its own
    last = at >= len(words) - 1 or len(lexicon().units(" ".join(words[at:]), generic=True)) == 1
    return last or plural(words[min(at, len(words) - 1)])


_GENERAL = frozenset({"participant", "site"})


def _akin(words: Sequence[str], bound: Sequence[str]) -> bool:
    """Whether what is counted shares a telling word with the bound, or is a kind of it."""
    held = lexicon().meanings(" ".join(words))
    return any(_in(u, held) for u in lexicon().units(" ".join(bound)))


# --- Measures and times


def _measures(fact: Fact, amount: Quantity, found: Limit, item: LedgerItem) -> Bearing | None:
    """Whether a measured amount has the bound's dimension and is of its subject."""
    q, bound = fact.amount, found.quantity
    if q.noun == NTH and not (lasting(item) and bound.high is not None):
        return None
    if bound.unit in TIME_UNITS:
        return _lasts(fact, amount, found, item)
    topic = topic_of(item, bound)
    own = _beside(item, bound) or topic
    held = fact.held() | lexicon().meanings(q.noun)
    hits = sum(_in(u, held) for u in own)
    if bound.unit == "percent":
        noun = lexicon().units(bound.noun, generic=True) or topic
        hits, own = sum(_in(u, held) for u in noun), noun
        if noun and hits >= 0.6 * len(noun):
            return "same"
        return "near" if hits else None
    if fact.per and not found.scope and _over_time(fact.per):
        return "near"
    if hits and hits >= max(1, len(topic) // 4):
        return "same"
    return (
        "near"
        if any(_in(u, fact.sentence.meanings) for u in topic) or _order(amount, bound)
        else None
    )


def _lasts(fact: Fact, amount: Quantity, found: Limit, item: LedgerItem) -> Bearing | None:
    """Whether a length of time is that of what is bounded: of the whole work, or of what the item names."""
    bound, clause = found.quantity, fact.clause
    topic = topic_of(item, bound)
    whole = due(item)
    if whole:
        if (
            fact.per
            or cued("moments", f"{clause} {fact.amount.noun}")
            or _GONE_BY.search(fact.before)
        ):
            return None
        if cued("working", clause) and _comparable(amount, bound):
            return "same"
        return "near" if _comparable(amount, bound) and fact.amount.noun != NTH else None
    own = [u for u in (_beside(item, bound) or topic) if u not in _DULL]
    held = fact.held() | lexicon().meanings(fact.amount.noun)
    hits = sum(_in(u, held) for u in own)
    if fact.per and not found.scope and not _same_scope(fact.per, found):
        return "near" if hits else None
    if hits and hits >= max(1, len(topic) // 4) and _comparable(amount, bound):
        return "same"
    if (
        lasting(item)
        and cued("lasting", clause)
        and not cued("moments", clause)
        and _comparable(amount, bound)
    ):
        return "same" if not own else "near"
    return (
        "near"
        if hits
        or (_comparable(amount, bound) and any(_in(u, fact.sentence.meanings) for u in topic))
        else None
    )


_GONE_BY = re.compile(r"\bthe\s(?:last|past|previous|preceding|prior)\s$", re.IGNORECASE)


def lasting(item: LedgerItem) -> bool:
    """Whether an item bounds how long the work, or a part of it that is named, goes on."""
    return due(item) or (cued("durations", item.text) and not cued("moments", item.text))


def due(item: LedgerItem) -> bool:
    """Whether an item says when the work is to be done."""
    return cued("due", item.text) or item.whole


_FAR_OFF = 15


def _comparable(q: Quantity, bound: Quantity) -> bool:
    """Whether two lengths of time are of one order: a lesson is not held against a year."""
    value = q.most
    limits = [v for v in (bound.low, bound.high) if v]
    top = _FAR_OFF if bound.low is not None else math.inf  # nothing is too long to be too long
    return bool(value) and any(v / _FAR_OFF <= (value or 0) <= v * top for v in limits)


_ORDER = 1.3


def _order(q: Quantity, bound: Quantity) -> bool:
    """Whether two measures are of one order of magnitude."""
    value, at = (abs(x.most or 0) for x in (q, bound))
    return bool(value and at) and abs(math.log10(value / at)) <= _ORDER


_DULL = CALENDAR | {"last", "run", "take"}


# --- Subjects


def topic_of(item: LedgerItem, bound: Quantity) -> tuple[str, ...]:
    """The telling words of an item beside its figure."""
    rest = item.text.replace(bound.text, " ")
    return tuple(u for u in lexicon().units(rest) if not u[0].isdigit() and u not in CALENDAR)


def _beside(item: LedgerItem, bound: Quantity) -> tuple[str, ...]:
    """The words on either side of a bound, and its noun: what it is a bound of."""
    known = bound.text in item.text
    before = item.text[: bound.start].split()[-3:] if known else []
    after = item.text[bound.end :].split()[:2] if known else []
    units = lexicon().units(" ".join([*before, bound.noun, *after]), generic=True)
    dull = CALENDAR | lexicon().groups
    if bound.unit in TIME_UNITS or bound.unit == "percent":
        dull |= lexicon().generic
    noun = lexicon().units(bound.noun, generic=True)
    return tuple(u for u in units if not u[0].isdigit() and (u not in dull or u in noun[-1:]))


def _kin(fact: Fact, item: LedgerItem, bound: Quantity) -> int:
    """How many of the item's words stand about an amount."""
    held = fact.held() | lexicon().meanings(f"{fact.per} {fact.amount.noun}")
    units = lexicon().units(item.text.replace(bound.text, f" {bound.noun} "), generic=True)
    return sum(_in(u, held) for u in units if not u[0].isdigit() and u not in CALENDAR)


def _in(unit: str, held: frozenset[str]) -> bool:
    """Whether a meaning, or the root or a part of it that tells, is among others."""
    if unit in held or root(unit) in held:
        return True
    return " " in unit and any(p in held for p in map(stem, unit.split()) if p not in _VAGUE)


_VAGUE = frozenset({"time", "rate", "year", "servic"})


def _allows(held: Held, bound: Quantity) -> bool:
    """Whether a weaker promise leaves room for a breach: "at least 80" where 100 are asked for."""
    q = held.amount
    weak = q.comparison in ("at_least", "more_than") and q.low is not None
    return bool(weak and bound.low is not None and (q.low or 0) < bound.low)


_SPOKEN = 0.4
"""Share of an item's telling words from which a sentence speaks of it."""


def nearest(item: LedgerItem, page: Page) -> Sentence | None:
    """The sentence that shares most telling words with an item; None where none speaks of it."""
    units = [u for u in lexicon().units(item.text, generic=page.short) if not u[0].isdigit()]
    best = max(page.sentences, key=lambda s: sum(_in(u, s.meanings) for u in units), default=None)
    hits = sum(_in(u, best.meanings) for u in units) if best else 0
    enough = 1 if page.short else min(_TELLING, _SPOKEN * len(units))
    return best if hits and hits >= enough else None

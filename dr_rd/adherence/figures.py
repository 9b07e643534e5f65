"""Whether the figures of a text keep within a bound."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dr_rd.adherence.bounds import CALENDAR, breaks, keeps, same_unit
from dr_rd.adherence.circles import as_bounded, is_across
from dr_rd.adherence.clock import clocked, resolved
from dr_rd.adherence.counts import (
    counts,
    of_one_group,
    per_one,
)
from dr_rd.adherence.defined import as_defined, defines
from dr_rd.adherence.lengths import comparable, due, lasting, lasting_item, only_length
from dr_rd.adherence.loose import loosely
from dr_rd.adherence.money import spending
from dr_rd.adherence.others import admitted, outdone, set_against, taken_up, told_of_others
from dr_rd.adherence.pairs import paired
from dr_rd.adherence.people import aged, grown
from dr_rd.adherence.prolonged import prolonged
from dr_rd.adherence.reading import Finding, Page, Stated, Verdict
from dr_rd.adherence.rolls import Roll, adds, rolls
from dr_rd.adherence.sized import sized
from dr_rd.adherence.sole import is_sole, sole
from dr_rd.adherence.spans import in_days
from dr_rd.adherence.things import covers
from dr_rd.adherence.weighing import FAR, MANY, among, kin, outweighed
from dr_rd.hours import CLOCK
from dr_rd.intervals import INTERVAL
from dr_rd.ledger import LedgerItem, Limit, ending, is_budget
from dr_rd.numbered import NTH
from dr_rd.parameters import PARAMETERS
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity, is_money
from dr_rd.text import Sentence, cued, lexicon, stem


def limit(found: Limit, item: LedgerItem, page: Page) -> Finding:
    """Say whether the figures that are about a bound keep within it."""
    bound = found.quantity
    if own := _OWN.get(bound.noun):
        return own(found, item, page)
    if more := adds(found, item, page):
        return Finding("violated", f"it adds to what {bound.text} leaves room for", more)
    if longer := prolonged(bound, item, page.sentences):
        return Finding("violated", f"it goes on beyond {bound.text}", longer)
    if is_budget(found) and (spent := spending(bound, page)):
        return spent
    if is_sole(found) and (told := sole(found, item, page)):
        return told
    page = replace(page, stated=tuple(_meant(found, page.stated)))
    seen = [grown(of_one_group(s, found), found) for s in _about(page.stated, found, item)]
    seen += taken_up(seen, bound, page.stated, page) if bound.unit else ()
    seen = [s for s in seen if not _asked(s.quantity, found) or keeps(s.quantity, bound)]
    good = [s for s in seen if keeps(same_unit(s.quantity, bound), bound)]
    if any(s.quantity.noun == NTH and breaks(s, bound) for s in seen):
        good = [s for s in good if s.quantity.noun != NTH]  # the last moment is the end
    kept = set(good)
    seen = [s for s in seen if s in kept or not outdone(s, good, page)]
    if broken := _breach(seen, good, found, item, page):
        return broken
    if listed := _named(found, page, none=not seen):
        return listed
    # a sum that may be none shows that there are enough, but not that there are no more
    shown = [g for g in good if bound.low is not None or g.share != "sum"]
    if shown:
        return Finding("met", f"it states {shown[0].quantity.text}", shown[0].sentence)
    return (
        _left_open(seen, bound, item, page)
        or loosely(found, item, page)
        or only_length(bound, item, page)
        or paired(found, page)
        or _unstated(found, item, page)
    )


_OWN: Mapping[str, Callable[[Limit, LedgerItem, Page], Finding]] = {
    CLOCK: clocked,
    INTERVAL: resolved,
    PARAMETERS: sized,
}
"""Bounds by their noun that are held against figures of their own kind alone."""


def _meant(found: Limit, stated: Sequence[Stated]) -> Iterable[Stated]:
    """The figures as they are to be held against a bound: who begins, the days of a year, what is across."""
    if found.quantity.comparison == "exactly":
        stated = [_begun(s) for s in stated]
    if found.whole and found.quantity.noun == DATE:
        return map(in_days, stated)
    if is_across(found):
        return (one for s in stated if (one := as_bounded(s, found)))
    return stated


def _begun(stated: Stated) -> Stated:
    """Who was there before some were lost: what is fixed is how many begin."""
    return replace(stated, quantity=stated.of) if stated.of else stated


def _about(stated: Iterable[Stated], found: Limit, item: LedgerItem) -> Iterator[Stated]:
    """The figures of what is bounded, those of a definition as it means them."""
    for one in stated:
        told = as_defined(one, found, item)
        if told and told.stance == "affirmed":
            yield told
        elif _is_about(one, found, item):
            yield one
        elif told:
            yield told


def _is_about(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    return stated.stance in ("affirmed", "perhaps") and _concerns(stated, found, item)


def _named(found: Limit, page: Page, *, none: bool) -> Finding | None:
    """What is named one by one, if it is as the bound asks; fewer or more, where *none* is counted."""
    bound = found.quantity
    low, high = bound.low or 0, bound.high if bound.high is not None else math.inf
    kept: Roll | None = None
    for roll in rolls(found, page):
        last = none or cued("sole", roll.sentence.text) or cued("left_over", roll.sentence.text)
        if roll.count > high or (roll.all and roll.count < low and last):
            reason = f"it names {roll.text}, but the limit is {bound.text}"
            return Finding("violated", reason, roll.sentence)
        kept = kept or (roll if roll.count >= low else None)
    return Finding("met", f"it names {kept.text}", kept.sentence) if kept and none else None


def _breach(
    seen: Sequence[Stated], good: Sequence[Stated], found: Limit, item: LedgerItem, page: Page
) -> Finding | None:
    """The first figure beyond the bound that nothing outweighs."""
    bound = found.quantity
    for stated in seen:
        beyond = breaks(stated, bound) or _prolongs(stated, found, item)
        if beyond and not _both(stated, item) and not outweighed(stated, good, found, item):
            reason = f"it states {stated.quantity.text}, but the limit is {bound.text}"
            sure = stated.stance == "affirmed" or admitted(stated)
            sure = sure and not _excess(stated, bound)
            sure = sure and not told_of_others(stated) and not _off_topic(stated, found, item)
            sure = sure and not set_against(stated, page)
            verdict: Verdict = "violated" if sure else "unclear"
            return Finding(verdict, reason, stated.sentence)
    return None


def _left_open(
    seen: Sequence[Stated], bound: Quantity, item: LedgerItem, page: Page
) -> Finding | None:
    """A weaker promise than the bound asks for, or a total in another currency."""
    if loose := next((s for s in seen if _allows(s, bound)), None):
        reason = f"it promises only {loose.quantity.text}, but the limit is {bound.text}"
        admits = bound.noun == "age" or defines(item) or cued("admits", loose.sentence.text)
        return Finding("violated" if admits else "unclear", reason, loose.sentence)
    if foreign := _foreign(bound, page):
        reason = f"it states {foreign.quantity.text}, which cannot be held against {bound.text} without a rate"
        return Finding("unclear", reason, foreign.sentence)
    return None


def _unstated(found: Limit, item: LedgerItem, page: Page) -> Finding:
    """What is said of a bound of which no figure speaks outright."""
    if item.kind == "ban":
        return Finding("met", "nothing in the text passes the bound")
    if near := _near_enough(found, item, page):
        return Finding("met", f"it states {near[0]}", near[1])
    noun = found.quantity.noun or found.quantity.text
    return Finding("unclear", f"the text states no figure for {noun}")


_SIZES = frozenset({"size", "number", "period", "durat", "length", "count"})
_TELLING = 2


def _off_topic(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether nothing about a count says that it is of what an upper bound is for."""
    bound = found.quantity
    if found.whole or bound.unit or bound.high is None or bound.high == 1 or item.kind == "ban":
        return False  # of what there may be one, the name tells enough
    own = set(lexicon().units(bound.noun, generic=True))
    topic = [u for u in _topic(item, bound) if u not in own and u not in lexicon().generic]
    topic = [u for u in topic if u not in lexicon().groups | _SIZES]
    held = stated.sentence.meanings | lexicon().meanings(f"{stated.scope} {stated.quantity.noun}")
    told = any(among(u, held) for u in topic)
    return len(topic) >= _TELLING and not told and kin(stated, item, bound) < _TELLING


def _near_enough(found: Limit, item: LedgerItem, page: Page) -> tuple[str, Sentence] | None:
    """A measure within the bound in a sentence that speaks of the item, where no other is stated."""
    bound = found.quantity
    if not bound.unit or is_money(bound.unit) or bound.noun in ("age", DATE):
        return None
    topic = set(lexicon().units(item.text, generic=True)) - {""}
    for stated in page.stated[:MANY]:
        q = same_unit(stated.quantity, bound)
        kept = q is not None and stated.stance == "affirmed" and keeps(q, bound)
        timed = bound.unit in TIME_UNITS and (bound.low is None or stated.quantity.noun == NTH)
        if (
            kept
            and not timed
            and any(among(u, stated.sentence.meanings) for u in topic if not u[0].isdigit())
        ):
            return stated.quantity.text, stated.sentence
    return None


def _asked(quantity: Quantity, found: Limit) -> bool:
    """Whether a figure is one of the brief's own objective."""
    return (quantity.low, quantity.high, quantity.unit) in found.known


def _both(stated: Stated, item: LedgerItem) -> bool:
    """Whether a figure is the sum of two bounds: ten years of "5 before and 5 after"."""
    lows = [c.quantity.low or 0 for c in item.checks if isinstance(c, Limit)]
    return len(lows) > 1 and stated.quantity.low == sum(lows)


def _prolongs(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether time is added to a length of time that has an end: "for two more years"."""
    q, bound = stated.quantity, found.quantity
    if bound.unit not in TIME_UNITS or bound.high is None or not lasting(stated, item):
        return False
    body, at = stated.sentence.text, stated.sentence.start
    said = body[max(0, q.start - at - 12) : q.end - at]
    return cued("more", said) and "more than" not in said


def _excess(stated: Stated, bound: Quantity) -> bool:
    """Whether only a sum passes the bound that may count the same things twice."""
    low = stated.quantity.low or 0
    return stated.share == "sum" and bound.high is not None and low > bound.high


def _allows(stated: Stated, bound: Quantity) -> bool:
    """Whether a weaker promise leaves room for a breach: "at least 80" where 100 are asked for."""
    q = same_unit(stated.quantity, bound)
    weak = q is not None and q.comparison in ("at_least", "more_than") and q.low is not None
    return bool(weak and q and bound.low is not None and (q.low or 0) < bound.low)


def _foreign(bound: Quantity, page: Page) -> Stated | None:
    """A total in another currency than the bound's."""
    if not is_money(bound.unit):
        return None
    money = (s for s in page.stated if is_money(s.quantity.unit) and s.totals())
    return next(
        (s for s in money if s.quantity.unit != bound.unit and s.stance == "affirmed"), None
    )


def _concerns(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether a stated quantity is of what the limit bounds."""
    q, bound = stated.quantity, found.quantity
    if bound.noun != DATE and bound.unit and q.noun == DATE and same_unit(q, bound):
        return lasting_item(item) or _measures(stated, found, item)
    if found.whole and bound.noun == DATE:
        told = stated.sentence.text if _LABELLING.match(stated.after) else stated.clause
        return q.noun == DATE and cued("ending", told)
    if bound.noun == DATE or q.noun == DATE:
        topic = ending(item) or _topic(item, bound)
        return q.noun == bound.noun and covers(stated.sentence, topic, 0.5)
    if is_money(bound.unit) and not is_budget(found):
        return q.unit == bound.unit and _priced(stated, found, item)
    if is_money(bound.unit):
        return q.unit == bound.unit and (stated.totals() or _spends(stated, bound))
    if bound.noun == "age" or q.noun == "age":
        return bound.noun == "age" and (q.noun == "age" or aged(stated))
    if q.noun == NTH:
        ends = q.comparison != "between" or due(item)  # else its length is what is bounded
        return ends and bound.high is not None and lasting_item(item) and bound.unit in TIME_UNITS
    if bound.unit:
        return _measures(stated, found, item)
    alike = not q.unit and (q.noun == YEAR) == (bound.noun == YEAR)
    return alike and not _broken(q) and counts(stated, found)


_LABELLING = re.compile(r"\s*[:|–—]")
"""After a date it says that what follows happens then: "Q4 2027: final report"."""


def _priced(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether an amount of money is what the one thing costs that a price is fixed of."""
    words = lexicon()
    held = words.meanings(stated.clause)
    own = words.units(f"{item.text.replace(found.quantity.text, ' ')}", generic=True)
    topic = [u for u in own if not cued("funds", u) and u not in ("cost", "price", "unit")]
    return bool(topic) and any(u in held for u in topic) and not stated.totals()


def _broken(quantity: Quantity) -> bool:
    """Whether a figure below one is no count of anything: a share, a correlation."""
    value = quantity.low if quantity.low is not None else quantity.high
    return value is not None and 0 < abs(value) < 1


def _spends(stated: Stated, bound: Quantity) -> bool:
    """Whether money is spent that alone passes the bound."""
    low = stated.quantity.low or 0
    passes = bound.high is not None and low > bound.high
    return passes and cued("spending", stated.clause)


def _topic(item: LedgerItem, bound: Quantity) -> tuple[str, ...]:
    rest = item.text.replace(bound.text, " ")
    return tuple(u for u in lexicon().units(rest) if not u[0].isdigit() and u not in CALENDAR)


def _measures(stated: Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether a measured quantity has the bound's dimension and speaks of its subject."""
    q, bound = stated.quantity, found.quantity
    alike = same_unit(q, bound)
    if alike is None or _rated(stated, found):
        return False
    if found.scope and (stated.share in ("whole", "sum") or cued("all_told", stated.breath())):
        return False  # of all of them, where the bound is of each
    if stated.share == "whole" and bound.unit in TIME_UNITS:
        bounded = bound.comparison in ("at_most", "less_than") and lasting_item(item)
        return bounded and (not due(item) or cued("working", stated.clause))
    if lasting(stated, item) and bound.unit in TIME_UNITS and comparable(alike, bound):
        return True
    topic = _topic(item, bound)
    if item.kind == "ban":
        topic = tuple(dict.fromkeys((*topic, *lexicon().units(bound.noun, generic=True))))
    near = _beside(item, bound) or topic
    whole = tuple(dict.fromkeys((*topic, *near)))
    held = lexicon().meanings(
        f"{_PRIOR.sub(' ', _before(stated))} {q.noun if stated.named else ''}"
    )
    hits = sum(among(u, held) for u in whole)
    wanted = max(1, len(topic) // 4)
    if bound.unit == "percent":
        noun = lexicon().units(bound.noun, generic=True) or topic
        if _SHARE_OF.match(stated.after):
            held |= lexicon().meanings(stated.clause)
        return sum(among(u, held) for u in noun) >= 0.6 * len(noun)
    fits = bound.unit not in TIME_UNITS or comparable(alike, bound)
    if stated.quantity.noun == "in operation":
        return bool(set(lexicon().units("operational")) & set(whole))
    return fits and hits >= wanted and any(among(u, held) for u in near)


_SHARE_OF = re.compile(r"\s*of\s", re.IGNORECASE)
"""Behind a share: whose it is, and what of them, is said next, as in "20 % of the patients are women"."""

_PRIOR = re.compile(r"\b(?:before|prior to)\s(?:the\s|each\s)?[\w-]+", re.IGNORECASE)


def _rated(stated: Stated, found: Limit) -> bool:
    """Whether a figure is a rate or the denominator of one, and the bound is not."""
    return per_one(stated.before) or (stem(stated.scope) in TIME_UNITS and not found.scope)


def _beside(item: LedgerItem, bound: Quantity) -> tuple[str, ...]:
    """The words on either side of a bound, and its noun: what it is a bound of."""
    before = item.text[: bound.start].split()[-3:] if bound.text in item.text else []
    after = item.text[bound.end :].split()[:2] if bound.text in item.text else []
    said = " ".join([*before, bound.noun, *after])
    units = lexicon().units(said, generic=True)
    dull = CALENDAR | lexicon().groups
    if bound.unit in TIME_UNITS or bound.unit == "percent":
        dull |= lexicon().generic
    noun = lexicon().units(bound.noun, generic=True)
    return tuple(u for u in units if not u[0].isdigit() and (u not in dull or u in noun[-1:]))


_CLOSE = re.compile(r"(?:(?!\s(?:are|is|by|for|and|then|but)\s)[^\w.;]+[\w-]+){0,6}")


def _before(stated: Stated) -> str:
    """The clause up to the figure and a few words on: a figure is about what leads to it."""
    body, at = stated.sentence.text, stated.sentence.start
    begin = max(0, body.find(stated.clause))
    end = stated.quantity.end - at
    close = _CLOSE.match(body, end)
    return body[max(begin, end - FAR) : close.end() if close else end]

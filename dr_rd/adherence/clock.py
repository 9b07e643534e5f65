"""Times of day, and of one reading to the next: whether they lie within a bound."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from dr_rd.adherence.others import outdone
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.hours import CLOCK, Moment, clocks, moments_of_day
from dr_rd.intervals import intervals
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.quantity import Quantity
from dr_rd.text import Sentence, cued, lexicon


def daytimes(found: Sequence[Sentence]) -> Iterator[Stated]:
    """The times of day of each sentence, and the hours from one to the next."""
    for sentence in found:
        told = moments_of_day(sentence.text)
        for q in clocks(sentence.text) if told else ():
            yield _stated(sentence, q)
        for one, after in pairwise(told):
            if hours := _between(one, after, sentence.text):
                text = sentence.text[one.start : after.end]
                yield _stated(sentence, Quantity(comparison="stated", low=hours, high=hours, unit="hour",
                                                 text=text, start=one.start, end=after.end))  # fmt: skip


def _stated(sentence: Sentence, q: Quantity) -> Stated:
    at = sentence.start
    moved = q.model_copy(update={"start": q.start + at, "end": q.end + at})
    return Stated(moved, sentence, sentence.stance(moved.start), sentence.clause(moved.start))


def _between(one: Moment, after: Moment, text: str) -> float:
    """The hours from one moment to another; 0 where nothing says that something goes on."""
    gap = text[one.end : after.start]
    if one.day is not None and after.day is not None:
        return (after.day - one.day) % 7 * 24 + after.hour - one.hour
    goes_on = cued("until", gap) or cued("rising", gap)
    return (after.hour - one.hour) % 24 if goes_on and len(gap) < _NEAR else 0.0


_NEAR = 60


def clocked(found: Limit, item: LedgerItem, page: Page) -> Finding:
    """Say whether the times of day at which a thing happens lie within a window."""
    bound = found.quantity
    seen = [s for s in page.stated if s.quantity.noun == CLOCK and _happens(s, item)]
    kept = [s for s in seen if _inside(s.quantity, bound)]
    inside = set(kept)
    broken = next((s for s in seen if s not in inside and not outdone(s, kept, page)), None)
    if broken:
        reason = f"it states {broken.quantity.text}, but the limit is {bound.text}"
        return Finding("violated", reason, broken.sentence)
    if kept:
        return Finding("met", f"it states {kept[0].quantity.text}", kept[0].sentence)
    return Finding("unclear", "the text states no time of day for it")


def _inside(q: Quantity, bound: Quantity) -> bool:
    return (bound.low or 0) <= (q.low or 0) and (q.high or 0) <= (bound.high or 0)


def _happens(stated: Stated, item: LedgerItem) -> bool:
    """Whether a time is that of what an item speaks of, not of what goes before or after."""
    if stated.stance != "affirmed" or cued("around_it", stated.breath()):
        return False
    own = lexicon().units(item.text, generic=True)
    told = any(u in stated.sentence.meanings for u in own if not u[0].isdigit())
    return told or cued("occasions", stated.sentence.text)


def _of_data(sentence: Sentence, item: LedgerItem) -> bool:
    """Whether a sentence speaks of the data that are read, and not of sums that are made of them."""
    own = {u for u in lexicon().units(item.text) if " " in u}
    return "|" not in sentence.text and bool(own & sentence.meanings)


def resolved(found: Limit, item: LedgerItem, page: Page) -> Finding:
    """Say whether readings come as close together as is asked for."""
    bound = found.quantity
    told = [_stated(s, q) for s in page.sentences for q in intervals(s.text)]
    near = (s for s in told if s.stance in ("affirmed", "perhaps"))
    kept = next((s for s in near if (s.quantity.high or 0) <= (bound.high or 0)), None)
    seen = [
        s for s in told if s.stance == "affirmed" and (page.short or _of_data(s.sentence, item))
    ]
    if kept:
        return Finding("met", f"it states {kept.quantity.text}", kept.sentence)
    if seen:
        reason = f"it states {seen[0].quantity.text}, but wanted is {bound.text}"
        return Finding("violated", reason, seen[0].sentence)
    return Finding("unclear", "the text does not say how often it is read")

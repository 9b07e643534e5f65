"""Whether the models of a text are of the size that a limit asks for."""

import re
from collections.abc import Iterator
from itertools import pairwise

from dr_rd.adherence.loose import nearest
from dr_rd.adherence.others import outdone, told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.adherence.sole import is_sole
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.parameters import PARAMETERS, parameters
from dr_rd.quantity import Quantity

_ROUGH = 0.1
"""Share by which the size in a model's name may differ from what it has."""


def sized(found: Limit, item: LedgerItem, page: Page) -> Finding:
    """Say whether the models that a text uses have as many parameters as they should."""
    bound = found.quantity
    others = [b for r in page.rivals if r.id != item.id for b in _sizes(r)]
    said = (s for s in _told(page) if not any(_fits(s.quantity, b) for b in others))
    told = [s for s in said if nearest(s, item, page)]
    kept = [s for s in told if _fits(s.quantity, bound)]
    other = (s for s in told if not _fits(s.quantity, bound))
    beside = {s.sentence.start for s in kept}
    meant = (s for s in other if not kept or s.sentence.start in beside)
    if broken := next((s for s in meant if _used(s, kept, page)), None):
        reason = f"it states {broken.quantity.text}, but the limit is {bound.text}"
        return Finding("violated", reason, broken.sentence)
    if any(isinstance(c, Limit) and is_sole(c) for c in item.checks) and (pair := _paired(kept)):
        reason = (
            f"it names {pair[0].quantity.text} and {pair[1].quantity.text}, where there may be one"
        )
        return Finding("violated", reason, pair[1].sentence)
    if kept:
        return Finding("met", f"it states {kept[0].quantity.text}", kept[0].sentence)
    return Finding("unclear", "the text states no size for it")


def _sizes(item: LedgerItem) -> list[Quantity]:
    limits = (c.quantity for c in item.checks if isinstance(c, Limit))
    return [q for q in limits if q.noun == PARAMETERS]


_AND = re.compile(r"\w*\s(?:\([^()]*\)\s)?(?:and|as well as|plus)\s", re.IGNORECASE)


def _paired(kept: list[Stated]) -> tuple[Stated, Stated] | None:
    """Two models by name that one sentence joins: "both Mistral-7B and BLOOM-7B1"."""
    named = [s for s in kept if not s.quantity.text[:1].isdigit() and s.stance == "affirmed"]
    pairs = ((a, b) for a, b in pairwise(named) if a.sentence is b.sentence)
    return next((p for p in pairs if _AND.fullmatch(p[0].up_to(p[1]))), None)


def _told(page: Page) -> Iterator[Stated]:
    """The sizes of models that are not denied, each in its sentence."""
    for sentence in page.sentences:
        for q in parameters(sentence.text):
            at = q.start + sentence.start
            if sentence.stance(at) in ("affirmed", "perhaps"):
                moved = q.model_copy(update={"start": at, "end": q.end + sentence.start})
                yield Stated(moved, sentence, sentence.stance(at), sentence.clause(at))


def _fits(q: Quantity, bound: Quantity) -> bool:
    low, high = bound.low or 0, bound.high or 0
    return low * (1 - _ROUGH) <= (q.low or 0) and (q.high or 0) <= high * (1 + _ROUGH)


def _used(stated: Stated, kept: list[Stated], page: Page) -> bool:
    sure = stated.stance == "affirmed" and not told_of_others(stated)
    return sure and not outdone(stated, kept, page)

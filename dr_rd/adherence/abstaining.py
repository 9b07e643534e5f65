"""How long before something a thing that is ruled out must have ended, where a text says how long it does."""

import re
from collections.abc import Iterator
from dataclasses import replace

from dr_rd.adherence.bounds import same_unit
from dr_rd.adherence.others import told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.adherence.things import prohibited
from dr_rd.ledger import Prohibition
from dr_rd.quantity import TIME_UNITS, Quantity
from dr_rd.text import cued, lexicon

_SIDE = re.compile(
    r"\W*(?:or\smore\s|at\sleast\s|at\smost\s)?(?:(?P<before>before|prior|ahead|preceding|earlier|in advance)|(?P<after>after|following)|of\b)",
    re.IGNORECASE,
)
_KEPT_FROM = re.compile(r"\b(?:washout|wash-out|abstinence|fast|break|gap)\b", re.IGNORECASE)


def withheld(found: Prohibition, page: Page) -> Finding:
    """Say whether what must end so long before something does, and is not taken in elsewhere."""
    clear = found.clear
    told = list(_told(found, clear, page)) if clear else []
    if clear and (short := next((s for s, q in told if _length(q) < _length(clear)), None)):
        reason = f"it states {short.quantity.text}, but the limit is {clear.text}"
        return Finding("violated", reason, short.sentence)
    kept = {s.sentence.start for s in page.stated if _on_other_side(s, found)}
    kept |= {s.sentence.start for s, _ in told}
    rest = replace(page, sentences=tuple(s for s in page.sentences if s.start not in kept))
    taken = prohibited(found, rest)
    if not told or taken.verdict != "met":
        return taken
    first = told[0][0]
    return Finding("met", f"it states {first.quantity.text}", first.sentence)


def _on_other_side(stated: Stated, found: Prohibition) -> bool:
    """Whether a thing is told for a time after what it must only not come before, or the other way."""
    if not found.clear or not same_unit(stated.quantity, found.clear):
        return False
    bound = _SIDE.search(found.what.partition(found.clear.text)[2])
    said = _SIDE.match(stated.after)
    sides = [m.lastgroup for m in (bound, said) if m]
    return {"before", "after"} == set(sides)


def _length(q: Quantity) -> float:
    return q.high if q.high is not None else q.low or 0


def _told(found: Prohibition, clear: Quantity, page: Page) -> Iterator[tuple[Stated, Quantity]]:
    """The lengths of time for which a text says that the thing is kept from, each also in the limit's unit."""
    units = {u for term in found.terms for u in lexicon().units(term)} - lexicon().generic
    for stated in page.stated:
        if stated.quantity.unit not in TIME_UNITS or units.isdisjoint(stated.sentence.meanings):
            continue
        length = same_unit(stated.quantity, clear)
        if length and _spared(stated) and not told_of_others(stated):
            yield stated, length


def _spared(stated: Stated) -> bool:
    """Whether a length of time is that from the last of a thing to what it must not come near."""
    apart = _SIDE.match(stated.after) or _KEPT_FROM.search(stated.quantity.noun)
    return bool(apart) and cued("sparing", stated.sentence.text)

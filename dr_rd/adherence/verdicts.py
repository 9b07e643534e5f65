"""A verdict on each item of a ledger."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

from core.values import Frozen
from dr_rd.adherence.abstaining import withheld
from dr_rd.adherence.changed import changed
from dr_rd.adherence.cited import without_names, without_titles
from dr_rd.adherence.demands import exclusive, names, required
from dr_rd.adherence.equal import equal
from dr_rd.adherence.figures import limit
from dr_rd.adherence.layout import Layout, laid_out
from dr_rd.adherence.page import read
from dr_rd.adherence.reading import Finding, Page, Verdict
from dr_rd.adherence.restated import Restated, restated
from dr_rd.adherence.things import prohibited
from dr_rd.adherence.years import period
from dr_rd.ledger import (
    Check,
    Equal,
    Exclusive,
    Kind,
    Ledger,
    LedgerItem,
    Limit,
    Period,
    Prohibition,
    Requirement,
    Shift,
)
from dr_rd.prose import stem


class LedgerVerdict(Frozen):
    """What a text says about one item."""

    id: str
    kind: Kind
    text: str
    """The item's words."""
    verdict: Verdict
    reason: str
    quote: str = ""
    """The words of the checked text that decide; "" where none do."""
    start: int = 0
    end: int = 0


@lru_cache(maxsize=64)
def check(ledger: Ledger, text: str) -> tuple[LedgerVerdict, ...]:
    """Return one verdict per item of *ledger*, in its order.

    What a run says is held against its ledger several times: where it is written, scored and shown.
    """
    layout = laid_out(without_titles(text))
    page = read(without_names(layout.text))
    again = restated(ledger, page)
    bounding = (i for i in ledger.items if any(isinstance(c, Limit) for c in i.checks))
    live = replace(_live(page, again.named), rivals=tuple(bounding))
    return tuple(_placed(_verdict(item, live, again), layout, text) for item in ledger.items)


def _placed(found: LedgerVerdict, layout: Layout, text: str) -> LedgerVerdict:
    """Quote the text as it stands, and where."""
    if not found.quote:
        return found
    start, end = layout.begin(found.start), layout.end(found.end)
    return found.model_copy(update={"quote": text[start:end], "start": start, "end": end})


def broken(ledger: Ledger, texts: Sequence[str]) -> list[tuple[LedgerVerdict, tuple[int, ...]]]:
    """Return what *texts* break beside one another: each item with the numbers of those that decide.

    They are read as paragraphs, whatever each begins with; none decides where no words do.
    """
    whole, places = "", list[tuple[int, int]]()
    for text in texts:
        start = len(whole)
        whole += f"{text}\n\n"
        places.append((start, len(whole)))
    return [
        (v, tuple(n for n, (a, b) in enumerate(places) if a < v.end and v.start < b))
        for v in check(ledger, whole)
        if v.verdict == "violated"
    ]


def to_json(verdicts: Iterable[LedgerVerdict]) -> dict[str, Any]:
    """Return the verdicts as the command line prints them, with the number of violations."""
    items = [v.model_dump(mode="json") for v in verdicts]
    return {"items": items, "violated": sum(i["verdict"] == "violated" for i in items)}


PROMISED = "the text commits to it in the brief's words"
"""The reason of a verdict that rests on a promise alone, not on how it is kept."""


def _verdict(item: LedgerItem, page: Page, again: Restated) -> LedgerVerdict:
    found, promise = _decide(item, page), again.promised.get(item.id)
    if found.verdict == "met" and found.sentence and found.sentence.start in again.objective:
        found = _decide(item, _without(page, again.objective))  # to say the aim keeps no limit
    if found.verdict == "unclear" and item.kind != "ban" and promise:
        found = Finding("met", PROMISED, promise)
    quoted = found.sentence
    return LedgerVerdict(
        id=item.id,
        kind=item.kind,
        text=item.text,
        verdict=found.verdict,
        reason=_reason(found, page),
        quote=quoted.text if quoted else "",
        start=quoted.start if quoted else 0,
        end=quoted.end if quoted else 0,
    )


_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?:[\d.]+[ \t]+)?(.+?)[ \t#]*$", re.MULTILINE)


def _reason(found: Finding, page: Page) -> str:
    """The reason of a violation names its place: the heading that it stands under.

    No number of a line: a reason is printed where every number needs a source.
    """
    if found.verdict != "violated" or not found.sentence:
        return found.reason
    titles = [m[1] for m in _HEADING.finditer(page.text, 0, found.sentence.start)]
    return f"{found.reason} (under “{titles[-1]}”)" if titles else found.reason


def _decide(item: LedgerItem, page: Page) -> Finding:
    """Put the findings of an item's checks together: any violation decides."""
    if not item.checkable:
        return Finding("not_checkable", item.reason)
    if not any(s.words for s in page.sentences):
        return Finding("unclear", "the text says nothing that bears on it")
    found = [(c, _examine(c, item, page)) for c in item.checks]
    findings = [f for _, f in found]
    if broken := next((f for f in findings if f.verdict == "violated"), None):
        return broken
    if doubt := next((f for f in findings if f.verdict == "unclear" and f.sentence), None):
        return doubt
    silent = [c for c, f in found if f.verdict == "unclear"]
    shown = next((f for f in findings if f.sentence), None)
    doubted = any(isinstance(c, Exclusive) and names(c, page) for c in silent)
    if shown and not doubted and not any(_alike(c, f) for c, f in _pairs(silent, found)):
        return shown  # one part stated, and nothing against the others
    return next((f for f in findings if f.verdict == "unclear"), findings[0])


def _alike(silent: Check, shown: Check) -> bool:
    """Whether one bound in order says nothing of the other: two of the same, or of the whole work."""
    if isinstance(silent, Limit) and silent.whole:
        return True  # a budget kept says nothing of the time that the work takes
    if not isinstance(silent, Limit) or not isinstance(shown, Limit):
        return isinstance(silent, Period)
    heads = [stem((c.quantity.noun.split() or [""])[-1]) for c in (silent, shown)]
    return heads[0] == heads[1]


def _pairs(
    silent: Sequence[Check], found: Sequence[tuple[Check, Finding]]
) -> Iterator[tuple[Check, Check]]:
    """Each check on which a text is silent with each that it meets."""
    met = [c for c, f in found if f.verdict == "met" and f.sentence]
    return product(silent, met)


def _live(page: Page, named: frozenset[int]) -> Page:
    """The page without what only says an item again, or names things aside."""
    aside = {s.start for s in page.sentences if s.aside and not s.planned}
    return _without(page, named | aside)


def _without(page: Page, starts: Set[int]) -> Page:
    """The page without the sentences that begin at *starts*, and without their figures."""
    return Page(
        tuple(s for s in page.sentences if s.start not in starts),
        tuple(q for q in page.stated if q.sentence.start not in starts),
        page.text,
    )


def _examine(found: Check, item: LedgerItem, page: Page) -> Finding:
    match found:
        case Limit():
            return limit(found, item, page)
        case Period():
            return period(found, item, page)
        case Equal():
            return equal(found, page)
        case Shift():
            return changed(found, page)
        case Prohibition() if found.clear:
            return withheld(found, page)
        case Prohibition():
            return prohibited(found, page)
        case Exclusive():
            return exclusive(found, page)
        case Requirement():
            return required(found, page)

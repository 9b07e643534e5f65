"""A verdict on each item of a ledger: does a text keep to it."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from pydantic import Field

from core.values import Frozen, unsaid
from dr_rd.checks.compare import keeps, same_unit
from dr_rd.checks.figures import limit, nearest
from dr_rd.checks.findings import Finding, Verdict
from dr_rd.checks.items import (
    Check,
    Exclusive,
    Kind,
    Ledger,
    LedgerItem,
    Limit,
    Period,
    Prohibition,
    Requirement,
)
from dr_rd.checks.periods import period
from dr_rd.checks.prohibitions import prohibited
from dr_rd.checks.requirements import exclusive, required
from dr_rd.checks.restated import Restated, restated
from dr_rd.quantity import quantities
from dr_rd.text import Page, Sentence, read
from dr_rd.text.citations import without_names, without_titles
from dr_rd.text.layout import Layout, laid_out


class LedgerVerdict(Frozen):
    """What a text says about one item."""

    id: str
    kind: Kind
    text: str
    """The item's words."""
    verdict: Verdict
    reason: str
    quote: str = ""
    """The words of the checked text that decide; of unclear and not_shown the nearest; "" where none are."""
    start: int = 0
    end: int = 0
    nearest: bool = Field(default=False, exclude_if=unsaid)
    """Whether the quotation decides nothing, and is only the passage nearest to the item."""


@lru_cache(maxsize=64)
def check(ledger: Ledger, text: str) -> tuple[LedgerVerdict, ...]:
    """Return one verdict per item of *ledger*, in its order.

    What a run says is held against its ledger several times: where it is written, scored and shown.
    """
    layout = laid_out(without_titles(text))
    page = read(without_names(layout.text))
    again = restated(ledger, page)
    aside = {s.start for s in page.sentences if s.aside and not s.planned}
    live = page.without(again.named | aside)
    limits = [(i, c) for i in ledger.items for c in i.checks if isinstance(c, Limit)]
    rivals = {i.id: tuple(c for o, c in limits if o.id != i.id) for i in ledger.items}
    return tuple(
        _placed(_verdict(i, live, again, rivals[i.id]), layout, text) for i in ledger.items
    )


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


def _verdict(
    item: LedgerItem, page: Page, again: Restated, rivals: Sequence[Limit]
) -> LedgerVerdict:
    found, promise = _decide(item, page, rivals), again.promised.get(item.id)
    if found.verdict == "met" and found.sentence and found.sentence.start in again.objective:
        found = _decide(
            item, page.without(again.objective), rivals
        )  # to say the aim keeps no limit
    if found.verdict == "met" and found.sentence and not _figured(item, found.sentence, page):
        found = Finding(
            "unclear", "it speaks of it and states none of its figures", found.sentence
        )
    if found.verdict in ("unclear", "not_shown") and item.kind != "ban" and promise:
        found = Finding("promised", "the text commits to it in the brief's words", promise)
    near = nearest(item, page) if found.verdict == "not_shown" and not found.sentence else None
    quoted = found.sentence or near
    if near and not _rules_out(item):
        found = Finding("unclear", f"{found.reason}, but it speaks of it")
    return LedgerVerdict(
        id=item.id,
        kind=item.kind,
        text=item.text,
        verdict=found.verdict,
        reason=_reason(found, page),
        quote=quoted.text if quoted else "",
        start=quoted.start if quoted else 0,
        end=quoted.end if quoted else 0,
        nearest=near is not None,
    )


def _figured(item: LedgerItem, sentence: Sentence, page: Page) -> bool:
    """Whether a sentence states an amount within one that a demand states; true of one that states none."""
    if not all(isinstance(c, Requirement) for c in item.checks):
        return True
    asked = quantities(item.text)
    said = [f.amount for f in page.facts if f.sentence is sentence]
    return not asked or any(keeps(same_unit(q, a), a) for q in said for a in asked)


def _rules_out(item: LedgerItem) -> bool:
    """Whether an item does nothing but rule things out, so that to speak of one decides nothing."""
    return all(isinstance(c, Prohibition | Exclusive) for c in item.checks)


_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?:[\d.]+[ \t]+)?(.+?)[ \t#]*$", re.MULTILINE)


def _reason(found: Finding, page: Page) -> str:
    """The reason of a violation names its place: the heading that it stands under.

    No number of a line: a reason is printed where every number needs a source.
    """
    if found.verdict != "violated" or not found.sentence:
        return found.reason
    titles = [m[1] for m in _HEADING.finditer(page.text, 0, found.sentence.start)]
    return f"{found.reason} (under “{titles[-1]}”)" if titles else found.reason


_ORDER: tuple[Verdict, ...] = ("violated", "unclear", "not_shown", "met")


def _decide(item: LedgerItem, page: Page, rivals: Sequence[Limit]) -> Finding:
    """Put the findings of an item's checks together: the gravest decides, and silence on a part is no more.

    Where one part is shown, what only says it in other words need not be.
    """
    if not item.checkable:
        return Finding("not_checkable", item.reason)
    found = [(c, _examine(c, item, page, rivals)) for c in item.checks]
    met = next((f for _, f in found if f.verdict == "met"), None)
    bounds = [f for c, f in found if isinstance(c, Limit | Period)]
    silent = all(f.verdict in ("met", "not_shown") for _, f in found)
    if met and silent and all(f.verdict == "met" for f in bounds):
        return met
    return min((f for _, f in found), key=lambda f: _ORDER.index(f.verdict))


def _examine(found: Check, item: LedgerItem, page: Page, rivals: Sequence[Limit]) -> Finding:
    match found:
        case Limit():
            return limit(found, item, page, rivals)
        case Period():
            return period(found, item, page)
        case Prohibition():
            return prohibited(found, page)
        case Exclusive():
            return exclusive(found, page)
        case Requirement():
            return required(found, page)

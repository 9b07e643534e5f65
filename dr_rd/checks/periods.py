"""Whether the calendar years of a text are those of a period."""

from collections.abc import Iterator

from dr_rd.checks.findings import Finding
from dr_rd.checks.items import LedgerItem, Period
from dr_rd.quantity import DATE, YEAR
from dr_rd.text import Fact, Page, cued, reported


def period(found: Period, item: LedgerItem, page: Page) -> Finding:
    """Say whether the years that a text covers are those of a period, or lie within it or outside."""
    spans = [s for s in _spans(page) if not reported(s[0])]
    years = f"{found.first}-{found.last}"
    whole = cued("entirely", item.text)
    good: Fact | None = None
    for fact, first, last in spans:
        data = cued("covering", fact.sentence.text) or cued("data_years", fact.sentence.text)
        if found.outside:
            kept, broken = last < found.first or first > found.last, data
        else:
            inside = found.first <= first and last <= found.last
            kept = (first, last) == (found.first, found.last) if whole else inside
            broken = data and (
                last > found.last or first < found.first or (whole and first < last)
            )
        if kept:
            good = good or fact
        elif broken:
            sure = first < last and not (good and good.sentence is fact.sentence)
            reason = f"it states {fact.amount.text}, but the years are {years}"
            return Finding("violated" if sure else "unclear", reason, fact.sentence)
    if good:
        return Finding("met", f"it states {good.amount.text}", good.sentence)
    if spans:
        return Finding("unclear", f"it states {spans[0][0].amount.text}", spans[0][0].sentence)
    return Finding("not_shown", "the text states no years for it")


def _spans(page: Page) -> Iterator[tuple[Fact, int, int]]:
    """The years that a text states, each with the first and the last."""
    for fact in page.facts:
        q = fact.amount
        if fact.polarity != "affirmed" or q.noun not in (YEAR, DATE) or not q.low or not q.high:
            continue
        first, last = (int(v // 10000 if q.noun == DATE else v) for v in (q.low, q.high))
        yield fact, first, last

"""Whether what a text says to change changes by as much as is asked for, or may be."""

from collections.abc import Iterator
from functools import cache

from dr_rd.adherence.others import set_against, told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.changes import Change, changes, changes_of, changing
from dr_rd.ledger import Shift
from dr_rd.quantity import Quantity
from dr_rd.text import Cue, Sentence, lexicon

_ALIKE = 0.75
"""Share of the words for what changes from which two changes are of the same thing."""
_ROUGH = 0.9
"""Share of what is asked for that a rough figure must reach, not to be less."""


def changed(found: Shift, page: Page) -> Finding:
    """Say whether the change that a text promises is as great as the one asked for, or allowed.

    Of several the greatest decides: what falls by 10 % in a year may fall by 30 % in all.
    """
    told = [(s, c) for s, c in _told(page) if _same(found, s, c)]
    wanted, most = found.share.text, found.share.low is None
    good = next((s for s, c in told if _reaches(found, c)), None)
    failed = next((s for s, c in told if _fails(found, c)), None)
    if good and not (most and failed):
        return Finding("met", f"it states {good.quantity.text}", good.sentence)
    if failed:
        reason = f"it states {failed.quantity.text}, but {'the limit' if most else 'wanted'} is {wanted}"
        return Finding("violated", reason, failed.sentence)
    if loose := next((s for s, c in told if c.way == found.way), None):
        reason = f"it promises only {loose.quantity.text}, but wanted is {wanted}"
        return Finding("unclear", reason, loose.sentence)
    return Finding("unclear", "the text states no such change")


def _told(page: Page) -> Iterator[tuple[Stated, Change]]:
    """The changes of the plan itself: affirmed, and neither supposed nor those of others."""
    for sentence in page.sentences:
        for change in changes(sentence.text):
            stated = _placed(change.share, sentence)
            if stated.stance != "affirmed" or _supposed().search(sentence.text):
                continue
            if not told_of_others(stated) and not set_against(stated, page):
                yield stated, change


def _placed(share: Quantity, sentence: Sentence) -> Stated:
    at = sentence.start
    moved = share.model_copy(update={"start": share.start + at, "end": share.end + at})
    return Stated(moved, sentence, sentence.stance(moved.start), sentence.clause(moved.start))


@cache
def _supposed() -> Cue:
    return Cue.of(changing().supposed)


def _same(found: Shift, stated: Stated, change: Change) -> bool:
    """Whether a change is of what the one asked for is of."""
    clause = stated.clause.replace(change.share.text, " ")
    held = lexicon().meanings(clause if changes_of(clause) else change.rest)
    return sum(u in held for u in found.of) >= _ALIKE * len(found.of)


def _reaches(found: Shift, change: Change) -> bool:
    """Whether a change is surely as great as asked for, or no greater than it may be."""
    share, wanted = change.share, found.share
    if wanted.low is None:
        within = share.high is not None and share.high <= (wanted.high or 0)
        return change.way != found.way or within
    return change.way == found.way and share.low is not None and share.low >= wanted.low


def _fails(found: Shift, change: Change) -> bool:
    """Whether a change is surely less than the one asked for, or the other way; or is too great."""
    share, wanted = change.share, found.share
    rough = _ROUGH if share.comparison == "about" else 1
    if wanted.low is None:
        return (share.low or 0) * rough > (wanted.high or 0) and change.way == found.way
    if change.way != found.way:
        return bool(share.low)
    return share.high is not None and share.high < rough * wanted.low

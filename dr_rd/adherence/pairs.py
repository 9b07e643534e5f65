"""The sizes of two groups that a text gives as bare numbers: "58 and 63 are enrolled", "65 in both"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dr_rd.adherence.counts import takes_groups
from dr_rd.adherence.others import set_against, told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.ledger import Limit
from dr_rd.quantity import DATE, YEAR
from dr_rd.text import cued, lexicon, stem

_BESIDE = re.compile(
    r"[^.;\d]{0,60}?(?:,|;|\b(?:and|against|versus|vs\.?|but)\b)\s(?:[^.;\d]{0,20}?\s)?(?:about\s|some\s)?",
    re.IGNORECASE,
)
_IN_BOTH = re.compile(
    r"\s(?:students?\s|people\s)?(?:in|for|on)\s(?:both|each|either)\b|\sa\sside\b"
)
_FAR_FEWER = 20
"""Times as few from which a number is no size of a group."""


def paired(found: Limit, page: Page) -> Finding | None:
    """Say that two bare numbers, which may be the sizes of two groups, are as large as each must be.

    Where one is smaller it may be of something else.
    """
    bound = found.quantity
    if bound.unit or bound.low is None or not takes_groups(found):
        return None
    for sizes in _sizes(page.stated, bound.low):
        enough = all((s.quantity.high or 0) >= bound.low for s in sizes)
        if enough and _of_sample(sizes[0]) and not set_against(sizes[0], page):
            said = " and ".join(s.quantity.text for s in sizes)
            return Finding("met", f"it states {said} for both", sizes[0].sentence)
    return None


def _sizes(stated: Sequence[Stated], low: float) -> Iterator[tuple[Stated, ...]]:
    """Two bare numbers side by side, or one that is told of both."""
    bare = [s for s in stated if _bare(s, low)]
    for one in bare:
        if _IN_BOTH.match(one.after):
            yield (one,)
    for one, after in pairwise(bare):
        if one.sentence is after.sentence and _BESIDE.fullmatch(one.up_to(after)):
            yield one, after


def _bare(stated: Stated, low: float) -> bool:
    """Whether a number says nothing of what it counts, and may be the size of a group."""
    q = stated.quantity
    plain = not q.unit and not stated.named and q.noun not in (YEAR, DATE, "age")
    whole = q.low == q.high and q.low is not None and q.low % 1 == 0 and q.low > low / _FAR_FEWER
    meant = stated.stance in ("affirmed", "perhaps") and not told_of_others(stated)
    return plain and whole and meant and "|" not in stated.sentence.text and _counts_none(q.noun)


def _counts_none(noun: str) -> bool:
    """Whether a noun before a number is none of what it counts: a verb, or a group."""
    units = set(map(stem, noun.split()))
    return units <= lexicon().verbs | lexicon().groups | lexicon().stopwords


def _of_sample(stated: Stated) -> bool:
    """Whether a sentence tells of those who are studied, or of their groups."""
    said = stated.sentence.text
    told = any(cued(name, said) for name in ("taken", "left_over", "own"))
    return told or not stated.sentence.meanings.isdisjoint(lexicon().groups)

"""Whether a number that must be the same for all groups is the same."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dr_rd.adherence.others import set_against
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.ledger import Equal
from dr_rd.quantity import DATE, YEAR
from dr_rd.text import Sentence, cued, lexicon

_VARIES = re.compile(
    r"\bnumber\sof\s(?:[\w-]+\s){1,3}?(?:will\s|may\s|can\s|then\s)?(?:var(?:y|ies)|differs?|depends?)\b",
    re.I,
)
_MORE = re.compile(
    r"\b(?:additional|extra|further|bonus|more|fewer)\s(?:[\w-]+\s){0,2}$", re.IGNORECASE
)
_BOTH = re.compile(r"\b(?:both|each|either|every|all)\b|\bneither\b|\bno\b", re.IGNORECASE)


def equal(found: Equal, page: Page) -> Finding:
    """Say whether the figures that a text gives for each group agree."""
    here = [s for s in page.sentences if _speaks(found, s)]
    counted = [s for s in page.stated if _counts(found, s) and not set_against(s, page)]
    figures = list(_with_bare(counted, page.stated))
    pairs = [p for p in pairwise(figures) if _apart(*p)]
    if same := next((b for a, b in pairs if a.quantity.low == b.quantity.low), None):
        return Finding("met", f"it states {same.quantity.text} for both", same.sentence)
    if pairs:
        one, other = pairs[0]
        reason = f"it states {one.quantity.text} and {other.quantity.text}, which must agree"
        return Finding("violated", reason, other.sentence)
    if more := next((s for s in here if _unlike(found, s)), None):
        return Finding("violated", "it gives one group more than another", more)
    if said := next((s for s in here if _alike(s)), None):
        return Finding("met", "the text says that they agree", said)
    return Finding("unclear", "the text does not say that they agree")


def _speaks(found: Equal, sentence: Sentence) -> bool:
    return any(u in sentence.meanings for u in found.of) or cued("tries", sentence.text)


def _counts(found: Equal, stated: Stated) -> bool:
    """Whether a figure counts what must be equal."""
    q = stated.quantity
    plain = stated.named and not q.unit and q.noun not in (YEAR, DATE) and not stated.share
    if not plain or stated.stance not in ("affirmed", "told") or q.low != q.high:
        return False
    several = (q.low or 0) > 1 and "|" not in stated.sentence.text
    return bool(lexicon().meanings(q.noun) & set(found.of)) or (several and cued("tries", q.noun))


_DAY = re.compile(r"\bdays?\W*$|\d, $")


def _with_bare(counted: Sequence[Stated], stated: Sequence[Stated]) -> Iterator[Stated]:
    """The figures with those that leave their noun to be understood: "and the other group four"."""
    last: Stated | None = None
    named = set(counted)
    for one in stated:
        bare = not one.named and not one.quantity.unit and one.stance in ("affirmed", "told")
        bare = bare and not _DAY.search(one.lead)
        if one in named or (bare and last and _gap(last, one) < _FAR and _grouped(one.before)):
            last = one
            yield one


def _grouped(said: str) -> bool:
    return bool(lexicon().meanings(said) & lexicon().groups)


_FAR = 160
"""Characters between two figures of which one is held against the other."""


def _gap(one: Stated, other: Stated) -> int:
    return other.quantity.start - one.quantity.end


_LABEL = re.compile(r"(?:^|[.;|\n])\s*[A-Z][\w -]{0,30}[:|]\s*$|\|")
"""What names the group right before its figure: "Uniform: 3"."""


def _apart(one: Stated, other: Stated) -> bool:
    """Whether two figures are told of two groups, each by its own words or label."""
    here = one.sentence is other.sentence
    if not here and "|" in one.sentence.text + other.sentence.text:
        return False  # one row says nothing of the next
    between = one.up_to(other) if here else other.before
    labelled = _grouped(between) or _LABEL.search(between)
    first = _grouped(one.sentence.text) or _LABEL.search(one.before)
    same = one.scope == other.scope or not other.scope
    apart = bool(labelled and first) and not cued("whichever", other.sentence.text)
    return _gap(one, other) < _FAR and same and apart


_SAME = re.compile(
    r"\b(?:same|identical|equal)\s(?:[\w-]+\s)?(?:number|count|total|amount|dose)|\bas\s(?:many|often)\b|\bequally\soften\b"
    r"|\b(?:number|count|total)\b[^,;.]*\s(?:is|are|be|stays?|kept|held)\s(?:[\w-]+\s)?(?:the\ssame|identical|equal|alike|fixed)\b",
    re.IGNORECASE,
)


def _alike(sentence: Sentence) -> bool:
    agreed = _SAME.search(sentence.text) or cued("whichever", sentence.text)
    return bool(agreed) and not _VARIES.search(sentence.text)


def _unlike(found: Equal, sentence: Sentence) -> bool:
    """Whether a sentence says that the number varies, or gives one of the groups more."""
    if _VARIES.search(sentence.text):
        return True
    for word, stance in zip(sentence.words, sentence.stances, strict=True):
        at = word.start - sentence.start
        before = sentence.text[max(0, at - _FAR) : at]
        meant = word.meanings & set(found.of) or cued(
            "tries", sentence.text[word.start - sentence.start : word.end - sentence.start]
        )
        if meant and stance == "affirmed" and _MORE.search(before):
            return _grouped(sentence.text) and not _BOTH.search(sentence.text)
    return False

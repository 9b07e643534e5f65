"""Whether a text has several of what there may be one of, or says that it is one."""

import re
from collections.abc import Iterator

from dr_rd.adherence.counts import nouns
from dr_rd.adherence.others import told_of_others
from dr_rd.adherence.reading import Finding, Page, Stated
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.text import Sentence, cued, lexicon, plural, stem

_SOLE = re.compile(r"\b(?:single|sole)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"^(?P<of>[^,;]{3,60}?)\s(?:must|should|shall|will|is|are)\b")


def is_sole(found: Limit) -> bool:
    """Whether a limit is of what there may be one of: "a single supplier"."""
    q = found.quantity
    return not q.unit and q.high == 1 and q.low is None and bool(_SOLE.search(q.text))


def sole(found: Limit, item: LedgerItem, page: Page) -> Finding | None:
    """Say whether a text names several of what there may be one of, or says that it has one."""
    for said, sentence in (*_several(found, page), *_listed(found, page)):
        reason = f"it names {said}, but the limit is {found.quantity.text}"
        return Finding("violated", reason, sentence)
    one = next((s for s in page.sentences if _says_one(s, found, item)), None)
    return Finding("met", "the text says that it is one", one) if one else None


def _heads(found: Limit) -> frozenset[str]:
    return frozenset(lexicon().units(" ".join(nouns(found.quantity)), generic=True)[-1:])


# --- Several of them


def _several(found: Limit, page: Page) -> Iterator[tuple[str, Sentence]]:
    """Counts of things that are told by what tells the one thing: "two continental groups"."""
    telling = lexicon().units(" ".join(nouns(found.quantity)[:-1]))
    measure = _MEASURE.search(found.quantity.text)
    for stated in filter(_counts_several, page.stated):
        alike = telling and _collective(nouns(stated.quantity), telling)
        if alike or (measure and stated.after.startswith(f" {measure[0]} ")):
            yield stated.quantity.text, stated.sentence


_MEASURE = re.compile(r"\d[\d.]*[BMKk]?\b")
"""What a thing measures that there may be one of: "a single 7B-parameter model"."""


def _counts_several(stated: Stated) -> bool:
    q = stated.quantity
    plain = stated.named and not q.unit and stated.stance == "affirmed" and not stated.scope
    return plain and (q.low or 0) > 1 and (q.low or 0) % 1 == 0 and not told_of_others(stated)


def _collective(words: list[str], telling: tuple[str, ...]) -> bool:
    """Whether words are of groups, or of other things that any study has, told by some words."""
    if len(words) < 2 or not plural(words[-1]):
        return False
    general = stem(words[-1]) in lexicon().groups | lexicon().generic
    return general and set(telling) <= lexicon().meanings(" ".join(words[:-1]))


_PART = r"(?:[\w’'-]+\s){0,6}?[\w’'-]+"
_LIST = rf"{_PART}(?:,\s{_PART})*,?\sand\s(?:the\s)?{_PART}"
_ARE = re.compile(
    rf"^(?:(?:the|our)\s)?(?P<head>(?:[\w-]+\s){{0,2}}[\w-]+s)(?::|\s(?:are|will\sbe|include|comprise))\s(?P<list>{_LIST})(?=[.;]|$)",
    re.IGNORECASE,
)


def _listed(found: Limit, page: Page) -> Iterator[tuple[str, Sentence]]:
    """Lists of several: "dependent variables are the yield and the price"."""
    heads = _heads(found)
    for sentence in page.sentences:
        listed = _ARE.match(sentence.text)
        if not listed or sentence.stance(sentence.start + listed.start("list")) != "affirmed":
            continue
        if plural(listed["head"]) and heads & lexicon().meanings(listed["head"]):
            yield listed["list"], sentence


# --- One of them

_ONE = re.compile(
    r"\b(?:one|single|sole|only|one and only)\s(?!of\b)(?:[\w-]+\s){0,3}$", re.IGNORECASE
)
_NEAR = 60
_MOST = 0.5
"""Share of the words of what is to be one that its sentence must have."""


def _says_one(sentence: Sentence, found: Limit, item: LedgerItem) -> bool:
    heads = _heads(found)
    if cued("others", sentence.text) or not _speaks(sentence, item):
        return False
    return any(
        w.meanings & heads
        and stance != "denied"
        and _ONE.search(sentence.text[max(0, w.start - sentence.start - _NEAR) : w.start - sentence.start])
        for w, stance in zip(sentence.words, sentence.stances, strict=True)
    )  # fmt: skip


def _speaks(sentence: Sentence, item: LedgerItem) -> bool:
    """Whether a sentence speaks of what is to be the one, if the item says what that is."""
    subject = _SUBJECT.match(item.text)
    units = lexicon().units(subject["of"]) if subject else ()
    return sum(u in sentence.meanings for u in units) >= _MOST * len(units)

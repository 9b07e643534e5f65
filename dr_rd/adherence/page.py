"""Reading a text once for all items of a ledger."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from dr_rd.adherence.elided import completed
from dr_rd.adherence.reading import Page, Stated
from dr_rd.adherence.spans import around, moments, spanned
from dr_rd.adherence.sums import added, multiplied, parted, scope_of
from dr_rd.adherence.tables import tables
from dr_rd.prose import Sentence, Stance, background, contrasts, cued, dropped, lexicon, sentences
from dr_rd.quantity import Comparison, Quantity, quantities


@lru_cache(maxsize=64)
def read(text: str) -> Page:
    """Read *text*; one text is often held against several ledgers or at several moments."""
    found = _taken_back(_recalled(sentences(text)), text)
    placed = completed(list(_place(found, quantities(text))))
    scoped = [
        replace(_owned(s), scope=scope_of(s) or _all(s, placed) or parted(before, s))
        for before, s in zip([None, *placed], placed, strict=False)
    ]
    stated = added(spanned(scoped))
    return Page(
        found,
        (*stated, *multiplied(stated), *around(stated), *moments(found), *tables(text, found)),
        text,
    )


def _place(found: Sequence[Sentence], stated: Sequence[Quantity]) -> Iterable[Stated]:
    """Give each quantity its sentence; both come in order."""
    position = 0
    for q in stated:
        while position < len(found) and found[position].end <= q.start:
            position += 1
        if position < len(found) and found[position].start < q.end:
            sentence = found[position]
            stance = sentence.stance(q.start)
            yield _none_above(Stated(q, sentence, stance, sentence.clause(q.start)))


_NONE = re.compile(r"^(?:none|no|not one|neither)\b", re.IGNORECASE)
_TURNED: dict[Comparison, Comparison] = {
    "more_than": "at_most",
    "at_least": "less_than",
    "less_than": "at_least",
    "at_most": "more_than",
}


def _none_above(stated: Stated) -> Stated:
    """Turn "none of them has more than 60" round: all have 60 at most."""
    q = stated.quantity
    turned = _TURNED.get(q.comparison)
    if stated.stance != "denied" or not turned or not _NONE.match(stated.clause):
        return stated
    update = {"comparison": turned, "low": q.high, "high": q.low}
    return replace(stated, quantity=q.model_copy(update=update), stance="affirmed")


_BACK = re.compile(
    r"^(?:\W*\w+){0,4}?\W*\b(?:it|they|them|this|that|these|those|such|their|its|both|neither|none|ours|here|we|our|nobody|nothing|no)\b",
    re.IGNORECASE,
)
_IT = re.compile(
    r"^(?:\W*\w+){0,2}?\W*\b(?:it|they|them|this|that|these|those|such|their|its|both|neither|none|ours)\b",
    re.I,
)
_AGAINST = re.compile(r"\b(?:by contrast|in contrast|ours|our own)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|will be|be)\s(?:\w+ly\s|also\s)?\w+(?:ed|en|wn|un|ut|elt|ept)\b"
)


def _taken_back(found: Sequence[Sentence], text: str) -> tuple[Sentence, ...]:
    """Doubt what the next sentence refuses: "A third arm was proposed. We left it out."."""
    out = list(found)
    for n, (one, after) in enumerate(pairwise(found)):
        near = "\n" not in text[one.end : after.start].strip(" ")
        if near and _own(after) and "perhaps" in one.stances and not _own(one):
            told = tuple("told" if s == "perhaps" else s for s in one.stances)
            one = out[n] = replace(one, stances=told)
        if near and background(one) and contrasts(after.text) and not _IT.match(after.text):
            seen: Stance = (
                "told" if cued("sole", after.text) or "denied" in after.stances else "perhaps"
            )
            kept = tuple(seen if s == "affirmed" else s for s in one.stances)
            one = out[n] = replace(one, stances=kept)
        if near and not one.planned and (dropped(after.text) or _AGAINST.search(after.text)):
            passed: Stance = "denied" if dropped(after.text) else "told"
            out[n] = replace(
                one,
                stances=tuple(passed if s in ("affirmed", "perhaps") else s for s in one.stances),
            )
            continue
        if not near or "denied" not in after.stances or not _BACK.match(after.text):
            continue
        if one.planned or _own(one) or _PASSIVE.search(one.text):
            continue
        sure = bool(_IT.match(after.text))
        lowered: dict[Stance, Stance] = {
            "affirmed": "denied" if sure else "perhaps",
            "perhaps": "denied",
        }
        out[n] = replace(one, stances=tuple(lowered.get(s, s) for s in one.stances))
    return tuple(out)


_PAST = re.compile(r"\b(?:was|were|had|did)\b", re.IGNORECASE)
_NOW = re.compile(r"\b(?:is|are|will|shall|must|has|have)\b", re.IGNORECASE)
_ENOUGH = 4  # sentences from which the tense of a text can be told


def _recalled(found: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Doubt what a text in the present or future tense says in the past: it tells of before."""
    past = {s.start for s in found if _PAST.search(s.text) and not _NOW.search(s.text)}
    present = sum(bool(_NOW.search(s.text)) for s in found)
    if 3 * len(past) > len(found) and (len(found) >= _ENOUGH or not present):
        return found
    return tuple(_doubted(s) if s.start in past and not _own(s) else s for s in found)


def _own(sentence: Sentence) -> bool:
    return cued("own", sentence.text)


def _doubted(sentence: Sentence) -> Sentence:
    stances = tuple("perhaps" if s == "affirmed" else s for s in sentence.stances)
    return replace(sentence, stances=stances)


_EACH_END = re.compile(r"\s*,?\s*(?:each|apiece)\b", re.IGNORECASE)


def _all(stated: Stated, placed: Sequence[Stated]) -> str:
    """The noun of the count before, of each of which a figure with "each" after it is said."""
    if not _EACH_END.match(stated.after):
        return ""
    before = [
        s.quantity.noun
        for s in placed
        if s.sentence is stated.sentence and s.quantity.end <= stated.quantity.start
    ]
    return before[-1].split()[-1] if before and before[-1] else ""


_OWNING = re.compile(
    r"^(?:the|a|an|this|that)\s+(?!\w+s\s)([\w\s-]{1,60}?)\s+(?:has|houses|holds|contains?|employs"
    r"|owns|serves|hosts|numbers|comprises|counts|keeps)\s",
    re.IGNORECASE,
)


def _owned(stated: Stated) -> Stated:
    """Doubt what others have: "the district has 40 schools"."""
    subject = _OWNING.match(stated.clause)
    if not subject or stated.stance != "affirmed":
        return stated
    head = lexicon().meanings(subject[1])
    return stated if head & lexicon().studies else replace(stated, stance="perhaps")

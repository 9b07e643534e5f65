"""What a sentence says to the one before it: a text may tell of a thing, and then refuse it."""

import re
from dataclasses import replace
from itertools import groupby, pairwise

from dr_rd.text.attribution import DONE, acting, contrasts, dropped
from dr_rd.text.lexicon import cued, lexicon
from dr_rd.text.polarity import Stance
from dr_rd.text.sentences import Sentence, background

_BACK = re.compile(
    r"^(?:\W*+\w++){0,4}?\W*\b(?:it|they|them|this|that|these|those|such|their|its|both|neither|none|ours|here|we|our|nobody|nothing|no)\b",
    re.IGNORECASE,
)
_IT = re.compile(
    r"^(?:\W*+\w++){0,2}?\W*\b(?:it|they|them|this|that|these|those|such|their|its|both|neither|none|ours)\b",
    re.I,
)
_AGAINST = re.compile(r"\b(?:by contrast|in contrast|ours|our own)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|will be|be)\s(?:\w+ly\s|also\s)?\w+(?:ed|en|wn|un|ut|elt|ept)\b"
)


def answered(found: tuple[Sentence, ...], text: str) -> tuple[Sentence, ...]:
    """Lower what the next sentence refuses: "A third arm was proposed. We left it out."."""
    out = list(found)
    for n, (one, after) in enumerate(pairwise(tuple(out))):
        if "\n" not in text[one.end : after.start].strip(" "):
            out[n] = _answered(one, after)
    return tuple(out)


def _answered(one: Sentence, after: Sentence) -> Sentence:
    if not one.planned and (dropped(after.text) or _bare(after)):
        return _lowered(one, {"affirmed": "denied", "perhaps": "denied"})
    if not one.planned and _refers_back(after):
        done = _own(one) or DONE.search(one.text)  # what is denied may be of it, not it
        return _lowered(one, {"affirmed": "perhaps" if done else "denied", "perhaps": "denied"})
    if _own(after) and "perhaps" in one.stances and not _own(one):
        one = _lowered(one, {"perhaps": "told"})
    if background(one) and contrasts(after.text) and not _IT.match(after.text):
        sure = cued("sole", after.text) or "denied" in after.stances
        one = _lowered(one, {"affirmed": "told" if sure else "perhaps"})
    if one.planned:
        return one
    if _AGAINST.search(after.text):
        return _lowered(one, {"affirmed": "told", "perhaps": "told"})
    if "denied" not in after.stances or not _BACK.match(after.text):
        return one
    if _own(one) or _PASSIVE.search(one.text):
        return one
    sure = bool(_IT.match(after.text))
    return _lowered(one, {"affirmed": "denied" if sure else "perhaps", "perhaps": "denied"})


def _lowered(sentence: Sentence, to: dict[Stance, Stance]) -> Sentence:
    return replace(sentence, stances=tuple(to.get(s, s) for s in sentence.stances))


_PRONOUNS = frozenset("it they them these those this such both none".split())
_SUBORDINATE = frozenset("as that because since if when which while".split())


def _refers_back(after: Sentence) -> bool:
    """Whether a sentence denies what it names only by a pronoun."""
    words = after.words
    return any(
        w.stem in _PRONOUNS and s == "denied" and _meant_before(after, n)
        for n, (w, s) in enumerate(zip(words, after.stances, strict=True))
    )


def _meant_before(after: Sentence, n: int) -> bool:
    """Whether the pronoun that is word *n* may mean something of the sentence before."""
    words = after.words
    then = words[n + 1] if n + 1 < len(words) else None
    if words[n].stem in ("it", "they") and after.clauses[n] and not words[0].stop:
        return False  # "tutors are volunteers; they are not paid"
    if (n and words[n - 1].stem in _SUBORDINATE) or (then and then.stem in lexicon().studies):
        return False
    named = not all(w.stop for w in words[after.clauses.index(after.clauses[n]) : n])
    return not (named and then and not then.stop)


_SUBJECTS = frozenset("we there our he she".split())
_NO = re.compile(r"^no\s?[,.:;—–]", re.IGNORECASE)


def _bare(after: Sentence) -> bool:
    """Whether a clause denies and names nothing beside its verb, as in "we declined"."""
    rows = zip(after.clauses, after.words, after.stances, strict=True)
    for _, row in groupby(rows, key=lambda r: r[0]):
        said = list(row)
        plain = sum(not w.stop for _, w, _ in said) <= 1
        if (
            plain
            and all(s == "denied" for _, _, s in said)
            and _SUBJECTS & {w.stem for _, w, _ in said}
        ):
            return True
    return bool(_NO.match(after.text))


def _own(sentence: Sentence) -> bool:
    return acting(sentence.text)

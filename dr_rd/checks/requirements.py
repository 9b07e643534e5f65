"""Whether a text does what is asked for, and nothing else in its place."""

import re
from collections.abc import Sequence
from dataclasses import replace

from dr_rd.checks.compare import breaks, keeps, same_unit
from dr_rd.checks.findings import Finding
from dr_rd.checks.items import Exclusive, Requirement
from dr_rd.checks.prohibitions import covers, has, sought_of, taken
from dr_rd.quantity import Quantity
from dr_rd.text import Fact, Page, Sentence, Stance, Word, lexicon, reported


def exclusive(found: Exclusive, page: Page) -> Finding:
    """Say whether a text keeps to one thing and no other."""
    if joined := _joined(found.only, page):
        return Finding("violated", f"it adds to “{found.only}”, which is to stand alone", joined)
    sought = (sought_of(a, found.where, found.known, a, found.settled) for a in found.against)
    instead = " in place of what is asked for"
    broken = taken([replace(s, strict=found.near) for s in sought], page, instead)
    if broken.verdict == "violated" and broken.sentence and _is_both(broken.sentence, found):
        reason = f"it names “{found.only}” too, and may mean that"
        return Finding("unclear", reason, broken.sentence)
    if broken.verdict != "not_shown":
        return broken
    units = lexicon().units(found.only)
    for sentence in page.sentences:
        held = [u for u in units if _told_in(sentence, u)]
        if len(held) >= 0.6 * len(units) > 0:
            return Finding("met", "the text says so", sentence)
    return Finding("not_shown", "the text does not say so")


def names(found: Exclusive, page: Page) -> bool:
    """Whether a text names what must not stand in the place of another thing, and does not deny it."""
    units = {u for thing in found.against for u in lexicon().units(thing)}
    return any(_told_in(s, u) for s in page.sentences for u in units & s.meanings)


_LINK = re.compile(
    r"\W*(?:\w+\W+){0,2}(?:and|or|as well as|half|some|partly|plus)\b\W*(?:\w+\W+){0,2}"
)
_ADDED = re.compile(
    r"\b(?:(?:is|are|be)\s+(?:supplemented|complemented|augmented|enriched)\b|(?:in addition to|besides|alongside|as well as)"
    r"\s+(?:the\s+|our\s+|using\s+)?(?=[\w-]+))",
    re.IGNORECASE,
)


def _is_both(sentence: Sentence, found: Exclusive) -> bool:
    """Whether a sentence names the one thing too, and does not join the other to it."""
    units = lexicon().units(found.only)
    ones = _spans(sentence, units) if covers(sentence, units, 1.0) else []
    others = _spans(sentence, [u for t in found.against for u in lexicon().units(t)])
    if not ones or not others:
        return False
    pairs = [sorted((one, other)) for one in ones for other in others]
    gaps = [sentence.text[a[1] : b[0]] for a, b in pairs]
    return not any(_LINK.fullmatch(g) for g in gaps)


def _spans(sentence: Sentence, units: Sequence[str]) -> list[tuple[int, int]]:
    """Where words of such meanings stand in the sentence."""
    at = sentence.start
    return [(w.start - at, w.end - at) for w in sentence.words if w.meanings & set(units)]


def _joined(only: str, page: Page) -> Sentence | None:
    """The sentence that adds something to what is to stand alone."""
    units = lexicon().units(only)
    for sentence in page.sentences:
        for match in _ADDED.finditer(sentence.text):
            side = _beside_cue(sentence, match)
            held = [u for u in units if any(has(w.meanings, u, units) for w in side)]
            stance = sentence.stance(match.start() + sentence.start)
            if units and len(held) == len(units) and stance == "affirmed":
                return sentence
    return None


def _beside_cue(sentence: Sentence, match: re.Match[str]) -> list[Word]:
    """The words that are added to: those before "is supplemented", or after "in addition to"."""
    at = sentence.start
    if match[0].split()[0].lower() in ("is", "are", "be"):
        return [w for w in sentence.words if w.end - at <= match.start()]
    return [w for w in sentence.words if match.end() <= w.start - at][:4]


def required(found: Requirement, page: Page) -> Finding:
    """Say whether a text does what is asked for."""
    units = found.terms
    denied: Finding | None = None
    met: Finding | None = None
    for sentence in page.sentences:
        if _refused(sentence, found):
            denied = denied or Finding(
                "violated", "the text says that it will not be so", sentence
            )
        if not _enough(sentence, units) or not _beyond(sentence, found):
            continue
        stance = _core_stance(sentence, units)
        if stance == "affirmed":
            met = _graver(met, _measured(found, sentence, page))
        elif stance == "denied" and not denied and covers(sentence, units, 0.75):
            denied = Finding("violated", "the text says that it will not be so", sentence)
    if denied and met:
        reason = "the text says that it will be so, and that it will not"
        return Finding("unclear", reason, denied.sentence)
    return denied or met or Finding("not_shown", "the text does not say so")


_SHORT = 2
_MOST_OF = 0.6
"""Share of the words of a demand from which a sentence speaks of it."""


def _enough(sentence: Sentence, units: Sequence[str]) -> bool:
    """Whether a sentence speaks of what is asked for: "start after March" is not any start."""
    if len(units) > _SHORT:
        return covers(sentence, units, _MOST_OF)
    things = [u for u in units if u not in lexicon().verbs]
    return covers(sentence, things or units, 1.0)


_GRAVE = ("violated", "met", "unclear")


def _graver(first: Finding | None, other: Finding) -> Finding:
    """What decides of two sentences that speak of one demand, whichever stands first."""
    if first is None:
        return other
    return min(first, other, key=lambda f: _GRAVE.index(f.verdict))


def _measured(found: Requirement, sentence: Sentence, page: Page) -> Finding:
    """Say that a sentence does what is asked for, unless it gives another figure of the kind."""
    told = [s for s in page.facts if s.sentence is sentence]
    here = [s.amount for s in told]
    for wanted in found.thresholds:
        if missed := _missed(told, wanted):
            reason = f"it states {missed.amount.text}, but wanted is {wanted.text}"
            return Finding("violated", reason, sentence)
        if not any(same_unit(q, wanted) for q in here):
            return Finding("unclear", f"it says nothing of {wanted.text}", sentence)
    for low, high, unit in found.figures:
        said = [q for q in here if q.unit == unit]
        if said and not any((q.low, q.high) == (low, high) for q in said):
            reason = f"it states {said[0].text}, and the item another figure"
            return Finding("unclear", reason, sentence)
    return Finding("met", "the text says so", sentence)


def _missed(told: Sequence[Fact], wanted: Quantity) -> Fact | None:
    """The figure that falls short of what is wanted, if none beside it reaches that."""
    alike = [s for s in told if same_unit(s.amount, wanted) and not reported(s)]
    if any(keeps(same_unit(s.amount, wanted), wanted) for s in alike):
        return None
    short = (
        s
        for s in alike
        if s.polarity == "affirmed" and breaks(same_unit(s.amount, wanted), wanted)
    )
    return next((s for s in short if not _CHANGE.search(s.sentence.text)), None)


_CHANGE = re.compile(
    r"\b(?:from|by|baseline|currently|at present|today|confidence|CI|power|alpha|increase|decrease|reduction|difference)\b"
)
"""Of a figure beside it nothing follows: it is where something starts, or how much it changes."""


def _beyond(sentence: Sentence, found: Requirement) -> bool:
    """Whether a sentence says anything of what is asked for beyond the objective."""
    return not found.told or any(t in sentence.meanings for t in found.told)


def _refused(sentence: Sentence, found: Requirement) -> bool:
    """Whether every word that tells the thing asked for is there, and denied."""
    told = [t for t in found.told if t not in lexicon().verbs]
    if not covers(sentence, [t for t in found.terms if t not in lexicon().verbs], 0.75):
        return False
    stances = {
        t: [s for w, s in zip(sentence.words, sentence.stances, strict=True) if t in w.meanings]
        for t in told
    }
    return bool(told) and all(s and set(s) == {"denied"} for s in stances.values())


def _told_in(sentence: Sentence, unit: str) -> bool:
    """Whether a sentence says a thing without denying it."""
    return unit in sentence.meanings and any(
        unit in w.meanings and s in ("affirmed", "perhaps")
        for w, s in zip(sentence.words, sentence.stances, strict=True)
    )


def _core_stance(sentence: Sentence, units: Sequence[str]) -> Stance:
    """Denied if half of the things asked for are denied."""
    hits: dict[str, set[Stance]] = {}
    refused: list[int] = []
    for n, (word, stance) in enumerate(zip(sentence.words, sentence.stances, strict=True)):
        for unit in units:
            if unit in word.meanings:
                hits.setdefault(unit, set()).add(stance)
                refused += [n] if stance == "denied" else []
    if refused and refused[-1] - refused[0] > 2 * len(units) + 2:
        return "perhaps"  # strewn over a sentence they are other things
    denied = sum(stances == {"denied"} for stances in hits.values())
    if (2 * denied > len(units) and 4 * len(hits) >= 3 * len(units)) or (
        2 * denied == len(units) and len(hits) == len(units)
    ):
        return "denied"
    affirmed = sum("affirmed" in stances for stances in hits.values())
    return "affirmed" if 2 * affirmed >= len(hits) else "perhaps"

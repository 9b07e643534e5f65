"""Whether a text takes in a thing that is ruled out, or leaves out one that is asked for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from dr_rd.adherence.reading import Finding, Page
from dr_rd.ledger import Exclusive, Prohibition, Requirement
from dr_rd.prose import Sentence, Stance, Word, lexicon, root


def prohibited(found: Prohibition, page: Page) -> Finding:
    """Say whether a text takes in what is ruled out."""
    if found.excepted:
        return _beside(found.terms[0], found.excepted, page)
    first = _taken(found.terms, found.where, page)
    if first.verdict != "met" or not found.source:
        return first
    source = _taken((found.where,), "", page)
    if source.verdict == "met":
        return first
    reason = f"it takes in “{found.where}”, from which nothing of the kind may come"
    return Finding("unclear", reason, source.sentence)


_OTHER = re.compile(r"\b(?:other than|besides|beyond|in addition to|apart from)\b", re.IGNORECASE)


def _beside(thing: str, excepted: str, page: Page) -> Finding:
    """Look for a kind of *thing* other than the one that may be."""
    spared = set(lexicon().units(excepted))
    for sentence in page.sentences:
        other = bool(_OTHER.search(sentence.text))
        if _mentions(sentence, thing, "") != "affirmed":
            continue
        if spared & sentence.meanings and not other:
            continue
        kind = _kind_of(sentence, lexicon().units(thing, generic=True)[-1])
        reason = f"it takes in {kind or thing}, but only {excepted} may be"
        return Finding("violated" if kind or other else "unclear", reason, sentence)
    return Finding("met", "nothing in the text does this")


def _kind_of(sentence: Sentence, unit: str) -> str:
    """The word before the thing that says of which kind it is; "" where none does."""
    for before, word in pairwise(sentence.words):
        if unit in word.meanings and not before.stop and before.stem not in lexicon().verbs:
            at = sentence.start
            return sentence.text[before.start - at : word.end - at]
    return ""


def _taken(terms: Sequence[str], where: str, page: Page) -> Finding:
    doubt: Finding | None = None
    for term in terms:
        for sentence in page.sentences:
            stance = _mentions(sentence, term, where)
            if stance == "affirmed":
                return Finding("violated", f"it takes in “{term}”, which is ruled out", sentence)
            if stance == "perhaps" and not doubt:
                doubt = Finding("unclear", f"it may take in “{term}”", sentence)
    return doubt or Finding("met", "nothing in the text does this")


def _mentions(sentence: Sentence, term: str, where: str) -> Stance | None:
    """Whether a sentence affirms *term*, narrowed by *where*."""
    if where and not any(covers(sentence, w, 0.6) for w in _alternatives(where)):
        return None
    if (figure := _FIGURE.search(term)) and figure[0] not in sentence.text:
        return None
    sampled = lexicon().sampled
    units = [u for u in _telling(term) if not (where and u in sampled)]
    if not units:
        return _overall(sentence)
    needed = len(units) if len(units) < 5 else round(0.7 * len(units))
    if sum(_has(sentence.meanings, u, units) for u in units) < needed:
        return None
    return _near(sentence, units, needed)


def _has(meanings: frozenset[str], unit: str, units: Sequence[str]) -> bool:
    """Whether a unit is among meanings; of several, one may be of the same root: dive, diver."""
    return unit in meanings or (len(units) > 1 and root(unit) in meanings)


_FIGURE = re.compile(r"\d[\w-]*")


def _alternatives(where: str) -> Iterable[Sequence[str]]:
    return (lexicon().units(w, generic=True) for w in re.split(r",|\bor\b", where) if w.strip())


@lru_cache(maxsize=4096)
def _telling(term: str) -> tuple[str, ...]:
    """The words to look for: all but heads, unless what is left is too little."""
    words = lexicon()
    everything = words.units(term, generic=True)
    units = tuple(u for u in everything if u not in words.heads)
    verbal = all(
        u in words.including or re.search(rf"\b{re.escape(u)}\w*ing\b", term) for u in units
    )
    return everything if verbal else units


def _overall(sentence: Sentence) -> Stance:
    """The stance of most of a sentence."""
    content = [s for w, s in zip(sentence.words, sentence.stances, strict=True) if not w.stop]
    return max(reversed(_GRAVE), key=content.count) if content else "told"


def covers(sentence: Sentence, units: Sequence[str], share: float) -> bool:
    """Whether a sentence holds that share of *units*."""
    hits = sum(u in sentence.meanings for u in units)
    return bool(units) and hits >= share * len(units)


def _near(sentence: Sentence, units: Sequence[str], needed: int) -> Stance | None:
    """The best stance of a stretch of words that holds enough of *units*."""
    places = [
        (n, u) for n, w in enumerate(sentence.words) for u in units if _has(w.meanings, u, units)
    ]
    best: Stance | None = None
    reach = 2 * len(units) + 2
    for n, _ in places:
        held = [(m, u) for m, u in places if n <= m <= n + reach]
        if len({u for _, u in held}) < needed:
            continue
        stance = _worst(
            {u: _best(sentence.stances[m] for m, v in held if v == u) for _, u in held}
        )
        if stance == "affirmed":
            return stance
        best = stance if best is None or stance == "perhaps" else best
    return best


_GRAVE: tuple[Stance, ...] = ("told", "denied", "perhaps", "affirmed")


def _best(stances: Iterable[Stance]) -> Stance:
    """The stance of a word that stands more than once: the most affirmed."""
    return max(stances, key=_GRAVE.index)


def _worst(stances: Mapping[str, Stance]) -> Stance:
    """The stance of several words together: the least affirmed."""
    return min(stances.values(), key=_GRAVE.index)


def exclusive(found: Exclusive, page: Page) -> Finding:
    """Say whether a text keeps to one thing and no other."""
    if joined := _joined(found.only, page):
        return Finding("violated", f"it adds to “{found.only}”, which is to stand alone", joined)
    broken = _taken(found.against, found.where, page)
    if broken.verdict == "violated" and broken.sentence and _is_both(broken.sentence, found):
        reason = f"it names “{found.only}” too, and may mean that"
        return Finding("unclear", reason, broken.sentence)
    if broken.verdict != "met":
        return broken
    units = lexicon().units(found.only)
    for sentence in page.sentences:
        if covers(sentence, units, 0.6) and _overall(sentence) == "affirmed":
            return Finding("met", "the text says so", sentence)
    return Finding("unclear", "the text does not say so")


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
            held = [u for u in units if any(_has(w.meanings, u, units) for w in side)]
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
        if not covers(sentence, units, 0.6):
            continue
        stance = _core_stance(sentence, units)
        if stance == "affirmed":
            met = met or Finding("met", "the text says so", sentence)
        elif stance == "denied" and not denied:
            denied = Finding("violated", "the text says that it will not be so", sentence)
    return denied or met or Finding("unclear", "the text does not say so")


def _core_stance(sentence: Sentence, units: Sequence[str]) -> Stance:
    """Denied if half of the things asked for are denied."""
    hits: dict[str, set[Stance]] = {}
    for word, stance in zip(sentence.words, sentence.stances, strict=True):
        for unit in units:
            if unit in word.meanings:
                hits.setdefault(unit, set()).add(stance)
    denied = sum(stances == {"denied"} for stances in hits.values())
    if 2 * denied > len(units) or (2 * denied == len(units) and len(hits) == len(units)):
        return "denied"
    affirmed = sum("affirmed" in stances for stances in hits.values())
    return "affirmed" if 2 * affirmed >= len(hits) else "perhaps"

"""Whether a text takes in a thing that is ruled out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from dr_rd.checks.compare import same_unit
from dr_rd.checks.findings import Finding
from dr_rd.checks.items import Prohibition
from dr_rd.quantity import Quantity
from dr_rd.text import Page, Sentence, Stance, cued, lexicon, plans, reported, root, stem


def prohibited(found: Prohibition, page: Page) -> Finding:
    """Say whether a text takes in what is ruled out."""
    if found.excepted:
        return _beside(found.terms[0], found.excepted, page)
    sought = [
        sought_of(
            term,
            found.where,
            found.known,
            found.what,
            found.settled,
            strict=found.bound,
            fresh=found.fresh,
        )
        for term in found.terms
    ]
    if found.clear and (apart := _kept_from(found.clear, sought, page)):
        return apart
    first = taken(sought, page)
    if found.lacking and first.sentence and _there(found.lacking, first.sentence, page):
        return Finding("met", f"it is not without “{found.lacking}”", first.sentence)
    if first.verdict == "met" and first.sentence and not _rules_out(first.sentence, sought):
        first = Finding("not_shown", "nothing in the text does this")
    if first.verdict != "not_shown" or not found.source:
        return first  # what the text rules out is not taken in from there either
    source = taken([sought_of(found.where, "", (), found.what)], page)
    if source.verdict in ("met", "not_shown"):
        return first
    reason = f"it takes in “{found.where}”, from which nothing of the kind may come"
    done = source.verdict == "violated" and source.sentence and _ACTS.search(source.sentence.text)
    return Finding("violated" if done else "unclear", reason, source.sentence)


_BEFORE = re.compile(
    r"\W*(?:or\smore\s)?(?:before|prior|ahead|preceding|earlier|in advance)\b", re.IGNORECASE
)


def _kept_from(clear: Quantity, sought: Sequence["_Sought"], page: Page) -> Finding | None:
    """How long before something a thing is kept from, where a text says it."""
    for fact in page.facts:
        length = same_unit(fact.amount, clear)
        spoken = any(not fact.sentence.meanings.isdisjoint(s.signs) for s in sought)
        if length is None or not spoken or not _BEFORE.match(fact.after) or reported(fact):
            continue
        if (length.high or length.low or 0) >= (clear.low or 0):
            return Finding("met", f"it states {fact.amount.text}", fact.sentence)
        reason = f"it states {fact.amount.text}, but the limit is {clear.text}"
        return Finding("violated", reason, fact.sentence)
    return None


def _there(thing: str, sentence: Sentence, page: Page) -> bool:
    """Whether a sentence or the one after it says that a thing is there."""
    units = lexicon().units(thing)
    at = page.sentences.index(sentence)
    near = page.sentences[at : at + 2]
    held = [u for u in units if any(u in s.meanings and not _denied_in(s, u) for s in near)]
    return len(held) >= 0.6 * len(units) > 0


def _denied_in(sentence: Sentence, unit: str) -> bool:
    """Whether a sentence denies a thing wherever it names it."""
    pairs = zip(sentence.words, sentence.stances, strict=True)
    return all(s == "denied" for w, s in pairs if unit in w.meanings)


def _rules_out(sentence: Sentence, sought: Iterable["_Sought"]) -> bool:
    """Whether a sentence that denies something denies most of a thing that is sought, or its head."""
    return any(covers(sentence, s.units, 0.6) or _denies_head(sentence, s) for s in sought)


def _denies_head(sentence: Sentence, sought: "_Sought") -> bool:
    head = sought.units[-1:]
    return bool(head) and head[0] in sentence.meanings and _denied_in(sentence, head[0])


@dataclass(frozen=True, slots=True)
class _Sought:
    """A thing ruled out, as its words are looked for."""

    term: str
    units: tuple[str, ...]
    """The words that tell it from what the brief itself plans."""
    places: tuple[tuple[str, ...], ...] = ()
    """What narrows it, one or the other; none where nothing does."""
    rest: tuple[str, ...] = ()
    """Its words that the brief plans with."""
    figure: str = ""
    varies: bool = False
    """Whether it is ruled out that something differs, rather than that there is any."""
    ranked: bool = False
    """Whether it is ruled out as a main thing only."""
    role: bool = False
    """Whether it is ruled out as what is explained, so that it may explain."""
    distinct: bool = False
    """Whether the brief plans with every word, so that only all of them together tell."""
    settled: bool = False
    """Whether those words stand in more than one of the brief's directions."""
    strict: bool = False
    """Whether it counts nowhere but at its place, all of whose words tell it."""
    fresh: bool = False
    """Whether only more of it is ruled out, so that what there is may be used."""
    signs: frozenset[str] = frozenset()
    """Its words and their roots; a sentence with none of them does not speak of it."""

    @property
    def needed(self) -> int:
        """How many of its words must be there."""
        return len(self.units) if len(self.units) < _MANY else round(0.7 * len(self.units))


_MANY = 4
_PAST_BEFORE = re.compile(
    r"\b(?:past|previous|prior|earlier|former|histor(?:y|ies)\sof)\s(?:[\w-]+\s)?$", re.IGNORECASE
)
_PAST_BEHIND = re.compile(
    r"\s(?:[\w-]+\s)?(?:histor(?:y|ies)|in\s(?:the\s)?(?:past|previous|prior|earlier|former))\b",
    re.IGNORECASE,
)
_TIMES = frozenset({"day", "week", "month", "year", "hour", "minut"})
_RANKED = re.compile(r"\bas (?:a|an|the)\s(?:[\w-]+\s){0,2}?(?:co-)?(?:primary|main)\b")


@lru_cache(maxsize=4096)
def sought_of(
    term: str,
    where: str,
    known: tuple[str, ...],
    what: str,
    settled: tuple[str, ...] = (),
    *,
    strict: bool = False,
    fresh: bool = False,
) -> _Sought:
    """Read a ruled-out thing, and what narrows it, into what is looked for."""
    words = lexicon()
    places = tuple(
        p
        for w in _places(where)
        if (
            p := tuple(
                u
                for u in words.units(w)
                if u not in known and u not in _TIMES and not u[0].isdigit()
            )
        )
    )
    units = [u for u in _telling(term) if not (where and u in words.sampled)]
    if any(not u[0].isdigit() for u in units):
        units = [u for u in units if not u[0].isdigit() and u not in _TIMES]
    novel = tuple(u for u in units if u not in known)
    if not novel and not places:
        units = list(words.units(term, generic=True))
    figure = None if novel else _FIGURE.search(term)
    own = novel or tuple(units)
    return _Sought(
        term=term,
        units=own,
        signs=frozenset((*own, *map(root, own))),
        places=places if not strict and (novel or not units or places) else _whole_places(where),
        rest=tuple(u for u in units if u in known) if novel else (),
        figure=figure[0] if figure else "",
        varies=bool(words.varying & {w.stem for w in words.words(what)}),
        ranked=bool(_RANKED.search(what)),
        role=bool(_ROLE.search(what)),
        distinct=not novel,
        settled=not novel and set(units) <= set(settled),
        strict=strict,
        fresh=fresh,
    )


def _places(where: str) -> list[str]:
    return [w for w in re.split(r",|\bor\b", where) if w.strip()]


def _whole_places(where: str) -> tuple[tuple[str, ...], ...]:
    """What narrows a thing that the brief plans with: then every word counts."""
    return tuple(lexicon().units(w, generic=True) for w in _places(where))


def _beside(thing: str, excepted: str, page: Page) -> Finding:
    """Look for a kind of *thing* other than the one that may be."""
    spared = set(lexicon().units(excepted))
    for sentence in page.sentences:
        other = cued("besides", sentence.text)
        if _mentions(sentence, sought_of(thing, "", (), thing)) != "affirmed":
            continue
        if spared & sentence.meanings and not other:
            continue
        kind = _kind_of(sentence, lexicon().units(thing, generic=True)[-1])
        reason = f"it takes in {kind or thing}, but only {excepted} may be"
        return Finding("violated" if kind or other else "unclear", reason, sentence)
    return Finding("not_shown", "nothing in the text does this")


def _kind_of(sentence: Sentence, unit: str) -> str:
    """The word before the thing that says of which kind it is; "" where none does."""
    for before, word in pairwise(sentence.words):
        if unit in word.meanings and not before.stop and before.stem not in lexicon().verbs:
            at = sentence.start
            return sentence.text[before.start - at : word.end - at]
    return ""


def taken(sought: Sequence[_Sought], page: Page, fault: str = ", which is ruled out") -> Finding:
    """Say whether a text takes in any of the things that are sought, and what is wrong with it."""
    doubt: Finding | None = None
    refused: Sentence | None = None
    for one in sought:
        stances = [_mentions(sentence, one) for sentence in page.sentences]
        turned_down = "denied" in stances
        for sentence, stance in zip(page.sentences, stances, strict=True):
            if stance is None:
                continue
            if turned_down and stance != "denied" and not plans(sentence):
                continue  # it is told of, and refused beside
            if stance == "affirmed":
                return Finding("violated", f"it takes in “{one.term}”{fault}", sentence)
            if stance == "perhaps" and not doubt:
                doubt = Finding("unclear", f"it may take in “{one.term}”", sentence)
            if stance == "denied":
                refused = refused or sentence
    if doubt:
        return doubt
    if refused:
        return Finding("met", "the text rules it out", refused)
    return Finding("not_shown", "nothing in the text does this")


def _mentions(sentence: Sentence, sought: _Sought) -> Stance | None:
    """Whether a sentence affirms what is sought, or something close to it."""
    if not _speaks(sentence, sought):
        return None
    placed = not sought.places or any(_at_place(sentence, p) for p in sought.places)
    if not sought.units:
        return _of_place(sentence, sought) if placed else None
    held = _telling_words(sentence, sought)
    if not held or (sought.strict and not placed):
        return None
    enough = len(held) >= sought.needed or _named(sought.units, held)
    if len(sought.units) == 1 and sought.rest and not _named(sought.units, held):
        enough = enough and any(u in sentence.meanings for u in sought.rest)
    stance = _weighed(sentence, sought, held)
    words = lexicon()
    kinds = words.restricting.intersection(sought.units)
    if stance == "affirmed" and kinds and kinds.isdisjoint(held):
        return None if cued("unrestricted", sentence.text) else "perhaps"
    known = any(u in words.concepts and stem(u) not in words.varying for u in held)
    placed = placed or (known and not sought.distinct)
    if stance != "affirmed" or (enough and placed):
        return stance
    done = known and placed and not _MOVES.search(sought.term)
    return "affirmed" if done else "perhaps"


def _speaks(sentence: Sentence, sought: _Sought) -> bool:
    """Whether a sentence may speak of what is sought: it has its words, its figure, its denial."""
    said = sentence.text
    if sought.units and sentence.meanings.isdisjoint(sought.signs):
        return False
    if (sought.fresh and not cued("fresh", said)) or sought.figure not in said:
        return False
    return not _LACKING.search(sought.term) or bool(_DENIED.search(said))


_DENIED = re.compile(r"\b(?:not|never|no|without|lacks?|lacking)\b|n[’']t\b", re.IGNORECASE)
_LACKING = re.compile(r"\b(?:who|that|which)\s(?:\w+\s)?(?:not|never|lacks?)\b", re.IGNORECASE)
"""A thing told by what it lacks is not that which has it: "patients who do not own a phone"."""


def _weighed(sentence: Sentence, sought: _Sought, held: Sequence[str]) -> Stance | None:
    """The stance of the words held, lowered where they are only noted, spared, or hinted at."""
    stance = _near(sentence, held, min(len(held), sought.needed))
    if stance == "affirmed" and _gone_by(sentence, held):
        return "perhaps"  # what was done before is not done now
    if stance in ("affirmed", "perhaps") and _spared(sentence, sought):
        return "denied"
    if stance == "affirmed" and not _said(sentence, held) and not _PLANS.search(sentence.text):
        return "perhaps"
    return stance


def _gone_by(sentence: Sentence, held: Sequence[str]) -> bool:
    """Whether all that is held is said of a time before: "the tillage history", "past drug use"."""
    at, text = sentence.start, sentence.text
    said = [w for w in sentence.words if any(has(w.meanings, u, held) for u in held)]
    return bool(said) and all(
        _PAST_BEFORE.search(text[: w.start - at]) or _PAST_BEHIND.match(text[w.end - at :])
        for w in said
    )


_MOVES = re.compile(
    r"\w\s+(?:leaves?|enters?|cross(?:es)?|reach(?:es)?|pass(?:es)?)\s", re.IGNORECASE
)
"""What is ruled out is that a thing goes somewhere, and not the thing."""


def _telling_words(sentence: Sentence, sought: _Sought) -> list[str]:
    """Return the words sought that a sentence holds; none if they tell nothing there."""
    held = [u for u in sought.units if has(sentence.meanings, u, sought.units)]
    if not held or (sought.distinct and not _whole(sentence, held, sought)):
        return []
    dull = lexicon().groups | lexicon().sampled
    if set(held) <= dull and not set(sought.units) <= dull:
        return []
    if 2 * len(held) < len(sought.units) and not any(u in lexicon().concepts for u in held):
        return []
    alone = not _said(sentence, held) or _loose(sentence, held)
    return [] if sought.rest and alone and not _joins(sentence, held, sought) else held


def _whole(sentence: Sentence, held: Sequence[str], sought: _Sought) -> bool:
    """Whether enough is said of a thing with whose every word the brief plans.

    Of its one word alone nothing can be told.
    """
    telling = len(sought.units) > 1 or bool(sought.figure) or not sought.settled
    return telling and min(_places_of(sentence, held), len(held)) >= sought.needed


_PLANS = re.compile(
    r"\b(?:we|our|will|also)\b|\b(?:is|are|be)\s(?:\w+\s){0,2}?\w+(?:ed|en|wn|ung|eld)\b",
    re.IGNORECASE,
)

_NEXT = 2
"""Words from one to the other of two that belong together: "different, larger planet"."""


def _loose(sentence: Sentence, held: Sequence[str]) -> bool:
    """Whether the words held tell nothing but with what they are said of: to vary, to differ."""
    words = lexicon()
    return all(
        w.stem in words.varying | words.relational
        for w in sentence.words
        if w.meanings & set(held)
    )


def _joins(sentence: Sentence, held: Sequence[str], sought: _Sought) -> bool:
    """Whether a word that is held stands beside one of the rest."""
    places = {
        kind: [n for n, w in enumerate(sentence.words) if w.meanings & set(units)]
        for kind, units in (("held", held), ("rest", sought.rest))
    }
    return any(0 < abs(n - m) <= _NEXT for n in places["held"] for m in places["rest"])


def _said(sentence: Sentence, held: Sequence[str]) -> bool:
    """Whether one of the meanings is said, and not only hinted at by a word that has others."""
    words = lexicon()
    return any(
        has(w.meanings, u, held) and not words.is_sign(w, u) for w in sentence.words for u in held
    )


def _places_of(sentence: Sentence, held: Sequence[str]) -> int:
    """How many words of a sentence have one of the meanings."""
    return sum(any(has(w.meanings, u, held) for u in held) for w in sentence.words)


def _at_place(sentence: Sentence, place: Sequence[str]) -> bool:
    named = set(place) & lexicon().concepts & sentence.meanings
    return bool(named) or covers(sentence, place, 0.6)


def _of_place(sentence: Sentence, sought: _Sought) -> Stance | None:
    """The stance of what narrows a thing that every study has, such as sites."""
    if not sought.places:
        return _overall(sentence)
    place = max(sought.places, key=lambda p: sum(u in sentence.meanings for u in p))
    if not _said(sentence, place):
        return None
    return _near(sentence, place, min(len(place), sum(u in sentence.meanings for u in place)))


def _named(units: Sequence[str], held: Sequence[str]) -> bool:
    """Whether the last word of a thing is a name in the lexicon, and is said: it says enough."""
    return units[-1] in held and units[-1] in lexicon().concepts


_ACTS = re.compile(
    r"\b(?:we|our|will|also|too|as well|further|additional(?:ly)?|in addition|alongside|together with|plus)\b"
    r"|\b(?:is|are|be)\s(?:\w+\s){0,2}?(?:\w+(?:ed|en|wn|ung|eld)|cut|put|run|made|kept|built|read|sent|taught|set)\b"
    r"|\b(?:gets?|receives?|rates?|shows?|takes?|serves?|records?|follows?|tells?|counts?|closes|ends|begins|rests?)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\bas (?:a|an|the)\s(?:[\w-]+\s){0,3}?(?:outcome|dependent|mediat\w+|endpoint|factor|response)\b",
    re.I,
)


def _spared(sentence: Sentence, sought: _Sought) -> bool:
    """Whether a sentence keeps alike what must not differ, or keeps small what must not lead."""
    steady = sought.varies and cued("steady", sentence.text)
    minor = sought.ranked and cued("minor", sentence.text)
    kept = _NEW.match(sought.term) and _EXISTING.search(sentence.text)
    return bool(steady or minor or kept or (sought.role and cued("covariates", sentence.text)))


_NEW = re.compile(
    r"(?:an?\s|any\s)?(?:new|additional|further|another|second|extra)\b", re.IGNORECASE
)
_EXISTING = re.compile(
    r"\b(?:existing|present|current|already|(?<!is )(?<!are )(?<!be )installed)\b(?!.*\b(?:new|second|another|replaced?)\b)",
    re.IGNORECASE,
)
"""Of a thing of which no new one may be it says that it is the old one, where "extra" may mean any at all."""


def has(meanings: frozenset[str], unit: str, units: Sequence[str]) -> bool:
    """Whether a unit is among meanings; of several, one may be of the same root: dive, diver."""
    return unit in meanings or (len(units) > 1 and root(unit) in meanings)


_FIGURE = re.compile(r"\d[\w-]*")


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
        (n, u) for n, w in enumerate(sentence.words) for u in units if has(w.meanings, u, units)
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

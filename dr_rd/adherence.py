"""Whether a text keeps to a ledger: a verdict on each item, with the words that decide it.

A text breaks an item only where it affirms what the item rules out: what is denied, doubted,
told of others, or named under a heading such as "Out of scope" is not a violation.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import pint

from core.values import Frozen
from dr_rd.ledger import (
    Check,
    Exclusive,
    Kind,
    Ledger,
    LedgerItem,
    Limit,
    Period,
    Prohibition,
    Requirement,
)
from dr_rd.prose import Sentence, Stance, lexicon, sentences, stem
from dr_rd.quantity import DATE, YEAR, Quantity, quantities

Verdict = Literal["met", "violated", "unclear", "not_checkable"]


class LedgerVerdict(Frozen):
    """What a text says about one item."""

    id: str
    kind: Kind
    text: str
    """The item's words."""
    verdict: Verdict
    reason: str
    quote: str = ""
    """The words of the checked text that decide; "" where none do."""
    start: int = 0
    end: int = 0


def check(ledger: Ledger, text: str) -> tuple[LedgerVerdict, ...]:
    """Return one verdict per item of *ledger*, in its order."""
    page = _read(text)
    promised, named = _restatements(ledger, page)
    live = _live(page, named)
    return tuple(_verdict(item, live, promised.get(item.id)) for item in ledger.items)


def to_json(verdicts: Iterable[LedgerVerdict]) -> dict[str, Any]:
    """Return the verdicts as the command line prints them, with the number of violations."""
    items = [v.model_dump(mode="json") for v in verdicts]
    return {"items": items, "violated": sum(i["verdict"] == "violated" for i in items)}


@dataclass(frozen=True, slots=True)
class _Stated:
    """A quantity in its sentence."""

    quantity: Quantity
    sentence: Sentence
    stance: Stance
    clause: str

    def parts(self) -> bool:
        """Whether the clause speaks of a part of the whole."""
        return bool(lexicon().cues["parts"].search(self.clause))

    def totals(self) -> bool:
        """Whether the sentence speaks of the whole."""
        return bool(lexicon().cues["totals"].search(self.sentence.text))


@dataclass(frozen=True, slots=True)
class _Page:
    """The checked text, read once for all items."""

    sentences: tuple[Sentence, ...]
    stated: tuple[_Stated, ...]


@lru_cache(maxsize=64)
def _read(text: str) -> _Page:
    """Read *text*; one text is often held against several ledgers or at several moments."""
    found = sentences(text)
    return _Page(found, tuple(_place(found, _products(text, quantities(text)))))


_OF = re.compile(
    r"\s+(?:of|with|containing|comprising)\s+|,?\s+each\s+(?:of|with|containing)\s+|\s?[x×]\s?"
)


def _products(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """Multiply groups out: "three cohorts of 15 people" is 45 people."""
    out: list[Quantity] = []
    for q in found:
        last = out[-1] if out else None
        if last and _groups(last, q) and _OF.fullmatch(text, last.end, q.start):
            value = (last.low or 0) * (q.low or 0)
            out[-1] = q.model_copy(
                update={"low": value, "high": value, "start": last.start,
                        "text": text[last.start : q.end]}
            )  # fmt: skip
        else:
            out.append(q)
    return out


def _groups(first: Quantity, second: Quantity) -> bool:
    counts = not first.unit and not second.unit and bool(first.noun and second.noun)
    plain = first.comparison in ("stated", "exactly") and second.comparison in (
        "stated",
        "exactly",
    )
    return counts and plain and YEAR not in (first.noun, second.noun)


def _place(found: Sequence[Sentence], stated: Sequence[Quantity]) -> Iterable[_Stated]:
    """Give each quantity its sentence; both come in order."""
    position = 0
    for q in stated:
        while position < len(found) and found[position].end <= q.start:
            position += 1
        if position < len(found) and found[position].start < q.end:
            sentence = found[position]
            stance = sentence.stance(q.start)
            yield _Stated(q, sentence, stance, sentence.clause(q.start))


@dataclass(frozen=True, slots=True)
class _Finding:
    """What one check found."""

    verdict: Verdict
    reason: str
    sentence: Sentence | None = None


PROMISED = "the text commits to it in the brief's words"
"""The reason of a verdict that rests on a promise alone, not on how it is kept."""


def _verdict(item: LedgerItem, page: _Page, promise: Sentence | None) -> LedgerVerdict:
    found = _decide(item, page)
    if found.verdict == "unclear" and item.kind != "ban" and promise:
        found = _Finding("met", PROMISED, promise)
    quoted = found.sentence
    return LedgerVerdict(
        id=item.id,
        kind=item.kind,
        text=item.text,
        verdict=found.verdict,
        reason=found.reason,
        quote=quoted.text if quoted else "",
        start=quoted.start if quoted else 0,
        end=quoted.end if quoted else 0,
    )


def _decide(item: LedgerItem, page: _Page) -> _Finding:
    """Put the findings of an item's checks together: any violation decides."""
    if not item.checkable:
        return _Finding("not_checkable", item.reason)
    if not any(s.words for s in page.sentences):
        return _Finding("unclear", "the text says nothing that bears on it")
    findings = [_examine(check_, item, page) for check_ in item.checks]
    for verdict in ("violated", "unclear"):
        if first := next((f for f in findings if f.verdict == verdict), None):
            return first
    return next((f for f in findings if f.sentence), findings[0])


_LABELS = frozenset(
    "ban bans banned constraint criterion limit not done excluded stays out of the work is met".split()
)
"""Words that go with an item where it is only named."""


def _restatements(ledger: Ledger, page: _Page) -> tuple[dict[str, Sentence], frozenset[int]]:
    """For each item the sentence that promises it in its own words, if one does.

    And the starts of all sentences that say an item again, be it to promise or to name it.
    """
    plain = {s.start: _plain(s.text) for s in page.sentences}
    promised: dict[str, Sentence] = {}
    named: set[int] = set()
    for item in ledger.items:
        words = _plain(item.text)
        for sentence in page.sentences:
            if not sentence.planned and _only(words, plain[sentence.start]):
                named.add(sentence.start)
                if not sentence.aside and not _quoted(sentence):
                    promised.setdefault(item.id, sentence)
            elif _named(item, words, sentence):
                named.add(sentence.start)
    return promised, frozenset(named)


def _quoted(sentence: Sentence) -> bool:
    """Whether the item stands in quotation marks: named, not promised."""
    return bool(re.search(r"[“\"«]", sentence.text))


def _named(item: LedgerItem, words: Sequence[str], sentence: Sentence) -> bool:
    """Whether a sentence names the item by its id and then says it."""
    return item.id in sentence.text and _at(words, _plain(sentence.text)) is not None


def _at(item: Sequence[str], sentence: Sequence[str]) -> int | None:
    """Where the words of an item begin in a sentence; None if they are not in it."""
    size = len(item)
    return next((n for n in range(len(sentence)) if sentence[n : n + size] == item), None)


def _only(item: Sequence[str], sentence: Sequence[str]) -> bool:
    """Whether a sentence says the item and nothing beside it but labels."""
    at = _at(item, sentence)
    if not item or at is None:
        return False
    return {*sentence[:at], *sentence[at + len(item) :]} <= _LABELS


def _plain(text: str) -> list[str]:
    """The words of *text* in lower case, without ids of items."""
    return re.findall(r"\w+", _ID.sub("", text).lower())


_ID = re.compile(r"\b[CSB]\d\d\b")


def _live(page: _Page, named: frozenset[int]) -> _Page:
    """The page without what only says an item again, or names things aside."""
    kept = [s for s in page.sentences if s.start not in named and (s.planned or not s.aside)]
    starts = {s.start for s in kept}
    return _Page(tuple(kept), tuple(q for q in page.stated if q.sentence.start in starts))


def _examine(found: Check, item: LedgerItem, page: _Page) -> _Finding:
    match found:
        case Limit():
            return _limit(found, item, page)
        case Period():
            return _period(found, page)
        case Prohibition():
            return _prohibited(found.terms, found.where, page)
        case Exclusive():
            return _exclusive(found, page)
        case Requirement():
            return _required(found, page)


# Things


def _prohibited(terms: Sequence[str], where: str, page: _Page) -> _Finding:
    doubt: _Finding | None = None
    for term in terms:
        for sentence in page.sentences:
            stance = _mentions(sentence, term, where)
            if stance == "affirmed":
                return _Finding("violated", f"it takes in “{term}”, which is ruled out", sentence)
            if stance == "perhaps" and not doubt:
                doubt = _Finding("unclear", f"it may take in “{term}”", sentence)
    return doubt or _Finding("met", "nothing in the text does this")


def _mentions(sentence: Sentence, term: str, where: str) -> Stance | None:
    """Whether a sentence affirms *term*, narrowed by *where*."""
    if where and not any(_covers(sentence, w, 0.6) for w in _alternatives(where)):
        return None
    if (figure := _FIGURE.search(term)) and figure[0] not in sentence.text:
        return None
    sampled = lexicon().sampled
    units = [u for u in _telling(term) if not (where and u in sampled)]
    if not units:
        return _overall(sentence)
    needed = len(units) if len(units) < 5 else round(0.7 * len(units))
    if sum(u in sentence.meanings for u in units) < needed:
        return None
    return _near(sentence, units, needed)


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


def _covers(sentence: Sentence, units: Sequence[str], share: float) -> bool:
    hits = sum(u in sentence.meanings for u in units)
    return bool(units) and hits >= share * len(units)


def _near(sentence: Sentence, units: Sequence[str], needed: int) -> Stance | None:
    """The best stance of a stretch of words that holds enough of *units*."""
    places = [(n, u) for n, w in enumerate(sentence.words) for u in units if u in w.meanings]
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


def _exclusive(found: Exclusive, page: _Page) -> _Finding:
    broken = _prohibited(found.against, found.where, page)
    if broken.verdict != "met":
        return broken
    units = lexicon().units(found.only)
    for sentence in page.sentences:
        if _covers(sentence, units, 0.6) and _overall(sentence) == "affirmed":
            return _Finding("met", "the text says so", sentence)
    return _Finding("unclear", "the text does not say so")


def _required(found: Requirement, page: _Page) -> _Finding:
    units = found.terms
    denied: _Finding | None = None
    met: _Finding | None = None
    for sentence in page.sentences:
        if not _covers(sentence, units, 0.6):
            continue
        stance = _core_stance(sentence, units)
        if stance == "affirmed":
            met = met or _Finding("met", "the text says so", sentence)
        elif stance == "denied" and not denied:
            denied = _Finding("violated", "the text says that it will not be so", sentence)
    return denied or met or _Finding("unclear", "the text does not say so")


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


# Numbers


def _limit(found: Limit, item: LedgerItem, page: _Page) -> _Finding:
    bound = found.quantity
    seen = [
        s for s in page.stated if s.stance in ("affirmed", "perhaps") and _concerns(s, found, item)
    ]
    good = [s for s in seen if _keeps(_same_unit(s.quantity, bound), bound)]
    for stated in seen:
        if _breaks(stated, bound) and not (good and _weak(stated, found)):
            reason = f"it states {stated.quantity.text}, but the limit is {bound.text}"
            verdict: Verdict = "violated" if stated.stance == "affirmed" else "unclear"
            return _Finding(verdict, reason, stated.sentence)
    if good:
        return _Finding("met", f"it states {good[0].quantity.text}", good[0].sentence)
    if item.kind == "ban":
        return _Finding("met", "nothing in the text passes the bound")
    return _Finding("unclear", f"the text states no figure for {bound.noun or bound.text}")


def _weak(stated: _Stated, found: Limit) -> bool:
    """Whether a figure may be about something else, given that another one is in order."""
    said = set(lexicon().units(stated.quantity.noun, generic=True))
    named = set(lexicon().units(found.quantity.noun, generic=True))
    return bool(named - said) and not stated.totals() and not found.quantity.unit


def _concerns(stated: _Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether a stated quantity is of what the limit bounds."""
    q, bound = stated.quantity, found.quantity
    if bound.noun == DATE or q.noun == DATE:
        return q.noun == bound.noun and _covers(stated.sentence, _topic(item, bound), 0.5)
    if _is_money(bound.unit):
        return q.unit == bound.unit and stated.totals()
    if bound.noun == "age" or q.noun == "age":
        return q.noun == bound.noun
    if bound.unit:
        return _measures(stated, found, item)
    return not q.unit and (q.noun == YEAR) == (bound.noun == YEAR) and _counts(stated, found)


def _topic(item: LedgerItem, bound: Quantity) -> tuple[str, ...]:
    rest = item.text.replace(bound.text, " ")
    return tuple(u for u in lexicon().units(rest) if not u[0].isdigit())


def _measures(stated: _Stated, found: Limit, item: LedgerItem) -> bool:
    """Whether a measured quantity has the bound's dimension and speaks of its subject."""
    q, bound = stated.quantity, found.quantity
    if _same_unit(q, bound) is None:
        return False
    units = lexicon().units(bound.noun, generic=True) or _topic(item, bound)
    share = 0.3 if item.kind == "ban" else 0.6
    held = frozenset[str]().union(*(w.meanings for w in lexicon().words(stated.clause)))
    return bool(units) and sum(u in held for u in units) >= share * len(units)


def _counts(stated: _Stated, found: Limit) -> bool:
    """Whether a count is of the bound's noun, and of all of it."""
    words = stated.quantity.noun.split()
    wanted = lexicon().units(
        found.quantity.noun.split()[-1] if found.quantity.noun else "", generic=True
    )
    at = next((n for n, w in enumerate(words) if _means(w, wanted)), None)
    if at is None or not _is_head(words, at, stated.quantity):
        return False
    if _passing(stated, found):
        return False
    scoped = bool(lexicon().cues["each"].search(stated.clause))
    if found.scope:
        scope = lexicon().units(found.scope, generic=True)
        return scoped and any(set(scope) & w.meanings for w in lexicon().words(stated.clause))
    low = found.quantity.low is not None
    return not (low and stated.parts()) and not (scoped and not low and not _upper(stated, found))


def _passing(stated: _Stated, found: Limit) -> bool:
    """Whether "one participant" is said in passing, where several are asked for."""
    one = stated.quantity.low == stated.quantity.high == 1
    return one and (found.quantity.low or 0) > 1 and "only" not in stated.clause.lower()


def _upper(stated: _Stated, found: Limit) -> bool:
    """Whether one part alone already passes an upper bound."""
    return (stated.quantity.low or 0) > (found.quantity.high or 0)


def _means(word: str, wanted: Sequence[str]) -> bool:
    found = lexicon().words(word)
    return bool(wanted) and any(set(wanted) & w.meanings for w in found)


def _is_head(words: Sequence[str], at: int, quantity: Quantity) -> bool:
    """Whether the word is what is counted: "4 clinics", not "4 clinic visits"."""
    word = words[at].lower()
    plural = word.endswith("s") or word in ("people", "children", "mice", "women", "men")
    ordinal = quantity.text.lower().startswith(("a ", "an ", "the "))
    return at == len(words) - 1 or plural or ordinal or 1 in (quantity.low, quantity.high)


def _is_money(unit: str) -> bool:
    return len(unit) == 3 and unit.isupper()


@cache
def _units() -> "pint.UnitRegistry[Any]":
    return pint.UnitRegistry()


def _same_unit(q: Quantity, bound: Quantity) -> Quantity | None:
    """The quantity in the bound's unit; None where they cannot be compared."""
    if bound.unit == "year" and q.noun == YEAR and q.comparison == "between":
        length = (q.high or 0) - (q.low or 0)
        return q.model_copy(update={"low": length, "high": length})
    unit = q.unit or _unit_noun(q)
    if unit == bound.unit or not (q.unit or bound.unit):
        return q
    if not unit or not bound.unit or _is_money(unit) or _is_money(bound.unit):
        return None
    scaled = [_converted(v, unit, bound.unit) for v in (q.low, q.high)]
    if all(v is None for v in scaled):
        return None
    return q.model_copy(update={"low": scaled[0], "high": scaled[1], "unit": bound.unit})


def _unit_noun(q: Quantity) -> str:
    """The unit that a noun is: "a fourth year"."""
    first = stem(q.noun.split()[0]) if q.noun else ""
    return first if first in ("year", "month", "week", "day", "hour") else ""


def _converted(value: float | None, unit: str, to: str) -> float | None:
    if value is None:
        return None
    try:
        return round(float(_units().Quantity(value, unit).to(to).magnitude), 9)
    except pint.DimensionalityError:
        return None


def _keeps(q: Quantity | None, bound: Quantity) -> bool:
    """Whether every value that *q* allows is within *bound*."""
    if q is None:
        return False
    low_kept = bound.low is None or (q.low is not None and q.low >= bound.low)
    high_kept = bound.high is None or (q.high is not None and q.high <= bound.high)
    return low_kept and high_kept


def _breaks(stated: _Stated, bound: Quantity) -> bool:
    """Whether *stated* says that a value lies outside of *bound*."""
    q = _same_unit(stated.quantity, bound)
    if q is None or (q.comparison == "about" and _loosely(q, bound)):
        return False
    above = bound.high is not None and _above(q, bound.high, bound)
    return above or (bound.low is not None and _below(q, bound.low, bound))


def _loosely(q: Quantity, bound: Quantity) -> bool:
    """Whether an approximate figure may be within the bound."""
    near = [b for b in (bound.low, bound.high) if b is not None]
    return any(abs((q.low or 0) - b) <= 0.1 * abs(b) for b in near)


def _above(q: Quantity, high: float, bound: Quantity) -> bool:
    if q.comparison == "between" and bound.noun != "age":
        return q.low is not None and q.low > high
    top = q.high if q.high is not None else q.low
    if q.comparison == "more_than":
        return top is not None and top >= high
    return top is not None and top > high


def _below(q: Quantity, low: float, bound: Quantity) -> bool:
    if q.comparison in ("at_least", "more_than"):
        return False  # a weaker promise is no breach
    if q.comparison == "between" and bound.noun != "age":
        return q.high is not None and q.high < low
    bottom = q.low if q.low is not None else q.high
    if q.comparison == "less_than":
        return bottom is not None and bottom <= low
    return bottom is not None and bottom < low


_SPANNING = re.compile(
    r"\b(?:analysis|window|period|data|sample|study|panel|cover|covers|span|spans)\b"
)


def _period(found: Period, page: _Page) -> _Finding:
    met: _Finding | None = None
    for stated in page.stated:
        q = stated.quantity
        if q.noun != YEAR or q.comparison != "between" or stated.stance != "affirmed":
            continue
        if not _SPANNING.search(stated.sentence.text.lower()):
            continue
        if (q.low or 0) < found.first or (q.high or 0) > found.last:
            reason = f"it states {q.text}, but the years are {found.first}-{found.last}"
            return _Finding("violated", reason, stated.sentence)
        met = met or _Finding("met", f"it states {q.text}", stated.sentence)
    return met or _Finding("unclear", "the text states no years for it")

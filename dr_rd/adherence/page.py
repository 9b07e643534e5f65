"""Reading a text once for all items of a ledger."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from dr_rd.adherence.reading import Page, Stated
from dr_rd.adherence.sums import added, multiplied, scope_of
from dr_rd.adherence.tables import tables
from dr_rd.prose import Sentence, Stance, lexicon, sentences
from dr_rd.quantity import DATE, YEAR, Quantity, is_money, quantities


@lru_cache(maxsize=64)
def read(text: str) -> Page:
    """Read *text*; one text is often held against several ledgers or at several moments."""
    found = _taken_back(_recalled(sentences(text)), text)
    plain = quantities(text)
    products = _products(text, plain)
    single = {id(q) for q in plain}
    whole = {p.start for p in products if id(p) not in single}
    placed = _elided(list(_place(found, products)))
    scoped = [replace(_owned(s), scope=scope_of(s) or _all(s, placed)) for s in placed]
    scoped = _spanned(scoped)
    stated = [
        replace(s, share="whole", scope="") if s.quantity.start in whole else s
        for s in added(scoped)
    ]
    return Page(found, (*stated, *multiplied(stated), *tables(text, found)), text)


_OF = re.compile(
    r"\s+(?:of|with|containing|comprising)\s+|,?\s+each\s+(?:of|with|containing)\s+|\s?[x×]\s?"
)


_STARTS = re.compile(r"\b(?:starts?|begins?|from|starting|beginning)\b[^.;]{0,60}$", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:ends?|stops?|until|till|through|up to|to)\b[^.;]{0,40}$", re.IGNORECASE)


def _spanned(stated: Sequence[Stated]) -> list[Stated]:
    """Join the year in which something starts to the year in which it ends."""
    out: list[Stated] = []
    for one in stated:
        last = out[-1] if out else None
        if last and last.sentence is one.sentence and _year(last) and _year(one):
            body, at = one.sentence.text, one.sentence.start
            before = body[: last.quantity.start - at]
            between = body[last.quantity.end - at : one.quantity.start - at]
            low, high = last.quantity.low or 0, one.quantity.low or 0
            if low < high and _STARTS.search(before) and _ENDS.search(between):
                update = {"comparison": "between", "low": low, "high": high,
                          "text": body[last.quantity.start - at : one.quantity.end - at]}  # fmt: skip
                out[-1] = replace(last, quantity=last.quantity.model_copy(update=update))
                continue
        out.append(one)
    return out


def _year(stated: Stated) -> bool:
    return stated.quantity.noun == YEAR and stated.quantity.comparison != "between"


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
    plain = ("stated", "exactly")
    exact = first.comparison in plain and second.comparison in plain
    return counts and exact and YEAR not in (first.noun, second.noun)


def _place(found: Sequence[Sentence], stated: Sequence[Quantity]) -> Iterable[Stated]:
    """Give each quantity its sentence; both come in order."""
    position = 0
    for q in stated:
        while position < len(found) and found[position].end <= q.start:
            position += 1
        if position < len(found) and found[position].start < q.end:
            sentence = found[position]
            stance = sentence.stance(q.start)
            yield Stated(q, sentence, stance, sentence.clause(q.start))


_BACK = re.compile(
    r"^(?:\W*\w+){0,4}?\W*\b(?:it|they|them|this|that|these|those|such|their|its|both|neither|none|ours|here|we|our|nobody|nothing|no)\b",
    re.IGNORECASE,
)
_IT = re.compile(
    r"^(?:\W*\w+){0,2}?\W*\b(?:it|they|them|this|that|these|those|such|their|its|both|neither|none|ours)\b",
    re.I,
)
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
    if len(found) < _ENOUGH or 3 * len(past) > len(found):
        return found
    return tuple(_doubted(s) if s.start in past and not _own(s) else s for s in found)


def _own(sentence: Sentence) -> bool:
    return bool(lexicon().cues["own"].search(sentence.text))


def _doubted(sentence: Sentence) -> Sentence:
    stances = tuple("perhaps" if s == "affirmed" else s for s in sentence.stances)
    return replace(sentence, stances=stances)


_EACH_END = re.compile(r"\s*,?\s*(?:each|apiece)\b", re.IGNORECASE)


def _all(stated: Stated, placed: Sequence[Stated]) -> str:
    """The noun of the count before, of each of which a figure with "each" after it is said."""
    body, at = stated.sentence.text, stated.sentence.start
    if not _EACH_END.match(body, stated.quantity.end - at):
        return ""
    before = [
        s.quantity.noun
        for s in placed
        if s.sentence is stated.sentence and s.quantity.end <= stated.quantity.start
    ]
    return before[-1].split()[-1] if before and before[-1] else ""


_BARE = re.compile(
    r"\s*,?\s*(?:per|(?:in|for|from|at|within|on|to)\s+(?:each|every|both|the\s+(?:[\w-]+\s+){1,2}(?:group|arm|condition|section|class))|each)\b",
    re.I,
)
_BESIDE = re.compile(r"\s*(?:,|and|or|plus)\s*$", re.IGNORECASE)
_APART = 40  # characters between a figure and the one that says what both count


def _elided(placed: Sequence[Stated]) -> list[Stated]:
    """Give a figure the noun that its neighbour says for both.

    "30 people, 15 in each group" counts people twice; "600 treated and 900 control homes" homes.
    """
    out: list[Stated] = []
    for one in _shared(placed):
        q = one.quantity
        last = out[-1] if out else None
        body, at = one.sentence.text, one.sentence.start
        follows = last and last.sentence is one.sentence and not last.quantity.unit
        counted = not q.unit and q.noun not in (YEAR, DATE) and not _right(one)
        if last and follows and counted and _BARE.match(body, q.end - at):
            out.append(_counting(one, _counted(out, last)))
        else:
            out.append(one)
    return out


def _counting(one: Stated, noun: str, unit: str = "") -> Stated:
    q = one.quantity
    shown = q.text if noun and noun in q.text else f"{q.text} {noun}".strip()
    return replace(one, quantity=q.model_copy(update={"noun": noun, "unit": unit, "text": shown}))


def _shared(placed: Sequence[Stated]) -> list[Stated]:
    """Give the first figures of a row what the last says: "1, 2 or 4 hours"."""
    out: list[Stated] = []
    for one in reversed(placed):
        after = out[-1] if out else None
        if after and after.sentence is one.sentence and _shares(one, after):
            noun = after.quantity.noun
            unit = after.quantity.unit
            out.append(_counting(one, noun if unit else noun.split()[-1], unit))
        else:
            out.append(one)
    return out[::-1]


def _counted(out: Sequence[Stated], last: Stated) -> str:
    """What "four at each" counts: of "16 bars at four heats", bars."""
    said = [s.quantity.noun for s in out if s.sentence is last.sentence and not s.quantity.unit]
    return said[-2] if len(said) > 1 else said[-1]


def _right(stated: Stated) -> bool:
    """Whether the noun stands after the figure, in the figure's own text."""
    noun = stated.quantity.noun
    return bool(noun) and noun in stated.quantity.text


def _shares(one: Stated, after: Stated) -> bool:
    """Whether two joined figures count one thing, which only the second names."""
    q, other = one.quantity, after.quantity
    if q.unit or YEAR in (q.noun, other.noun) or DATE in (q.noun, other.noun):
        return False
    if (
        is_money(other.unit)
        or (_right(one) and " " in q.noun)
        or not (other.unit or _right(after))
    ):
        return False
    gap = one.sentence.text[q.end - one.sentence.start : other.start - one.sentence.start]
    joined = bool(_BESIDE.search(gap)) and len(gap) < _APART
    bare = not gap.replace(",", " ").split()[:-1] or gap.strip() == ","
    if other.unit:
        return joined and bare and not _right(one)
    return joined and (not _right(one) or not q.noun.lower().endswith("s"))


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
    head = frozenset[str]().union(*(w.meanings for w in lexicon().words(subject[1])))
    return stated if head & lexicon().studies else replace(stated, stance="perhaps")

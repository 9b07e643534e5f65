"""Does this passage support that claim? Rules that code can check, no model.

A claim is supported only if a sentence of the passage has all of its words of substance, its
numbers and its names, says it as firmly, and turns neither its direction nor its negation. Common
words alone never make it so, and a paraphrase in other words is "partly" at best.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Literal

from core.values import Frozen
from dr_rd.evidence.amounts import Figure, changes, comparable, figures, fit, same_noun
from dr_rd.evidence.corpus import Status
from dr_rd.evidence.wording import Turn, wording
from dr_rd.evidence.words import language, plain, sentences, stems, words
from dr_rd.prose import stemmed
from dr_rd.quantity import DATE, quantities

Verdict = Literal["supported", "partly", "contradicted", "unsupported", "not_checkable"]

SOME = 0.4
"""Share of a claim's words from which a passage says part of it."""
SUBJECT = 0.5
"""Share from which passage and claim speak of one thing, so that they can contradict."""


class Support(Frozen):
    """The verdict on one claim, and why."""

    verdict: Verdict
    reason: str


def support(claim: str, passage: str, status: Status = "live", about: str = "") -> Support:
    """Judge whether *passage*, from a document of *status*, supports *claim*.

    *about* is what the passage stands under, its title and headings: they say what "it" is, and
    prove nothing. Numbers are compared by value and unit, quotations letter by letter.
    """
    return _lowered(_judged(claim, passage, about), status)


def _lowered(found: Support, status: Status) -> Support:
    """Trust a document that is not live less: it can support in part, and refute nothing."""
    if status == "live" or found.verdict in ("unsupported", "not_checkable"):
        return found
    source = {"archive": "an archived document", "draft": "a draft"}.get(
        status, "a superseded document"
    )
    verdict: Verdict = "partly" if found.verdict == "supported" else "unsupported"
    return Support(verdict=verdict, reason=f"{found.reason}; but this is {source}")


def _judged(claim: str, passage: str, about: str) -> Support:
    """Judge each sentence of the claim; one that is contradicted spoils the whole."""
    text = _ATTRIBUTION.sub("", plain(claim))
    source = _source(plain(passage), about, language(f"{passage} {claim}"))
    return weakest([_sentence(text[a:b], source) for a, b in sentences(text)])


_ORDER: Sequence[Verdict] = ("contradicted", "unsupported", "partly", "supported")


def weakest(found: Sequence[Support]) -> Support:
    """What the parts of a claim come to: the worst of them, but "partly" if some of it is borne out."""
    checked = [f for f in found if f.verdict != "not_checkable"]
    if not checked:
        return next(iter(found), Support(verdict="not_checkable", reason="the claim is empty"))
    worst = min(checked, key=lambda f: _ORDER.index(f.verdict))
    if worst.verdict == "unsupported" and any(f.verdict != "unsupported" for f in checked):
        return Support(verdict="partly", reason=worst.reason)
    return worst


def strongest(found: Sequence[Support]) -> Support:
    """What several sources of one claim come to: the best, unless one contradicts it."""
    best = max(found, key=lambda f: _ORDER.index(f.verdict) if f.verdict in _ORDER else -1)
    against = next((f for f in found if f.verdict == "contradicted"), None)
    return against or best


def _sentence(text: str, source: "_Source") -> Support:
    if reason := _uncheckable(text):
        return Support(verdict="not_checkable", reason=reason)
    for quote in quotes(text):
        if not says(source.text, quote):
            return Support(verdict="unsupported", reason=f"the passage does not say “{quote}”")
    if _verbatim(text, source.text):
        return Support(verdict="supported", reason="the passage says it word for word")
    found = _compared(text, source)
    parts = [p for p in _clauses(text) if len(_content(p, source.tongue)) > 1]
    if len(parts) > 1 and found.verdict in ("partly", "unsupported"):
        return _together(found, [_compared(p, source) for p in parts])
    return found


def _together(found: Support, parts: Sequence[Support]) -> Support:
    """Judge a sentence that no sentence of the passage says alone by its clauses."""
    joined = weakest(parts)
    return joined if joined.verdict in ("contradicted", "supported") else found


_ATTRIBUTION = re.compile(
    r"^(?:the|this) (?:report|study|paper|passage|document|text|source|authors?|file|trial|survey) (?:notes?|says?|states?|finds?|found|reports?|shows?) that\s+",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"^\W*(?:we|i) (?:will|plan to|propose|intend|recommend|suggest|should|believe|hope|want)\b"
    r"|\?\s*$|^\W*(?:please|let us|let's)\b",
    re.IGNORECASE,
)


def _uncheckable(claim: str) -> str:
    if len(set(stems(claim, language(claim)))) < 2:
        return "the claim says too little to be checked"
    if _OPINION.search(claim):
        return "the claim is an intention, an opinion or a question"
    return ""


# --- Words as they stand -------------------------------------------------------------------

_QUOTE = re.compile(r'"([^"]+)"')
_LEFT_OUT = re.compile(r"\s*\[?(?:…|\.\s?\.\s?\.)\]?\s*")


def quotes(text: str) -> Iterator[str]:
    """The quoted parts of *text* that are words and not names: three or more."""
    yield from (
        q for m in _QUOTE.finditer(plain(text)) if len((q := m[1].strip(" .,;")).split()) >= 3
    )


def says(text: str, quote: str) -> bool:
    """Whether *text* has the words of *quote* in order; "…" stands for words left out."""
    text, position = plain(text).casefold(), 0
    for part in filter(None, _LEFT_OUT.split(plain(quote).casefold())):
        found = text.find(part.strip(" .,;"), position)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _verbatim(text: str, source: str) -> bool:
    """Whether the passage has the claim as whole sentences: "A rose" is not in "no A rose"."""
    bare, place = text.strip(" .;").casefold(), -1
    folded = source.casefold()
    while (place := folded.find(bare, place + 1)) >= 0:
        before, after = folded[:place].rstrip(), folded[place + len(bare) :].lstrip()
        if (not before or before[-1] in ".!?;。") and (not after or after[0] in ".!?;。"):
            return True
    return False


# --- What a passage says -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Said:
    """One sentence of a passage."""

    text: str
    words: frozenset[str]
    """Of the sentence, of the one before where it takes up its subject, and of the headings."""
    own: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Given:
    """A figure of a passage, in the words around it."""

    figure: Figure
    near: frozenset[str]
    sentence: int


@dataclass(frozen=True, slots=True)
class _Source:
    """A passage, read once for all claims that rest on it."""

    text: str
    tokens: tuple[str, ...]
    """Its words in lower case."""
    tongue: str
    said: tuple[_Said, ...]
    given: tuple[_Given, ...]


@lru_cache(maxsize=1024)
def _source(text: str, about: str, tongue: str) -> _Source:
    spoken = [_in_turn(_with_units(text[a:b])) for a, b in sentences(text)] or [text]
    heading, said = _content(plain(about), tongue), list[_Said]()
    for sentence in spoken:
        own = _content(sentence, tongue)
        before = said[-1].words if said and _TAKEN_UP.search(sentence) else frozenset[str]()
        said.append(_Said(sentence, own | before | heading, own))
    given = [
        _Given(figure, near, n)
        for n, sentence in enumerate(spoken)
        for figure, near in _placed(sentence, tongue)
    ]
    tokens = tuple(_TOKEN.findall(text.lower()))
    return _Source(text, tokens, tongue, tuple(said), tuple(given))


_TOKEN = re.compile(r"\w+")


_TAKEN_UP = re.compile(
    r"^(?:\W*\w+\W+){0,3}?(?:it|its|they|them|their|this|these|those|that|such|he|she|his|her|both|"
    r"the latter|the former|so|er|sie|es|diese\w*|il|elle|ils|ces?)\b",
    re.IGNORECASE,
)
_CELL = re.compile(r"(?<![^;\s])([^;:]{1,40}): (\d[\d.,]*)(?=;|$)")


def _with_units(source: str) -> str:
    """Say the unit of a column after the number of its cell: "Price EUR: 5" is "5 EUR" too."""

    def said(match: re.Match[str]) -> str:
        name, _, unit = match[1].rpartition(" ")
        with_unit = f"{match[2]} {unit or name}"
        has_unit = any(f.quantity.unit for f in figures(with_unit))
        return f"{match[1]}: {with_unit}" if has_unit else match[0]

    return _CELL.sub(said, source)


_LIST = r"((?:[^\s,;]+(?:\s[^\s,;]+)?,\s)*[^\s,;]+(?:\s[^\s,;]+)?,?\sand\s[^\s,;]+)"
_VALUES = re.compile(
    r"((?:\d[\d.]*[^,;]{0,12},\s)*\d[\d.]*[^,;]{0,12}?),?\sand\s(\d[\d.]*)(\s?[^,;.\s]*)"
)


def _in_turn(sentence: str) -> str:
    """Pair two lists off: "A and B gave 1 and 2 m respectively" is "A gave 1 m; B gave 2 m"."""
    if "respectively" not in sentence.casefold():
        return sentence
    found = _VALUES.search(sentence)
    names = re.search(_LIST, sentence[: found.start()]) if found else None
    if not found or not names:
        return sentence
    values = [*re.split(r",\s", found[1]), found[2]]
    named = re.split(r",\s(?:and\s)?|\sand\s", names[1])
    if len(named) != len(values):
        return sentence
    said = sentence[names.end() : found.start()].strip()
    bare = [re.sub(r"[^\d.].*", "", value) for value in values]
    pairs = zip(named, bare, strict=True)
    return "; ".join(f"{name} {said} {value}{found[3]}" for name, value in pairs)


_BREAK = re.compile(
    r"[;:()]|,\s|\sto\s(?=\d)|\s(?:and|but|while|whereas|although|though|than|against|versus|compared with|und|"
    r"während|et|mais|y|pero)\s"
)
_CLAUSE = re.compile(
    r"[;:]\s|,?\s(?:but|yet|while|whereas|although|though|aber|während|mais|pero)\s"
    r"|,\s(?:so|and|und|et|y)\s"
)


def _clauses(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(text) if part.strip(" .,")]


def _placed(text: str, tongue: str) -> Iterator[tuple[Figure, frozenset[str]]]:
    """Each figure of *text*, and the words between the two breaks that it stands between.

    Where there are none, as in brackets, those of the stretch before are meant.
    """
    found = figures(text)
    inside = [(f.quantity.start, f.quantity.end) for f in found]
    cuts = [m.start() for m in _BREAK.finditer(text)]
    cuts = [0, *(c for c in cuts if not any(a <= c < b for a, b in inside)), len(text)]
    for figure in found:
        at = max(figure.quantity.end - 1, 0)
        last = max(n for n, c in enumerate(cuts) if c <= at)
        end = min((c for c in cuts if c > at), default=len(text))
        own = _around_it(text[cuts[last] : end], tongue) | _beside(figure, found, cuts[last], end)
        before = (_around_it(text[cuts[n] : end], tongue) for n in range(last - 1, -1, -1))
        yield figure, own or next(filter(None, before), frozenset())


def _around_it(text: str, tongue: str) -> frozenset[str]:
    """The words that tell one figure from another, those of direction among them."""
    turns = {stemmed(text[t.start : t.end].casefold(), tongue) for t in wording().turns(text)}
    return _content(text, tongue) | turns


def _beside(figure: Figure, found: Sequence[Figure], start: int, end: int) -> frozenset[str]:
    """The other figures from *start* to *end*, as words: "24 % in 2010" is not of 2020."""
    others = (f.quantity for f in found if f is not figure and start <= f.quantity.start < end)
    return frozenset(f"#{q.low:g} {q.unit}" for q in others if q.low is not None)


@lru_cache(maxsize=4096)
def _content(text: str, tongue: str) -> frozenset[str]:
    """What *text* is about: stems without numbers, units and words of form, one per meaning."""
    for q in (f.quantity for f in reversed(figures(text))):
        digits = None if q.noun == DATE else _DIGIT.search(q.text)
        named = len(q.noun) if q.noun and q.text.endswith(q.noun) else 0
        text = f"{text[: q.start + (digits.start() if digits else 0)]} {text[q.end - named :]}"
    known = wording()
    told = " ".join(w for w in words(text) if w not in known.form and not w[0].isdigit())
    kept = {known.meaning(s) for s in set(stems(told, tongue)) - known.light}
    return frozenset(kept | set(_LETTER.findall(text)))


_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"(?<=\s)[A-Z](?=[\s.,;)]|$)")
"""A letter that names one of several, such as "catalyst A"."""


# --- One sentence of a claim beside a passage ----------------------------------------------


def _compared(text: str, source: _Source) -> Support:
    wanted = _content(text, source.tongue)
    at = _nearest(text, wanted, source)
    near = source.said[at]
    missing = _missing(text, wanted, near, source)
    wrong, absent = _numbers(text, wanted, at, source)
    against = _opposed(text, near.text, source.tongue) or wrong or _far(text, near.text)
    if against and _share(wanted, near.words) >= SUBJECT:
        return Support(verdict="contradicted", reason=against)
    reason = (
        wrong
        or absent
        or missing
        or _mixed(text, near.text, source.tongue)
        or _weaker(text, near.text, source.tongue)
    )
    if not reason:
        return Support(verdict="supported", reason="the passage says it in the same words")
    verdict: Verdict = "partly" if _share(wanted, near.words) >= SOME else "unsupported"
    return Support(verdict=verdict, reason=reason)


def _nearest(text: str, wanted: Set[str], source: _Source) -> int:
    """The sentence of the passage that shares most with the claim, its figures included."""
    mine = figures(text)

    def shared(at: int) -> tuple[float, int]:
        held = [g.figure for g in source.given if g.sentence == at]
        same = sum(any(comparable(f, g) and fit(f, g) == "same" for g in held) for f in mine)
        said = source.said[at]
        return len(wanted & said.words) + 0.9 * same + 0.5 * len(wanted & said.own), -len(
            said.text
        )

    return max(range(len(source.said)), key=shared)


def _share(wanted: Set[str], given: Set[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 1.0


def _missing(text: str, wanted: Set[str], near: _Said, source: _Source) -> str:
    """Say which words of substance the sentence lacks; "" where it has them all."""
    lacking = [w for w in wanted - near.words if not _derived(w, near.words)]
    lacking = [w for w in lacking if not _spelt_out(w, source.tokens)]
    if lacking:
        shown = [w for w in words(text) if wording().meaning(stemmed(w, source.tongue)) in lacking]
        named = ", ".join(dict.fromkeys(shown)) or ", ".join(sorted(lacking))
        return f"the passage does not speak of {named} there"
    return ""


def _mixed(text: str, said: str, tongue: str) -> str:
    """Say whether the claim makes one statement of two: "A fell and B rose" is not "A rose"."""
    wanted = _around_it(text, tongue)
    stretches = [_around_it(part, tongue) for part in _BREAK.split(said)]
    for a, b in combinations(stretches, 2):
        taken = (a - b) & wanted and (b - a) & wanted
        if taken and (a - b) - wanted and (b - a) - wanted:
            return "the claim joins words of two statements of the passage"
    return ""


_ROOT = 5
"""Letters from which two words that begin alike are of one family, as "insulate", "insulation"."""


def _derived(word: str, given: Iterable[str]) -> bool:
    for other in given:
        alike = _alike(word, other)
        tails = len(word) - alike, len(other) - alike
        if alike >= _ROOT and ((min(tails) == 0 and max(tails) <= _ENDING) or max(tails) <= 1):
            return True
    return False


def _alike(a: str, b: str) -> int:
    """Letters in which two words begin alike."""
    return next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


_ENDING = 4
"""Letters of the longest ending."""


def _spelt_out(word: str, tokens: Sequence[str]) -> bool:
    """Whether *word* abbreviates words of the passage: "who" of "World Health Organization"."""
    if not 2 <= len(word) <= 6 or not word.isalpha():
        return False
    places = {n for n in range(len(tokens)) if _begins(tokens, n, word[0])}
    for letter in word[1:]:
        after = {n + 1 for n in places}
        after |= {n + 1 for n in after if n < len(tokens) and tokens[n] in _PASSED}
        places = {n for n in after if _begins(tokens, n, letter)}
    return bool(places)


_PASSED = frozenset({"of", "and", "the", "for"})
"""Words that an abbreviation leaves out."""


def _begins(tokens: Sequence[str], n: int, letter: str) -> bool:
    return n < len(tokens) and len(tokens[n]) > 1 and tokens[n][0] == letter


# --- Numbers -------------------------------------------------------------------------------


def _numbers(text: str, wanted: Set[str], at: int, source: _Source) -> tuple[str, str]:
    """Say which number of the claim the passage gives another value, and which it lacks."""
    mine = list(_placed(text, source.tongue))
    spare = [
        g
        for g in source.given
        if not any(comparable(f, g.figure) and fit(f, g.figure) == "same" for f, _ in mine)
    ]
    for figure, around in mine:
        local = around if len(mine) > 1 and around else wanted | _around_it(text, source.tongue)
        if found := _number(figure, local, at, source, spare):
            return found
    return "", ""


def _number(
    figure: Figure, wanted: Set[str], at: int, source: _Source, spare: Sequence[_Given]
) -> tuple[str, str] | None:
    alike = [g for g in source.given if comparable(figure, g.figure)]
    same = [g for g in alike if fit(figure, g.figure) == "same"]
    rivals = [g for g in spare if g in alike and fit(figure, g.figure) == "apart"]
    if same:
        rival = next((r for r in rivals if all(_rather(wanted, r, s) for s in same)), None)
        if rival:
            return _clash(figure, rival), ""
        twin = any(r.near == s.near and _twins(r, s) for r in rivals for s in same)
        if twin:
            return "", f"the passage gives two values beside {figure.text}"
        other = all(_of_another(wanted, s.near) for s in same)
        return (f"the passage gives {figure.text} for another one", "") if other else None
    near = any(g.sentence == at and fit(figure, g.figure) == "overlap" for g in alike)
    for rival in () if near else rivals:
        if rival.sentence == at and _of_one_thing(figure, rival, wanted):
            return _clash(figure, rival), ""
    return "", f"the passage does not give {figure.text} there"


def _twins(a: _Given, b: _Given) -> bool:
    """Whether both stand in one sentence and measure one kind of thing."""
    first, second = a.figure.quantity, b.figure.quantity
    return a.sentence == b.sentence and bool(first.unit and first.unit == second.unit)


def _of_another(wanted: Set[str], near: Set[str]) -> bool:
    """Whether one names A and the other B."""
    letters = [{w for w in words if _LETTER.match(f" {w}", 1)} for words in (wanted, near)]
    return all(letters) and not letters[0] & letters[1]


def _clash(figure: Figure, rival: _Given) -> str:
    return f"the claim says {figure.text}, the passage {rival.figure.text}"


def _of_one_thing(figure: Figure, rival: _Given, wanted: Set[str]) -> bool:
    if figure.quantity.unit or figure.quantity.noun == DATE:
        return True
    named = figure.quantity.noun and rival.figure.quantity.noun
    alike = same_noun(figure, rival.figure)
    return alike if named else len(wanted & rival.near) >= 1


def _rather(wanted: Set[str], a: _Given, b: _Given) -> bool:
    """Whether *wanted* speaks of what stands around *a* and not around *b*."""
    return _nearer(wanted, a.near, b.near)


def _nearer(wanted: Set[str], a: Set[str], b: Set[str]) -> bool:
    """Whether the words that only *a* has are the ones wanted, more than those of *b*."""
    only_a, only_b = a - b, b - a
    if not only_a & wanted:
        return False
    return _own(wanted, only_a) > _own(wanted, only_b)


def _own(wanted: Set[str], own: Set[str]) -> float:
    return len(own & wanted) / len(own) if own else 0.5


# --- Negation, direction, order ------------------------------------------------------------


def _opposed(text: str, said: str, tongue: str) -> str:
    """Say how the sentence says the opposite; "" where it does not."""
    for part in _clauses(text):
        wanted = _content(part, tongue)
        clause = _home(wanted, said, tongue)
        if reason := _clause_opposed(part, clause, tongue):
            return reason
    return ""


def _home(wanted: Set[str], said: str, tongue: str) -> str:
    """The clause of *said* that a clause with the words *wanted* is about."""
    best, *rest = _clauses(said) or [said]
    for clause in rest:
        a, b = _content(clause, tongue), _content(best, tongue)
        if _nearer(wanted, a, b) or (
            not _nearer(wanted, b, a) and len(wanted & a) > len(wanted & b)
        ):
            best = clause
    return best


def _clause_opposed(mine: str, theirs: str, tongue: str) -> str:
    even = _denials(mine, theirs, tongue) % 2 == _denials(theirs, mine, tongue) % 2
    for kind in wording().pivots:
        order = _same_order(mine, theirs, kind, tongue)
        if order is not None and order != even:
            return "the claim and the passage put two things in opposite order"
        if order and kind == "compared":
            return ""
    turned = _turned(mine, theirs, tongue)
    if turned and even:
        return f"the claim and the passage point in opposite directions ({turned})"
    if not turned and not even:
        return "one says it, the other denies it"
    return ""


def _denials(text: str, other: str, tongue: str) -> int:
    """Count the negations in *text* of something that *other* speaks of too."""
    denials = list(wording().denials(text))
    bounds = [(q.start, q.end) for q in quantities(text)] if denials else []
    around = (
        stems(text[m.end() :], tongue)[:_AFTER] + stems(text[: m.start()], tongue)[-1:]
        for m in denials
        if not any(a <= m.start() < b for a, b in bounds)
    )
    shared = set(stems(other, tongue)) if denials else set[str]()
    return sum(bool(shared & set(near)) for near in around)


_AFTER = 2
"""Content words after a negation that it denies; the one before it counts too."""


def _turned(mine: str, theirs: str, tongue: str) -> str:
    """Name the two words that point in opposite directions; "" where none do."""
    for turn in _turns(mine):
        others = [t for t in _turns(theirs) if t.pair == turn.pair]
        around = _around(mine, turn, tongue)
        shared = [len(around & _around(theirs, o, tongue)) for o in others]
        best = max(shared, default=0)
        nearest = [o for o, n in zip(others, shared, strict=True) if n == best]
        if best and all(o.side != turn.side for o in nearest):
            there = nearest[0]
            return f"{mine[turn.start : turn.end]} against {theirs[there.start : there.end]}"
    return ""


def _turns(text: str) -> list[Turn]:
    """Words of direction, those that bound a figure left out; "from 2 to 5" goes up."""
    inside = [(f.quantity.start, f.quantity.end) for f in figures(text)]
    free = (t for t in wording().turns(text) if not any(a <= t.start < b for a, b in inside))
    ahead = (t for t in free if not _BOUND.match(text, t.start))
    return [*ahead, *(Turn(0, side, start, end) for start, end, side in changes(text))]


_BOUND = re.compile(r"(?:over|under|above|below|up)\s+\d", re.IGNORECASE)
_AROUND = 5
"""Content words on each side of a word of direction that it may be said of."""


def _around(text: str, turn: Turn, tongue: str) -> set[str]:
    """What a word of direction is said of: words near it, in the same stretch between breaks."""
    cuts = [(m.start(), m.end()) for m in _BREAK.finditer(text)]
    start = max((b for a, b in cuts if a <= turn.start), default=0)
    end = min((a for a, b in cuts if a >= turn.end), default=len(text))
    before = stems(text[start : turn.start], tongue)[-_AROUND:]
    return {*before, *stems(text[turn.end : end], tongue)[:_AROUND]}


@dataclass(frozen=True, slots=True)
class _Order:
    """Two things, and what puts them in order."""

    left: frozenset[str]
    right: frozenset[str]
    ways: frozenset[tuple[int, int]]
    """Which way: pairs and sides of its words of direction, or whether the link runs backward."""


def _same_order(mine: str, theirs: str, kind: str, tongue: str) -> bool | None:
    """Whether both put the same two things in the same order; None where they do not compare.

    They are swapped where what stands on one side here stands on the other there.
    """
    a, b = _ordered(mine, kind, tongue), _ordered(theirs, kind, tongue)
    if not a or not b or not {p for p, _ in a.ways} & {p for p, _ in b.ways}:
        return None
    left, right = b.left - b.right, b.right - b.left
    swapped = bool(a.left & right and a.right & left)
    if not swapped and not a.right & right:
        return None
    turned = any((pair, 1 - side) in b.ways for pair, side in a.ways)
    return swapped == turned


def _ordered(text: str, kind: str, tongue: str) -> _Order | None:
    pivot = wording().pivots[kind].search(text)
    if not pivot or _DIGIT.match(text[pivot.end() :].lstrip()[:1]):
        return None
    ways = frozenset({(-1, int(pivot[0].casefold() in wording().backward))})
    if kind == "compared":
        turns = [t for t in wording().turns(text) if _comparing(text, t, pivot)]
        ways = frozenset((t.pair, t.side) for t in turns)
    left, right = stems(text[: pivot.start()], tongue), stems(text[pivot.end() :], tongue)
    return _Order(frozenset(left), frozenset(right[:_REFERENCE]), ways) if left and right else None


_REFERENCE = 5
"""Content words after "than" and the like that name the other thing."""
_ATTRIBUTE = re.compile(r"\b(?:the|an?|this|each|every)\s+$", re.IGNORECASE)


def _comparing(text: str, turn: Turn, pivot: re.Match[str]) -> bool:
    """Whether a word of direction is what the pivot compares by: not "the larger" of "the larger one"."""
    if pivot[0].casefold() != "than":
        return turn.start == pivot.start()
    return turn.start < pivot.start() and not _ATTRIBUTE.search(text[: turn.start])


# --- How firmly ----------------------------------------------------------------------------


def _far(text: str, said: str) -> str:
    """Say how a claim of most or all is ruled out: the passage counts some, or says few."""
    level, there = wording().share(text), wording().share(said)
    if level is None or level < _MOST:
        return ""
    every = level == len(wording().shares) - 1
    for part, of in pairwise(figures(said)):
        p, q = part.quantity.low or 0.0, of.quantity.low or 0.0
        counted = _PART_OF.fullmatch(said[part.quantity.end : of.quantity.start])
        if counted and (2 * p <= q or (every and p < q)):
            return f"the passage says {said[part.start : of.quantity.end]}"
    if every and (fraction := wording().fractions.search(said)):
        return f"the passage speaks of a {fraction[0]}"
    return "the claim speaks of most of them, the passage of few" if there == 0 else ""


_PART_OF = re.compile(
    r"\s+(?:out\s+)?of\s+(?:(?:the|all|its|their|our|these|those)\s+)?", re.IGNORECASE
)
_MOST = 3
"""The level of "most" among the shares of a whole."""


def _weaker(text: str, said: str, tongue: str) -> str:
    """Say how the passage claims less: it may be, it is so of some, or things go together."""
    known, clause = wording(), _home(_content(text, tongue), said, tongue)
    if hedge := _hedge(text, clause, tongue):
        return f"the passage says it with “{hedge}”"
    level, there = known.share(text), known.share(clause)
    if there is not None and (level if level is not None else _UNSAID) > there:
        return "the claim speaks of more of them than the passage"
    link = known.links.search(clause)
    if known.causes.search(text) and link and not known.causes.search(clause):
        return f"the claim names a cause, the passage says “{link[0]}”"
    pairs, mine = {t.pair for t in wording().turns(said)}, _turns(text)
    for turn in mine:
        if not pairs & {t.pair for t in mine if t.start == turn.start}:
            return f"the passage does not say “{text[turn.start : turn.end]}”"
    return ""


def _hedge(text: str, clause: str, tongue: str) -> str:
    """The word by which *clause* doubts what *text* says; "" where there is none."""
    shared = {s for s in stems(text, tongue) if not s[0].isdigit()}
    for match in wording().hedges.finditer(clause):
        if (match[0] == "May" and match.start()) or wording().hedges.search(text):
            continue
        after, before = clause[match.end() :], clause[: match.start()]
        if shared & {*stems(after, tongue)[:_AFTER], *stems(before, tongue)[-1:]}:
            return match[0]
    return ""


_UNSAID = 2
"""A claim that does not say how much of a whole it means is borne out from "many" on."""

"""The units that the limits of a brief sample, and how many."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dr_rd.planning.grammar import Grammar
from dr_rd.planning.layouts import ARMS, LEVELS
from dr_rd.planning.limits import PER_TIME
from dr_rd.planning.phrases import lowered, noun_phrase
from dr_rd.quantity import Quantity, quantities
from dr_rd.text import plural, plural_of, singular_of, stem

_UNDER_STUDY = re.compile(r"(?<=\w)\s+(?:evaluated|tested|studied|analy[sz]ed|sampled|included)$")
"""What is done with the sampled units; it is not part of their name."""

_GROUP = re.compile(r"^(?:treated|untreated|exposed|unexposed|control)\s+")
"""Which group the units belong to; the others are units as well."""

_PER = re.compile(
    r"\s+(?:per|for (?:each|every)|in (?:each|every)|each|an?)\s+(?!day\b|week\b|month\b|year\b|hour\b|evening\b)"
    r"([\w-]+(?:\s+[\w-]+)?)"
)
"""What a number of units is meant for, such as each temperature."""

_PER_GROUP = re.compile(
    r"^\W*(?:per|in each(?: of)?|in both|in either|for (?:each|every)|each|an?|of each)\s+(?:[\w-]+\s+){0,4}?"
    r"(?:arm|group|section|condition|treatment|combination|cell|cohort|branch|limb|half)s?\b"
)
"""What follows a number that is meant for each of the groups compared."""

_WITHIN = re.compile(
    r"^(?!,)\W*(?:on average\s+)?(?:per|each|in each|in every|apiece|on each|from each)\b"
)
"""What follows a number that is meant for one of several groups, and is none of all."""

_ASKED = ("at_least", "exactly", "between", "more_than")
"""How a number is told that is wanted."""

_TOLD = ("stated", "about", "at_most", "less_than")
"""How a number is told that says what there is, or the most of it, and not what is wanted."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups that are allocated as a whole and hold those who are measured."""

    unit: str
    units: str
    sample: str
    """As the brief puts it, with its number."""
    count: float
    """How many there are in all."""
    members: float | None = None
    """How many each holds; None where the brief does not say."""
    asked: bool = False
    """Whether so many are asked for; else they are what there is."""
    held: str = ""
    """What they hold, as the brief calls it; "" where that is known otherwise."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """What is sampled; "" and None where the brief does not say."""

    asked: bool = False
    """Whether so many are asked for; else they are what there is."""

    unit: str = ""
    units: str = ""
    sample: str = ""
    """As the brief puts it, with its number."""
    count: float | None = None
    """How many in all, the fewest of a range."""
    most: float | None = None
    """The upper end, in all, where the brief names both ends."""
    each: float | None = None
    """How many of them are meant for each level that is compared; None where that is not said."""
    per: str = ""
    """What the number is meant for each of where each is a study of its own: "language"."""


def sampled(
    lines: Sequence[str],
    named: str,
    grammar: Grammar,
    objective: str = "",
    told: Sequence[str] = (),
) -> Sampled:
    """Return what *lines* ask for a number of, else what they, the objective or what is *told* say there is of it.

    Where nothing is counted, the unit that they only name.
    """
    asked = _sampled(lines, grammar)
    every = [*lines, objective, *told]
    found = asked or _there(every, grammar.sampled)
    if not found:
        return Sampled(unit=named, units=named and plural_of(named))
    paced = _paced(every, grammar)
    if paced and asked is None and _names(found.noun, (*grammar.groups, *_SITES)):
        return Sampled(unit=singular_of(paced.noun), units=paced.noun)
    units, per = _counted_unit(found)[0], _item_of(found, grammar, every)
    called = singular_of(units), units
    return _as_counted(found, every, called, asked=asked is not None, per=per)


def _as_counted(
    found: Quantity, lines: Sequence[str], called: tuple[str, str], *, asked: bool, per: str = ""
) -> Sampled:
    """What is sampled, *called* so in the singular and the plural, by the count that says how many."""
    count = found.low or found.high if per else _count(found, lines)
    fixed = asked and found.comparison in ("stated", "exactly", "about")
    low, high = found.low or 0.0, found.high or 0.0
    upper = count * high / low if count and high > low > 0 else None
    return Sampled(
        asked=asked,
        unit=called[0],
        units=called[1],
        sample=_counted_unit(found)[1],
        count=count,
        most=count if fixed else upper,
        per=per,
        each=_of_each_level(found, lines),
    )


def of_unit(unit: str, lines: Sequence[str]) -> Sampled | None:
    """Return what *lines* say of the number of a *unit* that is known; None where none is.

    A number that is asked for goes before one that says how many there are, the largest first.
    """
    if not unit:
        return None
    one, many = singular_of(unit), unit if plural(unit) else plural_of(unit)
    counts = [
        q
        for q in _several(_counts(lines))
        if stem(q.noun.lower().split()[-1]) == stem(one.split()[-1]) and not _is_pace(q, lines)
    ]
    asked = [q for q in counts if q.comparison in _ASKED or _is_per_group(q, lines)]
    whole = [q for q in asked or counts if not _is_within(q, lines)]
    found = max(whole, key=lambda q: q.low or q.high or 0.0, default=None)
    if found is None:
        held = holders(one, lines)
        number = held.count * held.members if held and held.members and held.count else None
        sample = f"{number:g} {many}" if number else ""
        return Sampled(unit=one, units=many, sample=sample, count=number)
    return _as_counted(found, lines, (one, many), asked=bool(asked))


def holders(unit: str, lines: Sequence[str]) -> Groups | None:
    """Return the groups of which *lines* say how many of a *unit* each holds; None where they do not.

    "14 apiaries, twelve colonies each", "18 offices … an office has on average 28 cases".
    """
    wanted = stem(unit.split()[-1])
    counts = _several(_counts(lines))
    for line in lines:
        within = [q for q in _several(_counts([line])) if stem(q.noun.split()[-1]) == wanted]
        for q in within:
            before = [c for c in _counts([line]) if c.end <= q.start]
            named = _HOLDER.search(line[: q.start])
            if before and _is_within(q, [line]):
                noun, number = before[-1].noun, before[-1].low or before[-1].high
            elif named:
                noun = named[1]
                number = max(
                    (
                        c.low or c.high or 0.0
                        for c in counts
                        if stem(c.noun.split()[-1]) == stem(noun)
                    ),
                    default=None,
                )
            else:
                continue
            if number:
                many = noun if plural(noun.split()[-1]) else plural_of(noun)
                return Groups(
                    singular_of(many), many, f"{number:g} {many}", number, q.low or q.high
                )
    return None


def nested(lines: Sequence[str]) -> Groups | None:
    """Return the groups whose members a line counts beside them, whatever both are called.

    "10 barns with 30 pens each", "12 wards of 8 beds each".
    """
    for line in lines:
        counts = _several(_counts([line]))
        for outer, inner in pairwise(counts):
            between = line[outer.end : inner.start]
            if _is_within(inner, [line]) and _BESIDE.fullmatch(between):
                many, number = outer.noun, outer.low or outer.high or 0.0
                sample = f"{number:g} {many}"
                return Groups(
                    singular_of(many), many, sample, number, inner.low or inner.high,
                    held=inner.noun,
                )  # fmt: skip
    return None


_BESIDE = re.compile(r"\W*(?:with|of|having|holding|each with|each of)?\s*", re.IGNORECASE)
"""What stands between the number of groups and the number of what each holds."""

_HOLDER = re.compile(
    r"\b(?:an?|each|every|per) ([\w-]+) (?:has|have|holds?|houses?|sees?|treats?|with)\b", re.I
)
"""What is said to hold so many: "an office has on average 28 cases"."""


_SITES = ("site", "hospital", "clinic", "centre", "center", "station")
"""Where units come from that a brief counts by the month."""


def _paced(lines: Sequence[str], grammar: Grammar) -> Quantity | None:
    """The count of sampled units that come, or are done, in a time: "15 patients a month"."""
    held = (q for q in _counts(lines) if _names(q.noun, grammar.sampled) and _is_pace(q, lines))
    return next(held, None)


def groups(lines: Sequence[str], grammar: Grammar) -> Groups | None:
    """Return the groups that *lines* count, the innermost where some hold others; None without."""
    counts = [q for q in _counts(lines) if q.comparison in (*_TOLD, *_ASKED)]
    found = _there(lines, grammar.groups, (*_TOLD, *_ASKED))
    if not found:
        return None
    units, sample = _counted_unit(found)
    total = _count(found, lines) or 0.0
    members = _members(counts, total, lines, grammar)
    asked = found.comparison in _ASKED
    return Groups(singular_of(units), units, sample, total, members, asked)


def _members(
    counts: Iterable[Quantity], total: float, lines: Sequence[str], grammar: Grammar
) -> float | None:
    """How many a group holds: as the brief says of each, or as those counted in all come to."""
    people = [
        q for q in counts if _names(q.noun, grammar.sampled) and not _names(q.noun, grammar.groups)
    ]
    for q in people:
        if _is_within(q, lines):
            return q.low or q.high
    whole = max((q.low or q.high or 0.0 for q in people), default=0.0)
    return round(whole / total, 1) if whole > total else None


def _counted_unit(found: Quantity) -> tuple[str, str]:
    """What is counted, and how the brief puts it with its number."""
    units = _GROUP.sub("", _UNDER_STUDY.sub("", found.noun))
    return units, _UNDER_STUDY.sub("", lowered(noun_phrase(found.text)))


def _there(
    lines: Sequence[str], nouns: Sequence[str], comparisons: Sequence[str] = _TOLD
) -> Quantity | None:
    """The largest count of *nouns*, of those that say how many there are in all."""
    told = [
        q
        for q in _counts(lines)
        if q.comparison in comparisons and _names(q.noun, nouns) and not _is_within(q, lines)
        if not _is_pace(q, lines)
    ]
    return max(_several(told), key=lambda q: q.low or q.high or 0.0, default=None)


_MOST = 1e9
"""Units that can be sampled; the ledger's remarks name a figure beyond it."""


def _several(counts: Iterable[Quantity]) -> list[Quantity]:
    """The counts of more than one that can be meant."""
    return [q for q in counts if 1 < (q.low or q.high or 0) <= _MOST]


def _is_within(count: Quantity, lines: Iterable[str]) -> bool:
    return any(map(_WITHIN.match, _behind(count, lines))) and not _is_per_group(count, lines)


def _is_per_group(count: Quantity, lines: Iterable[str]) -> bool:
    return any(map(_PER_GROUP.match, _behind(count, lines)))


def _behind(count: Quantity, lines: Iterable[str]) -> list[str]:
    """What the lines say right behind a count."""
    return [line.partition(count.text)[2] for line in lines if count.text in line]


def _item_of(count: Quantity, grammar: Grammar, lines: Sequence[str]) -> str:
    """What so many test items there are of each of: "language"; "" for units that are no such items."""
    if not _is_item(count, lines, grammar):
        return ""
    return next((m[1].lower() for text in _behind(count, lines) if (m := _PER.match(text))), "")


def _is_item(count: Quantity, lines: Iterable[str], grammar: Grammar) -> bool:
    """Whether a count is of what a test set holds, of each of several sets."""
    own = [line for line in lines if count.text in line]
    of_test = any(_TEST.search(line) for line in own) and _names(count.noun, grammar.items)
    return of_test and any(map(_PER.match, _behind(count, own)))


_FEWEST = 3
"""Below which a count of what is no sampled noun counts no units: "at least two elements"."""

_TEST = re.compile(r"\b(?:test|held-?out|evaluat\w+|benchmark)\b", re.IGNORECASE)


def _counts(lines: Iterable[str]) -> list[Quantity]:
    """The numbers of things in *lines*."""
    return [
        q
        for line in lines
        for q in quantities(line)
        if q.noun and not q.unit and not _ORDINAL.match(q.text)
    ]


_ORDINAL = re.compile(
    r"(?:an? |the )?(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th))\b",
    re.I,
)
"""How a number is told that counts nothing: "a third person"."""


def _sampled(lines: Iterable[str], grammar: Grammar) -> Quantity | None:
    """The count that says how many units are sampled; the first that names a sampled noun."""
    held = [*lines]
    counts = [
        q
        for q in _counts(held)
        if q.comparison in _ASKED or _is_per_group(q, held) or _is_item(q, held, grammar)
    ]
    several = [q for q in _several(counts) if not _is_pace(q, held)]
    if items := [q for q in several if _is_item(q, held, grammar)]:
        return items[0]
    named = [q for q in several if _names(q.noun, grammar.sampled)]
    unnamed = (
        q for q in several if any(map(plural, q.noun.split()))
    )  # a rating of 90 counts nothing
    unnamed = (q for q in unnamed if (q.low or q.high or 0) >= _FEWEST)
    other = [q for q in unnamed if not _names(q.noun, (*grammar.design_counts, *grammar.sampled))]
    return next(iter([*named, *other, *_opening(held, grammar)]), None)


def _opening(lines: Iterable[str], grammar: Grammar) -> Iterator[Quantity]:
    """The counts that lines begin with, "40 stands in one range": so a brief says what it samples."""
    for line in lines:
        first = next(iter(quantities(line)), None)
        if first and first.comparison in ("stated", "exactly", "about") and not first.unit:
            start = line[: first.start].strip().lower()
            known = (
                _names(first.noun, (*grammar.design_counts, *grammar.groups))
                if first.noun
                else True
            )
            opens = start in ("", "n", "n =", "sample of", "a sample of") and not known
            of_each = _is_within(first, [line]) or _is_pace(first, [line])
            if opens and not of_each and any(map(plural, first.noun.split())):
                yield from _several([first])


def _is_pace(count: Quantity, lines: Iterable[str]) -> bool:
    """Whether a count says how many there are, or can be, in a time."""
    of_time = any(map(PER_TIME.match, _behind(count, lines)))
    return of_time and count.comparison not in ("at_least", "more_than", "between")


def _count(unit: Quantity, lines: Sequence[str]) -> float | None:
    """How many units in all: a number per arm or group stands for two of them, or as many as there are.

    A number per level, batch or condition is taken as often as the brief counts these.
    """
    each = unit.low or unit.high
    behind = _behind(unit, lines)
    per = next((found[1].lower() for text in behind if (found := _PER.match(text))), "")
    if both := _of_both(unit, lines):
        return both
    if each and any(map(_PER_GROUP.match, behind)):
        return each * max(2, _stated([*per.split(), *ARMS], lines))
    return each * _stated(per.split(), lines) if each and per else each


_SIDE = re.compile(
    r"^(?:treated|untreated|exposed|unexposed|control|intervention|comparison|adopting|non-?adopting|affected|"
    r"unaffected|infected|uninfected|cases?|controls?)\b"
)
"""Which of two groups so many units are of."""


def _of_both(unit: Quantity, lines: Iterable[str]) -> float | None:
    """How many there are in all where a line asks for so many of either group; None where it does not."""
    line = next((line for line in lines if unit.text in line), "")
    found = [q for q in quantities(line) if q.noun and not q.unit and _SIDE.match(q.noun.lower())]
    sides = {_SIDE.match(q.noun.lower())[0] for q in found}  # type: ignore[index]
    if len(sides) <= 1:
        return None
    return sum(q.low or q.high or 0.0 for q in found)


def _of_each_level(unit: Quantity, lines: Sequence[str]) -> float | None:
    """The number that is meant for each level: "5 specimens per temperature"; None of any other."""
    behind = _behind(unit, lines)
    per = next((found[1].lower() for text in behind if (found := _PER.match(text))), "")
    return unit.low or unit.high if set(per.split()) & {*LEVELS} else None


def _stated(names: Sequence[str], lines: Iterable[str]) -> float:
    """How many of the things so named the brief asks for; 1 where it does not say."""
    counts = (
        q.low or q.high or 1
        for q in _counts(lines)
        if (q.low or q.high or 1) <= _MOST_GROUPS
        and {singular_of(w) for w in q.noun.lower().split()} & {*map(singular_of, names)}
    )
    return max(counts, default=1)


_MOST_GROUPS = 60
"""Groups above which a count of that name is of something else."""


def _names(noun: str, words: Iterable[str]) -> bool:
    last = noun.lower().split()[-1]
    return any(last in (w, f"{w}s", f"{w}es") for w in words)

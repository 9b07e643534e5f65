"""The units that the limits of a brief sample, and how many."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dr_rd.planning.grammar import Grammar
from dr_rd.planning.phrases import lowered, noun_phrase
from dr_rd.quantity import Quantity, quantities

_UNDER_STUDY = re.compile(r"(?<=\w)\s+(?:evaluated|tested|studied|analy[sz]ed|sampled|included)$")
"""What is done with the sampled units; it is not part of their name."""

_GROUP = re.compile(r"^(?:treated|untreated|exposed|unexposed|control)\s+")
"""Which group the units belong to; the others are units as well."""

_PER = re.compile(r"\s+per\s+([\w-]+(?:\s+[\w-]+)?)")
"""What a number of units is meant for, such as each temperature."""

_PER_GROUP = re.compile(
    r"^\W*(?:per|in each(?: of)?)\s+(?:[\w-]+\s+){0,4}(?:arm|group|section)s?\b"
)
"""What follows a number that is meant for each of the groups compared."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """What is sampled; "" and None where the limits do not say."""

    unit: str = ""
    units: str = ""
    sample: str = ""
    """As the brief puts it, with its number."""
    count: float | None = None


def sampled(lines: Sequence[str], named: str, grammar: Grammar) -> Sampled:
    """Return what *lines* count, or else the unit that they only name."""
    found = _sampled(lines, grammar)
    if not found:
        return Sampled(unit=named and _singular(f"{named}s"), units=named and f"{named}s")
    units = _GROUP.sub("", _UNDER_STUDY.sub("", found.noun))
    sample = _UNDER_STUDY.sub("", lowered(noun_phrase(found.text)))
    return Sampled(_singular(units), units, sample, _count(found, lines))


def _sampled(lines: Iterable[str], grammar: Grammar) -> Quantity | None:
    """The count that says how many units are sampled; the first that names a sampled noun."""
    counts = [
        q
        for line in lines
        for q in quantities(line)
        if q.noun
        and not q.unit
        and q.comparison in ("at_least", "exactly", "between", "more_than")
    ]
    several = [q for q in counts if (q.low or q.high or 0) > 1]
    named = [q for q in several if _names(q.noun, grammar.sampled)]
    other = [q for q in several if not _names(q.noun, (*grammar.design_counts, *grammar.sampled))]
    return next(iter([*named, *other]), None)


def _count(unit: Quantity, lines: Sequence[str]) -> float | None:
    """How many units in all: a number per arm or group stands for two of them.

    A number per level, batch or condition is taken as often as the brief counts these.
    """
    each = unit.low or unit.high
    behind = [line.partition(unit.text)[2] for line in lines]
    if each and any(map(_PER_GROUP.match, behind)):
        return 2 * each
    per = next((found[1].lower() for text in behind if (found := _PER.match(text))), "")
    return each * _stated(per.split(), lines) if each and per else each


def _stated(names: Sequence[str], lines: Iterable[str]) -> float:
    """How many of the things so named the brief asks for; 1 where it does not say."""
    found = [q for line in lines for q in quantities(line) if q.noun and not q.unit]
    counts = (
        q.low or q.high or 1 for q in found if _singular(q.noun).lower().split()[-1] in names
    )
    return max(counts, default=1)


def _names(noun: str, words: Iterable[str]) -> bool:
    last = noun.lower().split()[-1]
    return any(last in (w, f"{w}s", f"{w}es") for w in words)


def _singular(noun: str) -> str:
    irregular = {"children": "child", "cities": "city", "studies": "study", "mice": "mouse"}
    *before, last = noun.split()
    if last in irregular:
        last = irregular[last]
    elif last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith(("ches", "shes", "xes", "sses")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return " ".join([*before, last])

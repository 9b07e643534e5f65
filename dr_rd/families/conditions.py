"""Conditions of a brief that rule design families out, or speak for some."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from pydantic import Field, field_validator

from core.errors import unknown
from core.values import Frozen
from dr_rd.families.values import Fact


class Condition(Frozen):
    """What a text may demand or state, and the families that cannot keep to it."""

    id: str
    """Without patterns, the fact of that id in the trained weights."""
    patterns: tuple[str, ...] = ()
    """Regular expressions, matched in any case; none where trained weights tell it."""
    excludes: tuple[str, ...] = Field(min_length=1)
    """Ids of families."""
    names: tuple[str, ...] = ()
    """Ids of the families of which it is typical."""

    @field_validator("patterns")
    @classmethod
    def _compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as wrong:
                raise ValueError(f"{pattern!r} is no regular expression: {wrong}") from wrong
        return patterns

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All patterns as one."""
        return re.compile("|".join(self.patterns), re.IGNORECASE)


def check_families(conditions: Iterable[Condition], families: Iterable[str]) -> None:
    """Refuse conditions that exclude families which do not exist."""
    known = tuple(families)
    for condition in conditions:
        for family in (*condition.excludes, *condition.names):
            if family not in known:
                raise unknown("design family", family, known)


def matched(text: str, conditions: Iterable[Condition]) -> tuple[Fact, ...]:
    """Return the conditions whose patterns *text* matches, each with its words."""
    found = []
    for condition in conditions:
        if condition.patterns and (said := condition.pattern.search(text)):
            words = " ".join(said[0].strip(" .,;").split())
            found.append(Fact(id=condition.id, quote=words))
    return tuple(found)


def excluded(facts: Iterable[Fact], conditions: Iterable[Condition]) -> Mapping[str, str]:
    """Return the families that *facts* surely rule out, each with the words that do."""
    barred: dict[str, str] = {}
    for fact, condition in _held(facts, conditions):
        if condition.patterns:
            barred = {family: fact.quote for family in condition.excludes} | barred
    return barred


def favoured(facts: Iterable[Fact], conditions: Iterable[Condition]) -> Mapping[str, Fact]:
    """Return the families that a fact is typical of, each with the surest."""
    found: dict[str, Fact] = {}
    for fact, condition in _held(facts, conditions):
        found = {family: fact for family in condition.names} | found
    return found


def evidence(facts: Iterable[Fact], conditions: Sequence[Condition], family: str) -> float:
    """Return by what *facts* change the odds of a family: 0 rules it out, 1 leaves it as it is."""
    weight = 1.0
    for fact, condition in _held(facts, conditions):
        if family in condition.excludes:
            weight *= 0.0 if condition.patterns else 1 / fact.odds
        elif family in condition.names:
            weight *= fact.odds
    return weight


def _held(
    facts: Iterable[Fact], conditions: Iterable[Condition]
) -> Iterator[tuple[Fact, Condition]]:
    by_id = {c.id: c for c in conditions}
    for fact in sorted(facts, key=lambda f: -f.chance):
        yield fact, by_id[fact.id]

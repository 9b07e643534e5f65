"""Conditions of a brief that rule design families out, or say which the design is one of."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from pydantic import Field, field_validator, model_validator

from core.errors import unknown
from core.values import Frozen
from dr_rd.families.values import Fact


class Condition(Frozen):
    """What a text may demand or state, and the families that can keep to it or cannot."""

    id: str
    patterns: tuple[str, ...] = Field(min_length=1)
    """Regular expressions, matched in any case."""
    excludes: tuple[str, ...] = ()
    """Ids of families."""
    families: tuple[str, ...] = ()
    """Ids of the families of which the design is one, the likeliest being told by the whole text."""
    within: tuple[str, ...] = ()
    """Ids of families of which it tells the variant only; it speaks for none of them."""

    @model_validator(mode="after")
    def _tells(self) -> "Condition":
        if sum(map(bool, (self.excludes, self.families, self.within))) != 1:
            raise ValueError(
                f"{self.id}: give the families that it excludes, those it is one of, or those whose "
                "variant it tells"
            )
        return self

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
    """Refuse conditions that speak of families which do not exist."""
    known = tuple(families)
    for condition in conditions:
        for family in (*condition.excludes, *condition.families, *condition.within):
            if family not in known:
                raise unknown("design family", family, known)


def barring(text: str, conditions: Iterable[Condition]) -> tuple[Fact, ...]:
    """Return the conditions that *text* matches and that rule families out, each with its words."""
    return tuple(
        Fact(id=c.id, quote=_shown(found[0]))
        for c in conditions
        if c.excludes and (found := c.pattern.search(text))
    )


def naming(lines: Iterable[str], conditions: Iterable[Condition]) -> tuple[Fact, ...]:
    """Return what demanded lines say of the families or variants it is one of, each with the line.

    A line that denies the words, such as "no cohort study", states nothing.
    """
    wanted = tuple(lines)
    found = {
        c.id: Fact(id=c.id, quote=_shown(line))
        for c in conditions
        if not c.excludes
        for line in wanted
        if any(not _denied(line, m) for m in c.pattern.finditer(line))
    }
    return tuple(found.values())


def excluded(facts: Iterable[Fact], conditions: Iterable[Condition]) -> Mapping[str, str]:
    """Return the families that *facts* rule out, each with the words that do."""
    by_id, barred = {c.id: c for c in conditions}, dict[str, str]()
    for fact in facts:
        barred = {family: fact.quote for family in by_id[fact.id].excludes} | barred
    return barred


def settled(facts: Iterable[Fact], conditions: Iterable[Condition]) -> Mapping[str, Fact]:
    """Return the families of which *facts* say that the design is one, each with the fact.

    Empty where no fact says so, or two say it of families that have none in common.
    """
    by_id = {c.id: c for c in conditions}
    stated = [f for f in facts if by_id[f.id].families]
    barred = excluded(facts, conditions)
    left = [
        family
        for family in dict.fromkeys(g for f in stated for g in by_id[f.id].families)
        if family not in barred and all(family in by_id[f.id].families for f in stated)
    ]
    narrowest = min(stated, key=lambda f: len(by_id[f.id].families), default=None)
    return {family: narrowest for family in left} if narrowest else {}


_DENIES = re.compile(
    r"\b(?:no|not|never|without|nor|neither|instead of|rather than|other than)\b[^,;:.]*$", re.I
)
"""The beginning of a clause that rules out what follows."""


def _denied(line: str, found: re.Match[str]) -> bool:
    """Whether the clause of a match rules its words out."""
    return bool(_DENIES.search(line[: found.start()]))


def _shown(words: str) -> str:
    return " ".join(words.strip(" .,;").split())

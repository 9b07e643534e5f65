"""Conditions of a brief that rule design families out."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from pydantic import Field, field_validator

from core.errors import unknown
from core.values import Frozen


class Condition(Frozen):
    """What a text may demand, and the families that cannot keep to it."""

    id: str
    patterns: tuple[str, ...] = Field(min_length=1)
    """Regular expressions, matched in any case."""
    excludes: tuple[str, ...] = Field(min_length=1)
    """Ids of families."""

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
        for family in condition.excludes:
            if family not in known:
                raise unknown("design family", family, known)


def excluded(text: str, conditions: Iterable[Condition]) -> Mapping[str, str]:
    """Return the families that *text* rules out, each with the words that do."""
    found: dict[str, str] = {}
    for condition in conditions:
        if said := condition.pattern.search(text):
            words = " ".join(said[0].strip(" .,;").split())
            found |= {family: words for family in condition.excludes if family not in found}
    return found

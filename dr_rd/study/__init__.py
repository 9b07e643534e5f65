"""The typed facts of the question a study answers, which every later step reads."""

from dr_rd.study.effects import Effect
from dr_rd.study.statistics import Layout, Needed, Statistics, Unused
from dr_rd.study.values import (
    Budget,
    Closure,
    Contradiction,
    Count,
    Deadline,
    Duration,
    FamilyScore,
    Guess,
    Limit,
    Person,
    Study,
    UnitPrice,
    Unread,
)

__all__ = [
    "Budget",
    "Closure",
    "Contradiction",
    "Count",
    "Deadline",
    "Duration",
    "Effect",
    "FamilyScore",
    "Guess",
    "Layout",
    "Limit",
    "Needed",
    "Person",
    "Statistics",
    "Study",
    "UnitPrice",
    "Unread",
    "Unused",
]

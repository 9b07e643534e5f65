"""Which design a sample size is of, and what the brief says of its layout and its number."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from dr_rd.brief import Brief
from dr_rd.planning.layouts import (
    counted_levels,
    is_gradient,
    is_interaction,
    is_share,
    is_timed,
    levels_of,
    tried_in_both,
)
from dr_rd.planning.methods import Method, Parameter, Sizing
from dr_rd.planning.stated import CHANGES, CROSSED, MEANS
from dr_rd.planning.techniques import Technique
from dr_rd.quantity import quantities
from dr_rd.study import Statistics

_FEWEST = 4
"""Units a group below which no sample is meant: two countries are not a sample of countries."""

_FEWEST_GROUPS = 2
"""Groups an arm below which nothing can be sized: that they are few is what a reader must see."""

ALONE = (
    "correlation",
    "mean_precision",
    "proportion_precision",
    "one_mean",
    "one_proportion",
    "discrimination",
    "equivalence_crossover",
)
"""Designs of one group: the number in the brief is theirs, not to be halved."""

_PAIRS = ("paired_means", "mcnemar")

_PAIRED = re.compile(r"\bpaired\b(?! associate)|within-subjects?|crossover|matched pairs")
_SEPARATE = re.compile(r"between-subjects?|independent t-test")
_NON_INFERIOR = re.compile(r"\bnon-?inferior")
_ADJUSTED = re.compile(r"\b(?:controlling|adjusting|adjusted|controls) for (?:\w+ )?baseline")
_CHANGE = re.compile(r"difference-in-differences?|parallel[ -]trend|event study")
_VARIANCE = re.compile(r"\banova\b|analysis of variance")
_FACTORIAL = re.compile(r"\bfactorial\b")

_CLUSTERS = re.compile(
    r"\b(?:cluster|school|class(?:e(?=s))?|classroom|kindergarten|clinic|practice|pharmac(?:y|ie(?=s))|ward|unit|home|team|"
    r"department|prison|store|shop|herd|village|hospital)s?$"
)
"""Sampled units that hold the people who are measured."""


def holds_others(noun: str) -> bool:
    """Whether a counted noun, such as "dairy herds", names groups that hold those who are measured."""
    return _CLUSTERS.search(noun.lower()) is not None


_REPEATS = re.compile(r"^\W*per\s+(?:batch|lot|day|session|sample|specimen|site|unit)\b")
"""What follows a number of readings within one unit, which are no units of their own."""

_EACH = re.compile(r"^\W*(?:per|in each|each|in both)\b")
"""What follows a number that is meant for each group."""

_BEFORE = re.compile(r"\b(\d+) (years?|quarters?|months?|waves?|rounds?) (?:pre|before|prior)\b")
_AFTER = re.compile(r"\b(\d+) (years?|quarters?|months?|waves?|rounds?) (?:post|after)\b")


@dataclass(frozen=True, slots=True)
class SizingInput:
    """What a plan knows when it is sized."""

    brief: Brief
    method: Method
    direction: str
    """Text of the direction chosen."""
    slots: Mapping[str, str]
    units: float
    """Sampled units in all."""
    params: type[BaseModel]
    """What the calculation takes."""
    rule: Sizing
    """Which calculation it is."""
    statistics: Statistics
    """The figures that the brief states."""
    factors: int | None = None
    """How many things it says that an experiment sets; None where it does not."""
    technique: Technique | None = None
    """The technique that says how its own number is found; None where the method does."""
    within: bool = False
    """Whether the direction compares within units, so that each is a pair."""
    members: float | None = None
    """How many each allocated group holds, where the brief says it."""
    per: str = ""
    """What the number of units is meant for each of, each a study of its own; "" for one study."""

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The figures that the library assumes."""
        return {**self.method.parameters, **(self.technique.parameters if self.technique else {})}


def design_for(asked: SizingInput, text: str) -> str:
    """The method's design, unless the brief or its direction asks for another."""
    wanted, direction = asked.rule.design, asked.direction
    every = f"{asked.brief.objective}\n{text}".lower()
    if wanted in MEANS and (
        _NON_INFERIOR.search(every)
        or (asked.statistics.design or "").startswith("non-inferiority")
    ):
        return "non_inferiority_means"
    if wanted in _OF_GROUPS and is_gradient(asked.brief, direction):
        timed = is_timed(asked.brief, direction) and "base" in asked.rule.arguments
        return "survival_by_exposure" if timed else "correlation"
    if wanted in MEANS and is_interaction(asked.brief, direction):
        return CROSSED
    if wanted in MEANS and _VARIANCE.search(text) and _levels(asked) > 2:
        return "anova"
    if wanted in MEANS and _FACTORIAL.search(f"{text}\n{direction}".lower()):
        return "factorial"
    if wanted in CHANGES:
        adjusted = _ADJUSTED.search(text) and not _CHANGE.search(text)
        return "baseline_adjusted" if adjusted else wanted
    if wanted in MEANS and not _paired(asked, text):
        return _of_separate(asked)
    return "paired_means" if wanted in MEANS else wanted


_OF_GROUPS = (*MEANS, "two_proportions")


def _of_separate(asked: SizingInput) -> str:
    """The design of groups of separate units, by what is measured of them and how many they are."""
    if is_clustered(asked) and is_share(asked.brief, asked.slots.get("outcome", "")):
        return "two_proportions"
    return "anova" if counted_levels(asked.brief.hard_constraints) > _TWO else "two_means"


_TWO = 2


def _paired(asked: SizingInput, text: str) -> bool:
    """Whether the brief, the direction or the method compares pairs; the brief comes first."""
    if _SEPARATE.search(text):
        return False
    if asked.rule.design == "paired_means" or tried_in_both(asked.brief, asked.direction):
        return True
    demand = asked.method.demands.get("sample_size", "")
    return bool(_PAIRED.search(f"{text} {asked.direction} {demand}".lower()))


def _levels(asked: SizingInput) -> int:
    """How many levels are compared: of the direction, or else as the brief counts them."""
    lines = (*asked.brief.hard_constraints, *asked.brief.success_criteria)
    return levels_of(asked.direction) or counted_levels(lines)


def laid_out(asked: SizingInput, design: str, text: str) -> dict[str, Any]:
    """What the brief says of the study's layout."""
    found: dict[str, Any] = {}
    if design == "anova" and (levels := _levels(asked)):
        found["groups"] = levels
    if design == "factorial" and asked.factors:
        found["factors"] = asked.factors
    if design in CHANGES and (before := _BEFORE.search(text)) and (after := _AFTER.search(text)):
        found |= {"before": int(before[1]), "after": int(after[1])}
    return found


def period_of(text: str) -> str:
    """What the brief counts before and after in: "year"."""
    found = _BEFORE.search(text)
    return found[2].rstrip("s") if found else "period"


def is_clustered(asked: SizingInput) -> bool:
    """Whether whole groups are allocated that hold those who are measured."""
    units = asked.slots.get("units", "")
    return "cluster" in limit_lines(asked.brief) or holds_others(units)


def limit_lines(brief: Brief) -> str:
    """The lines of *brief* that a calculation is read from, in lower case."""
    return "\n".join([*brief.hard_constraints, *brief.success_criteria]).lower()


def number_asked(asked: SizingInput, design: str) -> float | None:
    """Units a group, pairs, or units in all, that the brief asks for; None where it names none."""
    sample, brief = asked.slots.get("sample", "").lower(), asked.brief
    if not sample or (asked.rule.counts and asked.technique is None and design != "anova"):
        return None
    lines = [*brief.hard_constraints, *brief.success_criteria, brief.objective, asked.direction]
    behind = [line.lower().partition(sample)[2] for line in lines if sample in line.lower()]
    if not behind or any(map(_REPEATS.match, behind)):
        return None
    units = asked.units if asked.per else _each(asked, design, sample, behind)
    fewest = _FEWEST_GROUPS if is_clustered(asked) else _FEWEST
    return units if units >= fewest else None


def _each(asked: SizingInput, design: str, sample: str, behind: Sequence[str]) -> float:
    """Units a group, or pairs, of the number that the brief names."""
    if design in _PAIRS and any(map(_EACH.match, behind)):
        return next((q.low or q.high for q in quantities(sample)), None) or 0.0
    if design in (*_PAIRS, *ALONE, "survival_by_exposure"):
        return asked.units
    groups = levels_of(asked.direction) or asked.statistics.groups or _levels(asked) or _TWO
    return asked.units / {"anova": groups, CROSSED: _CELLS}.get(design, _TWO)


_CELLS = 4
"""Of two factors with two levels each."""

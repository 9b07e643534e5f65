"""The figures that a brief states for its sample size, and what a calculation takes of them."""

import re
from collections.abc import Mapping
from typing import Any

from core.pluralize import amount
from dr_rd.brief import Brief
from dr_rd.study import Statistics

LOSSES = ("attrition", "withdrawal", "dropout", "loss")
"""What methods call the share of the units that they expect to lose."""

MEANS = ("two_means", "paired_means")
CHANGES = ("difference_in_differences", "baseline_adjusted")

_POWER = re.compile(r"\b(\d\d) ?(?:%|percent) power|\bpower (?:of|at least) (\d\d) ?(?:%|percent)")
_ALPHA = re.compile(r"\balpha ?(?:=|of) ?(0?\.\d+)")
_COHEN = re.compile(r"cohen['’]?s d\b[^\d\n]{0,80}?(\d*\.\d+)")
_MARGIN = re.compile(
    r"(?:margin of error|half-width)[^\d\n]{0,40}?(\d+(?:\.\d+)?) ?(?:%|percent|percentage points)"
)
_WHOLE = re.compile(r"\b(?:all|census of|complete set of) (?:the )?(\d[\d,]*) \w")


def stated_statistics(brief: Brief) -> Statistics:
    """Return what the limits of *brief* state in so many words."""
    limits = "\n".join([*brief.hard_constraints, *brief.success_criteria]).lower()
    found: dict[str, Any] = {}
    if power := _POWER.search(limits):
        found["power"] = float(power[1] or power[2]) / 100
    if alpha := _ALPHA.search(limits):
        found["alpha"] = float(alpha[1])
    if cohen := _COHEN.search(limits):
        found |= {"effect": float(cohen[1]), "effect_kind": "standardised"}
    if margin := _MARGIN.search(limits):
        found |= {"margin": float(margin[1]) / 100, "margin_kind": "precision"}
    if whole := _WHOLE.search(limits):
        found["population"] = int(whole[1].replace(",", ""))
    return Statistics(**found)


def figures_for(design: str, stated: Statistics) -> dict[str, Any]:
    """Return the arguments of a calculation of *design* that the brief's own figures give.

    For a design that the method chose, where no size follows from the figures alone.
    """
    found: dict[str, Any] = {
        "alpha": stated.alpha,
        "sides": stated.sides,
        "power": stated.power,
        "attrition": stated.loss,
        "response": stated.response,
        "icc": stated.icc,
        "cluster_size": stated.cluster_size if stated.icc is not None else None,
    }
    if design.endswith("precision"):
        found |= {"population": stated.population, "sides": None}
    if "proportion" in design:
        found["base"] = stated.base_rate
    if effect := _effect(design, stated):
        found["effects"] = [effect]
    return {argument: value for argument, value in found.items() if value is not None}


def _effect(design: str, stated: Statistics) -> float | None:
    """The effect that the brief names in the design's own unit."""
    if design in (*MEANS, *CHANGES) and stated.effect_kind == "standardised":
        return stated.effect
    if design == "correlation" and stated.effect_kind == "correlation":
        return stated.effect
    if design == "proportion_precision" and stated.margin_kind == "precision":
        return stated.margin
    return None


def stated_words(stated: Statistics) -> Mapping[str, str]:
    """Return what the parameters of a method are by the brief, in words, by their names."""
    found = {
        "power": _percent(stated.power),
        "alpha": _error(stated),
        "confidence": _percent(stated.confidence),
        "response": _percent(stated.response),
        "icc": None if stated.icc is None else f"{stated.icc:g}",
        "cluster_size": None if stated.cluster_size is None else amount(stated.cluster_size),
    }
    found |= dict.fromkeys(LOSSES, _percent(stated.loss))
    return {name: words for name, words in found.items() if words is not None}


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:g} %"


def _error(stated: Statistics) -> str | None:
    if stated.alpha is None:
        return None
    sides = {1: "one-sided ", 2: "two-sided "}.get(stated.sides or 0, "")
    return f"{sides}{stated.alpha:g}"

"""The figures that a brief states for its sample size, and what a calculation takes of them."""

from collections.abc import Mapping
from typing import Any

from core.pluralize import amount
from dr_rd.study import Statistics

LOSSES = ("attrition", "withdrawal", "dropout", "loss")
"""What methods call the share of the units that they expect to lose."""

MEANS = ("two_means", "paired_means")
CHANGES = ("difference_in_differences", "baseline_adjusted")
CROSSED = "interaction"


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
    }
    if allocates_groups(stated):
        found |= {
            "icc": stated.icc,
            "cluster_size": stated.cluster_size if stated.icc is not None else None,
        }
    if design.endswith("precision"):
        found |= {"population": stated.population, "sides": None}
    if "proportion" in design:
        found["base"] = stated.base_rate
    if design == "survival_by_exposure":
        found["event_share"] = stated.base_rate
    if effect := _effect(design, stated):
        found["effects"] = [effect]
    return {argument: value for argument, value in found.items() if value is not None}


def allocates_groups(stated: Statistics) -> bool:
    """Whether figures of groups are those of what is allocated or drawn as a whole.

    Where a comparison of single units is named, their groups only hold them.
    """
    return stated.design is None or stated.design.startswith(("cluster", "stepped", "one "))


def _effect(design: str, stated: Statistics) -> float | None:
    """The effect that the brief names in the design's own unit."""
    if design in (*MEANS, *CHANGES, CROSSED) and stated.effect_kind == "standardised":
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

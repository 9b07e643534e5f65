"""How many units a comparison of two groups needs, for a table of effect sizes."""

from math import ceil, sqrt
from statistics import NormalDist

from pydantic import Field, JsonValue

from core.tool_router import Tool
from core.values import Frozen


class SampleSize(Frozen):
    """The comparison to be sized."""

    effects: tuple[float, ...] = Field(default=(0.2, 0.5, 0.8), min_length=1, max_length=20)
    """Standardised mean differences (Cohen's d; d_z where the design is paired)."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """Two-sided error of the first kind."""
    power: float = Field(default=0.8, gt=0.5, lt=1)
    paired: bool = False
    cluster_size: float | None = Field(default=None, ge=1)
    """Members of a cluster, where clusters are allocated."""
    icc: float = Field(default=0.0, ge=0, le=1)
    """Intracluster correlation."""
    attrition: float = Field(default=0.0, ge=0, lt=0.9)
    """Share of the units expected to be lost."""
    given: float | None = Field(default=None, gt=1)
    """Units a group (or pairs) that the brief asks for."""


def sample_size(params: SampleSize) -> JsonValue:
    """Size the comparison of two means by the normal approximation.

    Per group n = 2 (z_{1-α/2} + z_{power})² / d²; in pairs n = (z_{1-α/2} + z_{power})² / d_z²;
    both plus z²_{1-α/2} / 4 (per group) or / 2 (pairs) for the t distribution (Guenther 1981),
    times the design effect 1 + (m - 1) ICC (Donner & Klar 2000), over (1 - attrition).
    """
    rows: list[JsonValue] = [_row(params, effect) for effect in params.effects]
    return {
        "given": params.given,
        "detectable": _detectable(params),
        "design": "paired" if params.paired else "two groups",
        "alpha": params.alpha,
        "power": params.power,
        "design_effect": round(_design_effect(params), 2),
        "attrition": params.attrition,
        "rows": rows,
    }


def _row(params: SampleSize, effect: float) -> dict[str, JsonValue]:
    need = units_needed(effect, params.alpha, params.power, paired=params.paired)
    enrolled = ceil(need * _design_effect(params) / (1 - params.attrition))
    groups = 1 if params.paired else 2
    return {"effect": effect, "per_group": enrolled, "total": enrolled * groups}


def _detectable(params: SampleSize) -> float | None:
    """Smallest effect that the given units detect, after losses; None if none are given."""
    if params.given is None:
        return None
    kept = params.given * (1 - params.attrition) / _design_effect(params)
    z = NormalDist().inv_cdf
    tail = z(1 - params.alpha / 2) ** 2 / (2 if params.paired else 4)
    if kept <= tail + 0.5:
        return None
    root = z(1 - params.alpha / 2) + z(params.power)
    return round(root * sqrt((1 if params.paired else 2) / (kept - tail)), 2)


def units_needed(effect: float, alpha: float, power: float, *, paired: bool) -> int:
    """Units a group (or pairs) for a standardised difference, before clusters and losses."""
    z = NormalDist().inv_cdf
    root, tail = (z(1 - alpha / 2) + z(power)) / effect, z(1 - alpha / 2) ** 2
    return ceil(root**2 + tail / 2) if paired else ceil(2 * root**2 + tail / 4)


def _design_effect(params: SampleSize) -> float:
    return 1 + (params.cluster_size - 1) * params.icc if params.cluster_size else 1.0


TOOL = Tool(
    name="sample_size",
    description="Units needed to compare two groups or pairs, for several effect sizes.",
    params=SampleSize,
    run=sample_size,
)

"""How many units a study needs, for a table of effect sizes, and what a given number shows."""

from collections.abc import Callable
from math import ceil
from typing import Annotated, Self

from pydantic import Field, JsonValue, model_validator

from core.errors import TaskError
from core.tool_router import Tool
from dr_rd.tools.sample_size.designs import (
    DESIGNS,
    NEED_BASE,
    OF_SHARES,
    PRECISION,
    Asked,
    Name,
    Units,
    shares_apart,
)

_MOST = 10_000_000
"""Units beyond which no study is planned."""

_IN_SHARES: tuple[Name, ...] = (*OF_SHARES, "proportion_precision", "discrimination")
"""Designs whose effects are shares, or differences of them; told to a tenth of a percent."""

_LARGEST = 20.0
"""Standard deviations beyond which no effect lies."""

_HALVINGS = 40
"""Bisections for the detectable effect, far below its rounding."""


class SampleSize(Asked):
    """The study to be sized."""

    design: Name = "two_means"
    effects: tuple[Annotated[float, Field(ge=-_LARGEST, le=_LARGEST)], ...] = Field(
        default=(), max_length=20
    )
    """In the design's own unit: d, f, r, a difference of proportions, a margin or a half-width.
    Empty: small, medium and large by Cohen (1988) where he has them."""
    cluster_size: float | None = Field(default=None, ge=1, le=_MOST)
    """Members of a cluster, where clusters are allocated or drawn."""
    cluster_spread: float = Field(default=0.0, ge=0, le=2)
    """Coefficient of variation of the clusters' sizes."""
    icc: float = Field(default=0.0, ge=0, le=1)
    """Intracluster correlation."""
    clusters: int | None = Field(default=None, ge=2, le=_MOST)
    """Clusters a group that there are; the table then also says how large they must be."""
    design_effect: float = Field(default=1.0, ge=1, le=1000)
    """Of a complex sample, beside that of clusters."""
    attrition: float = Field(default=0.0, ge=0, lt=0.9)
    """Share of the units expected to be lost."""
    unit: str = Field(default="", max_length=80)
    """What is counted, in the study's own words; empty: the design's."""
    given: float | None = Field(default=None, gt=1, le=_MOST)
    """Units a group (pairs; runs; units in all) that the brief asks for."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.design in NEED_BASE and self.base is None:
            raise ValueError(f"{self.design} needs base, the proportion in the comparator")
        if self.clusters and not self.cluster_size:
            raise ValueError("clusters needs cluster_size, their members")
        if wrong := [e for e in self.effects if not self._possible(e)]:
            raise ValueError(f"{self.design} cannot have the effects {wrong}")
        return self

    def _possible(self, effect: float) -> bool:
        if self.design in OF_SHARES:
            return abs(effect) >= 0.001 and 0 < (self.base or 0) + effect < 1
        if self.design in ("correlation", "discrimination"):
            return 0.01 <= abs(effect) < 1
        return effect >= 0.001

    @property
    def sizes(self) -> tuple[float, ...]:
        """The effects to be sized."""
        if self.effects or self.design not in OF_SHARES or self.base is None:
            return self.effects or DESIGNS[self.design].effects
        return tuple(round(shares_apart(self.base, h), 3) for h in DESIGNS[self.design].effects)

    def inflation(self, members: float | None) -> float:
        """Design effect: 1 + ((1 + cv²) m - 1) ICC for clusters (Eldridge, Ashby & Kerry 2006;
        with clusters of one size Donner & Klar 2000), times that of the sample.
        """
        if members is None:
            return self.design_effect
        spread = 1 + self.cluster_spread**2
        return self.design_effect * (1 + (spread * members - 1) * self.icc)


def sample_size(params: SampleSize) -> JsonValue:
    """Size the design for each effect; `designs` says by which formula.

    Of clusters, whole ones are counted, and their number less one a group are the degrees of
    freedom; what attrition takes is added to the units to be enrolled.

    Raises:
        TaskError: An effect needs more units than any study has.

    """
    design = DESIGNS[params.design]
    rows = [_row(params, effect) for effect in params.sizes]
    given = params.given or (params.clusters or 0) * (params.cluster_size or 0) or None
    return {
        "design": params.design,
        "title": design.title,
        "effect": design.effect,
        "unit": params.unit or design.unit,
        "note": design.note,
        "compared": design.compared,
        "tested": params.design not in PRECISION,
        "alpha": params.alpha,
        "confidence": round(1 - params.alpha, 4),
        "power": params.power,
        "assumed": _assumed(params),
        "design_effect": round(params.inflation(params.cluster_size), 2),
        "attrition": params.attrition,
        "rows": list(rows),
        **_of_given(params, given, rows),
    }


def units_needed(params: SampleSize, effect: float) -> int:
    """Smallest number of independent units a group for *effect*, before clusters and losses."""
    design = DESIGNS[params.design]
    fewest = max(design.fewest, params.factors + 2 if params.design == "factorial" else 0)
    return design.step * _smallest(
        lambda n: design.reach(params, effect, Units(design.step * n)) >= 0,
        ceil(fewest / design.step),
    )


def _row(params: SampleSize, effect: float) -> dict[str, JsonValue]:
    design = DESIGNS[params.design]
    clusters = _clusters_needed(params, effect) if params.cluster_size else None
    enrolled = _enrolled(params, effect, clusters)
    row: dict[str, JsonValue] = {
        "effect": effect,
        "per_group": enrolled,
        "total": _total(params, enrolled) if design.compared else enrolled,
    }
    if params.design in OF_SHARES and params.base:
        row["share"] = round(params.base + effect, 3)
    if clusters:
        row["clusters"] = clusters
    if params.clusters:
        row["members"] = _members_needed(params, effect, params.clusters)
    return row


def _enrolled(params: SampleSize, effect: float, clusters: int | None) -> int:
    if clusters and params.cluster_size:
        return ceil(clusters * params.cluster_size)
    step = DESIGNS[params.design].step
    need = units_needed(params, effect) * params.inflation(None) / (1 - params.attrition)
    return step * ceil(round(need / step, 9))


def _total(params: SampleSize, each: int) -> int:
    return each * params.groups if params.design == "anova" else each + ceil(each * params.ratio)


def _clusters_needed(params: SampleSize, effect: float) -> int:
    members = params.cluster_size or 1.0

    def enough(k: int) -> bool:
        return _reach(params, effect, _kept(params, k * members, members)) >= 0

    return _smallest(enough, _fewest_clusters(params))


def _fewest_clusters(params: SampleSize) -> int:
    return 4 if params.design == "factorial" else 2


def _members_needed(params: SampleSize, effect: float, clusters: int) -> int | None:
    """Members of each of so many clusters; None if no number of them is enough."""

    def enough(m: int) -> bool:
        return _reach(params, effect, _kept(params, clusters * m, m)) >= 0

    return _smallest(enough, 1) if enough(_MOST) else None


def _kept(params: SampleSize, enrolled: float, members: float | None) -> Units:
    """What *enrolled* units a group are worth, after losses, as independent ones."""
    worth = enrolled * (1 - params.attrition) / params.inflation(members)
    return Units(worth, enrolled / members if members else None)


def _reach(params: SampleSize, effect: float, units: Units) -> float:
    """What the design says; -1 where the units leave nothing to estimate an error from."""
    design = DESIGNS[params.design]
    taken = params.factors + 1 if params.design == "factorial" else design.fewest - 1
    if units.count <= taken or (units.clusters is not None and units.clusters < 2):
        return -1.0
    return design.reach(params, effect, units)


def _smallest(enough: Callable[[int], bool], start: int) -> int:
    """Smallest integer from *start* that is enough, where all larger ones are."""
    low, high = start - 1, start
    while not enough(high):
        if high == _MOST:
            raise TaskError(f"more than {_MOST:,} units are needed; size a larger effect")
        low, high = high, min(2 * high, _MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _of_given(
    params: SampleSize, given: float | None, rows: list[dict[str, JsonValue]]
) -> dict[str, JsonValue]:
    """What the units that the brief asks for show, and of which effects they fall short."""
    found = _detectable(params, given) if given else None
    short = [r for r in rows if given and float(str(r["per_group"])) > given]
    return {
        "given": given,
        "detectable": found,
        "detectable_share": _share(params, found),
        "short_of": [r["effect"] for r in short],
    }


def _share(params: SampleSize, found: float | None) -> float | None:
    known = params.design in OF_SHARES and params.base is not None and found is not None
    return round((params.base or 0) + (found or 0), 3) if known else None


def _detectable(params: SampleSize, given: float) -> float | None:
    """Smallest effect that the given units show, after losses; None if they show none."""
    units = _kept(params, given, params.cluster_size)
    most = _largest(params)
    low, high = 0.0, most / 2.0**_HALVINGS
    while _reach(params, high, units) < 0:  # upwards: far above it, the power is slow to compute
        if high == most:
            return None
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _reach(params, middle, units) >= 0 else (middle, high)
    return round(high, 3 if params.design in _IN_SHARES else 2)


def _largest(params: SampleSize) -> float:
    """Bound of the effects a design can have; a difference of proportions points to the half."""
    if params.design in OF_SHARES and params.base is not None:
        return (1 - params.base if params.base <= 0.5 else -params.base) * (1 - 1e-6)
    if params.design in ("correlation", "non_inferiority_proportions", *_IN_SHARES):
        return 1 - 1e-6
    return _LARGEST


_SAID: dict[str, str] = {
    "ratio": "units in the second group for each in the first",
    "base": "as the expected proportion",
    "difference": "as the true difference",
    "groups": "groups",
    "factors": "factors",
    "correlation": "as the correlation of two measurements of a unit",
    "before": "as the number of measurements before",
    "after": "as the number of measurements after",
    "population": "units in all to draw from",
}

_OF_GUESSES = "as the chance of a right guess"

_USED: dict[str, tuple[str, ...]] = {
    "two_means": ("ratio",),
    "two_proportions": ("base", "ratio"),
    "one_proportion": ("base",),
    "anova": ("groups",),
    "factorial": ("factors",),
    "difference_in_differences": ("correlation", "before", "after", "ratio"),
    "baseline_adjusted": ("correlation", "before", "after", "ratio"),
    "non_inferiority_means": ("difference", "ratio"),
    "non_inferiority_proportions": ("base", "difference", "ratio"),
    "mean_precision": ("population",),
    "proportion_precision": ("base", "population"),
    "discrimination": ("base",),
}


def _assumed(params: SampleSize) -> list[JsonValue]:
    """The figures the design rests on, each said in a phrase."""
    silent = {"ratio": 1.0, "base": None, "population": None, "difference": 0.0}
    said = _SAID | ({"base": _OF_GUESSES} if params.design == "discrimination" else {})
    return [
        f"{round(getattr(params, name), 4):g} {said[name]}"
        for name in _USED.get(params.design, ())
        if name not in silent or getattr(params, name) != silent[name]
    ]


TOOL = Tool(
    name="sample_size",
    description="Units a design needs (means, proportions, correlation, ANOVA, factorial, "
    "clusters, difference in differences, non-inferiority, triangle tests, precision), for several effect sizes.",
    params=SampleSize,
    run=sample_size,
)

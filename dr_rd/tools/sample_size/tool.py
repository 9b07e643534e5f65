"""How many units a study needs, for a table of effect sizes, and what a given number shows."""

from collections.abc import Callable
from math import ceil
from typing import Annotated, Self

from pydantic import Field, JsonValue, model_validator

from core.errors import TaskError
from core.tool_router import Tool
from core.values import rounded_to
from dr_rd.tools.sample_size.designs import (
    DESIGNS,
    NEEDS,
    OF_SHARES,
    ONE_SIDED,
    PRECISION,
    Name,
)
from dr_rd.tools.sample_size.frontier import Frontier, Shown, Why, best_of, chosen
from dr_rd.tools.sample_size.power import LARGEST, MOST, Asked, Units

_INSIDE = 1e-6
"""Of the way to an open bound, how far from it the largest effect is."""

_HALVINGS = 24
"""Bisections for the detectable effect, to well below its rounding."""


class SampleSize(Asked):
    """The study to be sized."""

    design: Name = "two_means"
    effects: tuple[Annotated[float, Field(ge=-LARGEST, le=LARGEST)], ...] = Field(
        default=(), max_length=20
    )
    """In the design's own unit: d, f, r, a difference of proportions, a ratio, an area, a margin or
    a half-width. Empty: small, medium and large by Cohen (1988) where he has them."""
    cluster_spread: float = Field(default=0.0, ge=0, le=2)
    """Coefficient of variation of the clusters' sizes."""
    clusters: int | None = Field(default=None, ge=2, le=MOST)
    """Clusters a group that there are; the table then also says how large they must be."""
    design_effect: float = Field(default=1.0, ge=1, le=1000)
    """Of a complex sample, beside that of clusters."""
    unit: str = Field(default="", max_length=80)
    """What is counted, in the study's own words; empty: the design's."""
    given: float | None = Field(default=None, gt=1, le=MOST)
    """Units a group (pairs; runs; units in all) that the plan is made for."""
    wanted: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """An effect as a share of the mean, or in the outcome's own unit, whose spread nobody knows: each
    number of units is then said to show it up to which spread."""
    frontier: Frontier | None = None
    """Numbers of units to choose from, with their costs and the limits."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for argument in NEEDS.get(self.design, ()):
            if getattr(self, argument) is None:
                raise ValueError(f"{self.design} needs {argument}, {_NEEDED[argument]}")
        if self.clusters and not self.cluster_size:
            raise ValueError("clusters needs cluster_size, their members")
        scale = DESIGNS[self.design].scale(self)
        if wrong := [e for e in self.effects if not scale.holds(e)]:
            raise ValueError(f"{self.design} cannot have the effects {wrong}")
        return self

    @property
    def sizes(self) -> tuple[float, ...]:
        """The effects to be sized."""
        return self.effects or DESIGNS[self.design].customary(self)

    @property
    def members(self) -> float | None:
        """Members of the clusters that are allocated or drawn; None where units are not clusters.

        Those of a stepped wedge are counted by the design itself.
        """
        return None if self.design == "stepped_wedge" else self.cluster_size

    def inflation(self, members: float | None) -> float:
        """Design effect: 1 + ((1 + cv²) m - 1) ICC for clusters (Eldridge, Ashby & Kerry 2006;
        with clusters of one size Donner & Klar 2000), times that of the sample.
        """
        if members is None:
            return self.design_effect
        spread = 1 + self.cluster_spread**2
        return self.design_effect * (1 + (spread * members - 1) * self.icc)


_NEEDED = {
    "base": "the proportion in the comparator or the area expected",
    "discordant": "the share of pairs whose members differ",
    "rate": "the events in the comparator per unit of time",
    "cluster_size": "the members measured in each period",
}


def sample_size(params: SampleSize) -> JsonValue:
    """Size the design for each effect; `designs` says by which formula.

    Of clusters, whole ones are counted, and their number less one a group are the degrees of
    freedom; what attrition takes is added to the units to be enrolled.

    Raises:
        TaskError: An effect needs more units than any study has.

    """
    design = DESIGNS[params.design]
    rows = [_row(params, effect) for effect in params.sizes]
    given = params.given or (params.clusters or 0) * (params.members or 0) or None
    return {
        "design": params.design,
        "title": design.title,
        "effect": design.effect,
        "unit": params.unit or design.unit,
        "note": design.note,
        "compared": design.compared,
        "tested": params.design not in PRECISION,
        "sided": _sided(params),
        "alpha": params.alpha,
        "confidence": round(1 - params.alpha, 4),
        "power": params.power,
        "assumed": _assumed(params),
        "design_effect": round(params.inflation(params.members), 2),
        "attrition": params.attrition,
        "response": params.response,
        "rows": list(rows),
        **_of_given(params, given, rows),
        **({"frontier": _frontier(params, params.frontier)} if params.frontier else {}),
    }


def _frontier(params: SampleSize, frontier: Frontier) -> dict[str, JsonValue]:
    """What each of the numbers shows, and which is to be taken."""
    target, need = _target(params)
    shown = [_shown(params, option.units, target) for option in frontier.options]
    return chosen(frontier, shown, target, need)


def recommended(params: SampleSize) -> tuple[float | None, Why | None]:
    """Return the units in all that the frontier of *params* recommends, and why; None if it has none."""
    if params.frontier is None:
        return None, None
    _, need = _target(params)
    best, why = best_of(params.frontier, need)
    return (best.units if best else None), why


def _target(params: SampleSize) -> tuple[float | None, float | None]:
    """Return the one effect that is asked for and the units in all that detect it; else None."""
    if len(params.effects) != 1:
        return None, None
    effect = params.effects[0]
    return effect, in_all(params, effect)


def in_all(params: SampleSize, effect: float) -> float:
    """Return the units in all, of clusters the clusters, that detect *effect*."""
    row = _row(params, effect)
    groups = units_in_all(params)
    return float(
        ceil(round(int(str(row["clusters"])) * groups, 9))
        if "clusters" in row
        else int(str(row["total"]))
    )


def units_in_all(params: SampleSize) -> float:
    """Return the units in all for each of the first group."""
    if not DESIGNS[params.design].compared:
        return 1.0
    return _groups(params) or 1 + params.ratio


def _groups(params: SampleSize) -> int:
    """Groups of one size of a design that may have more than two; 0 of any other."""
    return {"anova": params.groups, "interaction": 4}.get(params.design, 0)


def _shown(params: SampleSize, units: float, target: float | None) -> Shown:
    each = units / units_in_all(params) * (params.members or 1)
    tested = None if params.design in PRECISION else target
    found = _detectable(params, each, down=target is not None and target < 0)
    return Shown(
        units=units,
        detectable=found,
        spread=_spread(params, found),
        power=None if tested is None else _power(params, each, tested),
    )


def _power(params: SampleSize, each: float, effect: float) -> float | None:
    """Power that so many units have for *effect*; None where there is next to none."""
    units = _kept(params, each, params.members)

    def reached(power: float) -> bool:
        return _reach(params.model_copy(update={"power": power}), effect, units) >= 0

    low, high = _HARDLY, _CERTAIN
    if not reached(low):
        return None
    for _ in range(_POWER_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return round(low, 2)


_HARDLY, _CERTAIN = 0.06, 0.9999
_POWER_HALVINGS = 12
"""Bisections for the power, to a thousandth."""


def _sided(params: SampleSize) -> str:
    """On how many sides the test looks; "" of an analysis of variance, which has none."""
    if params.design == "anova":
        return ""
    return "one-sided" if params.sides == 1 or params.design in ONE_SIDED else "two-sided"


def units_needed(params: SampleSize, effect: float) -> int:
    """Smallest number of independent units a group for *effect*, before clusters and losses."""
    design = DESIGNS[params.design]
    fewest = max(design.fewest, params.factors + 2 if params.design == "factorial" else 0)
    step = design.step(params)
    return step * _smallest(
        lambda n: design.reach(params, effect, Units(step * n)) >= 0, ceil(fewest / step)
    )


def _row(params: SampleSize, effect: float) -> dict[str, JsonValue]:
    design = DESIGNS[params.design]
    clusters = _clusters_needed(params, effect) if params.members else None
    enrolled = _enrolled(params, effect, clusters)
    row: dict[str, JsonValue] = {
        "effect": effect,
        "per_group": enrolled,
        "total": _total(params, enrolled) if design.compared else enrolled,
    }
    if params.kept < 1 and design.made_up:
        row["analysed"] = _analysed(params, effect, enrolled, clusters)
    if params.event_share and params.design == "survival":
        row["participants"] = ceil(round(enrolled / params.event_share / params.kept, 9))
    if params.design == "survival_by_exposure":
        analysed = int(str(row.get("analysed", enrolled)))
        row["events"] = ceil(round(analysed * (params.event_share or 1), 9))
    if params.design in OF_SHARES and params.base:
        row["share"] = round(params.base + effect, 3)
    if clusters:
        row["clusters"] = clusters
    if params.clusters:
        row["members"] = _members_needed(params, effect, params.clusters)
    return row


def _enrolled(params: SampleSize, effect: float, clusters: int | None) -> int:
    if clusters and params.members:
        return ceil(clusters * params.members)
    design = DESIGNS[params.design]
    step = design.step(params)
    need = units_needed(params, effect) * params.inflation(None)
    need /= params.kept if design.made_up else 1
    return step * ceil(round(need / step, 9))


def _analysed(params: SampleSize, effect: float, enrolled: int, clusters: int | None) -> int:
    """Units of those enrolled that are left for the analysis."""
    if clusters:
        return int(round(enrolled * params.kept, 9))
    return ceil(round(units_needed(params, effect) * params.inflation(None), 9))


def _total(params: SampleSize, each: int) -> int:
    groups = _groups(params)
    return each * groups if groups else each + ceil(each * params.ratio)


def _clusters_needed(params: SampleSize, effect: float) -> int:
    members = params.members or 1.0

    def enough(k: int) -> bool:
        return _reach(params, effect, _kept(params, k * members, members)) >= 0

    return _smallest(enough, _fewest_clusters(params))


def _fewest_clusters(params: SampleSize) -> int:
    return 4 if params.design == "factorial" else 2


def _members_needed(params: SampleSize, effect: float, clusters: int) -> int | None:
    """Members of each of so many clusters; None if no number of them is enough."""

    def enough(m: int) -> bool:
        return _reach(params, effect, _kept(params, clusters * m, m)) >= 0

    return _smallest(enough, 1) if enough(MOST) else None


def _kept(params: SampleSize, enrolled: float, members: float | None) -> Units:
    """What *enrolled* units a group are worth, after losses, as independent ones."""
    kept = params.kept if DESIGNS[params.design].made_up else 1.0
    worth = enrolled * kept / params.inflation(members)
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
        if high == MOST:
            raise TaskError(f"more than {MOST:,} units are needed; size a larger effect")
        low, high = high, min(2 * high, MOST)
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
        "wanted": params.wanted,
        "spread": _spread(params, found),
        "short_of": [r["effect"] for r in short],
    }


def _spread(params: SampleSize, found: float | None) -> float | None:
    """The standard deviation up to which the effect that is wanted is shown, in its own unit."""
    if params.wanted is None or not found:
        return None
    return rounded_to(params.wanted / abs(found), 2)


def _share(params: SampleSize, found: float | None) -> float | None:
    known = params.design in OF_SHARES and params.base is not None and found is not None
    return round((params.base or 0) + (found or 0), 3) if known else None


def _detectable(params: SampleSize, given: float, *, down: bool = False) -> float | None:
    """Smallest effect that the given units show, after losses; None if they show none.

    Where effects have two sides it is the easier one, or the negative one if *down*.
    """
    units = _kept(params, given, params.members)
    scale = DESIGNS[params.design].scale(params)
    most = scale.low + (scale.none - scale.low) * _INSIDE if down else scale.most

    def effect(part: float) -> float:
        return scale.none + (most - scale.none) * part

    low, high = 0.0, 1 / 2.0**_HALVINGS
    while (
        _reach(params, effect(high), units) < 0
    ):  # upwards: far above it, power is slow to compute
        if high == 1:
            return None
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _reach(params, effect(middle), units) >= 0 else (middle, high)
    return round(effect(high), scale.digits)


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
    "discordant": "as the share of pairs that differ",
    "rate": "events in the comparator per unit of time",
    "follow_up": "units of time each is followed",
    "event_share": "as the share of participants with the event",
    "steps": "steps",
    "cluster_size": "members of a cluster in each period",
    "icc": "as the intracluster correlation",
}

_OTHERWISE: dict[tuple[Name, str], str] = {
    ("discrimination", "base"): "as the chance of a right guess",
    ("area", "base"): "as the area to be better than",
    ("area_precision", "base"): "as the expected area",
    ("area", "ratio"): "negative cases for each positive",
    ("area_precision", "ratio"): "negative cases for each positive",
}
"""The same, where a design means something else by it."""

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
    "equivalence_means": ("difference", "ratio"),
    "equivalence_crossover": ("difference",),
    "equivalence_proportions": ("base", "difference", "ratio"),
    "mcnemar": ("discordant",),
    "survival": ("ratio", "event_share"),
    "survival_by_exposure": ("event_share",),
    "rates": ("rate", "follow_up", "ratio"),
    "area": ("base", "ratio"),
    "area_precision": ("base", "ratio"),
    "stepped_wedge": ("steps", "cluster_size", "icc"),
}


_SILENT: dict[str, float | None] = {
    "ratio": 1.0, "base": None, "population": None, "difference": 0.0, "event_share": None,
    "follow_up": 1.0,
}  # fmt: skip
"""Values that go without saying."""


def _assumed(params: SampleSize) -> list[JsonValue]:
    """The figures the design rests on, each said in a phrase."""
    return [
        f"{round(getattr(params, name), 4):g} {_OTHERWISE.get((params.design, name), _SAID[name])}"
        for name in _USED.get(params.design, ())
        if name not in _SILENT or getattr(params, name) != _SILENT[name]
    ]


TOOL = Tool(
    name="sample_size",
    description="Units a design needs (means, proportions, correlation, ANOVA, factorial, "
    "clusters, stepped wedge, difference in differences, non-inferiority, equivalence, McNemar, times "
    "to events, rates, ROC areas, triangle tests, precision), for several effect sizes.",
    params=SampleSize,
    run=sample_size,
)

"""The calls that the figures of a brief make, design by design."""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

from dr_rd.tools.sample_size.conversions import (
    d_of_correlation,
    d_of_f,
    f_of_d,
    f_of_explained,
    share_by_odds,
)
from dr_rd.tools.sample_size.stated import Stated, Unsaid

Call = dict[str, Any]
"""Arguments of the calculation."""

# --- what several designs take


def _test(stated: Stated) -> Call:
    """Error and power of a test that looks to both sides unless one is said."""
    sides = stated.otherwise("sides", 2, "two-sided")
    alpha = stated.get("alpha")
    if alpha is None and stated.has("confidence"):
        alpha = round(1 - stated.need("confidence"), 9)
        stated.assumed.append(f"error of the first kind {alpha:g}, as the confidence says")
    elif alpha is None:
        stated.assumed.append("error of the first kind 0.05")
        alpha = 0.05
    return {"alpha": alpha, "sides": sides, **_power(stated)}


def _power(stated: Stated) -> Call:
    return {"power": stated.otherwise("power", 0.8, "power 80 %")}


def _one_side(stated: Stated) -> Call:
    """Error and power of a test against a margin of non-inferiority (ICH E9: one-sided 0.025)."""
    alpha, sides = stated.get("alpha"), stated.get("sides")
    if alpha is None:
        stated.assumed.append("error of the first kind 0.025 on one side")
        alpha, sides = 0.025, 1
    elif sides is None:
        sides = 1 if alpha <= 0.025 else 2
        half = alpha if sides == 1 else alpha / 2
        stated.assumed.append(f"error of the first kind {half:g} on one side")
    return {"alpha": alpha, "sides": sides, **_power(stated)}


def _both_margins(stated: Stated) -> Call:
    """Error of each of two one-sided tests, and power of both."""
    alpha = stated.otherwise("alpha", 0.05, "error of the first kind 0.05 on each side")
    return {"alpha": alpha / 2 if stated.get("sides") == 2 else alpha, **_power(stated)}


def _interval(stated: Stated) -> Call:
    if not stated.has("confidence") and stated.has("alpha"):
        return {"alpha": stated.need("alpha")}
    confidence = stated.otherwise("confidence", 0.95, "confidence 95 %")
    return {"alpha": round(1 - confidence, 9)}


def _losses(stated: Stated) -> Call:
    found = {"attrition": stated.get("loss"), "response": stated.get("response")}
    return {name: value for name, value in found.items() if value is not None}


def _clusters(stated: Stated, *, needs: bool = False) -> Call:
    """Clusters that are allocated or drawn; {} where units are independent."""
    if not needs and not stated.has("icc") and not stated.has("cluster_size"):
        return {}
    return {"cluster_size": stated.need("cluster_size"), "icc": stated.need("icc")}


def _ratio(stated: Stated) -> Call:
    return {"ratio": stated.layout.ratio} if stated.layout.ratio else {}


def _deviations(stated: Stated, name: str = "effect") -> float:
    """An effect or a margin, in standard deviations."""
    value, kind = abs(stated.need(name)), stated.figures.effect_kind
    if kind == "standardised" and not (name == "margin" and stated.has("sd")):
        return value
    if name == "effect" and kind not in ("mean difference", None):
        return _in_deviations(stated, value, kind)
    return value / stated.need("sd")


def _in_deviations(stated: Stated, value: float, kind: str) -> float:
    """An effect of another measure, in standard deviations; raises Unsaid where it is none of means."""
    if kind == "percent change":
        found = value / stated.need("variation")
        source = "the change over the coefficient of variation"
    elif kind == "cohen's f" or (kind == "explained variance" and value < 1):
        found = d_of_f(value if kind == "cohen's f" else f_of_explained(value))
        source = "Cohen 1988, of two groups of one size"
    elif kind == "correlation" and value < 1:
        found = d_of_correlation(value)
        source = "Borenstein et al. 2009, of two groups of one size"
    else:
        raise Unsaid(f"An effect that is {_a(kind)} does not size a comparison of means.")
    stated.converted.append(f"{kind} {value:g} as {found:.3g} standard deviations ({source})")
    return found


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeo" else f"a {kind}"


def _rate(stated: Stated) -> float:
    value = stated.need("base_rate")
    if not 0 < value < 1:
        raise Unsaid(f"A rate in the comparator of {value:g} leaves nothing to be compared.")
    return value


def _difference(stated: Stated) -> float:
    """What the second rate is above the first."""
    first = _rate(stated)
    if stated.has("second_rate"):
        return round(stated.need("second_rate") - first, 9)
    effect, kind = stated.need("effect"), stated.figures.effect_kind
    second = None
    if kind in ("ratio", "risk ratio"):
        second = first * effect
    elif kind == "percent change":
        second = first * (1 + effect)
    elif kind == "odds ratio":
        second = share_by_odds(first, effect)
    if second is not None:
        said = f"{kind} {effect:g} as a rate of {second:.3g} against {first:g}"
        stated.converted.append(f"{said} (by definition)")
        if not 0 < second < 1:
            raise Unsaid(f"A {kind} of {effect:g} leaves no rate below 1 of {first:g}.")
        return round(second - first, 9)
    if kind not in ("proportion difference", None):
        raise Unsaid(f"An effect that is {_a(kind)} does not size a comparison of proportions.")
    apart = round(effect if 0 < first + effect < 1 else -effect, 9)
    stated.assumed.append(f"a rate of {first + apart:g} against {first:g}")
    return apart


# --- the designs


def _two_means(stated: Stated) -> tuple[Call, str]:
    return _means(stated, _clusters(stated))


def _cluster_means(stated: Stated) -> tuple[Call, str]:
    return _means(stated, _clusters(stated, needs=True))


def _means(stated: Stated, clusters: Call) -> tuple[Call, str]:
    call = {"design": "two_means", "effects": [_deviations(stated)]} | clusters | _ratio(stated)
    return call | _test(stated) | _losses(stated), "clusters per arm" if clusters else "group"


def _two_proportions(stated: Stated) -> tuple[Call, str]:
    return _proportions(stated, _clusters(stated))


def _cluster_proportions(stated: Stated) -> tuple[Call, str]:
    return _proportions(stated, _clusters(stated, needs=True))


def _proportions(stated: Stated, clusters: Call) -> tuple[Call, str]:
    call = {"design": "two_proportions", "base": _rate(stated), "effects": [_difference(stated)]}
    call |= clusters | _ratio(stated) | _test(stated) | _losses(stated)
    return call, "clusters per arm" if clusters else "group"


def _one_proportion(stated: Stated) -> tuple[Call, str]:
    if not stated.has("margin") and stated.has("base_rate"):
        call = {"design": "one_proportion", "base": _rate(stated)}
        return call | {"effects": [_difference(stated)]} | _test(stated) | _losses(stated), "total"
    call = {"design": "proportion_precision", "effects": [stated.need("margin")]}
    base = stated.otherwise("base_rate", 0.5, "a share of a half, the worst for its precision")
    return call | {"base": base} | _estimate(stated), "total"


def _one_mean(stated: Stated) -> tuple[Call, str]:
    if stated.has("margin"):
        call = {"design": "mean_precision", "effects": [_deviations(stated, "margin")]}
        return call | _estimate(stated), "total"
    call = {"design": "one_mean", "effects": [_deviations(stated)]}
    return call | _test(stated) | _losses(stated), "total"


def _estimate(stated: Stated) -> Call:
    whole = stated.get("population")
    found = _interval(stated) | _clusters(stated) | _losses(stated)
    return found | ({"population": whole} if whole else {})


def _paired(stated: Stated) -> tuple[Call, str]:
    if stated.has("base_rate", "second_rate") and not stated.has("sd"):
        return _mcnemar(stated)
    if stated.figures.effect_kind == "proportion difference" and not stated.has("sd"):
        raise Unsaid("The share of pairs whose members differ is not stated.", "discordant")
    if stated.has("sd"):
        stated.assumed.append("the standard deviation is that of the differences within pairs")
    call = {"design": "paired_means", "effects": [_deviations(stated)]}
    return call | _test(stated) | _losses(stated), "pairs"


def _mcnemar(stated: Stated) -> tuple[Call, str]:
    if not stated.has("base_rate") and not stated.has("second_rate"):
        raise Unsaid("The share of pairs whose members differ is not stated.", "discordant")
    first, second = stated.need("base_rate"), stated.need("second_rate")
    stated.assumed.append("the two rates are the shares of pairs that differ, in each direction")
    call = {"design": "mcnemar", "discordant": round(first + second, 9)}
    call |= {"effects": [round(abs(first - second), 9)]}
    return call | _test(stated) | _losses(stated), "pairs"


def _shares_of_units(stated: Stated) -> tuple[Call, str]:
    """Of units that are each tried several times, so that each has a share of its own."""
    stated.need("effect")
    raise Unsaid(
        "How far the share scatters from one unit to the next is not stated.", "share_spread"
    )


def _correlation(stated: Stated) -> tuple[Call, str]:
    kind, effect = stated.figures.effect_kind, stated.need("effect")
    if kind == "explained variance" and 0 < effect < 1:
        stated.converted.append(
            f"explained variance {effect:g} as a correlation of {sqrt(effect):.3g} (its square root: "
            "one predictor, or what is left of one beside the others)"
        )
        effect = sqrt(effect)
    elif kind not in ("correlation", None):
        raise Unsaid("The correlation to be found is not stated.")
    call = {"design": "correlation", "effects": [effect]}
    return call | _test(stated) | _losses(stated), "total"


def _anova(stated: Stated) -> tuple[Call, str]:
    groups, kind = int(stated.need("groups")), stated.figures.effect_kind
    value = abs(stated.need("effect"))
    if kind == "cohen's f":
        effect = value
    elif kind == "explained variance" and value < 1:
        effect = f_of_explained(value)
        stated.converted.append(f"explained variance {value:g} as f {effect:.3g} (Cohen 1988)")
    else:
        apart = _deviations(stated)
        effect = f_of_d(apart, groups)
        stated.converted.append(
            f"extremes {apart:.3g} standard deviations apart as f {effect:.3g} (Cohen 1988: the least, "
            "with all other means half-way between them)"
        )
    call: Call = {"design": "anova", "groups": groups, "effects": [round(effect, 6)]}
    return call | _test(stated) | _losses(stated), "group"


def _factorial(stated: Stated) -> tuple[Call, str]:
    if stated.has("base_rate") and not stated.has("sd"):
        return _proportions(stated, {})[0], "total"
    call: Call = {"design": "factorial", "effects": [_deviations(stated)]}
    call["factors"] = stated.layout.factors or 2
    if stated.layout.factors is None:
        stated.assumed.append("two factors")
    return call | _test(stated) | _losses(stated), "total"


def _non_inferiority(stated: Stated) -> tuple[Call, str]:
    """Of proportions where a rate is stated, else of means."""
    if stated.has("base_rate"):
        return _of_margin(stated, "non_inferiority_proportions", _one_side(stated))
    call = {"design": "non_inferiority_means", "effects": [_deviations(stated, "margin")]}
    clusters = _clusters(stated)
    call |= clusters | _ratio(stated) | _one_side(stated) | _losses(stated)
    return call, "clusters per arm" if clusters else "group"


def _equivalence(stated: Stated) -> tuple[Call, str]:
    if stated.has("base_rate"):
        return _of_margin(stated, "equivalence_proportions", _both_margins(stated))
    clusters = _clusters(stated)
    call = _equivalent_means(stated, "equivalence_means") | clusters | _ratio(stated)
    return call, "clusters per arm" if clusters else "group"


def _equivalence_crossover(stated: Stated) -> tuple[Call, str]:
    return _equivalent_means(stated, "equivalence_crossover"), "total"


def _equivalent_means(stated: Stated, design: str) -> Call:
    call: Call = {"design": design, "effects": [_deviations(stated, "margin")]}
    if stated.has("effect"):
        call["difference"] = _deviations(stated)
    else:
        stated.assumed.append("no true difference")
    return call | _both_margins(stated) | _losses(stated)


def _of_margin(stated: Stated, design: str, error: Call) -> tuple[Call, str]:
    call: Call = {"design": design, "base": _rate(stated), "effects": [stated.need("margin")]}
    if stated.has("second_rate"):
        call["difference"] = round(stated.need("second_rate") - stated.need("base_rate"), 9)
        stated.assumed.append("the higher rate is the better one")
    else:
        stated.assumed.append("no true difference")
    clusters = _clusters(stated)
    call |= clusters | _ratio(stated) | error | _losses(stated)
    return call, "clusters per arm" if clusters else "group"


def _survival(stated: Stated) -> tuple[Call, str]:
    if stated.figures.effect_kind not in ("hazard ratio", "rate ratio", "ratio", None):
        raise Unsaid("The hazard ratio to be found is not stated.")
    if stated.has("per"):
        return _survival_by_exposure(stated)
    ratio = stated.need("effect")
    call = {"design": "survival", "effects": [ratio]} | _ratio(stated) | _test(stated)
    if stated.has("base_rate"):
        first = _rate(stated)
        second = stated.get("second_rate") or 1 - (1 - first) ** ratio
        weight = stated.layout.ratio or 1
        call["event_share"] = round((first + weight * second) / (1 + weight), 9)
        call |= _losses(stated)
    return call, "events"


def _survival_by_exposure(stated: Stated) -> tuple[Call, str]:
    """Of a continuous exposure, whose ratio is for one standard deviation of it."""
    if stated.get("per") != "standard deviation":
        raise Unsaid("The standard deviation of the exposure is not stated.", "exposure_sd")
    call: Call = {"design": "survival_by_exposure", "effects": [stated.need("effect")]}
    call |= _test(stated)
    if stated.has("base_rate"):
        call["event_share"] = _rate(stated)
    return call | _losses(stated), "total" if stated.has("base_rate") else "events"


def _rates(stated: Stated) -> tuple[Call, str]:
    first = stated.need("base_rate")
    if stated.has("second_rate"):
        ratio = stated.need("second_rate") / first if first else 0.0
    elif stated.figures.effect_kind in ("ratio", "rate ratio", "risk ratio", "hazard ratio"):
        ratio = stated.need("effect")
    elif stated.figures.effect_kind == "percent change":
        ratio = 1 + stated.need("effect")
        stated.converted.append(f"a change by {ratio - 1:.0%} as a ratio of rates of {ratio:g}")
    else:
        raise Unsaid("The second rate, or the ratio of the rates, is not stated.")
    call = {"design": "rates", "rate": first, "effects": [round(ratio, 9)]} | _ratio(stated)
    if stated.layout.follow_up:
        call["follow_up"] = stated.layout.follow_up
    else:
        stated.assumed.append("each is followed for one unit of the rates' time")
    return call | _test(stated) | _losses(stated), "group"


def _area(stated: Stated) -> tuple[Call, str]:
    area = stated.need("effect")
    positive = stated.otherwise("base_rate", 0.5, "as many positive as negative cases")
    if not 0 < positive < 1:
        raise Unsaid(f"A share of positive cases of {positive:g} leaves no curve.")
    ratio = {"ratio": round((1 - positive) / positive, 6)}
    if stated.has("margin"):
        call = {"design": "area_precision", "base": area, "effects": [stated.need("margin")]}
        return call | ratio | _interval(stated) | _losses(stated), "total"
    base = stated.otherwise("reference", 0.5, "an area of 0.5 without discrimination")
    call = {"design": "area", "base": base, "effects": [area]}
    return call | ratio | _test(stated) | _losses(stated), "total"


def _stepped_wedge(stated: Stated) -> tuple[Call, str]:
    if stated.layout.steps is None:
        raise Unsaid("The number of steps is not stated.")
    call: Call = {"design": "stepped_wedge", "steps": stated.layout.steps}
    call |= _clusters(stated, needs=True)
    if stated.has("base_rate"):
        first, apart = _rate(stated), _difference(stated)
        middle = first + apart / 2
        call["effects"] = [round(abs(apart) / sqrt(middle * (1 - middle)), 9)]
    else:
        call["effects"] = [_deviations(stated)]
    return call | _test(stated) | _losses(stated), "clusters"


RULES: Mapping[str, Callable[[Stated], tuple[Call, str]]] = {
    "one proportion": _one_proportion,
    "one mean": _one_mean,
    "two proportions": _two_proportions,
    "two means": _two_means,
    "paired": _paired,
    "mcnemar": _mcnemar,
    "shares of units": _shares_of_units,
    "correlation": _correlation,
    "anova": _anova,
    "cluster means": _cluster_means,
    "cluster proportions": _cluster_proportions,
    "stepped wedge": _stepped_wedge,
    "factorial": _factorial,
    "non-inferiority": _non_inferiority,
    "non-inferiority means": _non_inferiority,
    "non-inferiority proportions": _non_inferiority,
    "equivalence": _equivalence,
    "equivalence means": _equivalence,
    "equivalence proportions": _equivalence,
    "equivalence crossover": _equivalence_crossover,
    "survival": _survival,
    "rates": _rates,
    "auc": _area,
}
"""How the figures of each design become a call, with what its answer counts."""

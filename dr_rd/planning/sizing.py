"""Which sample size a plan needs: the method's design, with what the brief says about it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.pluralize import amount
from dr_rd.planning.designs import (
    ALONE,
    SizingInput,
    design_for,
    is_clustered,
    laid_out,
    limit_lines,
    number_asked,
    period_of,
)
from dr_rd.planning.effects import wanted_of
from dr_rd.planning.layouts import steps_of
from dr_rd.planning.methods import Parameter, Sizing
from dr_rd.planning.stated import CHANGES, CROSSED, LOSSES, MEANS, figures_for
from dr_rd.planning.usable import Refused, usable
from dr_rd.planning.wording import Assumptions
from dr_rd.study import Layout, Needed, Statistics
from dr_rd.tools.sample_size import RULES, needed

_COMPLEMENTS = {"confidence": "alpha", "response": "attrition"}
"""Arguments that stand for one less another."""

_OWN = (*CHANGES, CROSSED, "anova", "factorial", "discrimination")
"""Designs that only the method knows of: figures that name no design do not replace them."""

_NOT_SAMPLED = ("survival", "rates", "area", "area_precision", "stepped_wedge")
"""Designs that count something else than what a brief says it samples."""

_FRACTION = re.compile(r"^(\d+)/([1-9]\d*)$")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|percentage points?)")


def sizing(asked: SizingInput, assumed: Assumptions) -> dict[str, Any]:
    """Arguments of the calculation: the brief's figures first, else *assumed* ones.

    Empty where the brief names an effect that the calculation of no design takes as it stands.
    """
    text = limit_lines(asked.brief)
    design = design_for(asked, text)
    if design == CROSSED and asked.statistics.effect_kind in ("standardised", None):
        return _by_method(asked, design, text, assumed)
    follows = _following(asked, design)
    if follows.call and not (
        design in (*CHANGES, CROSSED) and follows.design in ("two_means", "factorial")
    ):
        return _as_stated(asked, follows, assumed)
    if follows.call:
        effect = {"effects": follows.call["effects"]}
        return _by_method(asked, design, text, assumed) | effect
    if asked.statistics.effect is None:
        if asked.statistics.design not in (None, "none"):
            assumed.cite("the sample size rests on customary effects", follows.why_not)
        return _by_method(asked, design, text, assumed)
    return _approximated(asked, design, text, follows, assumed)


_IN_DEVIATIONS = (*MEANS, *CHANGES, CROSSED, "one_mean")
"""Designs whose effect is in standard deviations."""

_BY_SHARES = ("proportion difference", "risk ratio", "odds ratio", "percent change")


def _approximated(
    asked: SizingInput, design: str, text: str, follows: Needed, assumed: Assumptions
) -> dict[str, Any]:
    """The nearest calculation for an effect that lacks a figure, its difference named; {} without one."""
    stated, lacks = asked.statistics, follows.lacks
    if wanted := wanted_of(stated, follows):
        if lacks == "discordant" or stated.design == "paired":
            design = "paired_means"
        elif design not in _IN_DEVIATIONS:
            design = "two_means"
        return _by_method(asked, design, text, assumed) | {"wanted": wanted}
    base = asked.rule.arguments.get("base", "")
    if lacks == "base_rate" and stated.effect_kind in _BY_SHARES:
        known = _number(asked.parameters[base].value) if base else _WORST
        if not base and stated.effect_kind != "proportion difference":
            return {}
        said = f"{base.replace('_', ' ')}: {asked.parameters[base].value}" if base else AT_WORST
        found = _following(_with(asked, base_rate=known), design)
        if found.call:
            assumed.cite(said, asked.parameters[base].why if base else _WHY_WORST)
            return _as_stated(_with(asked, base_rate=known), found, assumed)
    if lacks in ("icc", "cluster_size") and "icc" in asked.parameters:
        return _by_method(asked, design, text, assumed)
    if not lacks and stated.design in RULES:
        assumed.cite("the sample size rests on customary effects", follows.why_not)
        return _by_method(asked, design, text, assumed)
    return {}


def _with(asked: SizingInput, **figures: float) -> SizingInput:
    """The same study with figures that the brief does not state."""
    return replace(asked, statistics=asked.statistics.model_copy(update=figures))


def _following(asked: SizingInput, design: str) -> Needed:
    """The size that follows from the brief's own figures, if they ask for one."""
    stated = asked.statistics
    if stated.design is None and (design in _OWN or stated == Statistics()):
        return Needed(why_not="No figure of the brief says what is to be found.")
    if stated.design is None and design == "paired_means":
        stated = stated.model_copy(update={"design": "paired"})
    if asked.within:
        stated = paired(stated)
    stated = stated.model_copy(update=_of_method(asked))
    layout = Layout(
        factors=asked.factors,
        steps=steps_of(asked.direction, asked.units) if stated.design == "stepped wedge" else None,
    )
    return needed(stated, layout)


def paired(stated: Statistics) -> Statistics:
    """Return the figures of a comparison of means as those of pairs, whose halves correlate 0.5.

    The differences of such pairs scatter as the units themselves do.
    """
    means = stated.design == "two means" and (stated.sd or stated.effect_kind == "standardised")
    return stated.model_copy(update={"design": "paired"}) if means else stated


def needed_in_all(
    stated: Statistics, *, within: bool, layout: Layout | None = None
) -> float | None:
    """Return the units in all, or the groups, that follow from the brief's own figures; None where none do."""
    found = needed(paired(stated) if within else stated, layout)
    if found.n is None or found.per not in _IN_ALL:
        return None
    return float(found.n * _IN_ALL[found.per])


_IN_ALL = {"group": 2, "total": 1, "pairs": 1, "clusters per arm": 2, "clusters": 1}
"""How often a size counts in all, by what it is for."""


def _of_method(asked: SizingInput) -> dict[str, Any]:
    """Error and power of the method, which its texts name, where the brief states none.

    A margin keeps the error that is customary for it.
    """
    stated, known = asked.statistics, asked.parameters
    found: dict[str, Any] = {}
    if stated.power is None and "power" in known:
        found["power"] = _number(known["power"].value)
    by_margin = stated.margin_kind in ("non-inferiority", "equivalence")
    if stated.alpha is None and stated.confidence is None and "alpha" in known and not by_margin:
        found["alpha"] = _number(known["alpha"].value)
        found["sides"] = stated.sides or 2
    return found


def _as_stated(asked: SizingInput, follows: Needed, assumed: Assumptions) -> dict[str, Any]:
    """The call that follows from the brief, with the losses that the method expects if it says none."""
    call, stated, known = dict(follows.call or {}), asked.statistics, asked.parameters
    if isinstance(effects := call.get("effects"), list) and effects:
        call["effects"] = [round(float(str(effects[0])), 4)]
    names: dict[str, str] = {k: k for k in _of_method(asked) if k in call and k in known}
    if (lost := _loss(known)) and stated.loss is None and stated.response is None:
        call["attrition"] = _number(known[lost].value)
        names["attrition"] = lost
    names |= _expected(asked, call) | _events(asked, call)
    for name in names.values():
        assumed.cite(f"{name}: {known[name].value}", known[name].why)
    for said in follows.converted:
        assumed.cite(f"{said} in the sample size", "The brief names the effect in this measure.")
    for said in follows.assumed:
        assumed.cite(f"{said} in the sample size", "Customary where the brief does not say.")
    for it in follows.unused:
        if getattr(stated, it.field) is not None:
            called = it.field.replace("_", " ")
            assumed.cite(
                f"the {called} of {it.value} that the brief names is not used", f"{it.why}."
            )
    if asked.within and call["design"] == "paired_means":
        assumed.cite(
            "two readings of one unit correlate 0.5",
            "The direction compares within units and the brief states the spread between them.",
        )
    call |= _units(asked, str(call["design"]), clustered="cluster_size" in call)
    found, refused = usable(call, {}, asked.params)
    _tell(refused, assumed)
    return found


def _events(asked: SizingInput, call: dict[str, Any]) -> dict[str, str]:
    """Enter in *call* the share with the event that a cohort expects; return its name."""
    name = asked.rule.arguments.get("base", "")
    wanting = call["design"] == "survival_by_exposure" and "event_share" not in call
    if not wanting or name not in asked.parameters:
        return {}
    call["event_share"] = _number(asked.parameters[name].value)
    return {"event_share": name}


def _expected(asked: SizingInput, call: dict[str, Any]) -> dict[str, str]:
    """Enter in *call* what the method expects of its own design's response and sample; return its names."""
    stated = asked.statistics
    if (
        call["design"] != asked.rule.design
        or stated.loss is not None
        or stated.response is not None
    ):
        return {}
    own = _assumptions(asked, asked.rule.design)
    found = {_COMPLEMENTS.get(a, a): name for a, name in asked.rule.arguments.items()}
    entered = {
        k: name for k, name in found.items() if k in own and k in _OF_SAMPLE and k not in call
    }
    call |= {k: own[k] for k in entered}
    return entered


_OF_SAMPLE = ("attrition", "design_effect")


def _by_method(asked: SizingInput, design: str, text: str, assumed: Assumptions) -> dict[str, Any]:
    """The call of the method's design, with the figures of the brief that it takes."""
    used = _assumptions(asked, design)
    stated = _of_brief(asked, design, text, used)
    found, refused = usable({"design": design} | used | stated, used, asked.params)
    _tell(refused, assumed)
    stated = {k: v for k, v in stated.items() if found.get(k) == v}
    _cite(asked, used, assumed, replaced=stated)
    if {"before", "after"} <= set(found):
        assumed.cite(
            f"one measurement of each unit in each {period_of(text)} of the study",
            "The brief names the periods before and after, not how often units are measured.",
        )
    return found


def _of_brief(
    asked: SizingInput, design: str, text: str, used: Mapping[str, Any]
) -> dict[str, Any]:
    """What the brief itself says: figures of the calculation, what is counted, and how many."""
    found = laid_out(asked, design, text) | figures_for(design, asked.statistics)
    clustered = "cluster_size" in used or "cluster_size" in found
    if asked.members and clustered:
        found["cluster_size"] = asked.members
    return found | _units(asked, design, clustered=clustered)


def _units(asked: SizingInput, design: str, *, clustered: bool) -> dict[str, Any]:
    """What is counted, and how many the brief asks for."""
    found: dict[str, Any] = {}
    if counted := _sampling_unit(asked, design):
        found["unit"] = counted
    if design not in _NOT_SAMPLED and (number := number_asked(asked, design)):
        found |= {"clusters": int(number)} if clustered else {"given": number}
    return found


_CALLED = {
    "effects": "effect",
    "given": "number",
    "clusters": "number of groups",
    "cluster_size": "size of a group",
    "groups": "number of levels",
    "factors": "number of factors",
    "before": "number of periods before",
    "after": "number of periods after",
}
"""What a reader calls an argument, where its name says too little."""


def _tell(refused: Sequence[Refused], assumed: Assumptions) -> None:
    """Say of each figure of the brief that is not used what it would have to be."""
    for it in refused:
        value = it.value[0] if isinstance(it.value, list) else it.value
        called = _CALLED.get(it.argument, it.argument)
        assumed.cite(
            f"the {called} of {amount(value)} that the brief names is not used",
            f"No sample size can be computed with it: give {it.why}.",
        )


def _sampling_unit(asked: SizingInput, design: str) -> str:
    """What is counted, where the design does not say it by itself."""
    if asked.rule.counts and design == asked.rule.design:
        return asked.rule.counts
    return asked.slots.get("units", "") if design in ALONE else ""


def _assumptions(asked: SizingInput, design: str) -> dict[str, Any]:
    """Arguments that the method's own parameters give."""
    values = {k: _number(p.value) for k, p in asked.parameters.items()}
    found: dict[str, Any] = {k: values[k] for k in ("alpha", "power") if k in values}
    if lost := _loss(asked.parameters):
        found["attrition"] = values[lost]
    for argument, name in _own(asked.rule, design).items():
        if argument in _COMPLEMENTS:
            found[_COMPLEMENTS[argument]] = round(1 - values[name], 4)
        else:
            found[argument] = [values[name]] if argument == "effects" else values[name]
    if design == "two_proportions" and "base" not in found:
        found["base"] = _WORST
    if design == "survival_by_exposure":
        found["event_share"] = values[asked.rule.arguments["base"]]
    if "icc" in values and is_clustered(asked):
        found |= {"cluster_size": values.get("cluster_size", 25.0), "icc": values["icc"]}
    return found


_WORST = 0.5
AT_WORST = "a present share of 50 %"
"""What is assumed of a share that nobody names; at it a difference takes the most units."""
_WHY_WORST = "The brief names none; at a half a difference takes the most units."


def _loss(parameters: Mapping[str, Parameter]) -> str:
    """Name the parameter for the share of the units that is lost; "" if there is none."""
    return next((name for name in LOSSES if name in parameters), "")


def _own(rule: Sizing, design: str) -> Mapping[str, str]:
    """The parameters named for the design of a rule; another design has no use for them."""
    related = design == rule.design or {design, rule.design} <= set(CHANGES)
    return rule.arguments if related else {}


def _cite(
    asked: SizingInput,
    used: Mapping[str, Any],
    assumed: Assumptions,
    *,
    replaced: Mapping[str, Any],
) -> None:
    """Name every assumption that the calculation rests on and the brief does not replace."""
    known = asked.parameters
    names = {k: k for k in ("alpha", "power", "icc", "cluster_size") if k in known}
    if lost := _loss(known):
        names["attrition"] = lost
    names |= {_COMPLEMENTS.get(a, a): name for a, name in asked.rule.arguments.items()}
    if "base" in names:
        names["event_share"] = names["base"]
    elif used.get("base") == _WORST and "base" not in replaced:
        assumed.cite(AT_WORST, _WHY_WORST)
    for argument in used:
        if argument in names and argument not in replaced:
            parameter = known[names[argument]]
            assumed.cite(f"{names[argument].replace('_', ' ')}: {parameter.value}", parameter.why)
    missing = [k for k in ("alpha", "power") if k not in used and k not in replaced]
    customary = {"alpha": "two-sided 0.05", "power": "80 %"}
    for argument in missing:
        assumed.cite(
            f"{argument} in the sample size: {customary[argument]}",
            "Customary where neither the brief nor the method sets it.",
        )


def _number(value: str) -> float:
    """A parameter's number; of a percentage, percentage points and a fraction the share."""
    if found := _SHARE.search(value):
        return float(found[1]) / 100
    if found := _FRACTION.search(value):
        return int(found[1]) / int(found[2])
    found = re.search(r"\d+(?:\.\d+)?", value)
    return float(found[0]) if found else 0.0

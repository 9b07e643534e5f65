"""The sample size that follows from what a brief states: which design, with which arguments."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from core.errors import TaskError
from dr_rd.study import Layout, Needed, Statistics
from dr_rd.tools.sample_size.designs import DESIGNS
from dr_rd.tools.sample_size.rules import RULES, Call
from dr_rd.tools.sample_size.stated import CALLED, Stated, Unsaid
from dr_rd.tools.sample_size.tool import SampleSize, sample_size


def needed(statistics: Statistics, layout: Layout | None = None) -> Needed:
    """Return the size that follows from *statistics*, or why none does.

    Conventions stand in only where every field has the same one: a two-sided error of 0.05, one of
    0.025 on the side of non-inferiority, of 0.05 on each of equivalence, a power of 80 %, a
    confidence of 95 %, half and half where a share is unknown. Each is named.
    """
    stated = Stated(statistics, layout or Layout())
    try:
        call, per = _call(stated)
        return _sized(stated, call, per)
    except Unsaid as missing:
        stated.used.clear()
        return Needed(why_not=str(missing), lacks=missing.lacks, unused=stated.unused(""))


def _call(stated: Stated) -> tuple[Call, str]:
    name = _against_margin(stated, _named(stated.figures.design) or _inferred(stated))
    if name not in RULES:
        raise Unsaid(_not_offered(name))
    return RULES[name](stated)


def _named(design: str | None) -> str:
    plain = " ".join((design or "").lower().replace("_", " ").split())
    return _OTHER_NAMES.get(plain, plain)


_OTHER_NAMES = {
    "logrank": "survival", "log-rank": "survival", "time to event": "survival",
    "poisson": "rates", "incidence rates": "rates", "roc": "auc", "area": "auc",
    "analysis of variance": "anova", "tost": "equivalence", "bioequivalence": "equivalence crossover",
    "stepped-wedge": "stepped wedge", "noninferiority": "non-inferiority",
}  # fmt: skip


def _against_margin(stated: Stated, name: str) -> str:
    """The design, where its groups are held against a margin, or clusters are drawn and not compared."""
    kind = stated.figures.margin_kind
    if kind == "precision" and name.startswith("cluster ") and not stated.has("second_rate"):
        return "one mean" if name == "cluster means" else "one proportion"
    if kind in (None, "precision") or name == "none" or name.startswith(str(kind)):
        return name
    if name.startswith(("two ", "cluster ")):
        return str(kind)
    return f"{kind} {name}"


def _not_offered(name: str) -> str:
    if name == "none":
        return (
            "No design is stated that a size could follow from: say what is compared or estimated."
        )
    offered = ", ".join(RULES)
    return f"The design {name!r} is not offered; offered are {offered}."


def _inferred(stated: Stated) -> str:
    """The design that the figures belong to, where none is named; raises Unsaid."""
    figures = stated.figures
    if figures.margin_kind in ("non-inferiority", "equivalence"):
        return figures.margin_kind
    if figures.margin_kind and (figures.base_rate is not None or figures.sd):
        return "one mean" if figures.sd else "one proportion"
    if figures.effect_kind and figures.effect_kind in _BY_EFFECT:
        return _BY_EFFECT[figures.effect_kind]
    if stated.has("base_rate") and (stated.has("second_rate") or stated.has("effect")):
        return _groups(stated, "two proportions")
    spread = {"percent change": "variation", "mean difference": "sd"}.get(
        figures.effect_kind or "mean difference", "effect"
    )
    if stated.has("effect") and (spread == "effect" or stated.has(spread) or stated.has("sd")):
        return _groups(stated, "two means")
    if stated.has("effect"):
        stated.need(spread)
    raise Unsaid(
        "No design is stated that a size could follow from: say what is compared or estimated, with "
        "its effect or its precision."
    )


_BY_EFFECT: Mapping[str, str] = {
    "hazard ratio": "survival",
    "rate ratio": "rates",
    "correlation": "correlation",
    "explained variance": "anova",
    "cohen's f": "anova",
    "area": "auc",
    "odds ratio": "two proportions",
    "risk ratio": "two proportions",
    "proportion difference": "two proportions",
    "reliability": "reliability",
}
"""The design that an effect belongs to by its measure alone."""


def _groups(stated: Stated, design: str) -> str:
    stated.assumed.append(f"{design} of separate groups are compared")
    return design


def _sized(stated: Stated, call: Call, per: str) -> Needed:
    """Make the call; raises Unsaid where its figures cannot be computed with."""
    try:
        params = SampleSize.model_validate(call)
        found: Any = sample_size(params)
    except ValidationError as error:
        fault = error.errors()[0]
        raise Unsaid(f"No size can be computed: {_fault(fault)}.") from error
    except TaskError as error:
        raise Unsaid(f"No size can be computed: {error}.") from error
    row, whole = found["rows"][0], stated.figures.population
    by_clusters = per == "clusters per arm"
    if per == "events" and "events" in row:
        row = {**row, "per_group": row["events"]}
    n = int(row["clusters"] if by_clusters else row["total" if per == "total" else "per_group"])
    if whole and params.population and n > whole:
        raise Unsaid(f"{n:,} would have to be asked, more than the {whole:,} that there are.")
    return Needed(
        n=n,
        per=per,
        design=params.design,
        call=call,
        analysed=None if by_clusters else row.get("analysed", n),
        participants=row.get("participants"),
        assumed=tuple(stated.assumed),
        converted=tuple(stated.converted),
        unused=stated.unused(DESIGNS[params.design].title),
    )


def _fault(fault: Mapping[str, Any]) -> str:
    """What is wrong with an argument, in the words of its check."""
    name = str(fault["loc"][0]) if fault["loc"] else ""
    said = str(fault["msg"]).removeprefix("Value error, ")
    return f"{CALLED.get(name, name)}: {said[:1].lower()}{said[1:]}" if name else said

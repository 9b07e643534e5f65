"""The figures for a sample size that a brief states: `data/reading/statistics.yaml`."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.reading.amounts import Amount
from dr_rd.reading.tagged import Tagged
from dr_rd.study.statistics import Statistics


class Field(Frozen):
    """What tells one statistic."""

    of: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    share: bool = False
    least: float = 0.0
    most: float = float("inf")

    @cached_property
    def behind(self) -> re.Pattern[str]:
        """What stands before the figure."""
        return re.compile("|".join(self.before), re.IGNORECASE)

    @cached_property
    def ahead(self) -> re.Pattern[str]:
        """What follows it."""
        return re.compile("|".join(self.after), re.IGNORECASE)


class Cues(Frozen):
    """The data file."""

    fields: Mapping[str, Field]
    one_sided: str
    two_sided: str
    context: str
    designs: tuple[tuple[str, str], ...]


class Stated(NamedTuple):
    """The statistics, and the amounts that they come from, by field."""

    statistics: Statistics
    amounts: Mapping[str, Amount]


STATISTIC = "statistic "
"""What the roles of amounts that are statistics begin with."""
STATISTICS = (
    "alpha", "power", "effect", "sd", "base_rate", "second_rate", "margin", "confidence", "icc",
    "cluster_size", "loss", "response", "population",
)  # fmt: skip
"""The statistics that an amount gives."""

_LIKELY = 0.35
"""Probability from which an amount without a known cue is taken for a statistic."""
_REACH = 90
_BARE_FIELDS = ("base_rate", "population")
"""Fields that are also read where a text speaks of no sample size."""


def statistics_of(found: Tagged) -> Stated:
    """Return what the document states for a sample size."""
    text, cues = found.document.text, _cues()
    likely = _likely(found)
    spoken = bool(re.search(cues.context, text, re.IGNORECASE))
    if not spoken and not likely:
        return Stated(Statistics(), {})
    taken: dict[str, Amount] = {}
    values: dict[str, Any] = {}
    for name, field in cues.fields.items() if spoken else ():
        for amount in found.amounts:
            if amount in taken.values() or amount.segment.kind == "background":
                continue
            value = _value(field, amount, text)
            if value is not None:
                taken[name], values[name] = amount, value
                break
    for name, amount in likely:
        if name not in taken and amount not in taken.values():
            taken[name], values[name] = amount, _stated(name, amount)
    values |= _sides(text, cues) if "alpha" in values else {}
    _rates(values, taken, found)
    values |= _kinds(values, taken, text)
    if not {"power", "confidence", "alpha", "sd", "icc", "margin", "effect"} & values.keys():
        values, taken = {k: v for k, v in values.items() if k in _BARE_FIELDS[:1]}, {}
    if values:
        values["design"] = _design(values, text, cues)
    return Stated(_checked(values), taken)


def _likely(found: Tagged) -> list[tuple[str, Amount]]:
    """The amounts that are statistics by their weights, the surest first."""
    held = [
        (chances[STATISTIC + name], name, amount)
        for amount, chances in found.amounts.items()
        if amount.kind not in ("date", "year", "money") and amount.segment.kind != "background"
        for name in STATISTICS
        if chances.get(STATISTIC + name, 0) >= _LIKELY
    ]
    return [(name, amount) for _, name, amount in sorted(held, key=lambda h: -h[0])]


def _stated(name: str, amount: Amount) -> float:
    """The figure, of a share as a fraction where the statistic is one."""
    q = amount.fact.amount
    value = abs(q.low if q.low is not None else q.high or 0)
    share = amount.kind == "share" and name not in ("effect", "margin")
    return round(value / 100 if share else value, 6)


def _value(field: Field, amount: Amount, text: str) -> float | None:
    if amount.kind not in field.of:
        return None
    q = amount.fact.amount
    low = q.low if q.low is not None else q.high
    if low is None or (field.share and not re.search(r"[\d%]", q.text)):
        return None  # "two-sided" tells no rate
    low = abs(low)
    begin = max(amount.fact.sentence.start, amount.start - _REACH)
    number = re.search(r"[\d.½¼¾]", q.text)
    lead = text[begin : amount.start] + (q.text[: number.start()] if number else "")
    tail = text[amount.end : amount.end + _REACH]
    noun = q.text[q.text.find(q.noun) :] if q.noun and q.noun in q.text else ""
    tail = f" {noun}{tail}" if noun else tail
    if not (field.behind.search(lead) or field.ahead.match(tail)):
        return None
    value = low / 100 if field.share and (amount.kind == "share" or low > 1) else low
    if field.share and not field.least <= value <= min(field.most, 1.0):
        return None
    return round(value, 6) if field.least <= value <= field.most else None


def _sides(text: str, cues: Cues) -> dict[str, Any]:
    one, two = (bool(re.search(p, text, re.IGNORECASE)) for p in (cues.one_sided, cues.two_sided))
    return {"sides": 1 if one else 2} if one != two else {}


def _rates(values: dict[str, Any], taken: dict[str, Amount], found: Tagged) -> None:
    """Read "from 12 % to 7 %" as a rate and the one to be told from it."""
    for amount in found.amounts:
        q = amount.fact.amount
        apart = q.low is not None and q.high is not None and q.low != q.high
        changes = amount.kind == "share" and apart and _CHANGES.search(amount.before[-20:])
        if changes and "base_rate" not in values:
            values |= {"base_rate": (q.low or 0) / 100, "second_rate": (q.high or 0) / 100}
            taken["base_rate"] = amount


_CHANGES = re.compile(r"\b(?:from|rise|fall|drop|lift)\b")


def _kinds(values: dict[str, Any], taken: dict[str, Amount], text: str) -> dict[str, Any]:
    """What sort of effect and margin are stated."""
    out: dict[str, Any] = {}
    if "effect" in values:
        out["effect_kind"] = _effect_kind(taken["effect"])
        if taken["effect"].kind == "share" and values["effect"] > 1:
            values["effect"] = round(values["effect"] / 100, 6)
    if "margin" in values:
        share = taken["margin"].kind == "share" or re.search(
            r"^\s*(?:percentage )?points", taken["margin"].fact.amount.noun + taken["margin"].after
        )
        if share and values["margin"] > 0:
            values["margin"] = round(values["margin"] / 100, 6)
        worse = re.search(r"non-?inferior\w*|no worse|not worse|\bworse\b", text, re.IGNORECASE)
        equal = re.search(r"\bequivalen\w+", text, re.IGNORECASE)
        out["margin_kind"] = (
            "non-inferiority" if worse else "equivalence" if equal else "precision"
        )
    return out


EffectKind = Literal[
    "mean difference", "standardised", "proportion difference", "ratio", "correlation", "hazard ratio"
]  # fmt: skip


def _effect_kind(amount: Amount) -> EffectKind:
    lead = f"{amount.before[-40:]}{amount.fact.amount.text}"
    tail = f"{amount.fact.amount.text} {amount.after[:30]}"
    if re.search(r"hazard ratio|\bHR\b", lead):
        return "hazard ratio"
    if re.search(r"\br\s?=|correlation", lead):
        return "correlation"
    if re.search(r"\b(?:d|dz|f|g)\s?(?:=|of|≈)", lead) or re.search(
        r"standard deviation|desviaciones típicas|Standardabweichung|écarts", tail
    ):
        return "standardised"
    if re.search(r"odds ratio|\bratio\b", lead):
        return "ratio"
    return "proportion difference" if amount.kind == "share" else "mean difference"


def _design(values: Mapping[str, Any], text: str, cues: Cues) -> str:
    name = next((n for n, p in cues.designs if re.search(p, text, re.IGNORECASE | re.DOTALL)), "")
    rates = "base_rate" in values
    if name == "cluster":
        return "cluster proportions" if rates else "cluster means"
    if name == "survival" and values.get("effect_kind") != "hazard ratio":
        name = ""
    if name == "correlation" and values.get("effect_kind") != "correlation":
        name = ""
    if name:
        return name
    if "margin" in values and values.get("margin_kind") == "precision":
        return "one mean" if "sd" in values else "one proportion"
    if "second_rate" in values:
        return "two proportions"
    if "effect" in values:
        return "two means"
    return "none"


def _checked(values: dict[str, Any]) -> Statistics:
    """The statistics, without figures that cannot be meant."""
    while True:
        try:
            return Statistics(**values)
        except ValidationError as wrong:
            fields: Sequence[Any] = [e["loc"][0] for e in wrong.errors()]
            values = {k: v for k, v in values.items() if k not in fields}


@cache
def _cues() -> Cues:
    return Cues.model_validate(read_yaml("reading", "statistics.yaml"))

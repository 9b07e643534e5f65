"""The design whose size a brief asks for, and the figures that this needs beside its effect."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dr_rd.reading.amounts import Amount
from dr_rd.reading.effects import vocabulary

_OF_A_SHARE = ("proportion difference", "odds ratio", "risk ratio", "percent change")
"""Effects that are held against the share that is there without the treatment."""

_MOST_GROUPS = 12
"""Groups above which a count is of something else."""

_OF_RATES = ("rate ratio", "percent change")


def in_figures(
    held: Sequence[Amount], taken: Mapping[str, Amount], values: Mapping[str, Any]
) -> dict[str, tuple[float, Amount]]:
    """Return what an effect has to be held against: spread, present share or rate, number of groups."""
    found: dict[str, tuple[float, Amount]] = {}
    words, used = vocabulary(), set(taken.values())
    for amount in held:
        low = amount.fact.amount.low
        if amount in used or amount.segment.kind in ("background", "ban") or not low:
            continue
        before, tail = amount.before[-80:], amount.after
        if amount.kind == "share" and words.says("variation", before):
            found.setdefault("variation", (round(low / 100, 6), amount))
        elif amount.kind == "share" and 0 < low < 100 and _is_present(before, tail, amount):
            found.setdefault("base_rate", (round(low / 100, 6), amount))
        elif words.patterns["rates"].match(tail.strip()) and _is_present(before, tail, amount):
            found.setdefault("rate", (_each(amount, held), amount))
        elif amount.kind == "count" and low == int(low) and 2 < low <= _MOST_GROUPS:
            if _counts_groups(amount, held):
                found.setdefault("groups", (int(low), amount))
    kind, rate = values.get("effect_kind"), found.pop("rate", None)
    if rate and kind in _OF_RATES:
        found["base_rate"] = rate
    if kind not in (*_OF_A_SHARE, *_OF_RATES, "hazard ratio") or "base_rate" in values:
        found.pop("base_rate", None)
    if "effect" not in values:
        found.pop("variation", None)
        found.pop("groups", None)
    return found


def _is_present(before: str, tail: str, amount: Amount) -> bool:
    words = vocabulary()
    behind = f"{amount.fact.amount.text} {tail[:30]}"
    return bool(words.says("present", before) or words.says("present", behind))


def _each(amount: Amount, held: Sequence[Amount]) -> float:
    """A rate for one unit of time: "6.2 falls per 1,000 bed days"."""
    low = amount.fact.amount.low or 0.0
    per = next((a for a in held if a.segment == amount.segment and a.start > amount.end), None)
    near = per is not None and per.start - amount.end < len(" per about ")
    many = per.fact.amount.low if per is not None and near else None
    return round(low / many, 9) if many else low


def _counts_groups(amount: Amount, held: Sequence[Amount]) -> bool:
    """Whether a count is of levels that are compared: by its noun, or as others are counted for each."""
    noun = amount.fact.amount.noun.lower()
    if vocabulary().says("holders", noun):
        return False
    if vocabulary().says("groups", noun) and not amount.fact.per:
        return True
    words = re.findall(r"\w+", noun)
    pers = {a.fact.per.lower() for a in held if a.fact.per and a is not amount}
    pers -= {"day", "week", "month", "year", "hour", "evening"}
    return not amount.fact.per and any(w.rstrip("s") in pers or w in pers for w in words)


def design_of(values: Mapping[str, Any], text: str, cued: str) -> str:
    """Return the design, in the words of statistics, that figures and text ask for; "none" where none.

    *cued* is the one that a word of the text names outright.
    """
    kind, words = values.get("effect_kind"), vocabulary()
    clustered = cued == "cluster" or "icc" in values
    paired = cued == "paired" or bool(words.says("paired", text))
    if cued == "cluster" or (clustered and not cued):
        cued = ""
    elif cued == "paired" or (cued in _NEEDS_KIND and kind not in _NEEDS_KIND[cued]):
        cued = ""
    if cued.startswith("non-inferiority"):
        return f"non-inferiority {_outcome(values)}"
    if cued:
        return cued
    if values.get("margin_kind") in ("non-inferiority", "equivalence"):
        return f"{values['margin_kind']} {_outcome(values)}"
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if kind in ("explained variance", "cohen's f"):
        return "correlation" if _is_slope(values, text) else "anova"
    if words.says("items", text) and kind is not None:
        return "paired"
    if clustered:
        return f"cluster {_outcome(values)}"
    if "margin" in values and values.get("margin_kind") == "precision" and kind is None:
        return "one mean" if "sd" in values else "one proportion"
    if "second_rate" in values or kind in ("proportion difference", "odds ratio", "risk ratio"):
        return "two proportions"
    if kind == "percent change" and "base_rate" in values:
        return "two proportions" if values["base_rate"] < 1 else "rates"
    if kind is None:
        return "none"
    if paired:
        return "paired"
    return "anova" if values.get("groups") else "two means"


_NEEDS_KIND: Mapping[str, tuple[str, ...]] = {
    "survival": ("hazard ratio",),
    "correlation": ("correlation", "explained variance"),
}
"""Designs that a word alone does not make: their effect must be of the kind."""

_BY_KIND: Mapping[str, str] = {
    "hazard ratio": "survival",
    "rate ratio": "rates",
    "correlation": "correlation",
    "area": "auc",
    "reliability": "reliability",
}


def _outcome(values: Mapping[str, Any]) -> str:
    """Whether shares or means are compared."""
    shares = "base_rate" in values or values.get("effect_kind") in (
        "proportion difference", "odds ratio", "risk ratio",
    )  # fmt: skip
    return "proportions" if shares and "sd" not in values else "means"


def _is_slope(values: Mapping[str, Any], text: str) -> bool:
    """Whether variance is explained by a number, and not by belonging to a group."""
    words = vocabulary()
    by_r = re.search(r"\bR(?:²|\^2|2|[- ]squared)", text)
    return bool(not values.get("groups") and (by_r or words.says("slope", text)))
